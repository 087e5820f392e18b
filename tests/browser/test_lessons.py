"""A lesson's page at work: its code is run anew, and its heatmaps are read row by row."""

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.browser.judging import (
    DESK,
    PHONE,
    barriers,
    open_settled,
    overflowing,
    shoot,
    without_python,
)
from tests.browser.learner import Keyboard, Mouse, paste

if TYPE_CHECKING:
    from tests.browser.conftest import NewPage
    from tests.browser.learner import Hand
    from tests.browser.tools import Tools

LESSON = "attention/lessons/causal-masking/"
MASKED = "With a causal mask"


@pytest.mark.parametrize("hand", [Mouse(), Keyboard()], ids=["mouse", "keyboard"])
def test_code_is_changed_run_and_put_back(page: Page, hand: "Hand") -> None:
    """A change makes the results stale, running renews them with all above, Reset undoes it all.

    What runs in the browser at first gives what the page was built with.
    """
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


def test_an_error_in_a_cell_is_shown_with_its_line(page: Page) -> None:
    """What a cell raises stands below it, and what needs the cell says so."""
    page.goto(LESSON)
    page.get_by_role("button", name="Edit cell 1", exact=True).click()
    editor = page.get_by_role("textbox", name="Code of cell 1")
    paste(editor, "import numpy as np\n1 / 0")
    page.keyboard.press("Control+Enter")
    problem = page.get_by_text(re.compile("ZeroDivisionError.*line 2"))
    expect(problem).to_be_visible()

    page.get_by_role("button", name="Run cell 3", exact=True).click()
    told = page.get_by_text("This has not run, since a cell above ended in an error.")
    expect(told).to_be_visible()


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_a_heatmap_is_read_row_by_row(
    new_page: "NewPage", tools: "Tools", size: ViewportSize
) -> None:
    """A row is chosen by mouse or arrows, said in a sentence, and let go by Escape."""
    page = new_page(viewport=size)
    without_python(page)
    open_settled(page, LESSON)
    figure = page.get_by_role("figure", name=MASKED)
    said = figure.get_by_role("status")
    rows = figure.get_by_role("button")
    expect(said).to_have_text("Choose a row to read it.")

    rows.nth(1).click()
    expect(said).to_have_text(re.compile("^“Spring” looks most at|^“spring” looks"))
    expect(rows.nth(1)).to_have_attribute("aria-pressed", "true")
    for theme in ("light", "dark"):
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


def test_a_cell_in_the_middle_of_the_figure_chooses_its_row(page: Page) -> None:
    """One need not hit the row's name."""
    without_python(page)
    page.goto(LESSON)
    figure = page.get_by_role("figure", name=MASKED)
    figure.get_by_role("cell").nth(15).click()
    expect(figure.locator("[aria-pressed=true]")).to_have_count(1)
