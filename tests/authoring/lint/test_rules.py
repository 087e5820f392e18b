"""Texts that a rule must leave alone, and disguised ones that it must find."""

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.authoring.lint.lint_report import LintReport, lint
from grader.authoring.new_exercise import write_course
from grader.authoring.targets import TargetGroup

Spoiled = Callable[..., LintReport]

GIVEN = """\
      Q: [[1.0, 2.0, 0.0, 1.0], [1.0, 0.0, 1.0, 0.0]]
      K: [[1.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 2.0], [0.0, 3.0, 0.0, 0.0]]
"""
EXPECT = "    expect: [[1.0, 2.0, 3.0], [1.0, 0.0, 0.0]]\n"
DRAWN = """\
      n, m, d_k = sizes(3)
      Q = rng.standard_normal((n, d_k))
      K = rng.standard_normal((m, d_k))
"""
FIRST_HINT = "Which axis numbers the features?"
FEEDBACK = "You divided by $d_k$ instead of its square root."
CONCEPTS = "concepts: [dot-product, scaling]"
ANY_CALL = "    call: scaled_scores(Q, K)\n    expect: solution\n"
SECRET = (
    "    seeds: 10\n    given: |\n" + DRAWN,
    "    given:\n      Q: [[7.0, 8.0, 9.5]]\n      K: [[6.0, 5.0, 4.0]]\n",
)
STARTER = "      # 1. Compare every query with every key. 2. Scale.\n"
HALF = "\n  def half(numbers):\n      return numbers / (numbers.size + 2.0)\n"


def codes(report: LintReport) -> set[str]:
    return {finding.rule.code for finding in report.findings}


def test_the_exercise_is_clean_before_it_is_spoiled(spoiled: Spoiled) -> None:
    """Everything found below therefore comes from the spoiled part."""
    assert codes(spoiled()) == set()


