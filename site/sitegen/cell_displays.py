"""The plots, number tables and heatmaps in the output of a lesson's cells."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from markupsafe import Markup

from grader.lessons.blocks import MatrixDisplay
from grader.reports.numerals import decimals_for, numeral
from sitegen.shading import shade_for
from sitegen.values import Table, TableCell, label_indices

_HEATMAP_DECIMALS = 2  # colours show the rest, and a row fits a phone
_FAINT = 0.1  # a heatmap with only smaller values needs more decimals
_SHARES = 1e-6  # tolerance for a sum of shares that should be 1
_SMALL = 1e-3  # smaller numbers in a plain table are written with an exponent


@dataclass(frozen=True, slots=True)
class MatrixView:
    """A matrix and its title, which may be empty."""

    title: str
    table: Table
    is_heatmap: bool
    explore: str  # "shares" if the rows of a heatmap add up to 1, else "values"


@dataclass(frozen=True, slots=True)
class PlotView:
    """A plot and its title, which may be empty."""

    title: str
    svg: Markup


def view_matrix(display: MatrixDisplay) -> MatrixView:
    """Format the numbers of a matrix, and add the colours of a heatmap."""
    rows: list[list[float]] = display.values.tolist()
    is_heatmap = display.kind == "heatmap"
    explore = ""
    if is_heatmap:
        values = [value for row in rows for value in row]
        shade = shade_for(values)
        text = _text(values, max_decimals=_HEATMAP_DECIMALS)
        cells = [tuple(TableCell(text(value), shade(value)) for value in row) for row in rows]
        is_shares = all(min(row) >= 0 and abs(sum(row) - 1) <= _SHARES for row in rows)
        explore = "shares" if is_shares else "values"
    else:
        # Columns may hold different quantities, so each gets as many decimals as it needs.
        texts = [_text(column, small=_SMALL) for column in zip(*rows, strict=True)]
        cells = [
            tuple(TableCell(write(value), "") for write, value in zip(texts, row, strict=True))
            for row in rows
        ]
    table = Table(
        summary="",
        columns=display.columns or label_indices(display.values.shape[1]),
        labels=display.rows or label_indices(len(rows)),
        rows=tuple(cells),
        is_rounded=False,
    )
    return MatrixView(display.title, table, is_heatmap, explore)


def _text(
    values: Sequence[float], *, max_decimals: int | None = None, small: float = 0.0
) -> Callable[[float], str]:
    """Return the function that formats each of these values; only an exact zero is "0".

    Args:
        values: The values that share a format.
        max_decimals: The most decimals, unless all values are faint.
        small: Smaller values are written with an exponent.
    """
    finite = [value for value in values if math.isfinite(value)]
    if all(value.is_integer() for value in finite):
        return partial(numeral, decimals=0)
    decimals = decimals_for(values)
    largest = max(map(abs, finite))
    if decimals is not None and max_decimals is not None and largest >= _FAINT:
        decimals = min(decimals, max_decimals)

    def text(value: float) -> str:
        return numeral(value, None if abs(value) < small else decimals) if value else "0"

    return text
