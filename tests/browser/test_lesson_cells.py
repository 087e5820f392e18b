"""Cells that share one Python, and the contents beside them."""

import re

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.browser.conftest import NewPage
from tests.browser.judging import DESK, PHONE, barriers, judge, open_without_python, shoot
from tests.browser.tools import Tools

pytestmark = pytest.mark.slow

LESSON = "attention/lessons/causal-masking/"

# Of each output the elements with their classes: the builder's and the script's must agree.
_LOOKS = """
(all) => all.map((each) => [...each.querySelectorAll("figure, table, td, th, pre, .scroll")]
  .map((it) => `${it.tagName} ${it.className} ${it.tabIndex} ${it.getAttribute("scope") ?? ""}`))
"""


def open_lesson(page: Page) -> None:
    """Open it, and wait for its script."""
    page.goto(LESSON)
    expect(page.get_by_role("button", name="Run cell 1", exact=True)).to_be_visible()


def press(where: Locator, name: str) -> None:
    where.get_by_role("button", name=re.compile(f"^{name}")).click()


def wait(page: Page) -> None:
    """Until nothing runs."""
    stop = page.get_by_role("button", name=re.compile("^Stop"))
    expect(stop).to_have_count(0)


def run(where: Locator, name: str = "Run cell") -> None:
    press(where, name)
    wait(where.page)


def insert(where: Locator, text: str) -> None:
    """Write at the beginning of a cell."""
    where.locator(".cell-code").click()
    expect(where.get_by_role("textbox")).to_be_focused()
    where.page.keyboard.press("ControlOrMeta+Home")
    where.page.keyboard.insert_text(text)


def status(where: Locator) -> Locator:
    return where.locator(".cell-said")


def results_below(page: Page) -> list[str]:
    """The results below each cell."""
    return [" ".join(text.split()) for text in page.locator(".cell .results").all_inner_texts()]


def shows(page: Page, texts: list[str]) -> None:
    """Wait until this stands below the cells."""
    expect(page.locator(".cell .results")).to_have_text(texts, use_inner_text=True)


def original(where: Locator) -> Locator:
    """The note about the text below, if it follows a cell."""
    return where.locator("xpath=following-sibling::*[1][contains(@class, 'original')]")


def test_what_is_shown_says_what_it_is_of(page: Page, tools: Tools) -> None:
    """A run gives the results of the build; changed cells, errors and stops are marked."""
    open_lesson(page)
    note = page.get_by_role("complementary", name="About the text below")
    cells = page.locator(".cell:has(.cell-code)")
    first, second, third, fourth = (cells.nth(number) for number in range(4))
    before, built = results_below(page), page.locator(".results").evaluate_all(_LOOKS)
    run(cells.last)
    expect(status(cells.last)).to_contain_text(re.compile(r"Ran in .* the \d+ cells above"))
    shows(page, before)
    assert page.locator(".results").evaluate_all(_LOOKS) == built
    expect(page.locator("[data-stale]")).to_have_count(0)
    expect(page.locator(".cell-bar").filter(visible=True)).to_have_count(cells.count())

    insert(second, "print('changed')\n")
    expect(status(second)).to_have_text("You have changed the code since this was shown.")
    expect(status(third)).to_have_text("A cell above has changed since this was shown.")
    expect(note).to_have_count(0)
    shoot(page, "lesson-stale")
    assert barriers(page, tools) == ""
    run(second)
    expect(second).not_to_have_attribute("data-stale", "")
    expect(third).to_have_attribute("data-stale", "")
    expect(note).to_be_visible()
    expect(original(second)).to_be_visible()
    run(fourth, "Run all above")
    expect(third).not_to_have_attribute("data-stale", "")

    insert(first, "1 / 0\n")
    run(third, "Run all above")
    expect(original(first)).to_be_visible()
    expect(first.get_by_text(re.compile("Line 1.*ZeroDivisionError"))).to_be_visible()
    expect(third).to_contain_text("This has not run, since a cell above ended in an error.")
    judge(page, tools, "lesson-own-code")
    press(note, "Reset all cells")
    expect(note).to_have_count(0)
    expect(first.get_by_role("button", name="Run cell 1")).to_be_focused()
    shows(page, before)
    expect(page.locator("[data-stale]")).to_have_count(0)

    insert(second, "while True: pass\n")
    press(second, "Run cell")
    expect(second.get_by_text("Running …")).to_be_visible()
    press(second, "Stop")
    wait(page)
    expect(second.locator(".problem")).to_contain_text("Stopped.")
    press(second, "Reset cell")
    run(second)
    expect(status(second)).to_contain_text("after the 2 cells above")  # one of them is hidden
    expect(second.locator(".problem")).to_have_count(0)


def test_reading_a_heatmap_moves_nothing(new_page: NewPage) -> None:
    """The space for its sentence is reserved, also on a phone."""
    page = new_page(viewport=PHONE)
    open_without_python(page, LESSON)
    place = "(it) => it.getBoundingClientRect().top + scrollY"
    following = page.get_by_role("heading", name="In real models")
    before = following.evaluate(place)
    for figure in page.locator("[data-explore]").all():
        figure.get_by_role("button").first.click()

    assert following.evaluate(place) == before


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_the_contents_are_a_menu_on_a_phone(new_page: NewPage, size: ViewportSize) -> None:
    """It is opened and closed by the keyboard, without a script; on a wide page it stands open."""
    page = new_page(viewport=size, java_script_enabled=False)
    page.goto(LESSON)
    outline = page.get_by_role("navigation", name="Attention from scratch")
    menu = page.get_by_role("button", name="Contents", exact=True)
    is_menu = size is PHONE
    expect(menu).to_be_visible(visible=is_menu)
    expect(outline).to_be_visible(visible=not is_menu)
    if is_menu:
        menu.focus()
        page.keyboard.press("Enter")
        expect(outline).to_be_visible()
        page.keyboard.press("Tab")
        expect(page.get_by_role("button", name="Close the contents")).to_be_focused()
        page.keyboard.press("Escape")
        expect(outline).to_be_hidden()
        expect(menu).to_be_focused()
