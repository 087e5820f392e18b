"""A page on which the answer is predicted: Python does not run, and the right answers are not there."""

import ast
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.learner import Keyboard, Mouse
from tests.own_collection import COLLECTION

if TYPE_CHECKING:
    from grader.definitions.exercise import Exercise
    from tests.browser.learner import Hand
    from tests.conftest import Etude

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("path", "hand"),
    [("attention/score-spread/", Mouse()), ("attention/masked-diagonal/", Keyboard())],
    ids=["values by mouse", "choices by the keyboard"],
)
def test_the_right_answers_are_taken_by_the_command_line(
    page: Page, etude: "Etude", tmp_path: Path, path: str, hand: "Hand"
) -> None:
    """What is filled in makes a file that `etude check` passes; the page itself promises nothing."""
    exercise = COLLECTION.find(path.split("/")[1])
    assert exercise
    page.goto(path)
    form = page.get_by_role("region", name="Your answers")
    answers = _answers(exercise)
    expect(form.get_by_role("status")).to_contain_text(f"0 of {len(answers)} answers")
    for answer, text in answers.items():
        _fill(hand, form, answer, text)
    expect(form.get_by_role("status")).to_contain_text("answers are there")

    with page.expect_download() as saving:
        hand.press(form.get_by_role("button", name=f"Download {exercise.id}.py"))
    file = tmp_path / f"{exercise.id}.py"
    saving.value.save_as(file)
    verdict = json.loads(etude("check", exercise.id, file, "--format", "json").stdout)
    assert verdict["outcome"] == "passed"


def test_an_answer_of_the_wrong_form_is_told_where_it_stands(page: Page) -> None:
    """What is no value is named at its field, and nothing is downloaded; what was written stays."""
    page.goto("attention/score-spread/")
    form = page.get_by_role("region", name="Your answers")
    field = form.get_by_role("textbox", name="variance", exact=True)
    field.fill("64 +")
    form.get_by_role("button", name="Download score-spread.py").click()
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(form.get_by_text("Write a value, such as")).to_be_visible()
    expect(field).to_be_focused()

    field.fill("64")
    expect(form.get_by_text("Write a value, such as")).not_to_be_visible()
    page.reload()
    expect(field).to_have_value("64")


def test_a_page_of_predictions_does_not_start_python(page: Page) -> None:
    """Nothing of Python is loaded where it has nothing to do."""
    loaded: list[str] = []
    page.on("request", lambda request: loaded.append(request.url))
    page.goto("attention/score-spread/", wait_until="networkidle")
    expect(page.get_by_role("region", name="Your answers")).to_be_visible()
    assert [url for url in loaded if "pyodide" in url or "python-worker" in url] == []


def _answers(exercise: "Exercise") -> dict[str, str]:
    """The right answers, as somebody would write them, by name."""
    tree = ast.parse(exercise.solution)
    pairs = [(each.targets[0], each.value) for each in tree.body if isinstance(each, ast.Assign)]
    return {ast.unparse(name): ast.unparse(value) for name, value in pairs}


def _fill(hand: "Hand", form: Locator, name: str, text: str) -> None:
    group = form.get_by_role("group", name=name, exact=True)
    if group.count():
        hand.choose(group.get_by_role("radio", name=ast.literal_eval(text), exact=True))
    else:
        hand.fill(form.get_by_role("textbox", name=name, exact=True), text)
