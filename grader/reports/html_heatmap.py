"""A table of numbers as coloured cells in HTML, for light and dark pages.

The depth of the colour shows the size, blue for positive and orange for negative; the number in the
cell shows it without colour.
"""

import html
from collections.abc import Sequence
from typing import Final

from grader.reports.palette import DIVERGING, MIDDLE, stylesheet

STYLE: Final = """\
.heat { border-collapse: separate; border-spacing: 2px; }
.heat caption { white-space: nowrap; }
.heat th { font-weight: 500; text-align: left; padding: .2rem .5rem; }
.heat thead th { text-align: right; }
.heat td { text-align: right; padding: .2rem .5rem; border-radius: 4px; }
.heat td { font-variant-numeric: tabular-nums; }
.heat .none { color: var(--quiet); }
.heat .worst { font-weight: 700; outline: 2px solid var(--ink); outline-offset: -1px; }
""" + stylesheet([DIVERGING])
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
            name = "none"
            if number is not None:
                step = round(min(max(number, -1.0), 1.0) * MIDDLE)
                name = DIVERGING.step_class(MIDDLE + step)
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
