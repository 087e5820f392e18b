"""The figures of a lesson at work, by keyboard, in both themes, on a phone and on a desk."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.judging import (
    LOOKS,
    barriers,
    judge,
    open_settled,
    open_without_python,
    overflowing,
    shoot,
)
from tests.browser.learner import paste
from tests.browser.tools import Tools

pytestmark = pytest.mark.slow

# The right edge of each row's last cell.
LAST_EDGE = (
    "(all) => all.map(({cells}) => Math.round([...cells].at(-1).getBoundingClientRect().right))"
)


def test_an_explorer_answers_to_the_keyboard(page: Page, tools: Tools) -> None:
    """A word, a cell, a switch and the reader's sentence each change the explanation."""
    open_without_python(page, "attention/lessons/queries-keys-values/")
    figure = page.locator("[data-figure=explorer]")
    said, status = figure.locator(".figure-said"), figure.get_by_role("status")
    expect(said).to_contain_text("“spring” looks most at “dried”")
    expect(figure.get_by_role("grid")).to_be_attached()  # the script has started

    figure.get_by_role("radio", name=re.compile("^spring")).focus()
    page.keyboard.press("ArrowRight")
    expect(said).to_contain_text("“dried” looks most at “spring”")
    expect(status).to_contain_text("“dried” looks most at “spring”")

    figure.get_by_role("switch", name="Causal mask").press("Space")
    cells = figure.get_by_role("gridcell")
    cells.nth(10).focus()
    page.keyboard.press("ArrowUp")
    expect(said).to_contain_text("“the” does not see “spring”: the mask hides")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(said).to_contain_text(re.compile("^The query|“the” sees only itself"))

    for size, theme in LOOKS:
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=theme)
        shoot(page, "figure-explorer")
        assert len(set(figure.locator("tr").evaluate_all(LAST_EDGE))) == 1  # the chosen row too
        assert barriers(page, tools) == ""
        assert overflowing(page) == []

    figure.get_by_role("textbox").fill("the rusty zorbing clock")
    expect(cells).to_have_count(17)  # with the empty corner
    expect(figure.locator(".guessed")).to_have_count(1)
    figure.get_by_role("button", name="Start over").click()
    expect(said).to_contain_text("“spring” looks most at “dried”")


def test_the_home_page_opens_with_an_explorer(first_page: NewPage) -> None:
    """Without a GPT to show, it has the lessons' explorer, without table and switches."""
    page = first_page()
    open_settled(page, "")
    figure = page.locator("[data-figure=explorer]")
    expect(figure.get_by_role("status")).to_be_attached()  # the script has started

    figure.get_by_role("radio", name="The word before").check()
    expect(figure.locator(".figure-said")).to_contain_text("“spring” looks almost only at “the”")
    expect(figure.get_by_role("table")).to_have_count(0)


def test_broadcasting_is_stepped_through_by_the_keyboard(new_page: NewPage, tools: Tools) -> None:
    """Without scripts, too; each step has its own sentence."""
    page = new_page(java_script_enabled=False)
    page.goto("numpy-warmup/lessons/broadcasting/")
    figure = page.locator(".broadcasting")
    figure.get_by_role("radio").first.focus()
    expect(figure.get_by_text("A column of shape (3, 1)")).to_be_visible()
    for sentence in ("The column is read 4 times", "Each number meets"):
        page.keyboard.press("ArrowRight")
        expect(figure.get_by_text(sentence)).to_be_visible()
    expect(figure.get_by_text("A column of shape (3, 1)")).to_be_hidden()
    page = new_page()
    open_without_python(page, "numpy-warmup/lessons/broadcasting/")
    page.locator(".broadcasting").get_by_role("radio").last.check()
    judge(page, tools, "figure-broadcasting")