@pytest.mark.parametrize(
    ("code", "pairs"),
    [
        ("ETU203", [(FIRST_HINT, "What comes out of `Q @ K.T`?")]),
        ("ETU203", [(FIRST_HINT, "You need to return the scores.")]),
        ("ETU204", [(FEEDBACK, "You forgot that `np.sqrt` is there.")]),
        ("ETU205", [("## Shapes", "## Shapes\n\n  ### One\n\n  ## Two\n\n  ```\n  ##### code\n  ```")]),
        ("ETU205", [("## Shapes", "# Shapes\n\n  ## Each")]),
        ("ETU206", [("## Shapes", r"It costs \$5, or `$x`, and $$a\n  + b$$ or ``$ ` $``." + "\n")]),
        ("ETU206", [("## Shapes", "```\n  $5\n\n  $6 and $7\n  ```")]),
        ("ETU304", [("    given:\n" + GIVEN, "    given: |\n" + DRAWN), (EXPECT, "    expect: solution\n")]),
        ("ETU304", [(DRAWN.join(("    given: |\n", "")), "    given:\n" + GIVEN.replace("3.0", "4.0")), ("    seeds: 10\n", "")]),
        ("ETU306", [(DRAWN, "      Q, K = np.random.RandomState(0).randn(2, 3, 5)\n")]),
        ("ETU306", [("(m, d_k))", "(m, d_k))\n      Q += np.random.default_rng(3).normal()")]),
        ("ETU207", [("## Shapes", "The root is `np.sqrt(Q.shape[-1])`.\n\n  ## Shapes")]),
        ("ETU207", [("## Shapes", "It is `scores / np.sqrt(Q.shape[-1])`.\n\n  ## Shapes"), ("title:", "kind: fix\ntitle:")]),
        ("ETU304", [(SECRET[0], SECRET[1]), (FIRST_HINT, "'Try `[[1.0, 2.0, 0.0, 1.0], [1.0, 0.0, 1.0, 0.0]]`.'")]),
        ("ETU304", [(SECRET[0], SECRET[1].replace("[7.0, 8.0, 9.5]", "[7.0, 8.0]").replace("[6.0, 5.0, 4.0]", "[6.0, 5.0]")), (FIRST_HINT, "'Try `[7.0, 8.0]`.'")]),
        ("ETU306", [(DRAWN, DRAWN.replace("n, m", "time, m").replace("((n,", "((time.real,"))]),
        ("ETU307", [(DRAWN, DRAWN + "      _unused = 3\n      n, _ = Q.shape\n")]),
        ("ETU308", [(CONCEPTS, "concepts: [softmax]"), (GIVEN, "      Q: [[3.0, 1.0, 0.0]]\n      K: [[1.0, 0.0, 1.0], [0.5, 0.5, 0.0]]\n"), (EXPECT, "    expect: solution\n")]),
        ("ETU308", [(GIVEN, "      Q: [[90.0, 0.0]]\n      K: [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]\n"), (EXPECT, "    expect: solution\n")]),
        ("ETU308", [(CONCEPTS, "concepts: [softmax]"), (GIVEN, "      Q: [[90.0, 0.0], [0.1, 0.0]]\n      K: [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]\n"), (EXPECT, "    expect: solution\n")]),
        ("ETU309", [(GIVEN, "      Q: [1.0, 2.0]\n      K: [3.0, 4.0]\n"), (EXPECT, "    expect: solution\n")]),
        ("ETU309", [(GIVEN, "      Q: [[1.0]]\n      K: [[3.0]]\n"), (EXPECT, "    expect: solution\n")]),
        ("ETU309", [(DRAWN, "      Q = rng.standard_normal((4, 4))\n      K = rng.standard_normal((size, 4))\n")]),
        ("ETU309", [(DRAWN, "      Q, K = np.random.RandomState(0).randn(2, 3, 5)\n")]),
        ("ETU310", [(EXPECT, EXPECT.replace("2.0,", "2.125,"))]),
        ("ETU310", [(EXPECT, EXPECT.replace("2.0,", "0.333,") + "    tolerance: {atol: 5.0e-4}\n")]),
        ("ETU310", [(EXPECT, EXPECT.replace("2.0,", "0.1,"))]),
        ("ETU310", [(EXPECT, EXPECT.replace("2.0,", "0.299,")), ("scores = Q @ K.T\n      return", "scores = 0.299 * (Q @ K.T)\n      return")]),
        ("ETU311", [(EXPECT, "    expect: [[1.0, 1.0]]\n    tolerance: {atol: 2.0}\n")]),
        ("ETU311", [(EXPECT, EXPECT + "    tolerance: {atol: 1.4}\n")]),
        ("ETU313", [(DRAWN, DRAWN + "      kept = [object(), Q.astype(np.float16)]\n")]),
        ("ETU402", [(STARTER, "      scores = Q @ K.T\n")]),
        ("ETU402", [("return scores / np.sqrt(Q.shape[-1])", "return scaled(scores, Q)"), (STARTER, STARTER + "\n  def scaled(scores, Q):\n")]),
        ("ETU402", [(STARTER, STARTER + "      scores / np.sqrt(Q.shape[-1])\n"), ("title:", "kind: fix\ntitle:")]),
        ("ETU402", [("  scaled_scores: {}", "  scaled_scores: {}\n  half: {}"), ("## Shapes", "`half` is written for you.\n\n  ## Shapes"), ("\n\n  def scaled_scores(Q, K):\n" + STARTER, HALF + "\n\n  def scaled_scores(Q, K):\n" + STARTER), ("  def scaled_scores(Q, K):\n      scores", HALF + "\n\n  def scaled_scores(Q, K):\n      scores")]),
        ("ETU405", [(STARTER, "      # " + 82 * "x" + "\n")]),
    ],
)  # fmt: skip
def test_what_only_looks_like_it_is_left_alone(
    spoiled: Spoiled, code: str, pairs: list[tuple[str, str]]
) -> None:
    """No false alarm; and the definition is valid, so the rule has been asked."""
    assert {code, "ETU000"} & codes(spoiled(*pairs)) == set()


