"""The first difference of two values, and its sentence with the place."""

import numpy as np
import pytest

from grader.definitions.exercise import Tolerance
from grader.grading.comparison.compare import compare, ignore_nan
from grader.grading.comparison.printed_text import compare_text
from grader.grading.feedback.difference_sentences import difference_sentence
from grader.grading.results.raw_result import DifferenceKind

MATRIX = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


@pytest.mark.parametrize(
    ("expected", "got", "kind", "sentence"),
    [
        (MATRIX, None, DifferenceKind.NOTHING, "The result is None. Does every path through your function end in `return`?"),
        (MATRIX, [1.0], DifferenceKind.TYPE, "The result should be an array of shape (2, 3), but is a list of 1 item. Turn it into an array with `np.array(...)`."),
        ((1, 2), (1,), DifferenceKind.LENGTH, "The result should have 2 items, but has 1."),
        (MATRIX, MATRIX.T, DifferenceKind.SHAPE, "The result should have shape (2, 3), but has shape (3, 2)."),
        (
            MATRIX, MATRIX.astype(int), DifferenceKind.DTYPE,
            "The result should have dtype float64, but has dtype int64. Integers cannot hold fractions.",
        ),
        (
            MATRIX, MATRIX.astype(np.float32), DifferenceKind.DTYPE,
            "The result should have dtype float64, but has dtype float32: it keeps fewer digits.",
        ),
        (
            MATRIX, np.where(MATRIX == 5, np.nan, MATRIX), DifferenceKind.NOT_FINITE,
            "The result is NaN in 1 of 6 places, where finite numbers are expected; "
            "the first is nan at [1, 1].",
        ),
        (
            MATRIX, np.where(MATRIX > 4, 9.5, MATRIX), DifferenceKind.VALUES,
            "The result has the right shape, but 2 of 6 values differ; the largest error is at [1, 1]: "
            "expected 5, got 9.5.",
        ),
        (
            MATRIX, (MATRIX,), DifferenceKind.TYPE,
            "The result should be an array of shape (2, 3), but is a tuple of 1 item. A comma after a "
            "value makes it a tuple of one item.",
        ),
        (
            MATRIX, np.where(MATRIX[0] > 0), DifferenceKind.TYPE,
            "The result should be an array of shape (2, 3), but is a tuple of 1 item. `np.where` and "
            "`np.nonzero` with one argument give a tuple, and so does a comma after a value. Item `[0]` "
            "is the array.",
        ),
        (0.5, 0.25, DifferenceKind.VALUES, "The result should be 0.5, but is 0.25."),
        (
            np.timedelta64(2, "D"), np.timedelta64(1, "D"), DifferenceKind.VALUES,
            "The result should be 2 days, but is 1 days.",
        ),
        ("cat", "dog", DifferenceKind.VALUES, "The result should be 'cat', but is 'dog'."),
        (True, 1.0, DifferenceKind.DTYPE, "The result should have dtype bool, but has dtype float64."),
        ({"a": 1}, {"b": 1}, DifferenceKind.LENGTH, "The result has no key 'a'."),
        (
            (MATRIX, MATRIX), (MATRIX, MATRIX + 1), DifferenceKind.VALUES,
            "Item 1 of the result has the right shape, but all 6 values differ; the largest error is at "
            "[0, 0]: expected 1, got 2.",
        ),
    ],
)  # fmt: skip
def test_each_kind_of_difference_says_what_was_expected_what_came_and_where(
    expected: object, got: object, kind: DifferenceKind, sentence: str
) -> None:
    """One sentence for each kind of difference."""
    found = compare(expected, got)
    assert found is not None
    assert (found.kind, difference_sentence(found)) == (kind, sentence)


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        (MATRIX, MATRIX + 1e-12),
        (MATRIX.astype(np.float32), MATRIX),
        (np.array([np.nan, np.inf]), np.array([np.nan, np.inf])),
        ((MATRIX, 1), [MATRIX, 1]),
        (0.5, np.float64(0.5)),
        (1.0, 1),
        (2.5, np.array(2.5)),
        (10**30, 10**30),
        (None, None),
        (np.zeros((0, 3)), np.zeros((0, 3))),
    ],
)
def test_what_agrees_passes(expected: object, got: object) -> None:
    """Rounding, more precision, equal NaN, a list for a tuple and a scalar for its array are fine."""
    assert compare(expected, got) is None


