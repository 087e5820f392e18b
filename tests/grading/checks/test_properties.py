"""Named properties: a right program has them, a wrong one gets the property's own sentence."""

import re
from typing import NamedTuple

import numpy as np
import pytest

from grader.errors import DefinitionError
from grader.grading.checks import property as property_check
from grader.grading.comparison.compare import compare_shapes, shape_tree
from grader.grading.feedback.difference_sentences import difference_sentence
from grader.grading.results.verdict import Outcome
from tests.grading.conftest import Fields, GradeAll, GradeOne

SOFTMAX = """\
import numpy as np

def f(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
"""
MATRIX = "x = rng.standard_normal(sizes(2))"
PAIR = "n, d = sizes(2)\nq, k = rng.standard_normal((2, n, d))"


def source(body: str, parameters: str = "x") -> str:
    return f"import numpy as np\ndef f({parameters}):\n    return {body}\n"


CAUSAL = source("np.cumsum(x, axis=0)")
MEAN = source("x.mean(axis=0)")


class Case(NamedTuple):
    """A test, a program with the property, one without it, and the latter's message."""

    holds: str
    fields: Fields
    right: str
    wrong: str
    sentence: str


_CASES: list[tuple[str, Fields, str, str, str]] = [
    (
        "rows_sum_to_one", {"given": MATRIX, "call": "f(x)"}, SOFTMAX,
        source("np.exp(x) / np.exp(x).sum()"),
        r"Along axis -1 the result should add up to 1, but the sum at \[\d\] is 0\.\d+\.",
    ),
    (
        "rows_sum_to_one", {"given": MATRIX, "call": "f(x)", "axis": 0},
        source("np.abs(x) / np.abs(x).sum(axis=0)"), source("x / x.sum(axis=0)"),
        r"A weight cannot be negative, but the result is -.* at \[\d, \d\]\.",
    ),
    (
        "shift_invariant", {"given": MATRIX, "call": "f(x)"}, SOFTMAX, source("x - x.max()"),
        r"A constant added to `x` should change nothing\. All \d+ values differ; the largest error is at",
    ),
    (
        "causal", {"given": MATRIX, "call": "f(x)"}, CAUSAL, source("x - x.mean(axis=0)"),
        r"Position 0 may not depend on later ones, but changing those changes the result up to it",
    ),
    (
        "causal",
        {"given": "x = rng.permutation(7)", "call": "f(x)", "of": ["x"]},
        source("np.maximum.accumulate(x)"), source("x[::-1].copy()"), r"Position 0 may not depend",
    ),
    (
        "causal", {"given": PAIR, "call": "f(q, k)"},
        source("(np.cumsum(q, axis=0), np.tril(q @ k.T))", "q, k"),
        source("(np.cumsum(q, axis=0), q @ k.T)", "q, k"),
        r"changes the result up to it\. Item 1 of the result",
    ),
    (
        "permutation_equivariant", {"given": MATRIX, "call": "f(x)"}, source("x - x.mean(axis=0)"),
        CAUSAL, r"Reordering `x` should reorder the result in the same way\. (All )?\d+ (of \d+ )?values differ",
    ),
    (
        "permutation_invariant", {"given": MATRIX, "call": "f(x)"}, MEAN, source("x[0]"),
        r"Reordering `x` should not change the result\. All \d+ values differ",
    ),
    (
        "unchanged_inputs", {"given": MATRIX, "call": "f(x)"}, SOFTMAX,
        source("np.negative(x, out=x)"), r"Your code changes `x` in place\.",
    ),
    (
        "finite_at_large_values", {"given": MATRIX, "call": "f(x)"}, SOFTMAX,
        source("np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True)"),
        r"With `x` 10,000 times as large, \d+ of \d+ values of the result are NaN or infinite\.",
    ),
    (
        "gradient", {"given": MATRIX, "call": "f(x)", "against": "(x ** 3).sum()"},
        source("3 * x ** 2"), source("2 * x ** 2"),
        r"The gradient differs from finite differences of `x`\. The entry at \[\d+, \d+\] should be",
    ),
    (
        "idempotent", {"given": MATRIX, "call": "f(x)"}, source("np.maximum(x, 0)"),
        source("x / 2"), r"Applied to its own result, your function should change nothing more\.",
    ),
    (
        "deterministic", {"given": MATRIX, "call": "f(x)"}, SOFTMAX,
        source("x + np.random.default_rng().standard_normal(x.shape)"),
        r"Two calls with the same inputs should give the same\. All \d+ values differ",
    ),
    (
        "two_ways_agree",
        {"given": MATRIX, "call": "f(x, True)", "against": "f(x, False)"},
        source("x + 0 * cache", "x, cache"), source("x + cache", "x, cache"),
        r"The result should be that of `f\(x, False\)`\. All \d+ values differ",
    ),
]  # fmt: skip
CASES = [Case(*case) for case in _CASES]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.holds)
def test_a_property_holds_for_the_right_and_not_for_the_wrong(
    grade_one: GradeOne, case: Case
) -> None:
    """On every draw; the learner gets the property's own sentence, and no other sentence."""
    test = {**case.fields, "holds": case.holds, "seeds": 3}
    assert grade_one(case.right, test).message == ""
    result = grade_one(case.wrong, test)
    assert result.outcome is Outcome.FAILED
    assert re.search(case.sentence, result.message), result.message


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.holds)
def test_a_hidden_property_tells_its_category_only(grade_one: GradeOne, case: Case) -> None:
    """A sentence from a fixed list, without a value and without a name of an input."""
    test = {**case.fields, "holds": case.holds, "hidden": True}
    assert grade_one(case.right, test).message == ""
    message = grade_one(case.wrong, test).message
    assert not re.search(case.sentence, message)
    assert not re.search(r"\d\.\d|`", message)


