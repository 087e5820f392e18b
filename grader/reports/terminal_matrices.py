"""Matrices in the terminal: each cell is shaded by its value, as wide as the terminal allows.

Without colours the numbers stand alone; in a terminal too narrow for numbers, characters act as
shades.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from rich.console import Console
from rich.text import Text

from grader.reports.number_cells import Pair, Rows, Scale, Texts, format_matrices, longest_text
from grader.reports.palette import ink

# Colours of the 256-colour palette, so that no terminal replaces them. Each ramp has one hue and
# gets darker with every step.
HIGH: Final[tuple[str, ...]] = (
    "#ffffff", "#d7d7ff", "#afd7ff", "#87afff",
    "#5f87ff", "#005fff", "#005fd7", "#005faf",
)  # fmt: skip
# Shades of negative values.
LOW: Final[tuple[str, ...]] = (
    "#ffffff", "#ffd7d7", "#ffafaf", "#ff8787",
    "#ff5f5f", "#d75f5f", "#d70000", "#af0000",
)  # fmt: skip
_SHADES: Final = " ░▒▓█"
GAP: Final = "   "
"""The space between two matrices side by side."""

_ENOUGH_COLOURS: Final = ("256", "truecolor", "windows")
_DARKEST: Final = len(_SHADES) - 1
_PADDING: Final = 2  # a blank or bracket on either side of a number


@dataclass(frozen=True, slots=True)
class MatrixPair:
    """Two matrices to compare.

    `worst` is the row and column of the largest difference, if the shapes are equal.
    """

    expected: Rows
    got: Rows
    titles: tuple[Text, Text]
    worst: tuple[int, int] | None = None

    @property
    def apart(self) -> Pair | None:
        """The two numbers whose texts must differ."""
        if self.worst is None:
            return None
        row, column = self.worst
        return self.expected[row][column], self.got[row][column]


def print_heatmap(
    console: Console,
    values: Rows,
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
    *,
    shaded: bool = True,
) -> None:
    """Print a matrix.

    Args:
        console: The output; its width and colours decide the form.
        values: Numbers, shape (n, m).
        rows: The names of the rows; by default their indices.
        columns: The names of the columns.
    """
    names = [*rows] or _indices(values)
    room = console.width - len(_row_head(names)) if console.is_terminal else None
    widest = max(map(len, columns), default=0)
    clear, coarse = format_matrices([values])
    ways = [texts for (texts,) in (*clear, *coarse)]
    fitting = (texts for texts in ways if room is None or _width(texts, widest) <= room)
    texts = next(fitting, None if shaded else ways[-1])
    block = _MatrixBlock(Scale.from_matrices(values) if shaded else None, has_colours(console))
    lines = block.lines(values, texts, names, widest)
    if columns and texts is not None:
        side = max(longest_text([texts]), widest) + _PADDING
        heads = "".join(f"{name:>{side - 1}} " for name in columns)
        lines.insert(0, Text(_row_head(names) + heads, "dim"))
    for line in lines:
        if not block.coloured:
            line.rstrip()
        console.print(line, soft_wrap=True)


def comparison_lines(both: MatrixPair, width: int, *, coloured: bool) -> list[Text]:
    """Return lines that show two matrices with the same shades and number format.

    The matrices stand side by side if there is room, else one below the other. Brackets mark the
    largest difference.
    """
    block = _MatrixBlock(Scale.from_matrices(both.expected, both.got), coloured)
    ways, fits_beside = _choose_layout(both, width)
    left, right = (
        [title, *block.lines(rows, texts, _indices(rows), worst=both.worst)]
        for title, rows, texts in zip(both.titles, (both.expected, both.got), ways, strict=True)
    )
    if not fits_beside:
        return [*left, *right]
    return join_columns(left, right)


def join_columns(left: Sequence[Text], right: Sequence[Text]) -> list[Text]:
    """Join the lines of two blocks side by side."""
    column = max(line.cell_len for line in left)
    return [
        Text.assemble(before, " " * (column - before.cell_len), GAP, after)
        for before, after in zip_longest(left, right, fillvalue=Text())
    ]


def matrix_lines(title: Text, rows: Rows, width: int, *, coloured: bool) -> list[Text]:
    """Return lines that show one matrix; a vector is a matrix of one row."""
    clear, coarse = format_matrices([rows])
    names = _indices(rows) if len(rows) > 1 else [""]
    room = width - len(_row_head(names))
    texts = next((way for (way,) in (*clear, *coarse) if _width(way) <= room), None)
    block = _MatrixBlock(Scale.from_matrices(rows), coloured)
    return [title, *block.lines(rows, texts, names)]


def vector_comparison_lines(both: MatrixPair, width: int, *, coloured: bool) -> list[Text]:
    """Return lines that show two vectors, each number above its counterpart.

    Long vectors continue in further pairs of lines.
    """
    clear, coarse = format_matrices([both.expected, both.got], both.apart)
    ways = (clear or coarse)[0]
    before = max(len(title) for title in both.titles) + 1
    side = longest_text(ways)
    count = max(1, (width - before) // (side + _PADDING))
    block = _MatrixBlock(Scale.from_matrices(both.expected, both.got), coloured)
    lines: list[Text] = []
    for start in range(0, max(len(both.expected[0]), len(both.got[0])), count):
        lines += [Text()] if start else []
        worst = both.worst and (0, both.worst[1] - start)
        for title, (row,), (texts,) in zip(
            both.titles, (both.expected, both.got), ways, strict=True
        ):
            part = slice(start, start + count)
            (cells,) = block.lines([row[part]], [texts[part]], [""], side, worst)
            head = Text() if start else title
            lines.append(Text.assemble(head, " " * (before - len(head)), cells))
    return lines


def has_colours(console: Console) -> bool:
    """Return whether the console has more than sixteen colours, enough to tell shades apart."""
    usable = console.is_terminal and not console.no_color
    return usable and console.color_system in _ENOUGH_COLOURS


def _choose_layout(both: MatrixPair, width: int) -> tuple[Sequence[Texts | None], bool]:
    """Choose the number format of two matrices, and whether they fit side by side."""
    pair = (both.expected, both.got)
    before = [len(_row_head(_indices(rows))) for rows in pair]

    def fit(cells: Sequence[int]) -> bool:
        """Return whether two blocks with cells of these widths, and the gap, fit."""
        blocks = [
            max(one + other, len(title))
            for one, other, title in zip(before, cells, both.titles, strict=True)
        ]
        return sum(blocks) + len(GAP) <= width

    for ways in format_matrices(pair, both.apart):
        for way in ways:
            if fit([_width(texts) for texts in way]):
                return way, True
        for way in ways:
            if max(map(_width, way)) + max(before) <= width:
                return way, False
    return (None, None), fit([_PADDING * len(rows[0]) for rows in pair])


def _width(texts: Texts, at_least: int = 0) -> int:
    """Return the width of a matrix's cells, in columns."""
    return (max(longest_text([texts]), at_least) + _PADDING) * max(map(len, texts), default=0)