@pytest.mark.parametrize("got", [np.inf, -np.inf, np.nan, 1e300])
def test_an_infinite_error_is_never_close_enough(got: float) -> None:
    """No tolerance accepts infinity for a finite number, or the other way round."""
    loose = Tolerance(1e6, 1e6)
    assert compare(np.array([1.0]), np.array([got]), loose) is not None
    assert compare(np.array([np.inf]), np.array([1.0]), loose) is not None


def test_a_difference_shows_even_in_the_last_digits() -> None:
    """Numbers are printed with as many digits as it takes to tell them apart."""
    found = compare(1.0, 1.0 + 3e-7)
    assert found is not None
    assert difference_sentence(found) == "The result should be 1, but is 1.0000003."


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        ("(3, 2)", "( 3,2 )\n"),
        ("[[0.456 0.225]\n [0.1   0.2  ]]", "[[0.4557 0.2247]\n [0.0999 0.2001]]"),
        ("max 1.0e-3", "max 0.001"),
        ("True", " True "),
    ],
)
def test_printed_text_agrees_up_to_layout_and_last_digit(expected: str, got: str) -> None:
    """White space and digits beyond those expected do not matter."""
    assert compare_text(expected, got) is None


@pytest.mark.parametrize(
    ("expected", "got", "sentence"),
    [
        ("6", "", "Nothing was printed; expected `6`."),
        (
            "(3, 2)",
            "(2, 3)",
            "Printed `(2, 3)`; expected `(3, 2)`. First difference: '2' instead of '3'.",
        ),
        ("0.456", "0.457", "Printed `0.457`; expected `0.456`."),
        ("1", "1 2", "Printed more than expected: `1 2`; expected `1`."),
        ("3", "3.2", "Printed `3.2`; expected `3`."),
    ],
)
def test_printed_text_that_differs_is_shown(expected: str, got: str, sentence: str) -> None:
    """Both texts, and the first part that differs."""
    found = compare_text(expected, got)
    assert found is not None
    assert difference_sentence(found) == sentence


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        (100_000_000, 100_000_007),
        (np.array([2**60]), np.array([2**60 + 1])),
        (np.array([True, False]), np.array([True, True])),
        (10**23, 10**23 + 1),
    ],
)
def test_whole_numbers_are_exact_whatever_their_size(expected: object, got: object) -> None:
    """No tolerance accepts another integer, unless the test asks for one."""
    found = compare(expected, got)
    assert found is not None
    assert found.kind is DifferenceKind.VALUES


def test_a_whole_number_of_thousands_of_digits_is_compared_too() -> None:
    """Python refuses to print it, which must not cause a failure."""
    assert compare(10**5000, 10**5000) is None
    found = compare(10**5000, 10**5000 + 1)
    assert found is not None
    assert difference_sentence(found) == "The result is another whole number than expected."


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        ("[[1. 2.]\n [3. 4.]]", "[[1. 2.] [3. 4.]]"),
        ("[1. 2. 3. 4.]", "[1. 2.\n 3. 4.]"),
        ("0.5", "np.float64(0.5)"),
        ("(0.5, 1)", "(np.float64(0.5), np.int64(1))"),
        ("True", "np.True_"),
        ("[nan, inf]", "[np.float64(nan), np.float64(inf)]"),
        ("[1. 2.]", "array([1., 2.])"),
        ("array([1., 2.])", "[1. 2.]"),
        ("[1. 2.]", "array([1., 2.], dtype=float32)"),
        ("[[1. 2.]\n [3. 4.]]", "array([[1., 2.],\n       [3., 4.]])"),
        ("{'w': [1. 2.]}", "{'w': array([1., 2.])}"),
        ("[]", "array([], shape=(0, 3), dtype=float64)"),
    ],
)
def test_how_numpy_lays_out_a_value_is_no_difference(expected: str, got: str) -> None:
    """Wrapped lines, the repr of a scalar and that of an array say the same."""
    assert compare_text(expected, got) is None


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        ("[1. 2.]", "[1.0, 2.0]"),
        ("[1. 2.]", "[[1. 2.]]"),
        ("0.5", "np.float64(0.6)"),
        ("[1. 2.]", "array([1., 3.])"),
        ("True", "np.False_"),
    ],
)
def test_another_value_stays_another(expected: str, got: str) -> None:
    """A list is printed with commas, and is not an array."""
    assert compare_text(expected, got) is not None


