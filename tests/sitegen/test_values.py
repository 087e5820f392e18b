"""Values as pages show them."""

import math

import numpy as np
import pytest

from sitegen.numerals import decimals_for, is_rounded, numeral
from sitegen.shading import shade_for
from sitegen.values import Block, Inline, Table, ValueParts, show

NAN, INF = math.nan, math.inf


def texts(value: object) -> list[list[str]]:
    shown = show(value, shaded=True)
    assert isinstance(shown, Table)
    return [[cell.text for cell in row] for row in shown.rows]


def shades(value: object) -> list[list[str]]:
    shown = show(value, shaded=True)
    assert isinstance(shown, Table)
    return [[cell.shade for cell in row] for row in shown.rows]


def test_weights_get_the_sequential_ramp() -> None:
    """0 is its first step, 1 its last, and what lies between is in proportion."""
    assert shades(np.array([[0.0, 1.0], [0.5, 0.24]])) == [["seq-0", "seq-20"], ["seq-10", "seq-5"]]


def test_other_numbers_get_the_diverging_ramp() -> None:
    """0 is in the middle, the largest magnitude at an end, on its own side."""
    assert shades(np.array([[-4.0, 0.0, 2.0]])) == [["div-0", "div-10", "div-15"]]


@pytest.mark.parametrize("value", [-0.001, 1.001, -5.0])
def test_one_number_outside_makes_them_no_weights(value: float) -> None:
    """The sequential ramp would hide that they are not."""
    assert shade_for([0.5, value])(0.5).startswith("div-")


def test_what_is_not_finite_has_a_class_of_its_own() -> None:
    """Infinity and nan do not stretch the ramp of the others."""
    assert shades(np.array([[-INF, NAN, 0.5]])) == [["not-finite", "not-finite", "seq-10"]]
    assert shades(np.array([[INF, 3.0]])) == [["not-finite", "div-20"]]


def test_integers_are_not_coloured() -> None:
    """They are mostly ids, lengths and positions."""
    assert shades(np.array([[0, 1], [7, -3]])) == [["", ""], ["", ""]]


def test_masks_are_coloured() -> None:
    """False and True are the ends of the sequential ramp."""
    mask = np.array([[False, True]])

    assert shades(mask) == [["seq-0", "seq-20"]]
    assert texts(mask) == [["False", "True"]]


def test_inputs_are_not_coloured() -> None:
    """Without shading no cell has a class."""
    shown = show(np.eye(2), shaded=False)

    assert isinstance(shown, Table)
    assert {cell.shade for row in shown.rows for cell in row} == {""}


def test_a_vector_is_one_row() -> None:
    """It has no row headers, since it has one axis."""
    shown = show(np.array([1.0, 2.5]), shaded=False)

    assert isinstance(shown, Table)
    assert not shown.is_matrix
    assert texts(np.array([1.0, 2.5])) == [["1.0", "2.5"]]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble])
def test_every_kind_of_float_is_a_table(dtype: type) -> None:
    """The label names the type and the shape."""
    shown = show(np.array([[0.5, 1.0]], dtype=dtype), shaded=True)

    assert isinstance(shown, Table)
    assert shown.summary == f"{np.dtype(dtype)} (1, 2)"
    assert [cell.text for cell in shown.rows[0]] == ["0.5", "1.0"]


@pytest.mark.parametrize(("dtype", "value"), [(np.int64, 2**63 - 1), (np.uint64, 2**64 - 1)])
def test_large_integers_keep_every_digit(dtype: type, value: int) -> None:
    """They do not pass through a float on their way."""
    assert texts(np.array([[value]], dtype=dtype)) == [[str(value)]]


@pytest.mark.parametrize("shape", [(13, 2), (2, 13), (2, 3, 5), (0, 3), (0,)])
def test_what_is_no_small_table_is_text(shape: tuple[int, ...]) -> None:
    """Large arrays, those with three axes and empty ones come as NumPy prints them."""
    shown = show(np.zeros(shape), shaded=True)

    assert isinstance(shown, Block)
    assert shown.summary == f"float64 {shape}"


def test_a_table_may_be_twelve_by_twelve() -> None:
    """That is the largest."""
    assert len(texts(np.zeros((12, 12)))) == 12


