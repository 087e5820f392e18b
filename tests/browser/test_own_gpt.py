"""A learner's own GPT: what is missing, what it writes, and what it says of a wrong function."""

import json
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from grader.definitions.collection import find_exercise
from grader.definitions.files import default_folder
from sitegen.own_gpt import PARTS
from tests.browser.conftest import NewPage
from tests.browser.judging import DARK, PHONE, barriers, overflowing
from tests.browser.tools import Tools

pytestmark = pytest.mark.slow

SOLUTIONS = {each: find_exercise(each, default_folder()).solution for each in PARTS}
KEEP = """
(items) => { for (const [key, value] of Object.entries(items)) localStorage.setItem(key, value); }
"""
# It may be over before anybody has looked whether it has begun.
COUNT_ENDS = """
(button) => {
  delete button.dataset.ends;
  new MutationObserver((_, observer) => {
    if (button.ariaDisabled !== "false") return;
    observer.disconnect();
    button.dataset.ends = "1";
  }).observe(button, {attributeFilter: ["aria-disabled"]});
}
"""


def passed(exercise: str) -> dict[str, object]:
    """An attempt as the browser records it."""
    return {
        "exercise": exercise,
        "at": "2026-03-01T10:00:00.000000+00:00",
        "day": "2026-03-01",
        "outcome": "passed",
        "score": 1,
        "max_score": 1,
        "xp": 10,
        "diagnosis": "",
        "submission": "0" * 64,
        "definition": "0" * 64,
        "grader": "0.1.0",
        "sandbox": "browser",
    }


def keep(page: Page, sources: dict[str, str]) -> None:
    """Let these programs have passed in this browser, and open the page."""
    page.goto("own-gpt/")
    record = {
        "etude_progress": 1,
        "attempts": [passed(each) for each in sources],
        "hints": [],
        "given_up": [],
    }
    items = {f"etude.passed.{each}": code for each, code in sources.items()}
    page.evaluate(KEEP, {"etude.progress": json.dumps(record), **items})
    page.reload()


def press_write(page: Page) -> Locator:
    """Let it write, by keyboard; returns the button."""
    page.get_by_label("Begin with").focus()
    button = page.get_by_role("button", name="Write", exact=True)
    for _ in range(5):
        page.keyboard.press("Tab")
        if button.evaluate("(each) => each === document.activeElement"):
            break
    button.evaluate(COUNT_ENDS)
    page.keyboard.press("Enter")
    return button


def test_own_functions_write_a_tale(new_page: NewPage, tools: Tools) -> None:
    """Letter by letter to its end, and another one for another seed."""
    page = new_page(viewport=PHONE, color_scheme=DARK)
    keep(page, SOLUTIONS)
    button, written = press_write(page), page.locator("#gpt-text")
    expect(button).to_have_attribute("data-ends", "1")
    expect(button).to_be_focused()
    first = written.inner_text()
    assert first.startswith("Mia the ")
    assert first.rstrip().endswith(".")
    expect(page.get_by_role("status").filter(has_text=first.strip())).to_have_count(1)
    assert barriers(page, tools) == ""
    assert overflowing(page) == []
    page.get_by_label("Seed").fill("2")
    press_write(page)
    expect(written).to_have_text(re.compile(f"^Mia the (?!{re.escape(first[8:30])}).{{22}}"))


def test_a_function_of_a_wrong_shape_is_named_in_one_sentence(new_page: NewPage) -> None:
    """With a link to its exercise; and a right one writes again."""
    page = new_page()
    wrong = SOLUTIONS["split-heads"].replace(".transpose(1, 0, 2)", "")
    keep(page, SOLUTIONS | {"split-heads": wrong})
    press_write(page)
    alert = page.get_by_role("alert").filter(has_text="split_heads")
    expect(alert).to_contain_text(
        "split_heads returned an array of shape (9, 4, 16), and an array of shape (4, 9, 16) is needed."
    )
    expect(alert).not_to_contain_text("Traceback")
    expect(alert.get_by_role("link")).to_have_attribute(
        "href", page.url.replace("own-gpt/", "attention/split-heads/index.html")
    )

    page.evaluate(KEEP, {"etude.passed.split-heads": SOLUTIONS["split-heads"]})
    press_write(page)
    expect(page.locator("#gpt-text")).to_have_text(re.compile("^Mia the .{9}"))


def test_the_missing_exercises_are_named(new_page: NewPage, tools: Tools) -> None:
    """Each at its link, until it is passed and its code is in this browser."""
    page = new_page()
    some = {name: code for name, code in SOLUTIONS.items() if name != "gelu"}
    keep(page, some)
    expect(page.locator("#gpt-missing")).to_have_text("1 exercise of 8 still missing.")
    expect(page.locator("[data-part=gelu]")).to_contain_text("not passed yet")
    expect(page.get_by_role("button", name="Write", exact=True)).to_have_count(0)
    assert barriers(page, tools) == ""
