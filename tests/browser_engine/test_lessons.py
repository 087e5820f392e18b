"""A lesson's cells show in a page what the site shows below them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.lessons.blocks import Cell, MatrixDisplay
from grader.lessons.execute import run_lesson
from grader.lessons.lesson import read_lesson
from grader.sandbox.process import Sandbox
from tests.browser_engine.conftest import Page
from tests.own_collection import COLLECTION

pytestmark = pytest.mark.slow

# Every fourth: tests/browser runs others in a browser.
LESSONS = [path for track in COLLECTION.tracks for path in track.lessons[::4]]


def plain(shown: MatrixDisplay) -> dict[str, Any]:
    return {
        "kind": shown.kind,
        "title": shown.title,
        "whole": shown.whole,
        "rows": list(shown.rows),
        "columns": list(shown.columns),
    }


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_cells_show_in_a_page_what_the_site_shows(path: Path, page: Page, sandbox: Sandbox) -> None:
    """Run one after another, each prints the same and shows the same figures."""
    page("open_lesson")
    for cell in run_lesson(read_lesson(path), sandbox).blocks:
        if isinstance(cell, Cell):
            here = page("cell", cell.code)
            values = [figure.pop("values") for figure in here["figures"]]
            assert (here["problem"], here["truncated"]) == (None, 0)
            assert here["printed"] == cell.printed
            matrices = [shown for shown in cell.displays if isinstance(shown, MatrixDisplay)]
            assert here["figures"] == [plain(shown) for shown in matrices]
            for one, other in zip(values, matrices, strict=True):
                assert np.allclose(np.array(one, float), other.values, equal_nan=True)