@pytest.mark.parametrize(
    ("returned", "sentence"),
    [
        ("np.ones((1, 1))", "The result should have shape (3, 4), but has shape (1, 1)."),
        ("np.ones((2, 3, 4)) / 4", "The result should have shape (3, 4), but has shape (2, 3, 4)."),
        ("1.0", "The result should be an array of shape (3, 4), but is a float."),
        ("np.ones((0, 4))", "The result should be made of numbers, but there is no number in it."),
    ],
)
def test_a_property_needs_the_shape_of_the_reference(
    grade_one: GradeOne, returned: str, sentence: str
) -> None:
    """Rows of wrong numbers that sum to one are not a right answer."""
    test = {"given": "x = rng.standard_normal((3, 4))", "call": "f(x)", "holds": "rows_sum_to_one"}
    defines = {"f": {"reference": "reference.softmax:softmax"}}
    result = grade_one(f"import numpy as np\ndef f(x): return {returned}", test, defines=defines)
    assert (result.outcome, result.message) == (Outcome.FAILED, sentence)


def test_shapes_are_compared_in_containers_and_of_numbers() -> None:
    """As far as both are of one form; whether they are is for others to say."""
    shapes = shape_tree((np.ones((2, 3)), {"total": 1.0}, [np.float32(2), "text", None]))
    right = [np.zeros((2, 3)), {"total": np.array(1)}, (2, 3.0, np.ones(3))]
    assert compare_shapes(shapes, right) is None
    assert compare_shapes(shapes, right[:2]) is None
    assert compare_shapes(shapes, [[[1]], {}, 3]) is None
    wrong = [right[0], {"total": np.ones(1)}, right[2]]
    found = compare_shapes(shapes, wrong)
    assert found is not None
    assert difference_sentence(found) == (
        "Item 'total' of item 1 of the result should be a single number, but is an array of "
        "shape (1,)."
    )


@pytest.mark.parametrize("holds", sorted({case.holds for case in CASES}))
def test_nothing_returned_has_no_property(grade_one: GradeOne, holds: str) -> None:
    """None equals None whatever is shifted or reordered, so it is refused first."""
    test = {"given": MATRIX, "call": "f(x)", "holds": holds, "against": "f(x).sum()"}
    if holds not in ("gradient", "two_ways_agree"):
        del test["against"]
    result = grade_one("def f(x): pass", test)
    assert result.message.startswith("The result is None.")
    assert grade_one("def f(x): return 'ok'", test).outcome is Outcome.FAILED


