"""Summaries of the values behind a failure, which are printable and bounded in size.

A value of a submission may be huge, so its text is made piece by piece, only as far as it is shown.
"""

import itertools
import math
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sized
from dataclasses import replace
from types import NoneType
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from grader.definitions.exercise import LiteralValue, TestCase
from grader.grading.comparison.compare import with_float_literals
from grader.grading.results.raw_result import DifferenceKind, RawResult
from grader.grading.results.verdict import PRINTED, TestResult, ValueSummary
from grader.sandbox.answers import Raised, Unsupported
from grader.sandbox.printable import printable

_Array: TypeAlias = npt.NDArray[Any]

_WORD: Final = re.compile(r"\w+")
_LINE_FEED: Final = "\n"
_TEXT_LENGTH: Final = ValueSummary.MAX_CHARACTERS
_NOTE_LENGTH: Final = 60  # characters reserved for the note about omitted text
_EDGE_VALUES: Final = 3  # values that are shown at each end of a long axis
_MAX_VALUES: Final = 200  # values up to which an array is printed in full
_DIGITS: Final = 4  # decimals of an array inside another value
_SIGNIFICANT: Final = 8  # significant digits of a number inside a list, NumPy's default for arrays
_FIRST_ITEMS: Final = 12  # items in which an array is searched, to choose the line breaks
_LINE_LENGTH: Final = 75  # characters of a line, after which a row is wrapped
_SHOWN_AXES: Final = 2  # the number of axes of a table
_MAX_BITS: Final = 256  # size of an integer up to which all its digits are printed
_ENDS: Final[dict[type[Sized], tuple[str, str]]] = {
    tuple: ("(", ")"),
    list: ("[", "]"),
    set: ("{", "}"),
    frozenset: ("frozenset({", "})"),
    deque: ("deque([", "])"),
}
_CONTAINERS: Final[tuple[type[Sized], ...]] = (*_ENDS, dict)
_MAX_AXES: Final = 4  # with more axes, the printed edges of all axes would be too many values

# Kinds of difference that the values cannot show, such as a changed input.
_KINDS_WITHOUT_VALUES: Final = (
    DifferenceKind.INPUTS,
    DifferenceKind.ASSERTION,
    DifferenceKind.BUDGET,
    DifferenceKind.FIGURE,
)


def add_failure_values(result: TestResult, test: TestCase, raw: RawResult) -> TestResult:
    """Return the result with the values of the draw that did not pass."""
    used = set(_WORD.findall(f"{test.code} {test.against or ''}"))
    inputs = tuple((n, summarize(value)) for n, value in raw.inputs.items() if n in used)
    if raw.difference_kind in _KINDS_WITHOUT_VALUES:
        return replace(result, inputs=inputs)
    summary = summarize_print if test.compared == "text" else summarize
    expected, got = None, None
    right, came = _parts(raw)
    if test.compared in ("value", "text"):
        is_literal = isinstance(test.expect, LiteralValue)
        expected = summary(with_float_literals(right, came) if is_literal else right)
    # None is shown only if it is the wrong value itself, since it also stands for no answer.
    if raw.difference_kind is DifferenceKind.NOTHING or not isinstance(
        came, (NoneType, Raised, Unsupported)
    ):
        got = summary(came)
    worst = raw.worst if got is not None and got.rows else None
    return replace(result, inputs=inputs, expected=expected, got=got, worst=worst)


def _parts(raw: RawResult) -> tuple[Any, Any]:
    """Return the two arrays that differ inside the results, or the whole results."""
    expected, got = raw.expected, raw.got
    try:
        for key in raw.path:
            expected, got = expected[key], got[key]
    except (KeyError, IndexError, TypeError):
        return raw.expected, raw.got
    if isinstance(expected, np.ndarray) and isinstance(got, np.ndarray):
        return expected, got
    return raw.expected, raw.got


def summarize(value: object) -> ValueSummary:
    """Return the summary of any value."""
    if not isinstance(value, np.ndarray):
        return ValueSummary(_summary(value), _join_pieces(_pieces(value), _amount(value)))
    small = all(0 < length <= ValueSummary.MAX_CELLS for length in value.shape)
    has_rows = value.ndim in (1, _SHOWN_AXES) and small and value.dtype.kind in "biuf"
    rows = None
    if has_rows and not isinstance(value, np.ma.MaskedArray):  # masked entries are not numbers
        rows = tuple(tuple(row) for row in np.atleast_2d(value).tolist())
    text = _join_pieces(_array_text(value), _amount(value))
    return ValueSummary(_summary(value), text, rows, rows is not None and value.ndim == 1)


