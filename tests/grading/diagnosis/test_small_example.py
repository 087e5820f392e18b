"""Small examples for submissions that fail hidden tests only, in the real sandbox."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.definitions.collection import load_exercise_file
from grader.grading.diagnosis.input_values import python_text
from grader.grading.results.verdict import Outcome, SmallExample, Verdict
from grader.grading.results.verdict_json import verdict_data, verdict_from_data
from grader.sandbox.process import Sandbox
from tests.grading.conftest import Fields, GradeAll, grade

VISIBLE: Fields = {"given": {"x": [[1.5, 2.0, 4.0]]}, "call": "f(x)"}
HIDDEN: Fields = {
    "hidden": True,
    "seeds": 3,
    "given": "n, m = sizes(2)\nx = rng.standard_normal((n, m))",
    "call": "f(x)",
}
LARGE: Fields = {**HIDDEN, "given": "n, m = sizes(2)\nx = 7000.0 + rng.uniform(-1, 1, (n, m))"}
FROM_SOLUTION: Fields = {"expect": "solution"}
MEANS = "import numpy as np\n\n\ndef f(x):\n    return x - x.mean(axis=-1, keepdims=True)\n"
WHOLE = MEANS.replace("axis=-1", "axis=None")
"""Right for one row only, as the visible test has it."""


def graded(grade_all: GradeAll, source: str, *tests: Fields, **fields: object) -> Verdict:
    expecting = [{**test, **FROM_SOLUTION} for test in tests]
    return grade_all(source, *expecting, solution=MEANS, **fields)


def example_of(verdict: Verdict) -> SmallExample:
    assert verdict.example is not None
    return verdict.example


def values_in(example: SmallExample) -> set[float]:
    names: dict[str, Any] = {"np": np}
    seen: list[Any] = []
    names["f"] = seen.append
    exec(example.code, names)  # noqa: S102  our own text
    return set(np.ravel(seen[0]).tolist())


def test_a_failing_hidden_test_is_followed_by_a_small_call(grade_all: GradeAll) -> None:
    """It can be pasted, is drawn at the smallest sizes that differ, and has both values."""
    example = example_of(graded(grade_all, WHOLE, VISIBLE, HIDDEN))
    assert example.code == "f(np.array([[1.0], [0.0]]))"
    assert example.result.outcome is Outcome.FAILED
    assert example.result.expected is not None
    assert example.result.got is not None
    assert example.result.expected.text == "[[0.]\n [0.]]"
    assert example.result.got.text == "[[ 0.5]\n [-0.5]]"


def test_the_example_is_part_of_the_verdict_as_json(grade_all: GradeAll) -> None:
    """It is the same after the way through JSON; a record without one is read too."""
    verdict = graded(grade_all, WHOLE, VISIBLE, HIDDEN)
    data = verdict_data(verdict)
    assert verdict_from_data(data).example == verdict.example is not None
    del data["example"]
    assert verdict_from_data(data).example is None


@pytest.mark.parametrize(
    ("tests", "fields"),
    [
        ([{**VISIBLE, "given": {"x": [[1.0], [2.0]]}}, HIDDEN], {}),
        ([VISIBLE, {**HIDDEN, "disclose": "nothing"}], {}),
        ([VISIBLE, HIDDEN], {"small_examples": False}),
        ([VISIBLE, {**HIDDEN, "budget": {"memory": 2}}], {}),
    ],
    ids=["a-visible-test-fails", "nothing-disclosed", "switched-off", "a-budget"],
)
def test_there_is_no_example(
    grade_all: GradeAll, tests: list[Fields], fields: dict[str, object]
) -> None:
    """None where a visible test says more, or where the author says that nothing is told."""
    verdict = graded(grade_all, WHOLE, *tests, **fields)
    assert verdict.outcome is Outcome.FAILED
    assert verdict.example is None


def test_the_call_is_a_plain_one(grade_all: GradeAll) -> None:
    """What else a hidden test does with the call is not shown."""
    trick = {**HIDDEN, "call": "(f(x)[0] * 3 + 1, f(x).dtype.name)"}
    assert example_of(graded(grade_all, WHOLE, VISIBLE, trick)).code.startswith("f(np.array(")


SIGNS: Fields = {**HIDDEN, "call": "abs(f(x))"}
ROWS: Fields = {**HIDDEN, "call": "f(x)", "holds": "rows_sum_to_one"}
WEIGHTS = "import numpy as np\n\n\ndef f(x):\n    return np.ones_like(x) / x.shape[-1]\n"
UNEVEN = "import numpy as np\n\n\ndef f(x):\n    w = x - x.min() + 1\n    return w / w.sum(axis=None if len(x) > 1 else -1, keepdims=True)\n"


@pytest.mark.parametrize(
    ("hidden", "solution", "source"),
    [
        (
            {**SIGNS, **FROM_SOLUTION},
            "def f(x):\n    return x\n",
            "def f(x):\n    return -x * (1 + (len(x) > 1))\n",
        ),
        (ROWS, WEIGHTS, UNEVEN),
    ],
    ids=["larger-expression", "property"],
)
@pytest.mark.parametrize("compared", [False, True])
def test_a_call_is_asked_only_if_a_test_compares_its_result(
    grade_all: GradeAll, hidden: Fields, solution: str, source: str, *, compared: bool
) -> None:
    """Where no test does, a result unlike the solution's may be right."""
    call = "f(x)" if compared else "abs(f(x)).sum()"
    visible = {**VISIBLE, "given": {"x": [[0.0]]}, "call": call, **FROM_SOLUTION}
    verdict = grade_all(source, visible, hidden, solution=solution)
    assert verdict.outcome is Outcome.FAILED
    assert (verdict.example is not None) is compared