@pytest.mark.parametrize(
    ("code", "pairs"),
    [
        ("ETU201", [("Write `scaled_scores(Q, K)`.", "Write `my_scaled_scores(Q, K)`.")]),
        ("ETU203", [(FIRST_HINT, "text: 'First `scores  =  Q@K.T`, `return\n      scores/np.sqrt(Q.shape[-1])`.'")]),
        ("ETU206", [("## Shapes", "A $b and\n\n  c$ d")]),
        ("ETU206", [("## Shapes", "$$\n  x")]),
        ("ETU304", [(DRAWN, "      Q = np.eye(2)\n      K = np.eye(3)[:, :2]  # same\n"), (GIVEN, ""), ("    given:\n    call", "    given: |\n      Q = np.eye(2)\n      K = np.eye(3)[:, :2]\n    call")]),
        ("ETU305", [("    seeds: 10\n", "    seeds: 1\n")]),
        ("ETU305", [(DRAWN, "      Q, K = np.ones((2, 4)), np.ones((3, 4))\n")]),
        ("ETU306", [(DRAWN, "      import random\n" + DRAWN + "      Q += random.random()\n")]),
        ("ETU306", [(DRAWN, "      np.random.seed(0)\n" + DRAWN)]),
        ("ETU304", [SECRET, (FIRST_HINT, "'Try `[[7, 8., 9.5]]`.'")]),
        ("ETU304", [SECRET, (STARTER, STARTER + "      # np.array([[6.0,\n      5.0, 4.0]])\n")]),
        ("ETU304", [SECRET, ("## Shapes", "For example `[[7.0, 8.0, 9.5]]`.\n\n  ## Shapes")]),
        ("ETU306", [(DRAWN, DRAWN + "      Q += np.random.default_rng().normal()\n")]),
        ("ETU306", [(DRAWN, "      from numpy.random import SeedSequence\n" + DRAWN + "      Q += SeedSequence().entropy\n")]),
        ("ETU306", [(DRAWN, "      import time\n" + DRAWN + "      Q += time.monotonic()\n")]),
        ("ETU306", [(DRAWN, "      import os, uuid\n" + DRAWN + "      Q += len(os.urandom(3))\n")]),
        ("ETU306", [(ANY_CALL, "    call: scaled_scores(Q, K + np.random.default_rng().normal())\n    expect: solution\n")]),
        ("ETU306", [(ANY_CALL, "    pytest: |\n      import secrets\n      assert scaled_scores(Q, K)[0, 0] != secrets.randbelow(3)\n")]),
        ("ETU308", [(CONCEPTS, "concepts: [softmax]"), ("Q, K", "x"), (GIVEN, "      x: [[0.0, 50.0, 2.0], [99.0, 1.0, -.inf]]\n"), (EXPECT, "    expect: solution\n"), (DRAWN, "      x = rng.standard_normal(size)\n")]),
        ("ETU309", [(DRAWN, "      Q = np.zeros(shape=(3, 3)); K = rng.normal(0.0, 1.0, (3, 3))\n")]),
        ("ETU310", [(EXPECT, EXPECT.replace("2.0,", "0.333,"))]),
        ("ETU311", [(EXPECT, "    expect: 0.25\n    tolerance: {atol: 0.3}\n")]),
        ("ETU313", [(DRAWN, DRAWN + "      Q = Q.astype(object)\n")]),
        ("ETU313", [(ANY_CALL, "    pytest: assert scaled_scores(np.array(Q, dtype=object), K)[0, 0]\n")]),
        ("ETU405", [(STARTER, "      # " + 83 * "x" + "\n")]),
        ("ETU401", [(STARTER + "      return None", "      scores = (Q @ K.T)\n      # root\n\n      return scores / np.sqrt(Q.shape[-1])")]),
    ],
)  # fmt: skip
def test_what_is_in_disguise_is_found(
    spoiled: Spoiled, code: str, pairs: list[tuple[str, str]]
) -> None:
    """Another layout, another spelling, another place."""
    report = spoiled(*pairs)
    assert code in codes(report)
    assert "ETU000" not in codes(report)


