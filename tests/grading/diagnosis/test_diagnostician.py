"""Failures explained by known mistakes, in the real sandbox."""

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from grader import mutation
from grader.definitions.collection import load_exercise_file
from grader.definitions.exercise import Exercise
from grader.grading.diagnosis import diagnostician, first_expression
from grader.grading.diagnosis.diagnostician import Diagnostician, Strategy
from grader.grading.expected.oracle import Oracle
from grader.grading.jobs import Job, JobOptions
from grader.grading.results.verdict import Diagnosis, Verdict
from grader.grading.results.verdict_json import verdict_data, verdict_from_data
from grader.grading.run.submission_run import SubmissionRun
from grader.grading.session.engine import Engine
from grader.grading.submissions.submission import Submission
from grader.mutation import Mutant
from grader.sandbox.process import Sandbox
from tests.grading.conftest import Make, grade

PLAIN = JobOptions()
ATTENTION = Path(__file__).parents[3] / "exercises" / "attention"
WEIGHTS, CAUSAL = (
    next(ATTENTION.glob(f"[0-9]*-{slug}.yaml"))
    for slug in ("attention-weights", "causal-attention")
)

Fields: TypeAlias = dict[str, Any]

VISIBLE: Fields = {"given": {"x": [[1.5, 2.0, 4.0], [3.0, 7.0, 8.5]]}, "call": "f(x)"}
HIDDEN: Fields = {
    "hidden": True,
    "seeds": 3,
    "given": "x = rng.standard_normal((size, size + 1))",
    "call": "f(x)",
}
MEANS = "import numpy as np\n\n\ndef f(x):\n    return x - x.mean(axis=-1, keepdims=True)\n"
MAXIMA = MEANS.replace("mean", "max")
COLUMNS = MEANS.replace("axis=-1", "axis=0")
MAX = {"id": "maximum", "code": MAXIMA, "feedback": "That is the *maximum*.", "hint": 1}


def graded(
    exercise: Exercise, sandbox: Sandbox, *sources: str, options: JobOptions = PLAIN
) -> list[Verdict]:
    """Grade submissions of one exercise in one session."""
    path = Path(exercise.file_name)
    submissions = [Submission.from_bytes(path, source.encode()) for source in sources]
    engine = Engine(sandbox)
    return [engine.grade(Job(exercise, each, options=options)) for each in submissions]


def means(
    make: Make,
    *misconceptions: object,
    tests: Sequence[Fields] = (VISIBLE, HIDDEN),
    **fields: object,
) -> Exercise:
    """Make an exercise about subtracting the mean."""
    given = [{**test, "expect": "solution"} for test in tests]
    known = list(misconceptions)
    options = {"solution": MEANS, "hints": ["Think."], "misconceptions": known, **fields}
    return make(*given, **options)


def ids(diagnoses: Iterable[Diagnosis | None]) -> list[str | None]:
    """Return the diagnosis."""
    return [None if diagnosis is None else diagnosis.id for diagnosis in diagnoses]


@pytest.mark.parametrize("path", [WEIGHTS, CAUSAL], ids=lambda path: path.stem)
def test_solution_and_starter_are_not_diagnosed(path: Path, sandbox: Sandbox) -> None:
    """What passes needs no explanation, and a starter that does nothing makes no known mistake."""
    exercise = load_exercise_file(path)
    solution, starter = graded(exercise, sandbox, exercise.solution, exercise.starter)
    assert solution.diagnosis is None
    assert starter.diagnosis is None


def test_other_program_with_the_same_mistake(sandbox: Sandbox) -> None:
    """A mistake is recognized by what comes out, in whatever way the program is written."""
    source = (
        "import numpy as np\n\n\ndef compute_attention_weights(Q, K):\n"
        "    rows = []\n    for q in Q:\n"
        "        shares = np.exp([float(np.einsum('d,d->', q, k)) for k in K] - (K @ q).max())\n"
        "        rows.append(shares / np.sum(shares))\n    return np.stack(rows)\n"
    )
    (verdict,) = graded(load_exercise_file(WEIGHTS), sandbox, source)
    assert verdict.diagnosis is not None
    assert verdict.diagnosis.id == "unscaled"