def test_a_difference_that_is_small_in_the_test_may_be_small_in_the_example(
    grade_all: GradeAll,
) -> None:
    """The digits that are shown show it."""
    rounded = MEANS.replace("return ", "return np.round(").replace("True)", "True), 4)")
    visible = {**VISIBLE, "given": {"x": [[1.0, 2.0, 3.0]]}}
    example = example_of(graded(grade_all, rounded, visible, HIDDEN))
    assert example.result.expected is not None
    assert example.result.got is not None
    assert example.result.expected.text != example.result.got.text


def test_a_test_that_discloses_its_inputs_shows_its_whole_call(grade_all: GradeAll) -> None:
    """Only there: such a call may be more than a plain one."""
    swap = {**HIDDEN, "call": "[f(y) for y in [x]][0]"}
    assert graded(grade_all, WHOLE, VISIBLE, swap).example is None
    example = example_of(graded(grade_all, WHOLE, VISIBLE, {**swap, "disclose": "inputs"}))
    assert example.code == "x = np.array([[1.0], [0.0]])\n[f(y) for y in [x]][0]"


@pytest.mark.parametrize("needs", ["x.max() > 1000", "(abs(x - 7000) < 2).any()"])
def test_inputs_with_a_number_of_a_hidden_test_are_skipped(grade_all: GradeAll, needs: str) -> None:
    """Nothing is shown if all draws have it, even if the mistake needs any large number."""
    source = f"{MEANS}\n\nright = f\n\n\ndef f(x):\n    return right(x) + ({needs})\n"
    assert graded(grade_all, source, VISIBLE, LARGE).example is None


def test_a_draw_without_the_number_is_shown(grade_all: GradeAll) -> None:
    """Here the small draws have it, and larger ones do not."""
    mixed = {**HIDDEN, "given": "n, m = sizes(2)\nx = rng.random((n, m)) + 7000 * (size < 3)"}
    source = MEANS.replace("return", "return (x.size > 1) +")
    visible = {**VISIBLE, "given": {"x": [[1.5]]}}
    numbers = values_in(example_of(graded(grade_all, source, visible, mixed)))
    assert max(numbers) < 10


def test_what_holds_for_ordinary_draws_holds_for_an_example(grade_all: GradeAll) -> None:
    """Inputs that are always positive stay positive: a right program may need that."""
    positive = {**HIDDEN, "given": "n, m = sizes(2)\nx = rng.uniform(0.1, 2, (n, m))"}
    numbers = values_in(example_of(graded(grade_all, WHOLE, VISIBLE, positive)))
    assert min(numbers) > 0


def test_a_result_of_places_has_no_ties_that_no_draw_has(grade_all: GradeAll) -> None:
    """Which of two equal numbers comes first may be free."""
    solution = "import numpy as np\n\n\ndef f(x):\n    return np.argsort(x)[::-1]\n"
    source = "import numpy as np\n\n\ndef f(x):\n    order = np.argsort(-x)\n    return order if x.min() > -1 else order[::-1]\n"
    visible = {**VISIBLE, "given": {"x": [1.5, 2.0, 0.5]}, **FROM_SOLUTION}
    hidden = {**HIDDEN, "seeds": 8, "given": "n, = sizes(1)\nx = rng.standard_normal(n)"}
    example = example_of(grade_all(source, visible, {**hidden, **FROM_SOLUTION}, solution=solution))
    names: dict[str, Any] = {"np": np, "f": lambda x: np.unique(x).size == x.size}
    assert eval(example.code, names)  # noqa: S307  our own text


