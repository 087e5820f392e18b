"""The form of a value on a page: inline, as a table, as a block of text, or part by part."""

import pprint
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from grader.definitions.public_exercise import DescribedValue
from grader.reports.numerals import MINUS, decimals_for, is_rounded, numeral
from sitegen.shading import shade_for

MAX_SIDE = 12  # larger tables are unreadable
_MAX_PARTS = 8
_MAX_INLINE = 60  # characters
_MAX_CHARACTERS = 4000  # longest text on a page
_LINE_LENGTH = 64
_NARROW_ROW = 26  # characters that fit on a phone
_MATRIX = 2


@dataclass(frozen=True, slots=True)
class Inline:
    """A value short enough for a line of text."""

    form: ClassVar[str] = "inline"
    text: str


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A value as text of several lines, possibly shortened; `summary` describes the value."""

    form: ClassVar[str] = "block"
    summary: str
    text: str


@dataclass(frozen=True, slots=True)
class TableCell:
    """A number of a table as text, with the class of its colour or ""."""

    text: str
    shade: str


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of numbers with column headings, and with row labels unless there is only one row."""

    form: ClassVar[str] = "table"
    summary: str
    columns: tuple[str, ...]
    labels: tuple[str, ...]  # labels of the rows; none for an array with one axis
    rows: tuple[tuple[TableCell, ...], ...]
    is_rounded: bool

    @property
    def is_matrix(self) -> bool:
        """True if the rows have labels."""
        return bool(self.labels)

    @property
    def is_wide(self) -> bool:
        """True if a row may not fit on a phone, so that the table must scroll."""
        return self._longest_row > _NARROW_ROW

    @property
    def is_dense(self) -> bool:
        """True if there are more columns than tables normally show."""
        return len(self.columns) > MAX_SIDE

    @property
    def _longest_row(self) -> int:
        columns = zip(
            self.columns, *([cell.text for cell in row] for row in self.rows), strict=True
        )
        widths = (
            max(4, *(len(word) for text in column for word in text.split())) for column in columns
        )
        return max(map(len, self.labels), default=1) - 1 + sum(widths)


@dataclass(frozen=True, slots=True)
class ValueParts:
    """A tuple, list or mapping that contains arrays, item by item with its subscript."""

    form: ClassVar[str] = "parts"
    summary: str
    items: tuple[tuple[str, "ValueView"], ...]


ValueView: TypeAlias = Inline | TextBlock | Table | ValueParts


def show(value: object, *, shaded: bool) -> ValueView:
    """Choose the form in which to show a value.

    Args:
        value: A plain Python value, a NumPy array or scalar, a `DescribedValue`, or a container
            of them.
        shaded: True to colour tables of floating-point or boolean values.
    """
    match value:
        case np.ndarray() if value.ndim:
            return _show_array(value, shaded=shaded)
        case np.number() | np.bool():
            return Inline(str(value))
        case tuple() | list() if _has_arrays(value):
            summary = f"{type(value).__name__} of {len(value)}"
            return _show_parts(summary, enumerate(value), shaded=shaded)
        case Mapping() if _has_arrays(tuple(value.values())):
            return _show_parts(f"mapping of {len(value)}", value.items(), shaded=shaded)
    text = _Printer(width=_LINE_LENGTH, compact=True, sort_dicts=False).pformat(value)
    if len(text) <= _MAX_INLINE and "\n" not in text:
        return Inline(text)
    kind = value.kind if isinstance(value, DescribedValue) else type(value).__name__
    return TextBlock(kind, cut_with_count(text))


class _Printer(pprint.PrettyPrinter):
    """A printer of sets in sorted order, because their hash order changes from run to run."""

    def format(
        self,
        object: object,  # noqa: A002  the overridden method's name for it
        context: dict[int, int],
        maxlevels: int,
        level: int,
    ) -> tuple[str, bool, bool]:
        if not isinstance(object, set | frozenset) or not object:
            return super().format(object, context, maxlevels, level)
        items = sorted(self.format(item, context, maxlevels, level + 1)[0] for item in object)
        text = f"{{{', '.join(items)}}}"
        return (text if isinstance(object, set) else f"frozenset({text})"), True, False


def cut_with_count(text: str) -> str:
    """Cut text after `_MAX_CHARACTERS`, with a note on the rest."""
    hidden_count = len(text) - _MAX_CHARACTERS
    return (
        text
        if hidden_count <= 0
        else f"{text[:_MAX_CHARACTERS]}\n… and {hidden_count} more characters"
    )


def _has_arrays(items: Sequence[object]) -> bool:
    arrays = any(isinstance(item, np.ndarray) and item.ndim for item in items)
    return arrays and len(items) <= _MAX_PARTS


def _show_parts(
    summary: str, items: Iterable[tuple[object, object]], *, shaded: bool
) -> ValueParts:
    parts = tuple((f"[{key!r}]", show(value, shaded=shaded)) for key, value in items)
    return ValueParts(summary, parts)


def _show_array(array: NDArray[np.generic], *, shaded: bool) -> TextBlock | Table:
    summary, kind = f"{array.dtype} {array.shape}", array.dtype.kind
    fits = array.ndim <= _MATRIX and array.size > 0 and max(array.shape) <= MAX_SIDE
    if not fits or kind not in "biuf":
        # Printed by NumPy, independent of the current print options.
        text = np.array2string(
            array,
            max_line_width=_LINE_LENGTH,
            precision=4,
            suppress_small=False,
            separator=", ",
            threshold=200,
            edgeitems=3,
            floatmode="maxprec",
            sign="-",
            formatter=None,
        )
        return TextBlock(summary, cut_with_count(text))
    floats = array.astype(float) if kind == "f" else array  # avoids half and long floats
    rows: list[list[float]] = np.atleast_2d(floats).tolist()
    values = [value for row in rows for value in row]
    decimals = decimals_for(values)
    shade = shade_for(values) if shaded and kind in "bf" else None
    cells = [
        tuple(
            TableCell(
                numeral(value, decimals) if kind == "f" else str(value).replace("-", MINUS),
                shade(value) if shade else "",
            )
            for value in row
        )
        for row in rows
    ]
    return Table(
        summary=summary,
        columns=label_indices(len(rows[0])),
        labels=label_indices(len(rows)) if array.ndim == _MATRIX else (),
        rows=tuple(cells),
        is_rounded=kind == "f" and is_rounded(values, decimals),
    )


def label_indices(length: int) -> tuple[str, ...]:
    """Return the labels of an axis without names: its indices."""
    return tuple(map(str, range(length)))
