"""Ways to another page: the menu of a phone, and the search."""

import re

import pytest
from playwright.sync_api import ViewportSize, expect

from tests.browser.conftest import NewPage
from tests.browser.judging import (
    DESK,
    PHONE,
    THEMES,
    barriers,
    open_without_python,
    overflowing,
    shoot,
    without_python,
)
from tests.browser.learner import Hand, Keyboard, Mouse
from tests.browser.tools import Tools

pytestmark = pytest.mark.slow

EXERCISE = "attention/scaled-scores/"


@pytest.mark.parametrize("hand", [Mouse(), Keyboard()], ids=["mouse", "keyboard"])
def test_the_menu_of_a_phone(new_page: NewPage, tools: Tools, hand: Hand) -> None:
    """The contents open from a button, Escape closes them, and a lesson in them is a link."""
    page = new_page(viewport=PHONE)
    open_without_python(page, EXERCISE)
    contents = page.get_by_role("button", name="Contents", exact=True)
    link = page.get_by_role("navigation", name="Attention from scratch").get_by_role(
        "link", name="Causal masks"
    )
    expect(link).not_to_be_visible()

    hand.press(contents)
    expect(link).to_be_visible()
    if isinstance(hand, Mouse):
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            shoot(page, "exercise-menu-open")
            assert barriers(page, tools) == ""
        assert overflowing(page) == []
    page.keyboard.press("Escape")
    expect(link).not_to_be_visible()

    hand.press(contents)
    hand.press(link)
    expect(page.get_by_role("heading", level=1)).to_have_text("Causal masks")


@pytest.mark.parametrize(
    ("hand", "size"), [(Mouse(), PHONE), (Keyboard(), DESK)], ids=["mouse-phone", "keyboard-desk"]
)
def test_the_search_finds_while_one_types(
    new_page: NewPage, tools: Tools, hand: Hand, size: ViewportSize
) -> None:
    """The beginnings of words are enough; a result is opened, and going back finds it again."""
    page = new_page(viewport=size)
    open_without_python(page, "")
    hand.press(page.get_by_role("banner").get_by_role("link", name="Search"))
    field = page.get_by_role("searchbox")
    expect(field).to_be_focused()
    page.keyboard.type("scal scor")
    results = page.get_by_role("list", name="Results")
    found = results.get_by_role("link", name="Scale the scores").first
    expect(found).to_be_visible()
    for theme in THEMES if isinstance(hand, Mouse) else ():
        page.emulate_media(color_scheme=theme)
        shoot(page, "search-found")
        assert barriers(page, tools) == ""
    assert overflowing(page) == []

    page.keyboard.press("ArrowDown")
    expect(results.get_by_role("link").first).to_be_focused()
    hand.press(found)
    expect(page).to_have_url(re.compile(EXERCISE))
    page.go_back()
    expect(field).to_have_value("scal scor")
    expect(found).to_be_visible()

    field.fill("zebra crossing")
    expect(page.get_by_text("No page has all of these words.")).to_be_visible()
    assert barriers(page, tools) == ""


def test_the_number_of_results_is_that_of_what_is_shown(new_page: NewPage) -> None:
    """It changes with the results, and is announced once the typing stops."""
    page = new_page()
    without_python(page)
    page.clock.install()
    page.goto("search/")
    number, told = page.locator("#finder-count"), page.get_by_role("status")
    page.get_by_role("searchbox").fill("softmax")
    expect(number).to_have_text(re.compile(r"^\d+ pages"))
    page.clock.run_for(1_000)
    first = number.inner_text()
    expect(told).to_have_text(first)

    page.get_by_role("searchbox").fill("softmax xyzzy")
    expect(number).to_have_text(re.compile("^No page has all of these words"))
    expect(told).to_have_text(first)
    page.clock.run_for(1_000)
    expect(told).to_have_text(number.inner_text())
