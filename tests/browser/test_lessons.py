"""A lesson's page at work: its code is run anew, and its heatmaps are read row by row."""

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.judging import (
    LOOKS,
    barriers,
    open_settled,
    overflowing,
    shoot,
    without_python,
)
from tests.browser.learner import Keyboard, paste

if TYPE_CHECKING:
    from tests.browser.tools import Tools

pytestmark = pytest.mark.slow

LESSON = "attention/lessons/causal-masking/"
MASKED = "With a causal mask"


def test_code_is_changed_run_and_put_back_by_the_keyboard(page: Page) -> None:
    """A change makes the results stale, running renews them with all above, Reset undoes it all.

    What runs in the browser at first gives what the page was built with.
    """
    hand = Keyboard()
    page.goto(LESSON)
    drawing = page.get_by_role("figure", name=MASKED)
    built = drawing.inner_text()
    name = page.locator("[data-cell]").filter(has=drawing).get_attribute("id")
    cell = page.locator(f"#{name}")

    def button(name: str) -> Locator:
        return cell.get_by_role("button", name=re.compile(f"^{name} cell"))

    hand.press(button("Run"))
    said = cell.get_by_role("status").filter(
        has_text=re.compile("^Ran in .*, after the .* cells above")
    )
    expect(said).to_be_visible()
    assert drawing.inner_text() == built

    hand.press(button("Edit"))
    editor = cell.get_by_role("textbox")
    expect(editor).to_be_focused()
    source = editor.inner_text()
    paste(editor, source.replace(MASKED, "Changed") + "\nprint(6 * 7)")
    expect(cell).to_contain_text("You have changed the code since this was shown.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("figure", name="Changed")).to_be_visible()
    expect(cell).to_contain_text("42")
    shoot(page, "lesson-changed")

    page.keyboard.press("Escape")
    hand.press(button("Reset"))
    expect(drawing).to_be_visible()
    expect(cell).not_to_contain_text("42")


def test_a_heatmap_is_read_row_by_row(page: Page, tools: "Tools") -> None:
    """A row is chosen by mouse or arrows, said in a sentence, and let go by Escape."""
    without_python(page)
    open_settled(page, LESSON)
    figure = page.get_by_role("figure", name=MASKED)
    said = figure.get_by_role("status")
    rows = figure.get_by_role("button")
    expect(said).to_have_text("Choose a row to read it.")

    rows.nth(1).click()
    expect(said).to_have_text(re.compile("^“Spring” looks most at|^“spring” looks"))
    expect(rows.nth(1)).to_have_attribute("aria-pressed", "true")
    for size, theme in LOOKS:
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=theme)
        shoot(page, "lesson-row-chosen")
        assert barriers(page, tools) == ""
        assert overflowing(page) == []

    sentence = said.inner_text()
    page.keyboard.press("ArrowDown")
    expect(rows.nth(2)).to_be_focused()
    expect(said).not_to_have_text(sentence)
    page.keyboard.press("Home")
    expect(said).to_contain_text("looks only at itself")
    page.keyboard.press("Escape")
    expect(said).to_have_text("Choose a row to read it.")
    expect(figure.locator("[aria-pressed=true]")).to_have_count(0)
    figure.get_by_role("cell").nth(15).click()  # one need not hit the row's name
    expect(figure.locator("[aria-pressed=true]")).to_have_count(1)