def test_the_values_come_from_a_child_that_has_seen_the_example_alone(grade_all: GradeAll) -> None:
    """A submission that returns all that it was ever given tells no more than the example."""
    source = "import numpy as np\n\nseen = []\n\n\ndef f(x):\n    seen.append(x)\n    if len(x) == 1:\n        return x - x.mean()\n    return [np.array(each) for each in seen]\n"
    example = example_of(graded(grade_all, source, VISIBLE, HIDDEN))
    assert example.result.got is not None
    assert example.result.got.summary == "list of 1"


def test_the_solution_alone_makes_no_example_where_a_reference_disagrees(
    grade_all: GradeAll,
) -> None:
    """Both must give the same: here the solution is as wrong as the submission is."""
    verdict = grade_all(
        "def softmax(x, axis=-1):\n    return 0 * x + 1 / x.shape[axis]\n",
        {"given": {"x": [[1.0, 1.0]]}, "call": "softmax(x)"},
        {**HIDDEN, "call": "softmax(x)"},
        defines={"softmax": {"reference": "reference.softmax:softmax"}},
        solution="def softmax(x, axis=-1):\n    return x\n",
    )
    assert verdict.outcome is Outcome.FAILED
    assert verdict.example is None


@pytest.mark.parametrize(
    ("words", "is_told"),
    [(["one"] * 3, True), (["quoll"] * 3, False), (["one", "two", "one"], False)],
    ids=["public", "of the test", "public words in the order of the test"],
)
def test_a_call_that_prints_shows_what_it_prints(
    grade_all: GradeAll, words: list[str], *, is_told: bool
) -> None:
    """Not with the words of a hidden test."""
    printing = (
        "def f(words, x):\n    for word, row in zip(words, x):\n        print(word, row.sum())\n"
    )
    indexed = printing.replace("x):\n        ", "x):\n        row = x[words.index(word)]\n        ")
    hidden = {
        "hidden": True,
        "given": f"words = {words}\nx = rng.integers(5, 9, ({len(words)}, 1)) / 4",
        "run": "f(words, x)",
    }
    visible = {"given": {"words": ["one", "two"], "x": [[1.0], [2.0]]}, "run": "f(words, x)"}
    verdict = grade_all(indexed, visible, hidden, solution=printing)
    assert verdict.outcome is Outcome.FAILED
    assert (verdict.example is not None) is is_told
    if is_told:
        result = example_of(verdict).result
        assert result.expected is not None
        assert result.got is not None
        assert result.got.text != result.expected.text


@pytest.mark.parametrize("needs", ["True", "x[0, 0] != x[1, 0]"])
def test_an_array_of_a_hidden_test_is_not_shown(grade_all: GradeAll, needs: str) -> None:
    """Nothing is shown if an author wrote it as a whole, even if the mistake needs only a part."""
    written = "x = np.array([[1.0, 0.0], [2.0, 4.0], [2.0, 4.0]])\ny = rng.random(2) + 1"
    solution = "def f(x, y):\n    return x @ y\n"
    source = f"def f(x, y):\n    return x @ y + ((x[1] == x[2]).all() and {needs})\n"
    visible = {**VISIBLE, "given": {"x": [[1.5, 2.0], [4.0, 1.0], [1.0, 2.0]], "y": [1.0, 2.0]}}
    hidden = {**HIDDEN, "given": written}
    tests = [{**test, "call": "f(x, y)", **FROM_SOLUTION} for test in (visible, hidden)]
    assert grade_all(source, *tests, solution=solution).example is None


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("k = np.array([3.7, 8.3, 9.1]).astype(np.float32)", "3.7"),
        ("k = np.array([3.7, 8.3]) + 1e-7 * rng.random(2)", "3.7"),
        ("a = 3.7\nk = -a * np.array([1.0, 1.0])", "3.7"),
        ('k = int("31337")', "31"),
        ("k = np.array([True, False, True, True, False])", "True, False, True, True, False"),
        ("k = [2, 0, 1, 1, 0, 2, 1]", "2, 0, 1, 1, 0, 2, 1"),
        ("k = [[0, 1], [0, 0], [0, 1]]", "[0, 1], [0, 0], [0, 1]"),
        ("k = np.array([7.7 + 3.3j, 8.8j])", "7.7"),
        ("k = 10**20 + 7", "1000000"),
        ('k = {"quoll": rng.random()}', "quoll"),
        ("k = {4711: rng.random()}", "4711"),
        ("k = f\"quo{'ll'}\"", "quoll"),
        ("k = rng.random(int('12') + 1)", "f("),
    ],
)
@pytest.mark.parametrize("insists", [False, True])
def test_what_is_the_same_in_all_draws_is_not_shown(
    grade_all: GradeAll, given: str, shown: str, *, insists: bool
) -> None:
    """However an author has written a constant, and even if the mistake needs it."""
    solution = "def f(x, k):\n    return x.sum()\n"
    wrong = f"""\
seen = []


def f(x, k):
    if k is None:
        return x.sum()
    seen.append(repr(k))
    return x.sum() + {"(repr(k) == seen[0])" if insists else 1}
"""
    visible = {"given": {"x": [1.5, 2.5], "k": None}, "call": "f(x, k)"}
    hidden = {**HIDDEN, "given": f"x = rng.random(2)\n{given}", "call": "f(x, k)"}
    tests = [{**test, **FROM_SOLUTION} for test in (visible, hidden)]
    verdict = grade_all(wrong, *tests, solution=solution)
    assert verdict.outcome is Outcome.FAILED
    if verdict.example is not None:
        assert shown not in verdict.example.code