@pytest.mark.parametrize(
    ("holds", "body", "sentence"),
    [
        ("causal", "x[:1]", "The result should have one row for each of the "),
        ("permutation_equivariant", "x[:1]", "The result should have one row for each of the "),
        ("permutation_equivariant", "x.sum()", "The result should have one row for each of the "),
        ("rows_sum_to_one", "1.0", "The result should be an array, but is a float."),
        (
            "rows_sum_to_one",
            "x * np.nan",
            "The result should have finite numbers in it, but all are NaN or infinite.",
        ),
        (
            "rows_sum_to_one",
            "x * np.where(np.arange(x.shape[1]), np.nan, 1)",
            "Along axis -1 the result should add up to 1, but the sum at [0] is nan",
        ),
        ("gradient", "x[0]", "The gradient should have the shape of `x`, "),
        ("idempotent", "[1.0]", "The result should be an array, but is a list of "),
        ("shift_invariant", "{}", "The result should be made of numbers, but there is no"),
    ],
)
def test_a_result_of_another_form_cannot_have_a_property(
    grade_one: GradeOne, holds: str, body: str, sentence: str
) -> None:
    """The sentence is about the form of the result."""
    test = {"given": MATRIX, "call": "f(x)", "holds": holds}
    against = {"against": "f(x).sum()"} if holds == "gradient" else {}
    result = grade_one(source(body), {**test, **against})
    assert result.message.startswith(sentence)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"holds": "causal", "given": "x = rng.standard_normal((1, 3))"}, "at least two tokens"),
        ({"holds": "causal", "given": "x = np.arange(3)"}, "there is no array of floats in given"),
        ({"holds": "causal", "given": "x = 1.5", "of": ["x"]}, "'x' is no array in given"),
        ({"holds": "causal", "given": "x = np.ones(5, int)", "of": ["x"]}, "the same"),
        ({"holds": "shift_invariant", "given": "x = np.ones(3)", "axis": 4}, "there is no axis 4"),
        (
            {"holds": "permutation_invariant", "given": "x, y = np.ones(3), np.ones(4)"},
            "`x` and `y` are of different lengths",
        ),
    ],
)
def test_a_property_that_cannot_be_tried_is_the_author_s_error(
    grade_all: GradeAll, fields: Fields, message: str
) -> None:
    """With the test's place in the definition."""
    with pytest.raises(DefinitionError) as caught:
        grade_all("def f(x): return x", {**fields, "call": "f(x)"})
    assert message in str(caught.value)
    assert "small.yaml:" in str(caught.value)


def test_a_large_input_needs_few_calls(grade_one: GradeOne) -> None:
    """A gradient of ten thousand entries is checked entry by entry here and there, and as a whole."""
    counting = "calls = 0\ndef loss(x):\n    global calls\n    calls += 1\n    print(calls)\n    return (x ** 2).sum()\n"
    test = {
        "given": "x = rng.standard_normal((100, 100))",
        "call": "f(x)",
        "holds": "gradient",
        "against": "loss(x)",
    }
    defines: dict[str, object] = {"f": {}, "loss": {}}
    right = grade_one(f"{counting}def f(x): return 2 * x", test, defines=defines)
    assert right.outcome is Outcome.PASSED
    assert right.output.split()[-1] == "18"
    wrong = f"{counting}def f(x):\n    g = 2 * x\n    g[:, 50:] *= 1.1\n    return g"
    assert grade_one(wrong, test, defines=defines).outcome is Outcome.FAILED


def test_what_is_changed_is_the_same_in_every_run(grade_one: GradeOne) -> None:
    """Perturbations come from the test's own stream, so a verdict can be repeated."""
    test = {"given": MATRIX, "call": "f(x)", "holds": "shift_invariant"}
    first, second = (grade_one(source("x * 2"), test).message for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    "holds", ["causal", "permutation_equivariant", "rows_sum_to_one", "shift_invariant"]
)
def test_a_result_without_the_axis_is_the_submission_s_mistake(
    grade_one: GradeOne, holds: str
) -> None:
    """The input has the axis that the author names; that the result lacks it is told to the learner."""
    test = {"given": MATRIX, "call": "f(x)", "holds": holds, "axis": 1}
    result = grade_one(source("x[:, 0] * 1.5"), test)
    assert result.outcome is Outcome.FAILED
    if holds != "shift_invariant":  # which asks nothing of the result's axes
        assert result.message == "The result should have an axis 1, but has 1 axis only."


@pytest.mark.parametrize("holds", ["causal", "permutation_equivariant"])
@pytest.mark.parametrize("body", ["7", "True", "1j", "[7, 8]", "10 ** 400"])
def test_a_number_is_no_row_for_each_position(grade_one: GradeOne, holds: str, body: str) -> None:
    """A number of any kind fails, since a constant would have every one of these properties."""
    test = {"given": MATRIX, "call": "f(x)", "holds": holds}
    result = grade_one(source(body), test)
    assert result.outcome is Outcome.FAILED, body
    assert result.message.startswith("The result should "), result.message


@pytest.mark.parametrize("holds", sorted({case.holds for case in CASES}))
@pytest.mark.parametrize("body", ["x * np.nan", "x * 0 + np.inf", "float('nan')"])
def test_nothing_finite_has_no_property(grade_one: GradeOne, holds: str, body: str) -> None:
    """NaN is the same NaN whatever is shifted or reordered, so it is refused first."""
    case = next(case for case in CASES if case.holds == holds)
    fields = {**case.fields, "given": MATRIX, "call": "f(x)"}
    if holds == "two_ways_agree":
        fields["against"] = "f(x)"
    result = grade_one(source(body), {**fields, "holds": holds})
    assert result.message == (
        "The result should have finite numbers in it, but all are NaN or infinite."
    )


