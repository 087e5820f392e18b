"""Cells that share one Python: all of them as built, in step with each other, stopped, and begun anew."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.browser.judging import DESK, LOOKS, PHONE, barriers, overflowing, shoot, without_python

if TYPE_CHECKING:
    from tests.browser.conftest import NewPage
    from tests.browser.tools import Tools

LESSON = "attention/lessons/causal-masking/"

# Of each output the elements with their classes: the builder's and the script's must agree.
_LOOKS = """
(all) => all.map((each) => [...each.querySelectorAll("figure, table, td, th, pre, .scroll")]
  .map((it) => `${it.tagName} ${it.className} ${it.tabIndex} ${it.getAttribute("scope") ?? ""}`))
"""


def cell(page: Page, number: int) -> Locator:
    """The `number`th cell with code, from 1."""
    return page.locator(".cell:has(.cell-code)").nth(number - 1)


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


def shown(page: Page) -> list[str]:
    """What stands below each cell."""
    return [" ".join(text.split()) for text in page.locator(".cell .results").all_inner_texts()]


def test_running_a_lesson_gives_what_its_page_shows(page: Page, site: Path) -> None:
    """The last cell brings all others with it; numbers and colours are as built.

    Tried on every fifth lesson: a page takes seconds to start Python.
    """
    every = sorted(path.parent.relative_to(site) for path in site.glob("*/lessons/*/index.html"))
    lessons = every[1::5]
    differing = {}
    for lesson in lessons:
        page.goto(f"{lesson}/")
        before, built = shown(page), page.locator(".results").evaluate_all(_LOOKS)
        last = page.locator(".cell:has(.cell-code)").last
        run(last)
        expect(status(last)).to_contain_text(re.compile(r"Ran in .* the \d+ cells above"))
        expect(page.locator("[data-stale]")).to_have_count(0)
        if (shown(page), page.locator(".results").evaluate_all(_LOOKS)) != (before, built):
            differing[lesson] = shown(page)

    assert len(lessons) > 1
    assert differing == {}


def test_what_depends_on_a_change_is_stale_until_all_above_ran(page: Page, tools: "Tools") -> None:
    """Marked at once, in words too."""
    page.goto(LESSON)
    second, third = cell(page, 2), cell(page, 3)
    run(third)
    insert(second, "print('changed')\n")
    expect(status(second)).to_have_text("You have changed the code since this was shown.")
    expect(status(third)).to_have_text("A cell above has changed since this was shown.")
    shoot(page, "lesson-stale")
    assert barriers(page, tools) == ""

    run(second)
    expect(second).not_to_have_attribute("data-stale", "")
    expect(third).to_have_attribute("data-stale", "")
    run(cell(page, 4), "Run all above")
    expect(third).not_to_have_attribute("data-stale", "")


def test_text_that_describes_other_code_says_so(page: Page, tools: "Tools") -> None:
    """From the first cell that ran as the reader's own, until all are the lesson's again."""
    page.goto(LESSON)
    note = page.get_by_role("complementary", name="About the text below")
    first, third = cell(page, 1), cell(page, 3)
    before = shown(page)
    run(third)
    expect(note).to_have_count(0)

    insert(third, "print(6 * 7)\n")
    expect(note).to_have_count(0)
    run(third)
    expect(note).to_be_visible()
    assert third.evaluate("(it) => it.nextElementSibling.className") == "original"
    insert(first, "print(1)\n")
    run(first)
    assert first.evaluate("(it) => it.nextElementSibling.className") == "original"
    for size, theme in LOOKS:
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=theme)
        shoot(page, "lesson-own-code")
        assert barriers(page, tools) == ""
        assert overflowing(page) == []

    press(note, "Reset all cells")
    expect(note).to_have_count(0)
    expect(first.get_by_role("button", name="Run cell 1")).to_be_focused()
    assert shown(page) == before
    expect(page.locator("[data-stale]")).to_have_count(0)


def test_what_never_ends_can_be_stopped(page: Page) -> None:
    """The next run begins with a new Python, and brings along what is above."""
    page.goto(LESSON)
    first, second = cell(page, 1), cell(page, 2)
    run(first)
    insert(second, "while True: pass\n")
    press(second, "Run cell")
    expect(second.get_by_text("Running …")).to_be_visible()
    press(second, "Stop")
    wait(page)
    expect(second.locator(".problem")).to_contain_text("Stopped.")
    press(second, "Reset cell")
    run(second)

    expect(status(second)).to_contain_text("after the 2 cells above")
    expect(second.locator(".problem")).to_have_count(0)


def test_what_runs_out_of_memory_leaves_a_new_python(page: Page) -> None:
    """Which is given again what it has lost."""
    page.goto(LESSON)
    first, second = cell(page, 1), cell(page, 2)
    insert(first, "raise MemoryError\n")
    run(first)
    expect(first.locator(".problem")).to_contain_text("asked for more memory")
    press(first, "Reset cell")
    run(second)

    expect(status(second)).to_contain_text("after the 2 cells above")


def test_reading_a_heatmap_moves_nothing(new_page: "NewPage") -> None:
    """The sentence has its place before there is one, also on a phone."""
    page = new_page(viewport=PHONE)
    without_python(page)
    page.goto(LESSON)
    place = "(it) => it.getBoundingClientRect().top + scrollY"
    following = page.get_by_role("heading", name="In real models")
    before = following.evaluate(place)
    for figure in page.locator("[data-explore]").all():
        figure.get_by_role("button").first.click()

    assert following.evaluate(place) == before


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_the_contents_are_a_menu_on_a_phone(new_page: "NewPage", size: ViewportSize) -> None:
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


def test_the_open_menu_has_no_barriers(new_page: "NewPage", tools: "Tools") -> None:
    """Nor is the page wider than the phone."""
    page = new_page(viewport=PHONE)
    without_python(page)
    page.goto(LESSON)
    page.get_by_role("button", name="Contents", exact=True).click()
    shoot(page, "lesson-menu")

    assert barriers(page, tools) == ""
    assert overflowing(page) == []
