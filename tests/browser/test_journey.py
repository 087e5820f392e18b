"""The whole way of a learner, from the start page to the next exercise."""

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import ViewportSize, expect

from tests.browser.judging import DARK, DESK, LIGHT, PHONE, Theme, barriers, overflowing, shoot
from tests.browser.learner import Bench, Hand, Keyboard, Mouse

if TYPE_CHECKING:
    from tests.browser.conftest import NewPage
    from tests.browser.tools import Tools

SCORES = "import numpy as np\ndef scaled_scores(Q, K):\n    return Q @ np.swapaxes(K, -1, -2)"
WITHOUT_ROOT = f"{SCORES} / Q.shape[-1]"
RIGHT = f"{SCORES} / np.sqrt(Q.shape[-1])"


MOUSE, KEYBOARD = Mouse(), Keyboard()
WAYS = {
    "mouse-light-phone": (MOUSE, "light", PHONE),
    "mouse-dark-desk": (MOUSE, "dark", DESK),
    # What is to be seen was judged on the mouse's way.
    "keyboard-dark-phone": (KEYBOARD, "dark", PHONE),
    "keyboard-light-desk": (KEYBOARD, "light", DESK),
}


@pytest.mark.parametrize(("hand", "theme", "size"), WAYS.values(), ids=WAYS.keys())
def test_from_the_start_page_to_the_next_exercise(
    new_page: "NewPage",
    tools: "Tools",
    size: ViewportSize,
    theme: Theme,
    hand: Hand,
) -> None:
    """Fail, fail again, take the hint that is offered, pass, earn XP, and go on; no barriers.

    What is on the page is judged in both themes, whichever the learner has.
    """
    page = new_page(viewport=size, color_scheme=theme)
    bench = Bench(page)
    main = page.get_by_role("main")
    is_judged = isinstance(hand, Mouse)  # the states are the same for both

    def judge(state: str) -> None:
        for shown in (LIGHT, DARK) if is_judged else ():
            page.emulate_media(color_scheme=shown)
            shoot(page, f"journey-{state}")
            assert barriers(page, tools) == ""
        page.emulate_media(color_scheme=theme)
        assert overflowing(page) == []

    page.goto("")
    hand.press(main.get_by_role("link", name="Attention from scratch").first)
    hand.press(main.get_by_role("link", name="Why the scores are scaled").first)
    hand.press(main.get_by_role("link", name="Scale the scores").first)
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
    bench.concludes("All 3 visible tests pass")
    expect(bench.results).to_contain_text("Passed +5 XP")
    judge("passed")

    hand.press(bench.results.get_by_role("link", name="Next: "))
    expect(page).not_to_have_url(re.compile("scaled-scores"))
    expect(page.get_by_role("banner").get_by_role("link", name="5 XP")).to_be_visible()