@pytest.mark.parametrize("dtype", [complex, object, "U5", "datetime64[D]"])
def test_arrays_of_other_kinds_are_text(dtype: str) -> None:
    """What is not a real number, an integer or a truth value has no cells."""
    assert isinstance(show(np.zeros((2, 2), dtype=dtype), shaded=True), Block)


def test_a_large_array_is_summarised() -> None:
    """A page does not grow with a value, and the text does not depend on NumPy's options."""
    with np.printoptions(precision=1, threshold=10**9):
        shown = show(np.full((128, 128), 1 / 3), shaded=True)

    assert isinstance(shown, Block)
    assert len(shown.text) < 1000
    assert "0.3333" in shown.text


def test_a_pair_of_arrays_is_shown_part_by_part() -> None:
    """Each part has the subscript that gives it."""
    shown = show((np.eye(2), np.ones(3), 5), shaded=True)

    assert isinstance(shown, ValueParts)
    assert shown.summary == "tuple of 3"
    assert [(subscript, part.form) for subscript, part in shown.items] == [
        *(("[0]", "table"), ("[1]", "table"), ("[2]", "inline"))
    ]
    assert shown.items[0][1] == show(np.eye(2), shaded=True)


def test_a_mapping_of_arrays_is_shown_by_key() -> None:
    """The subscript is the key as Python writes it."""
    shown = show({"keys": np.eye(2), "n": 2}, shaded=True)

    assert isinstance(shown, ValueParts)
    assert [subscript for subscript, _ in shown.items] == ["['keys']", "['n']"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "True"),
        (None, "None"),
        ("a'b", '"a\'b"'),
        (0.1 + 0.2, "0.30000000000000004"),
        ((1, [2.5, "x"]), "(1, [2.5, 'x'])"),
        ([], "[]"),
        (np.float64(0.5), "0.5"),
        (np.float32(0.1), "0.1"),
        (np.bool(True), "True"),
        (np.array(3.5), "array(3.5)"),
    ],
)
def test_a_short_value_stands_in_a_line(value: object, text: str) -> None:
    """As Python writes it; NumPy's scalars without the name of their type."""
    assert show(value, shaded=True) == Inline(text)


def test_a_set_is_shown_in_an_order_of_its_own() -> None:
    """Not in that of its hashes, which is another in each process."""
    words = {"the", "cat", "sat", "on", "a", "mat"}
    assert show(words, shaded=False) == Inline("{'a', 'cat', 'mat', 'on', 'sat', 'the'}")


def test_a_long_value_is_cut_and_says_so() -> None:
    """The text ends with how much is missing."""
    shown = show("x" * 10_000, shaded=True)

    assert isinstance(shown, Block)
    assert shown.summary == "str"
    assert len(shown.text) < 4100
    assert shown.text.endswith("more characters")


def test_only_tables_that_may_not_fit_take_the_focus() -> None:
    """A 3 by 3 table fits a phone, 12 columns do not."""
    small, large = show(np.eye(3), shaded=True), show(np.full((2, 12), 0.1234), shaded=True)

    assert isinstance(small, Table)
    assert isinstance(large, Table)
    assert not small.is_wide
    assert large.is_wide


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.0, 0.0], ["1.0", "0.0"]),
        ([0.25, -0.5], ["0.25", "\N{MINUS SIGN}0.50"]),
        ([1 / 3, 1.0], ["0.3333", "1.0000"]),
        ([-0.00001, 0.5], ["0.0000", "0.5000"]),
        ([INF, -INF, NAN, 2.0], ["∞", "\N{MINUS SIGN}∞", "nan", "2.0"]),
        ([1e-7, -2e-8], ["1.00e\N{MINUS SIGN}07", "\N{MINUS SIGN}2.00e\N{MINUS SIGN}08"]),
        ([123456.0, 1.0], ["1.23e+05", "1.00e+00"]),
        ([NAN], ["nan"]),
    ],
)
def test_numbers_of_a_table_have_the_decimals_they_need(
    values: list[float], expected: list[str]
) -> None:
    """As few as show them exactly, at least one, at most four, and an exponent beyond."""
    decimals = decimals_for(values)

    assert [numeral(value, decimals) for value in values] == expected


def test_rounding_is_told() -> None:
    """A table says that it is rounded when it is, and only then."""
    assert is_rounded([1 / 3], decimals_for([1 / 3]))
    assert not is_rounded([0.1234, INF], decimals_for([0.1234, INF]))