def _indices(rows: Rows) -> list[str]:
    return [str(number) for number in range(len(rows))]


def _row_head(names: Sequence[str], name: str = "") -> str:
    """Return the head of a row: its name, padded to the longest."""
    name_width = max(map(len, names), default=0)
    return f"{name:>{name_width}} " if name_width else ""


@dataclass(frozen=True, slots=True)
class _MatrixBlock:
    """The way to draw the cells of a matrix."""

    scale: Scale | None  # None to draw without shades
    coloured: bool

    def lines(
        self,
        rows: Rows,
        texts: Texts | None,
        names: Sequence[str],
        at_least: int = 0,
        worst: tuple[int, int] | None = None,
    ) -> list[Text]:
        """Return one line per row.

        Args:
            texts: The texts of the cells, or None for shades only.
            at_least: Least width of a cell, in characters.
            worst: Row and column of the cell in brackets.
        """
        side = max(longest_text([texts]), at_least) + _PADDING if texts else _PADDING
        lines = []
        for number, (row, name) in enumerate(zip(rows, names, strict=True)):
            line = Text.assemble((_row_head(names, name), "dim"))
            for column, value in enumerate(row):
                text = None if texts is None else texts[number][column]
                marked = worst == (number, column)
                line.append(*self._cell(value, text, side, marked=marked))
            lines.append(line)
        return lines

    def _cell(self, value: float, text: str | None, side: int, *, marked: bool) -> tuple[str, str]:
        """Return a cell's characters, padded on one side, and its style."""
        share = None if self.scale is None else self.scale.share(value)
        if text is None:
            text = ""
            if self.scale is not None and not self.coloured:
                shade = "?" if share is None else _SHADES[round(abs(share) * _DARKEST)]
                text = _PADDING * shade
        if not marked:
            text = text if len(text) == side else f"{text} ".rjust(side)
        elif len(text) < side:
            text = f"[{text}]".rjust(side)
        else:
            # Brackets replace the blanks around the text.
            text = "[" + text[2:].rjust(side - 2) + "]"
        style = "bold" if marked else ""
        if share is not None and self.coloured:
            ramp = LOW if share < 0 else HIGH
            ground = ramp[round(abs(share) * (len(ramp) - 1))]
            style = f"{style} {ink(ground)} on {ground}".lstrip()
        return text, style
