"""A lesson's page at work: its code is run again, and its heatmaps are read row by row."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import NewPage
from tests.browser.judging import barriers, judge, open_settled, open_without_python, shoot
from tests.browser.learner import Keyboard, paste
from tests.browser.tools import Tools

pytestmark = pytest.mark.slow

LESSON = "attention/lessons/causal-masking/"
MASKED = "With a causal mask"
QUESTIONS = "attention/lessons/scaling/"


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
    expect(drawing).to_have_text(built, use_inner_text=True)

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


def test_a_heatmap_is_read_row_by_row(page: Page, tools: Tools) -> None:
    """A row is chosen by mouse or arrows, said in a sentence, and let go by Escape."""
    open_without_python(page, LESSON)
    figure = page.get_by_role("figure", name=MASKED)
    said = figure.get_by_role("status")
    rows = figure.get_by_role("button")
    expect(page.get_by_text("Choose a row to read it.")).to_have_count(1)  # for the whole page

    rows.nth(1).click()
    expect(said).to_have_text(re.compile("^“Spring” looks most at|^“spring” looks"))
    expect(rows.nth(1)).to_have_attribute("aria-pressed", "true")
    judge(page, tools, "lesson-row-chosen")

    sentence = said.inner_text()
    page.keyboard.press("ArrowDown")
    expect(rows.nth(2)).to_be_focused()
    expect(said).not_to_have_text(sentence)
    page.keyboard.press("Home")
    expect(said).to_contain_text("looks only at itself")
    page.keyboard.press("Escape")
    expect(said).not_to_contain_text("itself")
    expect(figure.locator("[aria-pressed=true]")).to_have_count(0)
    figure.get_by_role("cell").nth(15).click()  # one need not hit the row's name
    expect(figure.locator("[aria-pressed=true]")).to_have_count(1)


def test_a_question_is_answered_by_the_keyboard(page: Page, tools: Tools) -> None:
    """A wrong answer stays marked and has its own reason; the right one ends the question."""
    open_without_python(page, QUESTIONS)
    form = page.locator("form.quiz", has_text="Think first")
    said = form.get_by_role("status")
    form.get_by_role("radio").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(said).to_contain_text("Not this one. The other way round")
    judge(page, tools, "question-wrong")

    form.get_by_role("button", name="Show the answer").press("Enter")
    expect(said).to_contain_text("Right.")
    expect(form.get_by_role("radio").nth(2)).to_be_focused()
    assert barriers(page, tools) == ""


def test_a_number_is_judged(page: Page) -> None:
    """A known slip has its own reason."""
    open_without_python(page, QUESTIONS)
    form = page.locator("form.quiz", has_text="dot product 8")
    for text, reason in (
        ("two", "not a number that can be read"),
        ("0.5", "Divide by the root"),
        ("8/4", "Right."),
    ):
        form.get_by_role("textbox").fill(text)
        form.get_by_role("textbox").press("Enter")
        expect(form.get_by_role("status")).to_contain_text(reason)


def test_a_question_has_its_answer_without_scripts(new_page: NewPage) -> None:
    """The answer can be unfolded; controls that need a script are absent."""
    page = new_page(java_script_enabled=False)
    page.goto(QUESTIONS)
    form = page.locator("form.quiz", has_text="Think first")
    expect(form.get_by_role("button", name="Check")).to_be_hidden()
    form.get_by_text("Answer", exact=True).click()
    expect(form.get_by_text("C. A difference of 1")).to_be_visible()


def test_a_change_is_guessed_put_in_and_run_by_the_keyboard(page: Page, tools: Tools) -> None:
    """The code is changed, its line is marked, and the run tells whether the guess was right."""
    hand = Keyboard()
    open_settled(page, QUESTIONS)
    card = page.locator(".experiment")
    said = card.get_by_role("status")
    cell = page.locator(f"[data-cell='{card.get_attribute('data-changes')}']")
    card.get_by_role("radio", name="it goes up").focus()
    page.keyboard.press("Space")
    hand.press(card.get_by_role("button", name="Put it in"))
    expect(cell.get_by_role("textbox")).to_contain_text("d_k, d_v = 64, 16")
    expect(cell.locator(".cm-new")).to_contain_text("64")
    expect(cell.get_by_role("button", name=re.compile("^Run cell"))).to_be_focused()
    page.keyboard.press("Enter")
    expect(said).to_contain_text("You guessed “it goes up”. It is “it hardly moves”. Divided by")
    judge(page, tools, "experiment-done")
