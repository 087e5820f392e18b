"""Questions of a lesson on its page."""

import json

import pytest

from grader.definitions.exercise import ExerciseId
from grader.lessons.blocks import (
    BreakTask,
    Cell,
    Choice,
    ChoiceQuestion,
    Experiment,
    NumberAnswer,
    NumberQuestion,
)
from grader.lessons.computed_text import Text, Value
from tests.sitegen.conftest import (
    WHERE,
    Build,
    Page,
    lesson_page,
    make_exercise,
    make_lesson,
    make_track,
)


def text(source: str) -> Text:
    return Text.read(source, WHERE)


CHOICE = ChoiceQuestion(
    WHERE,
    text("How *many*?"),
    (
        Choice("A", text("Two."), False, text("One more.")),
        Choice("B", text("Three."), True, text("It is $x$.")),
    ),
)
NUMBER = NumberQuestion(
    WHERE,
    text("What is $1/2$?"),
    NumberAnswer(Value(WHERE, "1 / 2"), text("Half."), 0.5, 0.005),
    (NumberAnswer(Value(WHERE, "2 / 1"), text("The other way round."), 2.0, 1e-9),),
    Text(),
)


@pytest.fixture
def page(build: Build) -> Page:
    return lesson_page(build, CHOICE, NUMBER)


def test_a_choice_is_a_group_of_answers_with_their_reasons(page: Page) -> None:
    """Maths and emphasis are shown; the scripts know which answer is right."""
    radios = [each for each in page.all("input") if each.attributes.get("type") == "radio"]
    own = [each for each in radios if each.attributes["name"] == "question-1"]

    assert "How many?" in [each.text for each in page.all("legend")]
    assert ["data-right" in each.attributes for each in own] == [False, True]
    assert "Not this one. One more." in page.text
    assert [each.attributes.get("aria-label") for each in page.all("form")] == [
        "Question 1 of 2",
        "Question 2 of 2",
    ]


def test_a_number_has_its_values_and_a_reason_for_any_other(page: Page) -> None:
    """The answer comes first, and how near a reader has to come."""
    form = page.all("form")[1].attributes

    assert json.loads(form["data-numbers"]) == [[0.5, 0.005], [2.0, 1e-9]]
    assert form["data-answer"] == "0.5"
    for reason in ("Right. Half.", "Not yet. The other way round.", "Not yet. Look at the"):
        assert reason in page.text


def test_without_scripts_each_answer_is_behind_a_line_to_open(page: Page) -> None:
    """With its reason; no script has to run to show it."""
    answers = [" ".join(each.text.split()) for each in page.all("details")]

    assert answers[0].startswith("Answer B. It is")
    assert answers[1] == "Answer 0.5. Half."


def test_a_try_changes_the_cell_above(build: Build) -> None:
    """It names the cell and the change; without scripts it tells what happens."""
    cell = Cell(WHERE, "x = 1\n", hidden=False)
    guesses = (("up", True), ("down", False))
    experiment = Experiment(WHERE, "Make it *more*.", "x = 1", "x < 2", guesses, text("So."), 0)
    page = lesson_page(build, cell, experiment)
    (card,) = [each.attributes for each in page.all("section") if "data-put" in each.attributes]

    assert (card["data-changes"], card["data-find"], card["data-put"]) == ("0", "x = 1", "x < 2")
    assert "Make it more." in page.text
    assert " ".join(page.one("details").text.split()) == "What happens up. So."


def test_a_wrong_program_has_what_its_script_needs(build: Build) -> None:
    """Its code is folded, since it shows much of what solves the exercise."""
    task = BreakTask(WHERE, ExerciseId("one"), "wrong", "Which *x*?", "def f(x):\n    return 1\n")
    lessons = {"attention": [make_lesson("begin", task, exercises=("one",))]}
    site = build(make_track(make_exercise("one", defines=("f", "g"))), lessons=lessons)
    page = site["attention/lessons/begin/index.html"]
    (card,) = [each.attributes for each in page.all("section") if "data-break" in each.attributes]
    assert card["data-break"] == "../../one/break.json"
    names = ("data-exercise", "data-program", "data-defines")
    assert [card[name] for name in names] == ["one", "wrong", "f g"]
    assert "Which x?" in page.text
    assert "return 1" in page.one("details", class_="spoiler").text
