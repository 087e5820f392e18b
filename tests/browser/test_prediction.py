"""A page on which answers are predicted: it judges each of them, unless the site is a certified one."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewContext
from tests.browser.hosting import hosted
from tests.browser.judging import without_python
from tests.browser.learner import Bench, Hand, Keyboard, Mouse, predict, predictions
from tests.conftest import Etude
from tests.own_collection import COLLECTION

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("path", "hand"),
    [("attention/score-spread/", Mouse()), ("attention/masked-diagonal/", Keyboard())],
    ids=["values by mouse", "choices by the keyboard"],
)
def test_the_right_answers_are_taken_by_the_command_line(
    page: Page, etude: Etude, tmp_path: Path, path: str, hand: Hand
) -> None:
    """`etude check` passes the file that is made from the answers."""
    exercise = COLLECTION.find(path.split("/")[1])
    assert exercise
    without_python(page)
    page.goto(path)
    form = page.get_by_role("region", name="Your answers")
    answers = predictions(exercise)
    expect(form.locator(".summary")).to_contain_text(f"0 of {len(answers)} answers")
    for answer, text in answers.items():
        predict(hand, form, answer, text)
    expect(form.locator(".summary")).to_contain_text("answers are there")

    with page.expect_download() as saving:
        hand.press(form.get_by_role("button", name=f"Download {exercise.id}.py"))
    file = tmp_path / f"{exercise.id}.py"
    saving.value.save_as(file)
    verdict = json.loads(etude("check", exercise.id, file, "--format", "json").stdout)
    assert verdict["outcome"] == "passed"


def test_an_answer_of_the_wrong_form_is_told_where_it_stands(page: Page) -> None:
    """An invalid value is named at its field, nothing is downloaded, and the text stays."""
    without_python(page)
    page.goto("attention/score-spread/")
    form = page.get_by_role("region", name="Your answers")
    field = form.get_by_role("textbox", name=re.compile("^variance"))
    field.fill("64 +")
    form.get_by_role("button", name="Download score-spread.py").click()
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(form.get_by_text("Write a value, such as")).to_be_visible()
    expect(field).to_be_focused()

    field.fill("64")
    expect(form.get_by_text("Write a value, such as")).not_to_be_visible()
    page.reload()
    expect(field).to_have_value("64")


def test_each_answer_is_judged_beside_its_question(page: Page) -> None:
    """Right and wrong stand at the fields, and the known mistake below; then all of them are right."""
    exercise = COLLECTION.find("masked-diagonal")
    assert exercise
    page.goto("attention/masked-diagonal/")
    form = page.get_by_role("region", name="Your answers")
    results = page.get_by_role("region", name="Results")
    for answer, text in {**predictions(exercise), "row_0_with_a_penalty": "'all zero'"}.items():
        predict(Mouse(), form, answer, text)
    expect(form.get_by_role("group", name="row_0_with_a_penalty")).to_contain_text(
        "row 0 again, with the same choices"
    )
    form.get_by_role("button", name="Check", exact=True).click()
    expect(results.get_by_role("status")).to_contain_text("Not passed yet: 5 of 6 tests")
    expect(form.get_by_text("Right", exact=True)).to_have_count(5)
    wrong = form.get_by_role("group", name="row_0_with_a_penalty")
    expect(wrong.get_by_text("Not right", exact=True)).to_be_visible()
    expect(results).to_contain_text("What is the maximum of row 0 if all three are penalised?")

    predict(Mouse(), form, "row_0_with_a_penalty", "'equal weights'")
    expect(form.get_by_text("Not right", exact=True)).to_have_count(0)
    expect(results).to_contain_text("Your answers have changed since these results.")
    form.get_by_role("button", name="Check", exact=True).click()
    expect(results.get_by_role("status")).to_contain_text("Passed: ")
    expect(results).to_contain_text("Passed +5 XP")
    expect(form.get_by_text("Right", exact=True)).to_have_count(6)


def test_on_a_certified_site_the_grader_alone_knows_thepredictions(
    new_context: NewContext, certified_site: Path
) -> None:
    """The page says so, offers no check and does not start Python; of code it runs the visible tests."""
    with hosted(certified_site) as address:
        page = new_context(address).new_page()
        loaded: list[str] = []
        page.on("request", lambda request: loaded.append(request.url))
        page.goto("attention/score-spread/", wait_until="networkidle")
        form = page.get_by_role("region", name="Your answers")
        expect(
            form.get_by_text("This page cannot tell whether your answers are right")
        ).to_be_visible()
        expect(form.get_by_role("button", name="Check", exact=True)).to_have_count(0)
        assert [url for url in loaded if "pyodide" in url or "python-worker" in url] == []

        exercise = COLLECTION.find("scaled-scores")
        assert exercise
        page.goto("attention/scaled-scores/")
        bench = Bench(page)
        bench.check(exercise.solution)
        bench.concludes("All 3 visible tests pass")
        expect(bench.results.get_by_text("The visible tests pass +")).to_be_visible()
        expect(bench.results).not_to_contain_text("Passed +")
        page.goto("attention/")
        expect(page.get_by_text("visible tests passed: ").first).to_be_attached()
        expect(page.get_by_text("1 of 56 done").first).to_be_attached()
