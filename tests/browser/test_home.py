"""The home page by itself: a wrong answer that is checked, a GPT that writes, and a map of the tracks."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import NewPage
from tests.browser.judging import without_python

pytestmark = pytest.mark.slow


def test_it_shows_a_check_and_a_gpt_without_a_click(new_page: NewPage) -> None:
    """The answer is typed, its mistake named, and then a text is written, which can be halted."""
    page = new_page()
    without_python(page)
    page.goto("")
    card = page.locator("#wrong")
    expect(card.locator(".diagnosis")).to_be_hidden()
    expect(card.locator(".diagnosis")).to_contain_text("the ids then number the columns")
    expect(card.locator(".diagnosis")).to_be_visible()
    expect(card.locator(".problem")).to_contain_text("E has shape (5, 3) and token_ids (4,)")
    expect(page.locator("#gpt-text")).to_contain_text("Mia the fox")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Go on")).to_be_visible()

    card.get_by_role("link", name="Correct it yourself").click()
    expect(page.locator("#bench .cm-content")).to_contain_text("return E[:, token_ids]")


def test_it_moves_nothing_where_less_motion_is_asked_for(new_page: NewPage) -> None:
    """All is there at once."""
    page = new_page(reduced_motion="reduce")
    page.goto("")
    expect(page.locator("#wrong .diagnosis")).to_be_visible()
    expect(page.locator("#gpt-text")).to_contain_text("became friends")
    expect(page.get_by_role("button", name="Pause")).to_be_hidden()