def summarize_print(text: str) -> ValueSummary:
    """Return the summary of printed text, without quotes."""
    return ValueSummary(PRINTED, _join_pieces([text], _amount(text)))


def _summary(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {tuple(map(int, value.shape))}"
    if isinstance(value, _CONTAINERS):
        return f"{type(value).__name__} of {len(value)}"
    if value is None:
        return "None"
    if (handle := getattr(value, "handle_", None)) is not None:
        return f"object of class {printable(handle.kind)}"
    return type(value).__name__


def _amount(value: object) -> str:
    """Return the size of a value that is too long to show, in words."""
    if isinstance(value, np.ndarray):
        return f"{value.size:,} values"
    if isinstance(value, (str, bytes)):
        return f"{len(value):,} {'characters' if isinstance(value, str) else 'bytes'}"
    if isinstance(value, _CONTAINERS):
        return f"{len(value):,} items"
    return "too long to show"


def _join_pieces(pieces: Iterable[str], amount: str) -> str:
    """Join as many pieces as fit, and append the full amount if some are omitted."""
    text = ""
    for piece in pieces:
        text += piece[: _TEXT_LENGTH + 1]
        if len(text) > _TEXT_LENGTH:
            shown = printable(text[: _TEXT_LENGTH - _NOTE_LENGTH], keep=_LINE_FEED)
            return f"{shown}... ({amount} in all)"
    return printable(text, keep=_LINE_FEED)


def _pieces(value: object) -> Iterator[str]:
    """Yield the `repr` of a value in pieces."""
    match value:
        case str() | bytes():
            yield repr(value[:_TEXT_LENGTH])
        case tuple() | list() | set() | frozenset() | deque() if value:
            before, after = next(ends for kind, ends in _ENDS.items() if isinstance(value, kind))
            single = isinstance(value, tuple) and len(value) == 1
            yield from _items(before, value, f",{after}" if single else after)
        case dict():
            yield from _mapping(value)
        case int() if value.bit_length() > _MAX_BITS:
            yield f"about {'-' if value < 0 else ''}10**{math.log10(abs(value)):.0f}"
        case np.ndarray():
            yield "array("
            yield from _array_text(value, " array(", ", ", _DIGITS)
            yield ")"
        case np.generic():
            yield str(value)
        case _ if callable(value) and hasattr(value, "__name__"):
            yield f"the function {value.__name__}"
        case _:
            yield repr(value)


def _items(before: str, items: Iterable[object], after: str) -> Iterator[str]:
    has_array = any(isinstance(item, np.ndarray) for item in itertools.islice(items, _FIRST_ITEMS))
    yield before
    for number, item in enumerate(items):
        if number:
            yield ",\n " if has_array else ", "
        yield from _part(item)
    yield after


def _part(item: object) -> Iterator[str]:
    """Yield the text of an item of a container, with fewer digits for a float than outside."""
    return iter([repr(float(f"{item:.{_SIGNIFICANT}g}"))]) if type(item) is float else _pieces(item)


def _mapping(mapping: Mapping[Any, object]) -> Iterator[str]:
    yield "{"
    for number, (key, item) in enumerate(mapping.items()):
        if number:
            yield ", "
        yield from _part(key)
        yield ": "
        yield from _part(item)
    yield "}"


def _array_text(
    array: _Array, before: str = "", between: str = " ", digits: int | None = None
) -> Iterator[str]:
    """Yield an array as NumPy prints it; a large array only with the edges of its axes."""
    corners = math.prod(min(length, 2 * _EDGE_VALUES) for length in array.shape)
    if array.size > _MAX_VALUES and (array.ndim > _MAX_AXES or corners > _MAX_VALUES):
        values = ", ".join(str(each) for each in itertools.islice(array.flat, 2 * _EDGE_VALUES))
        yield f"{values}, ... ({array.size:,} values)"
        return
    yield np.array2string(
        array, max_line_width=_LINE_LENGTH, separator=between, prefix=before,
        precision=digits, threshold=_MAX_VALUES, edgeitems=_EDGE_VALUES,
    )  # fmt: skip
