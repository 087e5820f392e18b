"""A table of numbers as coloured cells in HTML, for light and dark pages.

The depth of the colour shows the size, blue for positive and red for negative; the number in the
cell shows it without colour. Text is black or white, whichever has more contrast.
"""

import html
from collections.abc import Sequence
from typing import Final

from grader.reports.number_cells import Colour, hexadecimal, ink

STEPS: Final = 10
"""Shades of each colour, in addition to the one for zero."""

# The backgrounds of zero, the highest and the lowest value.
_IN_THE_LIGHT: Final[tuple[Colour, Colour, Colour]] = (
    (238, 243, 247), (12, 74, 140), (160, 38, 32),
)  # fmt: skip
_IN_THE_DARK: Final[tuple[Colour, Colour, Colour]] = (
    (38, 46, 55), (139, 196, 250), (255, 158, 140),
)  # fmt: skip


def grounds(step: int) -> tuple[Colour, Colour]:
    """Return the background of a step from -10 to 10, for light and for dark pages."""
    share, colours = abs(step) / STEPS, []
    for nothing, high, low in (_IN_THE_LIGHT, _IN_THE_DARK):
        furthest = high if step > 0 else low
        red, green, blue = (
            round(one + (other - one) * share) for one, other in zip(nothing, furthest, strict=True)
        )
        colours.append((red, green, blue))
    light, dark = colours
    return light, dark


def _name(step: int) -> str:
    return f"n{-step}" if step < 0 else f"h{step}"


STYLE: Final = """\
.heat { border-collapse: separate; border-spacing: 2px; }
.heat caption { white-space: nowrap; }
.heat th { font-weight: 500; text-align: left; padding: .2rem .5rem; }
.heat thead th { text-align: right; }
.heat td { text-align: right; padding: .2rem .5rem; border-radius: 4px; }
.heat td { font-variant-numeric: tabular-nums; }
.heat .none { color: var(--quiet); }
.heat .worst { font-weight: 700; outline: 2px solid var(--ink); outline-offset: -1px; }
""" + "".join(
    f".heat .{_name(step)} {{ background: light-dark({hexadecimal(light)}, {hexadecimal(dark)}); "
    f"color: light-dark({hexadecimal(ink(light))}, {hexadecimal(ink(dark))}); }}\n"
    for step in range(-STEPS, STEPS + 1)
    for light, dark in [grounds(step)]
)
"""The style sheet of heatmaps, which uses the page's `--quiet` and `--ink`."""


def heatmap(
    values: Sequence[Sequence[float | None]],
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    texts: Sequence[Sequence[str]],
    caption: str,
    worst: tuple[int, int] | None = None,
) -> str:
    """Return an HTML table of shape (rows, columns) with one cell per number.

    Args:
        values: Numbers from -1 to 1, or None for a cell without shade.
        rows: The names of the rows; empty for none.
        columns: The names of the columns; empty for none.
        texts: The text of each cell, in the shape of `values`.
        worst: Row and column of the cell to emphasise with brackets.
    """
    names = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in columns)
    corner = "<td></td>" if rows else ""
    row_names = [f'<th scope="row">{html.escape(name)}</th>' for name in rows] or [""] * len(values)
    head = f"<thead><tr>{corner}{names}</tr></thead>\n" if columns else ""
    body = []
    for row, (numbers, words) in enumerate(zip(values, texts, strict=True)):
        body.append(f"<tr>{row_names[row]}")
        for column, (number, word) in enumerate(zip(numbers, words, strict=True)):
            step = None if number is None else round(min(max(number, -1.0), 1.0) * STEPS)
            name = "none" if step is None else _name(step)
            text = html.escape(word)
            if worst == (row, column):
                body.append(f'<td class="{name} worst">[{text}]</td>')
            else:
                body.append(f'<td class="{name}">{text}</td>')
        body.append("</tr>\n")
    return (
        f'<table class="heat">\n<caption>{html.escape(caption)}</caption>\n'
        f"{head}<tbody>\n{''.join(body)}</tbody>\n</table>\n"
    )
