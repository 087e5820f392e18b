"""Shortcuts of a single key: what they do, when they do nothing, and that they can be switched off."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import NewPage
from tests.browser.judging import (
    DARK,
    PHONE,
    barriers,
    open_without_python,
    overflowing,
    without_python,
)
from tests.browser.tools import Tools

pytestmark = pytest.mark.slow


def test_shortcuts_lead_on_unless_one_types_or_has_switched_them_off(
    new_page: NewPage, tools: Tools
) -> None:
    """`e` goes to the editor, `/` to the search, `?` lists them; each is a letter in a field."""
    page = new_page(viewport=PHONE, color_scheme=DARK)
    without_python(page)
    page.goto("attention/scaled-scores/")
    editor = page.get_by_role("textbox", name="Your solution")
    expect(editor).to_be_visible()
    page.keyboard.press("e")
    expect(editor).to_be_focused()
    page.keyboard.type("/?e")
    expect(editor).to_contain_text("/?e")
    editor.blur()

    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(dialog).to_be_visible()
    assert barriers(page, tools) == ""
    assert overflowing(page) == []
    dialog.get_by_role("checkbox").uncheck()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    page.keyboard.press("?")
    page.keyboard.press("/")
    page.reload()
    expect(editor).to_be_visible()
    page.keyboard.press("e")
    expect(dialog).to_have_count(0)
    expect(editor).not_to_be_focused()

    page.get_by_role("button", name="Keyboard shortcuts").click()
    dialog.get_by_role("checkbox").check()
    dialog.get_by_role("button", name="Close").click()
    page.keyboard.press("/")
    expect(page).to_have_url(re.compile("/search/"))
    expect(page.get_by_role("searchbox")).to_be_focused()


def test_the_editor_of_a_lesson_opens_at_the_cell_in_sight(new_page: NewPage) -> None:
    """`e` opens the first cell that has not been scrolled past."""
    page = new_page()
    open_without_python(page, "attention/lessons/softmax/")
    cell = page.locator(".cell:has(.cell-code)").nth(2)
    expect(cell.get_by_role("button", name=re.compile("^Run"))).to_be_visible()
    cell.scroll_into_view_if_needed()
    cell.evaluate("(cell) => cell.scrollIntoView({block: 'start', behavior: 'instant'})")
    page.keyboard.press("e")
    expect(cell.get_by_role("textbox")).to_be_focused()
