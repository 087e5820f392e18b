"""The functions with which the cells of a lesson show tables and heatmaps.

This file runs in the sandbox, so it imports only the standard library and NumPy.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

_MAX_ROWS = 64  # the largest number of rows or columns that is shown
_displays: list[dict[str, Any]] = []


def heatmap(
    values: Any,
    rows: Sequence[object] = (),
    columns: Sequence[object] = (),
    title: str = "",
) -> None:
    """Show a matrix, each cell shaded by its value.

    Args:
        values: Shape (n, m), numbers; n and m at most 64.
        rows: The label of each row. Rows without labels are numbered.
        title: One line above the matrix.

    Raises:
        ValueError: The values are not such a matrix, or the labels do not fit it.
    """
    _show("heatmap", values, rows, columns, title)


def table(
    values: Any,
    rows: Sequence[object] = (),
    columns: Sequence[object] = (),
    title: str = "",
) -> None:
    """Show a matrix as plain numbers; see `heatmap`."""
    _show("table", values, rows, columns, title)


def _show(
    kind: str,
    values: Any,
    rows: Sequence[object],
    columns: Sequence[object],
    title: str,
) -> None:
    matrix = np.asarray(values)
    if matrix.ndim != 2 or matrix.dtype.kind not in "biuf" or max(matrix.shape) > _MAX_ROWS:  # noqa: PLR2004  a matrix has two axes
        raise ValueError(f"a {kind} shows a matrix of numbers up to {_MAX_ROWS} x {_MAX_ROWS}")
    for name, labels, length in (
        ("rows", rows, len(matrix)),
        ("columns", columns, matrix.shape[1]),
    ):
        if len(labels) not in (0, length):
            raise ValueError(f"{len(labels)} labels for {length} {name}")
    _displays.append(
        {
            "kind": kind,
            "title": str(title),
            "values": matrix.astype(np.float64),
            "whole": matrix.dtype.kind in "biu",
            "rows": [str(label) for label in rows],
            "columns": [str(label) for label in columns],
        }
    )


def _pop_displays() -> list[dict[str, Any]]:
    """Remove and return the displays that were not taken yet."""
    displays = list(_displays)
    _displays.clear()
    return displays
