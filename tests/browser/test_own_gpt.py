"""Your own GPT: what it writes before Python is there, with own functions, and with a wrong one."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from grader.definitions.collection import find_exercise
from grader.definitions.files import default_folder
from sitegen.from_collection.load_gpt import load_gpt
from tests.browser.conftest import NewContext, NewPage
from tests.browser.hosting import hosted
from tests.browser.judging import DARK, PHONE, barriers, overflowing, shoot, without_python
from tests.browser.tools import Tools

pytestmark = pytest.mark.slow

CACHE = "key-value-cache"
GPT = load_gpt(default_folder() / "attention")
SOLUTIONS = {
    each: find_exercise(each, default_folder()).solution for each in (*GPT.page.parts, CACHE)
}
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
    page.get_by_label("Seed").focus()
    button = page.get_by_role("button", name="Write", exact=True)
    page.keyboard.press("Tab")
    button.evaluate(COUNT_ENDS)
    page.keyboard.press("Enter")
    return button


def test_a_gpt_writes_before_python_is_there(new_page: NewPage, tools: Tools) -> None:
    """The text of the build appears letter by letter, or all at once with reduced motion."""
    page = new_page()
    without_python(page)
    page.goto("own-gpt/")
    text = page.locator("#gpt-text")
    expect(text).to_have_text(re.compile("^Mia the fox li"))
    page.get_by_role("button", name="Pause").press("Enter")
    expect(page.get_by_role("button", name="Go on")).to_be_focused()
    halted = text.inner_text()
    assert 14 <= len(halted) < 100
    page.wait_for_timeout(300)
    assert text.inner_text() == halted

    page.emulate_media(reduced_motion="reduce")
    page.reload()
    expect(text).to_have_text(re.compile("became friends"))
    expect(page.locator(".gpt-source")).to_contain_text("when this page was built")
    expect(page.locator("#gpt-missing")).to_have_text("0 of 8 functions are yours.")
    page.get_by_label("Letter").focus()
    page.keyboard.press("Home")
    expect(page.locator(".choices li")).to_have_count(6)
    expect(page.locator(".gpt-said")).to_contain_text("For f, block")
    page.get_by_role("button", name="Block 2, head 1").press("Enter")
    expect(page.locator(".gpt-said")).to_contain_text("For f, block 2, head 1 looked most at")
    assert page.locator(".threads path:not(.head-second)").count() == 0
    assert barriers(page, tools) == ""
    assert overflowing(page) == []
    shoot(page, "own-gpt")


def test_own_functions_write_a_tale(new_page: NewPage, tools: Tools) -> None:
    """It ends; another seed or a mistake gives another text, and switches are measured."""
    page = new_page(viewport=PHONE, color_scheme=DARK, reduced_motion="reduce")
    keep(page, SOLUTIONS)
    expect(page.locator("#gpt-missing")).to_have_text("All of it is yours.")
    button, written = press_write(page), page.locator("#gpt-text")
    expect(button).to_have_attribute("data-ends", "1")
    expect(button).to_be_focused()
    expect(page.locator(".gpt-source")).to_have_text(
        "Written in your browser, with 9 functions of yours."
    )
    first = written.inner_text()
    assert first.startswith("Mia the ")
    assert first.rstrip().endswith(".")
    expect(page.get_by_role("status").filter(has_text=first.strip())).to_have_count(1)

    page.get_by_label("The function for CachedAttention").select_option("off")
    expect(written).to_have_text(first.rstrip("\n"))
    page.get_by_label("The function for apply_causal_attention").press("n")  # no mask
    expect(page.locator(".gpt-mistake:visible")).to_contain_text("attention without a mask")
    expect(page.locator(".gpt-mistake:visible").get_by_role("link")).to_have_attribute(
        "href", "../attention/causal-attention/index.html"
    )
    expect(written).to_have_text(re.compile(f"^Mia the (?!{re.escape(first[8:60])}).{{99}}"))
    assert barriers(page, tools) == ""
    assert overflowing(page) == []
    page.get_by_label("The function for apply_causal_attention").select_option("yours")
    page.get_by_label("The function for CachedAttention").select_option("yours")
    expect(written).to_have_text(first.rstrip("\n"))
    page.get_by_role("button", name="Another tale").click()
    expect(written).to_have_text(re.compile(f"^Mia the (?!{re.escape(first[8:30])}).{{22}}"))

    for name in [each.function for each in GPT.page.switches.values()][1:]:
        page.get_by_label(f"The function for {name}").select_option("reference")
    measured = ["letters a second, .* The probabilities are the same", "KB of weights", "Shares of"]
    expect(page.locator(".gpt-measured")).to_have_text(list(map(re.compile, measured)))
    counted = page.locator(".gpt-counted").last
    expect(counted).to_contain_text("drafts accepted")
    expect(page.get_by_role("status").filter(has_text="Written: ")).to_have_count(1)
    share, drafts = map(int, re.findall(r"\d+", counted.inner_text())[:2])
    accepted = page.locator(".gpt-text [data-draft]").count()
    assert accepted > 0
    assert share == int(100 * accepted / drafts + 0.5)
    assert barriers(page, tools) == ""
    assert overflowing(page) == []


def test_a_function_of_a_wrong_shape_is_named_in_one_sentence(new_page: NewPage) -> None:
    """With a link to its exercise; and a right one writes again."""
    page = new_page(reduced_motion="reduce")
    wrong = SOLUTIONS["split-heads"].replace(".transpose(1, 0, 2)", "")
    keep(page, {"split-heads": wrong})
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


def test_a_site_without_solutions_needs_all_functions(
    new_context: NewContext, certified_site: Path
) -> None:
    """It shows what was written when it was built, and says what is missing."""
    with hosted(certified_site) as address:
        page = new_context(address, reduced_motion="reduce").new_page()
        keep(page, {name: code for name, code in SOLUTIONS.items() if name != "gelu"})
        expect(page.locator("#gpt-text")).to_have_text(re.compile("became friends"))
        expect(page.locator("#gpt-missing")).to_have_text("7 of 8 functions are yours.")
        press_write(page)
        expect(page.get_by_role("alert")).to_contain_text("A part is still missing")
