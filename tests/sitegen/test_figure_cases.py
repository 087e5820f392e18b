"""The table of matrices that the scripts of a lesson are held to as well, laid out by the builder."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.lessons.blocks import MatrixDisplay
from sitegen.cell_displays import view_matrix

FRONTEND = Path(__file__).parents[2] / "site" / "frontend"
CASES = json.loads((FRONTEND / "tests" / "figures.json").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_matrix_is_laid_out_as_the_table_says(case: dict[str, Any]) -> None:
    """Texts, colours and widths: those that a page shows when its cell is run again."""
    shown = case["shown"]
    values = np.array([[float(value) for value in row] for row in shown["values"]])
    labels = {axis: tuple(shown[axis]) for axis in ("rows", "columns")}
    found = view_matrix(MatrixDisplay(shown["kind"], shown["title"], values, whole=False, **labels))
    table = found.table

    assert {
        "title": found.title,
        "columns": list(table.columns),
        "labels": list(table.labels),
        "cells": [[[cell.text, cell.shade] for cell in row] for row in table.rows],
        "explore": found.explore,
        "isWide": table.is_wide,
        "isDense": table.is_dense,
    } == case["layout"]