@pytest.mark.parametrize(
    ("expected", "got", "agree"),
    [
        ("[0.5  0.25]", "[0.54 0.25]", False),
        ("[0.5  0.25]", "[0.504 0.2496]", True),
        ("[[0.5  0.25]\n [1.   0.3 ]]", "[[0.5  0.25]\n [1.   0.33]]", False),
        ("[1.0e+00 2.55e-03]", "[1.04e+00 2.55e-03]", False),
        ("[0.5] 0.25", "[0.54] 0.25", True),
        ("0.5 [0.25]", "0.54 [0.25]", True),
        ("[0.5, 0.30000000000000004]", "[0.5000000001, 0.30000000000000004]", True),
        ("[0.5 0.25", "[0.54 0.25", False),
        ("] 0.5 [", "] 0.54 [", True),
    ],
)
def test_the_numbers_of_one_array_share_their_decimals(
    expected: str, got: str, *, agree: bool
) -> None:
    """NumPy pads `0.50` to `0.5 ` beside `0.25`; numbers in other brackets say nothing."""
    assert (compare_text(expected, got) is None) is agree


@pytest.mark.slow
def test_hostile_print_is_read_in_bounded_time() -> None:
    """A megabyte that nearly looks like arrays: it has to end, the clock is not looked at."""
    for piece in ("array(", "array(,dtype=", "np.float64(", "array([,dtype=]", "np.True_np."):
        assert compare_text("1", piece * ((1 << 20) // len(piece)) + "])") is not None


def test_ignored_nan_hides_nothing_else() -> None:
    """Shapes, dtypes, items and keys are still compared."""
    expected = {"a": (np.array([np.nan, 1.0]), float("nan")), "b": np.array([1, 2])}
    right = {"a": (np.array([5.0, 1.0]), 7.0), "b": np.array([1, 2])}
    assert compare(expected, ignore_nan(expected, right)) is None
    wrong = [
        {**right, "a": (np.array([5.0, 1.0, 2.0]), 7.0)},
        {**right, "a": (np.array([5, 1]), 7.0)},
        {**right, "a": (np.array([5.0, 1.0]),)},
        {**right, "a": (np.array([5.0, 1.0]), "7")},
        {**right, "b": np.array([1, 3])},
        {"a": right["a"]},
    ]
    assert all(compare(expected, ignore_nan(expected, each)) for each in wrong)


@pytest.mark.parametrize("got", [2.5, np.float64(2.5), np.array(2.5)])
@pytest.mark.parametrize("expected", [2.5, np.float64(2.5), np.array(2.5)])
def test_a_number_is_one_however_it_is_kept(expected: object, got: object) -> None:
    """A float, a NumPy scalar and an array without axes are the same answer."""
    assert compare(expected, got) is None
    assert compare(expected, 2.6) is not None


def test_what_is_the_same_is_so_under_exact_comparison_too() -> None:
    """NaN and infinities by place; whole numbers that float64 cannot tell apart stay apart."""
    exact = Tolerance(0.0, 0.0)
    odd = np.array([np.nan, np.inf, -np.inf, 0.1])
    assert compare(odd, odd.copy(), exact) is None
    assert compare(float("nan"), float("nan"), exact) is None
    assert compare(odd, np.array([0.0, np.inf, -np.inf, 0.1]), exact) is not None
    assert compare(odd, np.array([np.nan, np.inf, np.inf, 0.1]), exact) is not None
    assert compare(odd, np.nextafter(odd, 1.0), exact) is not None
    large = np.array([2**53, 2**62])
    other = large + np.array([0, 1])
    for limit in (exact, None, Tolerance(0.5, 0.0)):
        assert compare(large, other, limit) is not None
    assert compare(large, other, Tolerance(1.0, 0.0)) is None