def test_mutant_explains_what_no_misconception_does(make: Make, sandbox: Sandbox) -> None:
    """Without a misconception that fits, the operator that made a mutant names the mistake."""
    exercise = means(make, MAX)
    maximum, columns = (v.diagnosis for v in graded(exercise, sandbox, MAXIMA, COLUMNS))
    assert maximum is not None
    assert columns is not None
    assert (maximum.kind, maximum.id, maximum.hint) == ("misconception", "maximum", 1)
    assert (columns.kind, columns.id, columns.hint) == ("mutation", "other-axis", None)
    assert columns.feedback.startswith("Your code behaves exactly as if ")
    assert not any(word in columns.feedback for word in ("mean", "axis=", "keepdims", "`"))
    assert columns.tests == ("test-0", "test-1")


def test_all_failures_must_be_explained(make: Make, sandbox: Sandbox) -> None:
    """A mistake that shows in more tests, or in fewer, is another one."""
    second = {**VISIBLE, "given": {"x": [[0.5, 0.25], [8.0, 2.0]]}}
    exercise = means(make, MAX, tests=(VISIBLE, second))
    wide = MEANS + "\n\nright = f\n\n\ndef f(x):\n    y = right(x)\n    return {}\n"
    wrong = "x - x.max(axis=-1, keepdims=True)"
    fewer = wide.format(f"{wrong} if x.shape[1] == 3 else y")
    more = wide.format(f"{wrong} if x.shape[1] == 3 else y + 0.125")
    verdicts = graded(exercise, sandbox, fewer, more, wide.format(wrong))
    assert ids(v.diagnosis for v in verdicts) == [None, None, "maximum"]


def test_two_explanations_are_said_to_be_two(make: Make, sandbox: Sandbox) -> None:
    """Where two misconceptions give the same, both are told of and recorded; three say nothing."""
    again = {"id": "again", "code": MAXIMA + "\n", "feedback": "Or the largest."}
    (two,) = graded(means(make, MAX, again), sandbox, MAXIMA)
    assert two.diagnosis is not None
    assert two.diagnosis.kind == "ambiguous"
    assert two.diagnosis.ids == ("maximum", "again")
    assert two.diagnosis.hint is None
    assert two.diagnosis.feedback == (
        "This is what happens with either of two mistakes: That is the *maximum*. "
        "Or: Or the largest."
    )
    third = {"id": "third", "code": MAXIMA + "\n\n", "feedback": "A third."}
    (three,) = graded(means(make, MAX, again, third), sandbox, MAXIMA)
    assert three.diagnosis is None or three.diagnosis.kind == "expression"


def test_tests_that_disclose_nothing_take_no_part(make: Make, sandbox: Sandbox) -> None:
    """A diagnosis is the same whatever a submission does where nothing may be told."""
    secret = {**HIDDEN, "disclose": "nothing"}
    source = (
        f"{MEANS}\n\nright = f\n\n\ndef f(x):\n    if x.shape == (2, 3) and x[0, 0] == 1.5:\n"
        "        return x - x.max(axis=-1, keepdims=True)\n    return {}\n"
    )
    exercise = means(make, MAX, tests=(VISIBLE, secret))
    passing, failing = graded(exercise, sandbox, source.format("right(x)"), source.format("x"))
    assert passing.diagnosis is not None
    assert passing.diagnosis == failing.diagnosis
    assert passing.diagnosis.tests == ("test-0",)
    only_secret = means(make, MAX, tests=(secret,))
    assert graded(only_secret, sandbox, MAXIMA)[0].diagnosis is None


def test_hidden_category_is_enough(make: Make, sandbox: Sandbox) -> None:
    """Hidden tests that tell their category can show a mistake; no value of theirs is shown."""
    hidden = {**HIDDEN, "seeds": 1, "given": "x = np.array([[31337.25, 1.0], [2.0, 5.0]])"}
    (verdict,) = graded(means(make, MAX, tests=(hidden,)), sandbox, MAXIMA)
    assert verdict.diagnosis is not None
    assert verdict.diagnosis.id == "maximum"
    assert "31337" not in json.dumps(verdict_data(verdict))


SCALED = (
    "import numpy as np\n\n\ndef f(x):\n    mean = x.mean(axis=-1, keepdims=True)\n"
    "    return (x - mean) / x.std(axis=-1, keepdims=True)\n"
)
VARIANCE = {
    "id": "variance",
    "code": SCALED.replace(".std", ".var"),
    "feedback": "That is the variance.",
}
FLOOR = {
    "id": "floor",
    "code": SCALED.replace("x.std(axis=-1, keepdims=True)", "(x.std(-1, keepdims=True) + 0.5)"),
    "feedback": "Nothing is added.",
}