@pytest.mark.parametrize(
    ("pairs", "is_said"),
    [
        ([(DRAWN, DRAWN + "      import pandas as pd\n      Q = pd.DataFrame(Q)\n")], True),
        ([(DRAWN, DRAWN + "      from pandas import read_csv\n      Q = read_csv('q.csv').head(2)\n")], True),
        ([(DRAWN, DRAWN + "      import pandas as pd\n      _q = pd.DataFrame(Q)\n      Q = _q.to_numpy()\n")], False),
        ([(ANY_CALL, "    pytest: |\n      import pandas as pd\n      assert scaled_scores(pd.DataFrame(Q), K)[0, 0]\n")], True),
        ([("return scores / np.sqrt(Q.shape[-1])", "import pandas as pd\n      frame = pd.DataFrame(scores)\n      return frame.round(2)")], True),
        ([("return scores / np.sqrt(Q.shape[-1])", "import pandas as pd\n      frame = pd.DataFrame(scores)\n      return frame.round(2).to_numpy()")], False),
    ],
)  # fmt: skip
def test_tables_that_would_cross_are_said(
    spoiled: Spoiled, pairs: list[tuple[str, str]], is_said: bool
) -> None:
    """As an argument and as a result; what a test makes of one before is not."""
    found = codes(spoiled(*pairs))
    assert "ETU000" not in found
    assert ("ETU317" in found) is is_said


@pytest.mark.parametrize(
    ("statements", "is_said"),
    [
        ("assert not (A(1) == A(2))", True),
        ("one = A(1)\nassert one != 3", True),
        ("assert (A(1) + 2).total == 3", False),
        ("one = A(1)\none += 2\nassert one.total == 3", False),
        ("assert (3 * A(1)).total == 3", True),
        ("assert 3 in A(1)", True),
        ("assert A(1) in [1, 2] or A(1).total == 1", False),
        ("assert A(1) is not None", False),
    ],
)
def test_operators_on_objects_are_declared(
    spoiled: Spoiled, statements: str, is_said: bool
) -> None:
    """An operator that is not would say nothing about the submission."""
    body = "".join(f"      {line}\n" for line in statements.splitlines())
    pairs = [
        ("scaled_scores: {}", 'scaled_scores: {}\n  A: {kind: class, operators: ["+"]}'),
        ("## Shapes", "`A` is a class.\n\n  ## Shapes"),
        (ANY_CALL, f"    pytest: |\n      scaled_scores(Q, K)\n{body}"),
        ("  def scaled_scores(Q, K):\n      scores", "  class A: pass\n\n\n  def scaled_scores(Q, K):\n      scores"),
    ]  # fmt: skip
    assert codes(spoiled(*pairs)) == ({"ETU318"} if is_said else set())


DESCRIPTION = "two queries, three keys, four features"


@pytest.mark.parametrize(
    "value",
    ["1+2j", "[1+2j, 2.0]", "[1/3, 0.5]", "-np.inf", "np.eye(3)", "(1, 2)", "[(1, 2), (3, 4)]",
     "[1.0, null, 3.0]", "[[1.0, 2.0], [null, ~]]", "[1, true]", "[1.0, N/A]", "[1.5, 2.5m]",
     "range(3)", "{a: (1, 2)}", "2026-11-27"],
)  # fmt: skip
def test_what_reads_like_numbers_and_is_none_is_said(spoiled: Spoiled, value: str) -> None:
    """In the inputs and in the expected value; the exercise itself is valid."""
    for pair in ((EXPECT, f"    expect: {value}\n"), (GIVEN, f"      Q: {value}\n      K: 1.0\n")):
        assert codes(spoiled(pair)) - {"ETU304", "ETU309"} == {"ETU316"}


@pytest.mark.parametrize(
    "value",
    ["softmax", "'1+2j'", "[ana, bo]", "[[ana, 3], [bo, 4]]", "a (short) text", "[null, null]",
     "null", "[1.0, .nan, -.inf]", "['1/3', 0.5]", "self-attention", "[true, false]"],
)  # fmt: skip
def test_texts_and_numbers_are_left_alone(spoiled: Spoiled, value: str) -> None:
    """Records, words and texts in quotes mean themselves."""
    assert codes(spoiled((EXPECT, f"    expect: {value}\n"))) == set()


