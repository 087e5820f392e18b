"""A table of numbers as coloured cells in HTML, readable in the dark and in the light.

The colour says how much, the number in the cell says it to everybody.
"""

import html
from collections.abc import Sequence
from typing import Final

_STEPS: Final = 10

STYLE: Final = """\
.heat { border-collapse: separate; border-spacing: 2px; }
.heat th { font-weight: 500; text-align: left; padding: .2rem .5rem; }
.heat td { text-align: right; padding: .2rem .5rem; border-radius: 4px; }
.heat .none { color: var(--quiet); }
""" + "".join(
    f".heat .h{step} {{ background: light-dark(oklch({0.97 - step * 0.052:.3f} "
    f"{0.01 + step * 0.009:.3f} 240), oklch({0.28 + step * 0.052:.3f} "
    f"{0.02 + step * 0.008:.3f} 215)); color: light-dark({'#fff' if step > 7 else '#111'}, "  # noqa: PLR2004  where the ground gets dark
    f"{'#111' if step > 5 else '#fff'}); }}\n"  # noqa: PLR2004  where the ground gets light
    for step in range(_STEPS + 1)
)
"""The style sheet of heatmaps; it uses the page's `--quiet`."""


def heatmap(
    values: Sequence[Sequence[float | None]],
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    texts: Sequence[Sequence[str]],
    caption: str,
) -> str:
    """Return a table, shape (rows, columns), with a cell for each number.

    Args:
        values: from 0 to 1, or None where there is nothing.
        rows: the names of the rows.
        columns: the names of the columns.
        texts: what stands in each cell, of the same shape as `values`.
        caption: says what the numbers are.
    """
    head = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in columns)
    body = "".join(
        f'<tr><th scope="row">{html.escape(name)}</th>{_cells(numbers, words)}</tr>\n'
        for name, numbers, words in zip(rows, values, texts, strict=True)
    )
    return (
        f'<table class="heat">\n<caption>{html.escape(caption)}</caption>\n'
        f"<thead><tr><td></td>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n"
    )


def _cells(numbers: Sequence[float | None], words: Sequence[str]) -> str:
    return "".join(
        f'<td class="{_class(number)}">{html.escape(word)}</td>'
        for number, word in zip(numbers, words, strict=True)
    )


def _class(number: float | None) -> str:
    return "none" if number is None else f"h{round(min(max(number, 0.0), 1.0) * _STEPS)}"