def test_a_head_is_stepped_through_by_the_keyboard(page: Page) -> None:
    """The arrows change the step; within a result they move, and each number tells its sum."""
    open_without_python(page, "attention/lessons/weighted-sum/")
    figure = page.locator("[data-figure=stepper]")
    expect(figure.locator("[role=grid]")).to_have_count(8)

    figure.get_by_role("radio").first.focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    expect(figure.get_by_text("Every query meets every key")).to_be_visible()
    expect(figure.get_by_text("Values are read", exact=True)).to_be_hidden()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    expect(figure.get_by_text("spring, clock: 4.00 · 1.00 = 4.00").first).to_be_visible()
    expect(figure.locator(".stepper-panel:nth-child(5) .from")).to_have_count(4)
    for _ in range(3):
        figure.get_by_role("button", name="Next").click()
    expect(figure.get_by_text("Values are read", exact=True)).to_be_visible()
    expect(figure.get_by_role("button", name="Next")).to_be_disabled()


def test_a_head_shows_the_reader_s_own_last_run(page: Page) -> None:
    """Once cells have made its matrices; the lesson's own numbers come back by the same button."""
    page.goto("attention/lessons/weighted-sum/")
    figure = page.locator("[data-figure=stepper]")
    own = figure.get_by_role("button", name="Show the numbers of your last run")
    expect(own).to_be_hidden()
    cell = page.locator("[data-cell]").first
    cell.get_by_role("button", name=re.compile("^Edit")).click()
    editor = cell.get_by_role("textbox")
    paste(editor, (editor.inner_text()).replace("W_Q = np.array([[4,", "W_Q = np.array([[8,"))
    cell.get_by_role("button", name=re.compile("^Run")).first.click()
    own.click()
    figure.get_by_role("radio").nth(4).check(force=True)
    grid = figure.locator(".stepper-panel:nth-child(5) [role=grid]")
    grid.locator("[data-sum]").nth(7).click()
    expect(figure.get_by_text("row 2, column 1: 8.00 · 1.00 = 8.00").first).to_be_visible()
    figure.get_by_role("button", name=re.compile("^Show the lesson")).click()
    expect(figure.get_by_text("spring, old: 4.00 · 0.20 = 0.80").first).to_be_visible()


def test_dividing_cures_a_saturated_softmax(page: Page) -> None:
    """By keyboard; the verdict is announced."""
    open_without_python(page, "attention/lessons/scaling/")
    figure = page.locator("[data-figure=curves]")
    expect(figure.get_by_role("status")).to_be_attached()
    expect(figure.locator(".saturated")).to_have_count(1)

    figure.get_by_role("switch").press("Space")
    expect(figure.get_by_role("status")).to_contain_text("In between: the scores spread by 1.0")
    figure.get_by_role("slider", name="Temperature").press("End")
    expect(figure.get_by_role("status")).to_contain_text("Nearly even")


def test_scores_and_arrows_are_moved_by_the_keyboard(page: Page) -> None:
    """Each figure announces the change; adding the same to all scores changes no share."""
    open_without_python(page, "attention/lessons/softmax/")
    shares = page.locator("[data-figure=shares]")
    expect(shares.get_by_role("status")).to_be_attached()  # the script has started
    shares.get_by_role("slider", name="garden").press("End")
    expect(shares.get_by_role("status")).to_contain_text("“garden” is 4.00 above “clock”")
    expect(shares.get_by_role("button", name="All scores +1")).to_be_disabled()
    before = shares.locator(".shares-share").all_inner_texts()
    shares.locator("[data-plus='-1']").press("Enter")
    expect(shares.get_by_role("status")).to_contain_text("no share changed")
    assert shares.locator(".shares-share").all_inner_texts() == before

    open_settled(page, "attention/lessons/dot-products/")
    arrows = page.locator("[data-figure=arrows]")
    expect(arrows.get_by_role("status")).to_be_attached()
    arrows.get_by_role("slider", name="Direction of k").press("Home")
    expect(arrows.get_by_role("status")).to_contain_text("3.00. Opposite directions")
    arrows.locator(".arrows-key circle").drag_to(arrows.locator(".arrows-query circle"))
    expect(arrows.get_by_role("status")).to_contain_text("4.00. The same direction")


LESSONS = ["dot-products", "multi-head", "softmax", "weighted-sum", "word-order"]


@pytest.mark.parametrize("lesson", LESSONS)
def test_lessons_with_figures_are_for_everyone(page: Page, tools: Tools, lesson: str) -> None:
    """On a phone and on a desk, in either theme."""
    open_without_python(page, f"attention/lessons/{lesson}/")
    judge(page, tools, f"figures-{lesson}")
