"""The shape and dtype that each line makes, at its end."""

import pytest
from playwright.sync_api import expect

from tests.browser.judging import shoot
from tests.browser.learner import Bench

WRONG = """\
import numpy as np


def scaled_scores(Q, K):
    scores = Q @ K.T
    return scores / Q.shape[1]
"""


@pytest.mark.slow
def test_shapes_stand_at_the_ends_of_lines(bench: Bench) -> None:
    """After a check that fails, and when asked for; until the code is edited. A list says them."""
    page, shapes = bench.page, bench.editor.locator(".cm-shape")
    said = page.get_by_role("list", name="Shapes, line by line").get_by_role("listitem")
    bench.check(WRONG)
    bench.concludes("Not passed yet")
    expect(shapes).to_have_text(["Q (2, 4) float64, K (3, 4) float64", "scores (2, 3) float64", "→ (2, 3) float64"])  # fmt: skip
    expect(said.last).to_have_text("line 6: return, 2 by 3, float64")
    shoot(page, "shapes")
    bench.write(WRONG.replace("Q @ K.T", "Q.sum()"))
    expect(shapes).to_have_count(0)
    expect(said).to_have_count(0)
    bench.button("Shapes").press("Enter")
    expect(shapes.nth(1)).to_have_text("scores float64")