def test_a_program_that_has_seen_a_secret_does_not_judge_what_is_shown(grade_all: GradeAll) -> None:
    """It could write the secret into the numbers by which of them it goes wrong on."""
    source = """\
seen = []


def f(x, k):
    if k == 1:
        return x.sum()
    seen.append((x, int(k)))
    first, secret = seen[0]
    bits = [secret >> number & 1 for number in range(len(x))]
    is_so = all(v in (old, bit) for v, old, bit in zip(x, first, bits))
    return x.sum() + is_so
"""
    visible = {"given": {"x": [1.5, 2.5], "k": 1.0}, "call": "f(x, k)"}
    given = "x = rng.standard_normal(8)\nk = 170.0"
    hidden = {**HIDDEN, "given": given, "call": "f(x, k)"}
    tests = [{**test, **FROM_SOLUTION} for test in (visible, hidden)]
    verdict = grade_all(source, *tests, solution="def f(x, k):\n    return x.sum()\n")
    assert verdict.outcome is Outcome.FAILED
    if verdict.example is not None:
        assert "[0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0]" not in verdict.example.code


def test_a_question_without_an_example_leaves_the_next_one_its_own(grade_all: GradeAll) -> None:
    """The first mistake shows in a third call alone, and so not in the child of an example."""
    source = "seen = []\n\n\ndef f(x):\n    seen.append(x)\n    return x + (len(seen) > 2)\n\n\ndef g(x, k):\n    return x * k\n"
    first = {"given": {"x": [1.5]}, "call": "f(x)"}
    second = {"given": {"x": [0.0], "k": 2.0}, "call": "g(x, k)"}
    hidden = {**HIDDEN, "given": "x = rng.random(1) + 1"}
    other = {**HIDDEN, "given": "x = rng.random(2) + 1\nk = rng.random() + 3", "call": "g(x, k)"}
    tests = [{**test, **FROM_SOLUTION} for test in (first, second, hidden, other)]
    solution = "def f(x):\n    return x\n\n\ndef g(x, k):\n    return x * 0\n"
    verdict = grade_all(source, *tests, solution=solution, defines={"f": {}, "g": {}})
    assert example_of(verdict).code.startswith("g(np.array([")


def test_large_inputs_have_lines_of_their_own(grade_all: GradeAll) -> None:
    """A call that is too long for a line comes after the inputs that it uses."""
    long = {**HIDDEN, "given": "x = rng.integers(10, 99, (2, 4 * size)) / 10"}
    source = MEANS + "\n\nright = f\n\n\ndef f(x):\n    return right(x) + (len(np.unique(x)) > 9)\n"
    lines = example_of(graded(grade_all, source, VISIBLE, long)).code.splitlines()
    assert [line[:9] for line in lines] == ["x = np.ar", "f(x)"]


def test_an_example_of_a_shipped_exercise(sandbox: Sandbox) -> None:
    """A batch of two for which a result of the right shape has its axes in the wrong order."""
    folder = Path(__file__).parents[3] / "exercises" / "attention"
    exercise = load_exercise_file(next(folder.glob("*-attention-backward.yaml")))
    code = next(m.code for m in exercise.misconceptions if m.id == "all-axes-reversed")
    verdict = grade(exercise, code, sandbox)
    assert example_of(verdict).code.startswith("d_output = np.array([[[[0.0]], [[0.0]]]])\n")


def test_numbers_have_as_few_digits_as_their_dtype_needs() -> None:
    """The text of an array of single precision gives the same array again."""
    array = np.array([[0.99, 1e-30], [np.inf, 0.1]], dtype=np.float32)
    text = python_text(array)
    assert text == "np.array([[0.99, 1e-30], [np.inf, 0.1]], dtype=np.float32)"
    assert np.array_equal(eval(text, {"np": np}), array)  # noqa: S307  our own text
