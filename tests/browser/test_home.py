"""The home page by itself: a GPT that writes, a wrong answer that is checked, and a map of the tracks."""

import pytest
from playwright.sync_api import ViewportSize, expect

from tests.browser.conftest import NewPage
from tests.browser.judging import PHONE, measure_shifts, shifted, without_python

pytestmark = pytest.mark.slow


def test_the_home_page_shows_a_check_and_a_gpt_without_a_click(new_page: NewPage) -> None:
    """A text is written, which can be halted, while the answer is typed and its mistake named.

    Nothing on the page is moved by it.
    """
    page = new_page(viewport=PHONE)
    without_python(page)
    measure_shifts(page)
    page.goto("")
    card = page.locator("#wrong")
    expect(card.locator(".diagnosis")).to_be_hidden()
    expect(card.locator(".diagnosis")).to_contain_text("the ids then number the columns")
    expect(card.locator(".diagnosis")).to_be_visible()
    expect(card.locator(".problem")).to_contain_text("E has shape (5, 3) and token_ids (4,)")
    expect(page.locator("#gpt-text")).to_contain_text("Mia the fox")
    expect(page.locator(".map").get_by_role("link", name="Shapes")).not_to_have_count(0)
    assert shifted(page) < 0.05  # but for a word that goes on in the next line
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Go on")).to_be_visible()

    card.get_by_role("link", name="Correct it yourself").click()
    expect(page.locator("#bench .cm-content")).to_contain_text("return E[:, token_ids]")


@pytest.mark.parametrize("size", [{"width": 1280, "height": 800}, PHONE])
def test_both_are_in_the_first_view(new_page: NewPage, size: ViewportSize) -> None:
    """All is there at once, and nothing moves, where less motion is asked for."""
    page = new_page(viewport=size, reduced_motion="reduce")
    without_python(page)
    page.goto("")
    expect(page.locator("#wrong .diagnosis")).to_be_in_viewport(ratio=1)
    expect(page.locator("#gpt-text")).to_contain_text("became friends")
    expect(page.locator("#gpt-text")).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("button", name="Pause")).to_be_hidden()