def scaled(make: Make, **fields: Any) -> Exercise:
    """Make an exercise about standardizing rows."""
    maximum = {**MAX, "code": SCALED.replace("mean(axis", "max(axis")}
    known = [maximum, VARIANCE, FLOOR]
    return means(make, *known, **{"solution": SCALED, **fields})


OTHERWISE = (
    "import numpy as np\n\n\ndef f(x):\n    rows = []\n    for row in x:\n"
    "        rows.append((row - {}) / {})\n    return np.stack(rows)\n"
)


RULES = {
    "pair: maximum | variance": OTHERWISE.format("max(row)", "row.var()"),
    "misconception: floor": OTHERWISE.format("row.mean()", "(row.std() + 0.25)"),
    "repair: rounded": OTHERWISE.format("row.mean()", "np.round(row.std(), 1)"),
    "repair: floor-division": OTHERWISE.replace(") / ", ") // ").format("row.mean()", "row.std()"),
    "repair: number": OTHERWISE.format("row.mean() * 1.25", "row.std()"),
    "expression: wrong": OTHERWISE.format("max(row) * 1.25", "1").replace("stack(rows)", "tanh(x)"),
    "none": OTHERWISE.format("np.median(row) * 1.25", "row.var()"),
}
SAID = {
    "pair: maximum | variance": "That is the *maximum*. The second: That is the variance.",
    "misconception: floor": "here with 0.25 in place of 0.5: Nothing is added.",
    "repair: rounded": "You round to 1 digit after the point (in line 7), and only that",
    "repair: floor-division": "`//` in line 7 rounds down to whole numbers.",
    "repair: number": "Look at the number 1.25 in line 7: with another one there, the tests pass.",
    "expression: wrong": "gives the first wrong value",
    "none": "",
}


@pytest.mark.parametrize("rule", RULES)
def test_rules_explain_what_no_one_declared(rule: str, make: Make, sandbox: Sandbox) -> None:
    """Two mistakes at once, other numbers, rounding; but not two mistakes that no one knows."""
    source = RULES[rule].replace(
        "return np.tanh(x)", "result = np.stack(rows)\n    return np.tanh(x)"
    )
    (verdict,) = graded(scaled(make), sandbox, source)
    found = verdict.diagnosis
    if rule == "none" and found is not None and found.kind == "expression":
        found = None  # no rule: it is asked where none explains the failures
    assert (f"{found.kind}: {found.id}" if found else "none") == rule
    assert found is None or SAID[rule] in found.feedback