@pytest.mark.parametrize("value", ["12:30:45", "[1:30, 2.0]"])
def test_numbers_of_base_60_are_refused(spoiled: Spoiled, value: str) -> None:
    """Some readers of YAML take 1:30 for 90."""
    assert codes(spoiled((EXPECT, f"    expect: {value}\n"))) == {"ETU000"}


@pytest.mark.parametrize(
    ("text", "is_cut"),
    [
        ("three numbers #1", True),
        ("three numbers # 1", True),
        ("three numbers,\n      and test #2", True),
        ("three numbers  # as in the lecture", False),
        ("'three numbers #1'", False),
        ("C#1 and F#", False),
    ],
)
def test_a_text_that_a_comment_cuts_is_said(spoiled: Spoiled, text: str, is_cut: bool) -> None:
    """Without quotes ` #` begins a comment; one behind two spaces is meant."""
    assert ("ETU006" in codes(spoiled((DESCRIPTION, text)))) is is_cut


RESULT = "scores = scaled_scores(Q, K)\n"


@pytest.mark.parametrize(
    "body",
    [
        "if scores.ndim != 2:\n    raise AssertionError('no matrix')",
        "if scores.ndim != 2:\n    raise ValueError",
        "try:\n    scaled_scores(Q, 3)\nexcept TypeError:\n    pass\nelse:\n    raise AssertionError('no error')",
        "try:\n    scaled_scores(Q, 3)\nexcept TypeError as error:\n    raise AssertionError from error",
        "if scores.ndim != 2:\n    pytest.fail('no matrix')",
        "from pytest import fail as no\nif scores.ndim != 2:\n    no('no matrix')",
        "with pytest.deprecated_call():\n    scaled_scores(Q, K)",
        "np.testing.assert_array_less(scores, 99)",
        "from numpy.testing import assert_equal as same\nsame(scores.ndim, 2)",
        "import unittest\nunittest.TestCase().assertEqual(scores.ndim, 2)",
        "def need(held):\n    if not held:\n        raise RuntimeError('no')\nneed(scores.ndim == 2)",
        "scores.ndim == 2 or (_ for _ in ()).throw(AssertionError('no matrix'))",
    ],
)  # fmt: skip
def test_a_body_may_fail_in_any_way(spoiled: Spoiled, body: str) -> None:
    """What raises judges a result as an assertion does."""
    lines = "".join(f"      {line}\n" for line in (RESULT + body).splitlines())
    assert codes(spoiled((ANY_CALL, f"    pytest: |\n{lines}"))) == set()


@pytest.mark.parametrize(
    "body", ["print(scores.ndim == 2)", "held = np.all(scores)", "len(scores)"]
)
def test_a_body_that_only_calls_is_a_warning(spoiled: Spoiled, body: str) -> None:
    """It can be intended, so it is no error."""
    report = spoiled((ANY_CALL, f"    pytest: |\n      {RESULT}      {body}\n"))
    assert codes(report) == {"ETU315"}


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("softmax", "sofmax", True),
        ("softmax", "softamx", True),
        ("dot-product", "dotproduct", True),
        ("dot-product", "dot-products", True),
        ("encoder", "decoder", False),
        ("top-k", "top-p", False),
        ("self-attention", "cross-attention", False),
        ("pre-norm", "post-norm", False),
        ("rope", "nope", False),
    ],
)
def test_concepts_are_alike_by_a_slip_only(
    workdir: Path, clean: str, one: str, other: str, alike: bool
) -> None:
    """One wrong letter in a longer word, hyphens and plurals; different words stay different."""
    folder = workdir / "track"
    folder.mkdir()
    for number, concept in enumerate((one, other), 1):
        text = clean.replace(CONCEPTS, f"concepts: [{concept}]").replace(
            "scaled-scores", f"e{number}"
        )
        (folder / f"{number}-e{number}.yaml").write_text(text)
    (folder / "track.yaml").write_text(
        "id: track\ntitle: T\ndescription: D.\nexercises: [e1, e2]\n"
    )
    files = tuple(Path(f"track/{number}-e{number}.yaml") for number in (1, 2))
    found = lint([TargetGroup(files, Path("track/track.yaml"))]).findings
    told = [str(f.where.path) for f in found if f.rule.code == "ETU107"]
    assert told == (["track/2-e2.yaml"] if alike else [])