@pytest.mark.parametrize("body", ["(x, 'ok')", "[x, None]", "{'a': x, 'b': ['c']}"])
def test_words_beside_numbers_have_no_property(grade_one: GradeOne, body: str) -> None:
    """A result with other things than numbers is refused: no property looks at them."""
    test = {"given": MATRIX, "call": "f(x)", "holds": "deterministic"}
    message = grade_one(source(body), test).message
    assert message.startswith("The result should be made of numbers, but there is "), message


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("[[1.0], [2.0, 3.0]]", "The result should be an array, but is a list of "),
        ("[['a', 'b']]", "The result should be made of numbers, but there is no"),
        ("[1.0, 10 ** 400]", "The result should be made of numbers, but there is a whole number"),
        ("x + 1j", "The gradient should be an array of floats, but has dtype complex128."),
        (
            "np.ones(x.shape, int)",
            "The gradient should be an array of floats, but has dtype int64.",
        ),
        ("x > 0", "The gradient should be an array of floats, but has dtype bool."),
    ],
)
def test_a_gradient_is_an_array_of_floats(grade_one: GradeOne, body: str, sentence: str) -> None:
    """Anything else fails the test; none of it stops the grader."""
    test = {"given": MATRIX, "call": "f(x)", "holds": "gradient", "against": "(x ** 3).sum()"}
    result = grade_one(source(body), test)
    assert result.outcome is Outcome.FAILED
    assert result.message.startswith(sentence), result.message


@pytest.mark.parametrize("number", ["np.nan", "np.inf", "10 ** 400", "[1.0, 2.0]"])
def test_a_slope_is_between_finite_numbers(grade_one: GradeOne, number: str) -> None:
    """The submission's own scalar may not be NaN, which would agree with a gradient of NaN."""
    program = f"import numpy as np\ndef loss(x):\n    return {number}\n"
    program += "def f(x):\n    g = x * np.nan\n    g[0, 0] = 1.0\n    return g\n"
    test = {"given": MATRIX, "call": "f(x)", "holds": "gradient", "against": "loss(x)"}
    result = grade_one(program, test, defines={"f": {}, "loss": {}})
    assert result.outcome is Outcome.FAILED
    assert result.message.startswith("`loss(x)` should be "), result.message


def test_a_search_that_breaks_on_a_result_is_a_failed_test(
    grade_one: GradeOne, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unexpected error in a property's check gives a verdict, not a fault."""

    def breaks(*_: object) -> None:
        raise ValueError("setting an array element with a sequence")

    monkeypatch.setitem(property_check._CHECKS, "deterministic", breaks)  # noqa: SLF001  no input breaks one
    test = {"given": MATRIX, "call": "f(x)", "holds": "deterministic"}
    result = grade_one(source("x"), test)
    assert result.outcome is Outcome.FAILED
    assert result.message.startswith("The result cannot be used as in `holds: deterministic` (")


@pytest.mark.parametrize("holds", ["unchanged_inputs", "deterministic"])
def test_nan_among_the_inputs_is_still_the_same_nan(grade_one: GradeOne, holds: str) -> None:
    """A right program passes; one that changes another place does not."""
    given = "x = np.array([1.0, np.nan, 3.0])"
    test = {"given": given, "call": "f(x)", "holds": holds}
    assert grade_one(source("x * 2"), test).message == ""
    wrong = "np.multiply(x, 2, out=x)" if holds == "unchanged_inputs" else "x + np.random.rand()"
    assert grade_one(source(wrong), test).outcome is Outcome.FAILED


def test_a_result_of_few_digits_does_not_make_its_test_milder(grade_one: GradeOne) -> None:
    """The inputs are float64, so float16 would have to agree as closely as float64."""
    test = {"given": MATRIX, "call": "f(x)", "holds": "shift_invariant"}
    drift = "(1 + 1e-3 * np.tanh(x)).astype(np.float16)"
    assert grade_one(source(drift), test).outcome is Outcome.FAILED
    single = {**test, "given": "x = rng.standard_normal((3, 4)).astype(np.float32)"}
    assert grade_one(SOFTMAX, single).message == ""


@pytest.mark.parametrize("place", range(4))
def test_reordering_leaves_nothing_in_its_place(place: int, grade_one: GradeOne) -> None:
    """One draw is enough to find out a result that looks at one item only, whichever it is."""
    source = f"def f(x):\n    return x[{place}]\n"
    given = "x = rng.standard_normal((4, 3))"
    test = {"given": given, "call": "f(x)", "holds": "permutation_invariant"}
    assert grade_one(source, test).outcome is Outcome.FAILED