def test_the_documentation_has_figures_of_each_strategy(
    make: Make, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Measured by `benchmarks.feedback`: how often it speaks, how often falsely, its cost."""
    real, names = Diagnostician.strategies, list[str]()

    def noted(*args: Any) -> Iterator[tuple[str, Strategy]]:
        for name, search in real(*args):
            names.append(name)
            yield name, search

    monkeypatch.setattr(Diagnostician, "strategies", noted)
    graded(scaled(make), sandbox, RULES["none"])
    page = Path(__file__).parents[3] / "docs" / "explanation" / "diagnosis.md"
    rows = re.findall(r"^\| (\w[^|]*) \| \d+ \([\d.]+%\) \| \d+ \(", page.read_text(), re.MULTILINE)
    assert names[0] == "A declared mistake"
    assert rows == [*names, "The first wrong expression", "A small example"]


@pytest.mark.slow
def test_a_wrong_helper_is_named_by_the_exercise_that_teaches_it(sandbox: Sandbox) -> None:
    """A submission's own softmax meets the feedback of the exercise about softmax, if any fits."""
    exercise = load_exercise_file(WEIGHTS)
    helper = (
        "import numpy as np\n\n\ndef my_softmax(x):\n    e = np.exp(x - x.max(-1)[:, None])\n"
        "    return {}\n\n\ndef compute_attention_weights(Q, K):\n"
        "    return my_softmax(Q @ K.T / np.sqrt(K.shape[-1]))\n"
    )
    whole, other = graded(
        exercise,
        sandbox,
        helper.format("e / e.sum()"),
        helper.format("e / e.sum(-1)[:, None] ** 2"),
    )
    assert whole.diagnosis is not None
    assert whole.diagnosis.id == "stable-softmax/whole-sum"
    assert whole.diagnosis.feedback.startswith("The mistake is in your `my_softmax` (line 4): All")
    assert other.diagnosis is not None
    assert (other.diagnosis.kind, other.diagnosis.id) == ("repair", "own-helper")
    assert other.diagnosis.feedback.endswith("with a right one, the tests pass.")


def test_what_has_to_be_fixed_is_not_pointed_at(make: Make, sandbox: Sandbox) -> None:
    """Where the place of a mistake is the answer, no rule tells it."""
    source = OTHERWISE.replace(") / ", ") // ").format("row.mean()", "row.std()")
    exercise = scaled(make, kind="fix", starter=source)
    assert ids(v.diagnosis for v in graded(exercise, sandbox, source)) == [None]


GENERIC = {
    "first, *rest = x.max()": "for row in np.float64(1): pass",
    "f.seen = x.sort()[0]": "None[0]",
    "x[len(x)]": "x[:, [0, 17]]",
    "range(len(x) / 2)": "np.zeros(2.5)",
    "[1.0, 2.0][x.argmax(axis=1)]": "['a'][x.argmax(axis=0)]",
    "a, b = x[0]": "a, b = x.ravel()",
    "np.zeros(3)[0] = x": "np.ones(4)[1] = x[:1]",
    "x.sum(axis=2)": "np.sum(x, axis=2)",
    "np.take(x[:0], 0, axis=0)": "np.take(x[:, :0], [1], axis=1)",
}


@pytest.mark.parametrize("mistake", GENERIC)
def test_generic_errors_tell_a_mistake(mistake: str, make: Make, sandbox: Sandbox) -> None:
    """A misconception that only ever raises is known by its error, however it comes about."""
    crash = "import numpy as np\n\n\ndef f(x):\n    {}\n    return x\n"
    known = {"id": "known", "code": crash.format(mistake), "feedback": "Known."}
    sources = (GENERIC[mistake], "raise TypeError('other')")
    verdicts = graded(means(make, known), sandbox, *map(crash.format, sources))
    assert ids(v.diagnosis for v in verdicts) == ["known", None]


def test_crashes_match_by_their_cause(make: Make, sandbox: Sandbox) -> None:
    """Equal sizes that do not fit are the same mistake; a misspelt name says nothing specific."""
    crash = "import numpy as np\n\n\ndef f(x):\n    return {}\n"
    product = {"id": "product", "code": crash.format("x @ x"), "feedback": "Transpose."}
    name = {"id": "name", "code": crash.format("y"), "feedback": "Name."}
    exercise = means(make, product, name)
    sources = ("np.dot(x, x)", "x @ x[:1]", "y", "np.reshape(x, (99, 7))")
    verdicts = graded(exercise, sandbox, *map(crash.format, sources))
    assert ids(v.diagnosis for v in verdicts) == ["product", None, None, None]


@pytest.mark.parametrize("value", ["None", "np.zeros_like(x)", "0", "'a'", "[]", "x.shape"])
def test_trivial_results_are_no_evidence(value: str, make: Make, sandbox: Sandbox) -> None:
    """What any unfinished program returns does not show one mistake."""
    code = f"import numpy as np\n\n\ndef f(x):\n    return {value}\n"
    exercise = means(
        make, {"id": "trivial", "code": code, "feedback": "Trivial."}, tests=(VISIBLE,)
    )
    (verdict,) = graded(exercise, sandbox, code)
    assert verdict.diagnosis is None


def test_changed_inputs_are_recognized(make: Make, sandbox: Sandbox) -> None:
    """Mistakes that leave values right show by the test that they fail."""
    in_place = "def f(x):\n    x -= x.mean(axis=-1, keepdims=True)\n    return x\n"
    exercise = means(
        make, {"id": "in-place", "code": in_place, "feedback": "In place."}, tests=(VISIBLE, HIDDEN)
    )
    other = (
        "import numpy as np\n\n\ndef f(x):\n    x[...] = x - x.mean(-1)[:, None]\n    return x\n"
    )
    (verdict,) = graded(exercise, sandbox, other)
    assert ids([verdict.diagnosis]) == ["in-place"]


def test_nan_tells_a_mistake_only_beside_other_values(make: Make, sandbox: Sandbox) -> None:
    """In some places, or for some inputs, it has one cause; throughout it may have several."""
    large = {**VISIBLE, "given": {"x": [[1e30, 2e30, -1e30]]}}
    code = "import numpy as np\n\n\ndef f(x):\n    y = x - x.mean(-1)[:, None]\n    return {}\n"
    rows = code.format("np.where(x.max(-1)[:, None] > 8, np.nan, y)")
    sums = code.format("np.where(np.abs(x).max() > 1e29, np.nan, y)")
    nowhere = code.format("y * np.nan")
    known = [
        {"id": name, "code": source, "feedback": name}
        for name, source in (("rows", rows), ("sums", sums), ("nowhere", nowhere))
    ]
    exercise = means(make, *known, tests=(VISIBLE, large))
    other = "import numpy as np\n\n\ndef f(x):\n    return np.full(x.shape, np.inf - np.inf)\n"
    verdicts = graded(exercise, sandbox, rows, sums, nowhere, other)
    assert ids(v.diagnosis for v in verdicts) == ["rows", "sums", "nowhere", "nowhere"]
    said = [v.diagnosis.feedback for v in verdicts if v.diagnosis]
    assert said[:2] == ["rows", "sums"]
    assert said[2] == said[3]
    assert said[2].startswith("No result has a number in it, and that can have several causes.")


def test_nan_throughout_is_explained_by_no_mutant(make: Make, sandbox: Sandbox) -> None:
    """Scores that all overflow are not evidence for it; those that overflow beside others are."""
    code = (
        "import numpy as np\n\n\ndef f(x):\n    y = np.exp(x - x.max(-1, keepdims=True))\n"
        "    return y / y.sum(-1, keepdims=True)\n"
    )
    overflowing = code.replace("x - x.max(-1, keepdims=True)", "x")
    large = {**VISIBLE, "given": {"x": [[1000.0, 1001.0, 1003.0]]}, "expect": "solution"}
    small = {**VISIBLE, "expect": "solution"}
    (never,) = graded(make(large, solution=code), sandbox, overflowing)
    (once,) = graded(make(large, small, solution=code), sandbox, overflowing)
    assert ids([never.diagnosis, once.diagnosis]) == [None, "drop-max-subtraction"]


def test_large_results_are_compared_by_samples(make: Make, sandbox: Sandbox) -> None:
    """An array too large to keep is recognized, and so is one that is another throughout."""
    large = {**HIDDEN, "seeds": 1, "given": "x = rng.standard_normal((300, 200))"}
    exercise = means(make, MAX, tests=(large,))
    verdicts = graded(exercise, sandbox, MAXIMA, MAXIMA.replace("return x", "return 1.1 * x"))
    assert ids(v.diagnosis for v in verdicts) == ["maximum", None]


def test_misconception_may_use_what_is_forbidden(make: Make, sandbox: Sandbox) -> None:
    """What counts of a wrong program is what comes out of it."""
    looped = "import numpy as np\n\n\ndef f(x):\n    return np.stack([r - r.max() for r in x])\n"
    known = {"id": "maximum", "code": looped, "feedback": "Maximum."}
    (verdict,) = graded(means(make, known, forbid={"loops": True}), sandbox, MAXIMA)
    assert verdict.diagnosis is not None
    assert verdict.diagnosis.id == "maximum"


def test_program_that_does_not_load_explains_nothing(make: Make, sandbox: Sandbox) -> None:
    """A misconception that raises at once costs no verdict, and hides no other explanation."""
    code = "raise ValueError\n\n\ndef f(x):\n    return x\n"
    broken = {"id": "broken", "code": code, "feedback": "Broken."}
    (verdict,) = graded(means(make, broken, MAX), sandbox, MAXIMA)
    assert ids([verdict.diagnosis]) == ["maximum"]


def test_a_page_gets_the_misconceptions_that_load(make: Make, sandbox: Sandbox) -> None:
    """One that does not load is left out; what the others give is known."""
    broken = {"id": "broken", "code": "x = 1 / 0\n", "feedback": "Broken."}
    exercise = means(make, MAX, broken)
    found = Diagnostician(Oracle(exercise, sandbox)).mistakes()
    assert [mistake.id for mistake in found] == ["maximum"]
    assert len(found[0].fingerprints) == 2


@pytest.mark.slow
def test_mutants_without_an_end_are_given_up(
    make: Make, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Programs that never end are tried a few times, not for every submission."""
    endless = MEANS.replace("    return", "    while True:\n        pass\n    return")
    made = [Mutant("drop-scale", str(n), 1, endless, "") for n in range(9)]
    monkeypatch.setattr(mutation, "mutants", lambda *_: tuple(made))
    monkeypatch.setattr(diagnostician, "_MAX_TIMEOUTS", 0)
    monkeypatch.setattr(first_expression, "find_first_wrong_expression", lambda *_: None)
    children = count_children(monkeypatch)
    verdicts = graded(means(make), sandbox, MAXIMA, MAXIMA)
    assert ids(v.diagnosis for v in verdicts) == [None, None]
    solution, submissions, mutant = 2, 2, 1  # the solution once for each test
    readers = submissions
    changed = submissions  # another operator
    assert len(children) == solution + submissions + mutant + readers + changed


def count_children(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that grows with every child of a sandbox."""
    children: list[int] = []
    real = Sandbox.child

    def counted(self: Sandbox, *args: Any, **options: Any) -> object:
        children.append(1)
        return real(self, *args, **options)

    monkeypatch.setattr(Sandbox, "child", counted)
    return children


def test_a_pass_asks_for_no_diagnosis(
    double: Exercise, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of this is done for a submission that passes."""
    monkeypatch.setattr(Diagnostician, "__init__", None)
    verdict = grade(
        double, Submission.from_bytes(Path("double.py"), double.solution.encode()), sandbox
    )
    assert verdict.diagnosis is None
    assert verdict.xp == double.xp


REMEMBERS = (
    "import numpy as np\n\n\ndef f(x, seen=[]):\n    seen.append(x.max())\n    return x - {}\n"
)


def test_mistakes_that_remember_are_recognized(make: Make, sandbox: Sandbox) -> None:
    """A program whose results depend on the calls before is run as the submission is, each time.

    The first submission agrees with it in the first test only, so that it is asked again.
    """
    code = REMEMBERS.format("max(seen)")
    other = {**VISIBLE, "given": {"x": [[0.5, 0.25], [0.125, 0.75]]}}
    smallest = {**VISIBLE, "given": {"x": [[-4.5, 2.25]]}}
    exercise = means(
        make,
        {"id": "remembers", "code": code, "feedback": "It remembers."},
        tests=({**HIDDEN, "disclose": "nothing"}, other, HIDDEN, smallest),
    )
    first_only = REMEMBERS.format("(max(seen) if len(seen) == 1 else x.mean())")
    slower = REMEMBERS.format("np.max(np.array(seen))")
    verdicts = graded(exercise, sandbox, first_only, slower, code)
    assert ids(v.diagnosis for v in verdicts) == [None, "remembers", "remembers"]


def test_wrong_programs_run_once(
    make: Make, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second submission with the same failures starts no child but its own."""
    exercise = means(make, MAX)
    seen: list[int] = []
    children = count_children(monkeypatch)
    job = Job(exercise, Submission.from_bytes(Path("small.py"), COLUMNS.encode()))
    engine = Engine(sandbox)
    for _ in range(3):
        engine.grade(job)
        seen.append(len(children))
    assert seen[1] - seen[0] == seen[2] - seen[1] == 1
    assert seen[0] > 2


def test_a_submission_that_is_a_misconception_is_not_run_again(
    make: Make, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own results are those of the misconception, for the next submission too."""
    exercise = means(make, MAX)
    children = count_children(monkeypatch)
    known, similar = graded(exercise, sandbox, MAXIMA, f"{MAXIMA}\n# mine\n")
    assert ids([known.diagnosis, similar.diagnosis]) == ["maximum", "maximum"]
    # The solution's, for the values of two tests, and their own.
    assert len(children) == 4


def test_wrong_programs_run_twice_at_most(
    make: Make, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where submissions agree with more and more of a program it is run once more, to its end."""
    tests = [{**VISIBLE, "given": {"x": [[n + 0.5, 9.0]]}} for n in range(6)]
    exercise = means(make, MAX, tests=tests)
    up_to = (
        "import numpy as np\n\n\ndef f(x):\n    if x[0, 0] < {}:\n"
        "        return x - x.max(axis=-1, keepdims=True)\n    return x - 0.25\n"
    )
    runs: list[str] = []

    class Counted(SubmissionRun):
        def __init__(
            self, oracle: Oracle, submission: Submission, *others: Any, **options: Any
        ) -> None:
            runs.append(submission.source)
            super().__init__(oracle, submission, *others, **options)

    monkeypatch.setattr("grader.grading.diagnosis.diagnostician.SubmissionRun", Counted)
    verdicts = graded(exercise, sandbox, *(up_to.format(n) for n in (1, 2, 3, 4)), MAXIMA)
    assert ids(v.diagnosis for v in verdicts) == [None] * 4 + ["maximum"]
    assert runs.count(MAXIMA) == 2


def test_predictions_are_diagnosed_by_their_answers(make: Make, sandbox: Sandbox) -> None:
    """A wrong answer that the author foresaw is answered with its feedback."""
    exercise = make(
        {"call": "shape", "expect": [2, 3]},
        kind="predict",
        defines={"shape": {}},
        starter="shape = ...\n",
        solution="shape = (2, 3)\n",
        misconceptions=[{"id": "swapped", "code": "shape = (3, 2)\n", "feedback": "Swapped."}],
    )
    verdicts = graded(exercise, sandbox, "shape = (3, 2)\n", "shape = (2, 2)\n", "shape = (2, 3)\n")
    assert ids(v.diagnosis for v in verdicts) == ["swapped", None, None]


def test_records_keep_diagnoses(make: Make, sandbox: Sandbox) -> None:
    """A diagnosis survives JSON; records without one, of before, can still be read."""
    again = {"id": "again", "code": MAXIMA + "\n", "feedback": "Or the largest."}
    for verdict in graded(means(make, MAX, again), sandbox, MAXIMA, COLUMNS, MEANS):
        data = json.loads(json.dumps(verdict_data(verdict)))
        assert verdict_from_data(data) == verdict
        del data["diagnosis"]
        assert verdict_from_data(data) == replace(verdict, diagnosis=None)


@pytest.mark.parametrize("change", [{"kind": "guess"}, {"ids": 3}, {"tests": None}])
def test_malformed_diagnosis_is_refused(
    change: dict[str, object], make: Make, sandbox: Sandbox
) -> None:
    """A record with an invalid diagnosis is invalid."""
    (verdict,) = graded(means(make, MAX), sandbox, MAXIMA)
    data = verdict_data(verdict)
    data["diagnosis"] |= change
    with pytest.raises((KeyError, TypeError, ValueError)):
        verdict_from_data(data)


def test_a_diagnosis_is_given_up_when_the_submission_s_time_is_over(
    make: Make, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The verdict stands; the next submission with the same mistake is told of it."""
    ends = property(lambda run: math.inf if "again" in run.text.source else 0.0)
    monkeypatch.setattr(SubmissionRun, "deadline", ends)
    late, early = graded(means(make, MAX), sandbox, MAXIMA, MAXIMA + "# again\n")
    assert late.diagnosis is None
    assert early.diagnosis is not None
    assert early.diagnosis.id == "maximum"


SLOW = MEANS.replace("import numpy as np\n", "import time\n\nimport numpy as np\n").replace(
    "    return",
    "    end = time.thread_time() + 0.1\n    while time.thread_time() < end:\n        pass\n    return",
)


def test_a_misconception_that_only_a_time_budget_tells(make: Make, sandbox: Sandbox) -> None:
    """It is recognized in another program, and hides no other misconception."""
    timed = {**HIDDEN, "budget": {"time": 5}}
    slow = {"id": "slow", "code": SLOW, "feedback": "There is no need to wait."}
    exercise = means(make, slow, MAX, tests=(VISIBLE, HIDDEN, timed))
    verdicts = graded(exercise, sandbox, SLOW + "# mine\n", MAXIMA + "# mine\n")
    assert ids(each.diagnosis for each in verdicts) == ["slow", "maximum"]


WEAK = """\
import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / (e.sum(axis=-1, keepdims=True) + {})


def apply_causal_attention(Q, K, V):
    scores = Q @ K.T / np.sqrt(Q.shape[1])
    weights = softmax(scores - {} * np.triu(np.ones_like(scores), k=1))
    return weights @ V, weights
"""


@pytest.mark.parametrize(
    ("numbers", "name"),
    [(("0", "1e-100"), "no-mask | mask-too-weak"), (("0", "0"), "no-mask")],
    ids=["a mask without effect", "no mask"],
)
def test_a_step_with_a_number_that_does_nothing_is_not_called_missing(
    sandbox: Sandbox, numbers: tuple[str, str], name: str
) -> None:
    """Both behave alike, so both are named."""
    [verdict] = graded(load_exercise_file(CAUSAL), sandbox, WEAK.format(*numbers))
    assert ids([verdict.diagnosis]) == [name]