def test_exercises_beside_a_picked_one_are_looked_at_for_its_sake_only(
    workdir: Path, clean: str
) -> None:
    """A prerequisite in the same track is known; what is wrong with that one is not told."""
    folder = workdir / "track"
    folder.mkdir()
    for name, requires in (("a", []), ("b", ["a"]), ("c", ["a", "b"])):
        text = clean.replace("id: scaled-scores", f"id: {name}\nrequires: [{', '.join(requires)}]")
        (folder / f"{name}.yaml").write_text(text + ("broken: true\n" if name == "d" else ""))
    (folder / "d.yaml").write_text("id: [")
    (folder / "track.yaml").write_text(
        "id: track\ntitle: T\ndescription: D.\nexercises: [a, b, c]\n"
    )
    found = lint([TargetGroup((Path("track/c.yaml"),))]).findings
    assert [str(finding) for finding in found] == [
        "track/c.yaml:3:12: ETU104 warning: requires: 'a' is required by 'b' already"
    ]


def test_a_student_edition_is_asked_for_nothing_that_it_lacks(spoiled: Spoiled) -> None:
    """It is made from the full one, which has the hidden tests and the misconceptions."""
    hidden = "    hidden: true\n"
    report = spoiled(
        (hidden, ""),
        ("expect: solution", "expect: [[0.0]]"),
        ("solution:", "edition: student\nsolution:"),
    )
    assert codes(report) == set()


def test_a_comment_speaks_of_its_own_line_or_of_the_next(spoiled: Spoiled) -> None:
    """Several comments above a line all speak of it; another line is not silenced."""
    comment = "# lint: ignore ETU108, ETU103 because one hint is enough"
    hint = "  - Which axis numbers the features?\n"
    assert "ETU103" in codes(spoiled((hint, "")))
    both = f"{comment}\n# lint: ignore ETU101 because it is so\nhints:\n"
    report = spoiled((hint, ""), ("hints:\n", both))
    assert codes(report) == {"ETU002"}  # the other codes silence nothing
    report = spoiled((hint, f"  {comment}\n"))
    assert "ETU103" in codes(report)


def test_python_that_is_too_deep_is_passed_over(spoiled: Spoiled) -> None:
    """A sum of hundreds of terms is nested as deeply; two of them are not taken for the same."""
    deep = "return 0" + " + 1" * 600
    report = spoiled(("return Q @ K.T", deep), ("return scores", deep + " + scores"))
    assert codes(report) == {"ETU405"}


@pytest.mark.usefixtures("workdir")
def test_a_file_that_is_no_yaml_is_looked_at_no_further() -> None:
    """One finding, with the parser's place and words."""
    Path("x.yaml").write_text("id: [a \ntitle: x")
    assert [str(f) for f in lint([TargetGroup((Path("x.yaml"),))]).findings] == [
        "x.yaml:2:6: ETU000 error: expected ',' or ']' here"
    ]


def test_chance_in_the_reference_of_a_course_is_found(tmp_path: Path) -> None:
    """It differs from run to run, as a test would; a generator with a seed does not."""
    *_, path = write_course("algebra", tmp_path)
    module = tmp_path / "algebra" / "algebra_reference" / "rows.py"
    text = module.read_text()
    for chance, is_said in (
        ("np.random.random()", True),
        ("np.random.default_rng(3).random()", False),
    ):
        module.write_text(
            text.replace("    return counts", f"    counts = counts + {chance}\n    return counts")
        )
        report = lint([TargetGroup((path,))])
        said = [each.message for each in report.findings if each.rule.code == "ETU306"]
        line = "line 8 of algebra_reference/rows.py: 'np.random.random'"
        assert [line in each for each in said] == [True] * is_said
