"""Values as pages show them."""

import math

import numpy as np
import pytest

from grader.reports.numerals import decimals_for, is_rounded, numeral
from sitegen.values import Inline, Table, TextBlock, ValueParts, show

NAN, INF = math.nan, math.inf


def table(value: object, *, shaded: bool = True) -> Table:
    shown = show(value, shaded=shaded)
    assert isinstance(shown, Table)
    return shown


def block(value: object) -> TextBlock:
    shown = show(value, shaded=True)
    assert isinstance(shown, TextBlock)
    return shown


def texts(value: object) -> list[list[str]]:
    return [[cell.text for cell in row] for row in table(value).rows]


@pytest.mark.parametrize(
    ("values", "shades"),
    [
        ([[0.0, 1.0], [0.5, 0.24]], [["seq-0", "seq-20"], ["seq-10", "seq-5"]]),  # weights
        ([[-4.0, 0.0, 2.0]], [["div-0", "div-10", "div-15"]]),  # 0 is in the middle
        ([[0.5, -0.001]], [["div-20", "div-10"]]),  # one number outside makes them no weights
        ([[0.5, 1.001]], [["div-15", "div-20"]]),
        ([[-INF, NAN, 0.5]], [["not-finite", "not-finite", "seq-10"]]),  # stretches no ramp
        ([[INF, 3.0]], [["not-finite", "div-20"]]),
        ([[0, 1], [7, -3]], [["", ""], ["", ""]]),  # mostly ids, lengths and positions
        ([[False, True]], [["seq-0", "seq-20"]]),
    ],
)
def test_a_number_is_coloured_by_what_it_is_among(
    values: list[list[float]], shades: list[list[str]]
) -> None:
    """Weights and masks have the sequential ramp, other fractions the diverging one."""
    array = np.array(values)

    assert [[cell.shade for cell in row] for row in table(array).rows] == shades
    assert {cell.shade for row in table(array, shaded=False).rows for cell in row} == {""}


def test_a_vector_is_one_row() -> None:
    """It has no row headers, since it has one axis; a mask has words."""
    assert not table(np.array([1.0, 2.5])).is_matrix
    assert texts(np.array([1.0, 2.5])) == [["1.0", "2.5"]]
    assert texts(np.array([[False, True]])) == [["False", "True"]]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble])
def test_every_kind_of_float_is_a_table(dtype: type[np.floating]) -> None:
    """The label names the type and the shape."""
    halves = np.array([[0.5, 1.0]]).astype(dtype)

    assert table(halves).summary == f"{np.dtype(dtype)} (1, 2)"
    assert texts(halves) == [["0.5", "1.0"]]


@pytest.mark.parametrize(("dtype", "value"), [(np.int64, 2**63 - 1), (np.uint64, 2**64 - 1)])
def test_large_integers_keep_every_digit(dtype: type, value: int) -> None:
    """They do not pass through a float on their way."""
    assert texts(np.array([[value]], dtype=dtype)) == [[str(value)]]


@pytest.mark.parametrize("shape", [(13, 2), (2, 13), (2, 3, 5), (0, 3), (0,)])
def test_what_is_no_small_table_is_text(shape: tuple[int, ...]) -> None:
    """Large arrays, those with three axes and empty ones come as NumPy prints them."""
    assert block(np.zeros(shape)).summary == f"float64 {shape}"
    assert len(texts(np.zeros((12, 12)))) == 12  # the largest


@pytest.mark.parametrize("dtype", [complex, object, "U5", "datetime64[D]"])
def test_arrays_of_other_kinds_are_text(dtype: str) -> None:
    """What is not a real number, an integer or a truth value has no cells."""
    assert block(np.zeros((2, 2), dtype=dtype))


def test_what_is_large_is_cut() -> None:
    """A page does not grow with a value, nor does the text depend on NumPy's options."""
    with np.printoptions(precision=1, threshold=10**9):
        array = block(np.full((128, 128), 1 / 3)).text
    text = block("x" * 10_000)

    assert len(array) < 1000
    assert "0.3333" in array
    assert text.summary == "str"
    assert len(text.text) < 4100
    assert text.text.endswith("more characters")


def test_a_container_of_arrays_is_shown_part_by_part() -> None:
    """Each part has the subscript that gives it, with a key as Python writes it."""
    pair, mapping = (show(value, shaded=True) for value in ((np.eye(2), 5), {"keys": np.eye(2)}))

    assert isinstance(pair, ValueParts)
    assert isinstance(mapping, ValueParts)
    assert pair.summary == "tuple of 2"
    assert [(name, part.form) for name, part in pair.items] == [("[0]", "table"), ("[1]", "inline")]
    assert pair.items[0][1] == show(np.eye(2), shaded=True)
    assert [name for name, _ in mapping.items] == ["['keys']"]


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
        # In an order of its own, not in that of hashes, which is another in each process.
        ({"the", "cat", "sat", "a"}, "{'a', 'cat', 'sat', 'the'}"),
    ],
)
def test_a_short_value_stands_in_a_line(value: object, text: str) -> None:
    """As Python writes it; NumPy's scalars without the name of their type."""
    assert show(value, shaded=True) == Inline(text)


def test_only_tables_that_may_not_fit_take_the_focus() -> None:
    """A 3 by 3 table fits a phone, 12 columns do not."""
    assert not table(np.eye(3)).is_wide
    assert table(np.full((2, 12), 0.1234)).is_wide


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
