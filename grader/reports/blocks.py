"""Matrices in the terminal: each cell shaded by its value, as wide as the terminal allows.

Where there is no colour the numbers stand alone, or, in a terminal too narrow for them, shades made
of characters.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.style import Style
from rich.text import Text

Matrix: TypeAlias = npt.NDArray[np.float64]
Colour: TypeAlias = tuple[int, int, int]

_LIGHT: Final[Colour] = (247, 247, 247)
_HIGH: Final[Colour] = (8, 69, 148)  # blue
_LOW: Final[Colour] = (165, 30, 35)  # red, for what is below zero
_SHADES: Final = " ░▒▓█"
_DECIMALS: Final = (4, 3, 2, 1)
_GAP: Final = "   "  # between two matrices
_LUMINANCE: Final = (0.299, 0.587, 0.114)
_MIDDLE_GREY: Final = 140


@dataclass(frozen=True, slots=True)
class Labels:
    """What the rows and the columns of a matrix stand for; their numbers if there is nothing."""

    rows: Sequence[str] = ()
    columns: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class _Scale:
    """From a value to a share of the darkest shade: 0 to 1, or -1 to 1 where values have signs."""

    low: float
    high: float

    @classmethod
    def of(cls, values: Matrix) -> "_Scale":
        finite = values[np.isfinite(values)]
        if not finite.size:
            return cls(0.0, 1.0)
        low, high = float(finite.min()), float(finite.max())
        return cls(low, high) if low >= 0 else cls(-max(high, -low), max(high, -low))

    def share(self, value: float) -> float:
        """Return how dark a cell is; negative values are dark in another colour."""
        if self.low < 0:
            return value / self.high
        return (value - self.low) / (self.high - self.low) if self.high > self.low else 0.0


def print_heatmap(
    console: Console,
    values: Matrix,
    labels: Labels = Labels(),
    *,
    whole: bool = False,
    shaded: bool = True,
) -> None:
    """Print a matrix.

    Args:
        console: where to; its width and colours decide the form.
        values: shape (n, m), numbers.
        labels: of its rows and columns.
        whole: whether the numbers are whole.
        shaded: whether to shade the cells.
    """
    scale = _Scale.of(values) if shaded else None
    width = console.width if console.is_terminal else None
    _print(console, _lines(console, values, labels, width, scale, whole=whole))


def print_side_by_side(console: Console, expected: Matrix, got: Matrix) -> None:
    """Print what was expected and what came, in the same shades, differing cells underlined.

    Beside each other if the terminal is wide enough, else one below the other.

    Args:
        console: where to; its width and colours decide the form.
        expected: shape (n, m).
        got: shape (n', m'), perhaps another one.
    """
    both = np.concatenate([expected.ravel(), got.ravel()])
    scale = _Scale.of(both)
    whole = bool(np.all(both == np.round(both)))
    other = _differing(expected, got)
    width = console.width if console.is_terminal else None
    half = None if width is None else (width - len(_GAP)) // 2
    beside = all(_fits(values, half, whole=whole) for values in (expected, got))
    room = half if beside else width
    left = [
        Text("expected", "bold"),
        *_lines(console, expected, Labels(), room, scale, whole=whole),
    ]
    right = [
        Text("yours", "bold"),
        *_lines(console, got, Labels(), room, scale, whole=whole, marked=other),
    ]
    if not beside:
        _print(console, [*left, Text(), *right])
        return
    column = max(line.cell_len for line in left)
    pairs = zip_longest(left, right, fillvalue=Text())
    _print(console, [_joined(before, after, column) for before, after in pairs])


def _fits(values: Matrix, width: int | None, *, whole: bool) -> bool:
    """Tell whether all numbers can be read in so many columns."""
    before = len(str(len(values))) + 1
    room = None if width is None else width - before
    return _cells(values, room, Labels(), whole=whole) is not None


def _joined(before: Text, after: Text, column: int) -> Text:
    return Text.assemble(before, " " * (column - before.cell_len), _GAP, after)


def _differing(expected: Matrix, got: Matrix) -> npt.NDArray[np.bool_] | None:
    if expected.shape != got.shape:
        return None
    return ~np.isclose(got, expected, equal_nan=True)


def _print(console: Console, lines: Sequence[Text]) -> None:
    for line in lines:
        if not _coloured(console):
            line.rstrip()
        console.print(line, soft_wrap=True)


def _lines(
    console: Console,
    values: Matrix,
    labels: Labels,
    width: int | None,
    scale: _Scale | None,
    *,
    whole: bool,
    marked: npt.NDArray[np.bool_] | None = None,
) -> list[Text]:
    """Return the lines of a matrix that fits a width, if there is any."""
    names = [str(name) for name in labels.rows] or [str(row) for row in range(len(values))]
    before = max((len(name) for name in names), default=0) + 1
    coloured = _coloured(console)
    cells = _cells(values, None if width is None else width - before, labels, whole=whole)
    if cells is None and scale is None:
        cells = _numbers(values, 0 if whole else _DECIMALS[-1])
    side = max((len(text) for row in cells for text in row), default=0) + 2 if cells else 2
    side = max(side, *(len(name) + 2 for name in labels.columns or [""])) if cells else side
    lines = [_heading(labels, before, side)] if labels.columns and cells else []
    for row, name in enumerate(names):
        line = Text.assemble((name.rjust(before - 1) + " ", "dim"))
        for column, value in enumerate(values[row]):
            text = cells[row][column] if cells else _shade(value, scale, coloured=coloured)
            differs = marked is not None and bool(marked[row, column])
            if differs and not coloured and cells:
                text = f"*{text}"
            style = _style(float(value), scale if coloured else None, underlined=differs)
            line.append(f"{text:>{side - 1}} " if cells else text, style)
        lines.append(line)
    return lines


def _coloured(console: Console) -> bool:
    return console.is_terminal and not console.no_color and console.color_system is not None


def _heading(labels: Labels, before: int, side: int) -> Text:
    names = "".join(f"{name:>{side - 1}} " for name in labels.columns)
    return Text(" " * before + names, "dim")


def _cells(
    values: Matrix, width: int | None, labels: Labels, *, whole: bool
) -> list[list[str]] | None:
    """Return the numbers with as many decimals as fit; None if not even one does."""
    longest = max((len(name) for name in labels.columns), default=0)
    for decimals in (0,) if whole else _DECIMALS:
        cells = _numbers(values, decimals)
        side = max([longest, *(len(text) for row in cells for text in row)]) + 2
        if width is None or side * values.shape[1] <= width:
            return cells
    return None


def _numbers(values: Matrix, decimals: int) -> list[list[str]]:
    return [[f"{value:.{decimals}f}" for value in row] for row in values.tolist()]


def _shade(value: float, scale: _Scale | None, *, coloured: bool) -> str:
    if coloured or scale is None:
        return "  "
    if not np.isfinite(value):
        return "??"
    return 2 * _SHADES[round(abs(scale.share(value)) * (len(_SHADES) - 1))]


def _style(value: float, scale: _Scale | None, *, underlined: bool) -> Style:
    if scale is None or not np.isfinite(value):
        return Style(bold=underlined or None)
    share = scale.share(value)
    colour = _mix(_LOW if share < 0 else _HIGH, abs(share))
    grey = sum(part * weight for part, weight in zip(colour, _LUMINANCE, strict=True))
    text = "#000000" if grey > _MIDDLE_GREY else "#ffffff"
    return Style(color=text, bgcolor=_hex(colour), underline=underlined or None)


def _mix(towards: Colour, share: float) -> Colour:
    red, green, blue = (
        round(light + (dark - light) * share) for light, dark in zip(_LIGHT, towards, strict=True)
    )
    return red, green, blue


def _hex(colour: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)
