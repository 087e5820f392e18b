"""The whole way of a learner, from the start page to the next exercise."""

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import ViewportSize, expect

from tests.browser.judging import (
    DARK,
    DESK,
    LIGHT,
    PHONE,
    Theme,
    barriers,
    overflowing,
    shoot,
)
from tests.browser.learner import Bench, Hand, Keyboard, Mouse

if TYPE_CHECKING:
    from tests.browser.conftest import NewPage
    from tests.browser.tools import Tools

SCORES = "import numpy as np\ndef scaled_scores(Q, K):\n    return Q @ np.swapaxes(K, -1, -2)"
WITHOUT_ROOT = f"{SCORES} / Q.shape[-1]"
RIGHT = f"{SCORES} / np.sqrt(Q.shape[-1])"


@pytest.mark.parametrize(
    ("hand", "theme", "size"),
    [
        pytest.param(Mouse(), LIGHT, PHONE, id="mouse-light-phone"),
        pytest.param(Keyboard(), DARK, DESK, id="keyboard-dark-desk", marks=pytest.mark.slow),
    ],
)
def test_from_the_start_page_to_the_next_exercise(
    first_page: "NewPage",
    tools: "Tools",
    size: ViewportSize,
    theme: Theme,
    hand: Hand,
) -> None:
    """Fail, fail again, take the hint that is offered, pass, earn XP, and go on; no barriers."""
    page = first_page(viewport=size, color_scheme=theme)
    bench = Bench(page)
    main = page.get_by_role("main")

    def judge(state: str) -> None:
        shoot(page, f"journey-{state}")
        assert barriers(page, tools) == ""
        assert overflowing(page) == []

    page.goto("")
    for name in ("Attention from scratch", "Why the scores are scaled", "Scale the scores"):
        hand.press(main.get_by_role("link", name=name).first)
        expect(page.get_by_role("heading", level=1)).to_have_text(name)
    expect(page).to_have_url(re.compile("attention/scaled-scores/"))

    hand.write(bench, WITHOUT_ROOT)
    hand.press(bench.button("Check"))
    bench.concludes("Not passed yet")
    expect(bench.results).to_contain_text("It is the variance that grows like")
    expect(page.get_by_text("Stuck? A hint may help.")).not_to_be_visible()
    judge("failed")

    hand.press(bench.button("Check"))
    expect(page.get_by_text("Stuck? A hint may help.")).to_be_visible()
    hand.press(bench.results.get_by_role("button", name=re.compile("^Show hint 1 of 3")))
    expect(main.get_by_text("What is left is one division; by what?")).to_be_visible()
    judge("hint-open")

    hand.write(bench, RIGHT)
    expect(page.get_by_text("Your code has changed since these results.")).to_be_visible()
    hand.press(bench.button("Check"))
    bench.concludes("Passed: ")
    expect(bench.results).to_contain_text("Passed +5 XP")
    judge("passed")

    hand.press(bench.results.get_by_role("link", name="Next: "))
    expect(page).not_to_have_url(re.compile("scaled-scores"))
    expect(page.get_by_role("banner").get_by_role("link", name="5 XP")).to_be_visible()
