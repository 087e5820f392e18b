"""Break it on an exercise's page, after a pass, and in a lesson: by the keyboard alone."""

import pytest
from playwright.sync_api import expect

from grader.progress.breaks import list_breakable
from grader.progress.exchange import from_json
from tests.browser.conftest import NewPage
from tests.browser.judging import judge
from tests.browser.learner import Bench, Keyboard
from tests.browser.test_solving import SCALED, UNSCALED
from tests.browser.tools import Tools
from tests.own_collection import COLLECTION

COUNTS = "scaled_scores(np.array([[1, 2], [3, 4]]), np.array([[5, 6], [7, 8]]))"


@pytest.mark.slow
def test_a_wrong_program_is_broken_by_the_keyboard(first_page: NewPage, tools: Tools) -> None:
    """It is offered after a pass, unless the learner submitted it; each is worth 1 XP."""
    page = first_page()
    page.goto("attention/scaled-scores/")
    bench, hand = Bench(page), Keyboard()
    card = page.get_by_role("region", name="Break it")
    bench.check(UNSCALED)
    bench.concludes("Not passed yet")
    expect(card).to_be_hidden()
    bench.check(SCALED)
    bench.concludes("Passed: ")
    hand.press(card.get_by_role("button", name="Show the programs"))
    first = card.locator("details").first
    expect(card.locator("details")).to_have_count(3)
    field = first.get_by_role("textbox", name="A call of scaled_scores")
    for call, sentence in (
        ("scaled_scores(np.eye(2), 1)", "Not broken. The tests give only an array"),
        ("scaled_scores(np.zeros((1, 2)), np.zeros((1, 2)))", "Not broken. Both give the same"),
        (COUNTS, "Broken: +1 XP."),
        (COUNTS, "Broken. "),
    ):
        hand.fill(field, call)
        page.keyboard.press("Enter")
        expect(first.get_by_role("status")).to_contain_text(sentence)
        field.press("ControlOrMeta+a")
    expect(first.get_by_role("table")).not_to_have_count(0)
    judge(page, tools, "broken")
    history = from_json(page.evaluate("localStorage.getItem('etude.progress')"))
    (broken,) = history.broken
    exercise = COLLECTION.find("scaled-scores")
    assert exercise
    simplest = next(each.id for each in list_breakable(exercise) if each.id != "unscaled")
    assert (broken.misconception, broken.call) == (simplest, COUNTS)
    page.reload()
    card.get_by_role("button", name="Show the programs").click()
    expect(card.locator("summary").first).to_have_text("Program 1: broken")
    page.goto("attention/lessons/dot-products/")
    card = page.get_by_role("region", name="Break it: 1")
    hand.press(card.locator("summary"))  # the program, nearly the solution
    expect(card.get_by_text("def similarity_scores")).to_be_visible()
    hand.fill(
        card.get_by_role("textbox", name="A call of similarity_scores"),
        "similarity_scores(np.zeros((1, 1, 1)), np.zeros((1, 2, 1)))",
    )
    page.keyboard.press("Enter")
    expect(card.get_by_role("status")).to_contain_text("Broken. ")
    expect(card).to_contain_text("1 XP once you have passed the exercise")
