"""Questions in a lesson: what is read, what is computed, and what is reported of mistakes."""

import pytest

from grader.lessons.blocks import ChoiceQuestion, NumberQuestion
from grader.lessons.recorded_output import record
from grader.lessons.reply import OTHER, judge_answer, read_numbers
from tests.lessons.conftest import Refuse, Run

CHOICE = """\
```python
x = 3
```

```question choice
How many,
given `= x`?
wrong: Two.
  | One more,
  which is `= 2 + 1`.
right: Three. | It is $x$.
```
"""
NUMBER = """\
```question number
What is half of 3?
answer: 3 / 2
reason: It is `= 3 / 2`.
slip: 3 * 2
  | That is twice.
slip: 2 / 3 | The other way round.
hint: Divide.
```
"""


def test_a_choice_has_a_reason_for_each_answer(run: Run) -> None:
    """Lines that are indented go on, and expressions see the cells above."""
    question = run(CHOICE).blocks[-1]

    assert isinstance(question, ChoiceQuestion)
    assert (question.where.line, str(question.prompt)) == (6, "How many,\ngiven 3?")
    assert [(str(each.text), each.is_right, str(each.reason)) for each in question.choices] == [
        ("Two.", False, "One more,\nwhich is 3."),
        ("Three.", True, "It is $x$."),
    ]


def test_a_number_and_its_slips_are_computed_and_recorded(run: Run) -> None:
    """Whole numbers are exact to a reader, others are rounded; a reviewer sees each value."""
    lesson = run(NUMBER)
    (question,) = lesson.blocks

    assert isinstance(question, NumberQuestion)
    assert (question.answer.number, str(question.answer.reason)) == (1.5, "It is 1.5.")
    assert [each.number for each in question.slips] == [6.0, pytest.approx(2 / 3)]
    assert question.answer.tolerance == pytest.approx(0.015)
    assert question.slips[0].tolerance < 1e-6
    assert str(question.hint) == "Divide."
    assert record(lesson) == "3 / 2 = 1.5\n3 / 2 = 1.5\n3 * 2 = 6\n2 / 3 = 0.666667\n"


@pytest.mark.parametrize(
    ("lesson", "answer", "expected"),
    [
        (CHOICE, "b", (True, "It is $x$.")),
        (CHOICE, " A. ", (False, "One more,\nwhich is 3.")),
        (CHOICE, "C", None),
        (NUMBER, "3/2", (True, "It is 1.5.")),
        (NUMBER, "1,51", (True, "It is 1.5.")),
        (NUMBER, "6", (False, "That is twice.")),
        (NUMBER, "7", (False, "Divide.")),
        (NUMBER.replace("hint: Divide.\n", ""), "7", (False, OTHER)),
        (NUMBER, "one and a half", None),
    ],
)
def test_each_answer_has_its_reply(
    run: Run, lesson: str, answer: str, expected: tuple[bool, str] | None
) -> None:
    """A letter in either case, or a number as a reader writes it; anything else is no answer."""
    question = run(lesson).blocks[-1]
    assert isinstance(question, (ChoiceQuestion, NumberQuestion))
    assert judge_answer(question, answer) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *((text, [2.0]) for text in ("2", "2.0", "2,0", "8/4", " +2 ", "2e0", "2.", "8,0/4")),
        ("65,536", [65.536, 65536.0]),
        ("1,048,576", [1048576.0]),
        ("\u22120,5", [-0.5]),
        *((text, []) for text in ("", "two", "1/2/3", "8/0", "1.2.3", "/", "0x10", "nan")),
    ],
)
def test_a_number_is_read_as_on_a_page(text: str, expected: list[float]) -> None:
    """As `parseNumbers` does in the frontend, whose tests have the same cases."""
    assert read_numbers(text) == expected


@pytest.mark.parametrize(
    ("question", "line", "said"),
    [
        (
            CHOICE.replace("choice", "guess", 1),
            5,
            "expected one of choice, number after 'question'",
        ),
        (CHOICE.replace("right:", "wrong:", 1), 5, "expected one `right:`, found none"),
        (CHOICE.replace("wrong:", "right:", 1), 11, "expected one `right:`, found 2"),
        (CHOICE.replace("wrong:", "false:", 1), 8, "expected one of right, wrong before the colon"),
        (CHOICE.replace("Three.", "Two.", 1), 11, "this answer is there twice"),
        (CHOICE.replace(" | It is $x$.", "", 1), 11, "expected `right: ... | the reason`"),
        (CHOICE.replace("  which", "which", 1), 10, "an indented line that goes on"),
        (NUMBER.replace("answer: 3 / 2\n", "", 1), 1, "expected one `answer:`, found none"),
        (NUMBER.replace("Divide.", "", 1), 8, "`hint:` has no value"),
        (NUMBER.replace("What is half of 3?\n", "", 1), 2, "the block has no text of its own"),
        (
            NUMBER.replace("2 / 3", "6.0", 1),
            7,
            "6.0 = 6 is the same number as another slip, 3 * 2 = 6",
        ),
        (
            NUMBER.replace("3 * 2", "1.51", 1),
            5,
            "1.51 = 1.51 is the same number as the answer, 3 / 2 = 1.5",
        ),
        (NUMBER.replace("2 / 3", "1e400", 1), 7, "1e400 is not a finite number"),
        (NUMBER.replace("2 / 3", "lost", 1), 7, "NameError"),
        (NUMBER.replace("hint: Divide.", "within: 1", 1), 7, "the same number as the answer"),
    ],
)
def test_a_mistake_in_a_question_is_reported_with_its_line(
    refuse: Refuse, question: str, line: int, said: str
) -> None:
    """Reading finds what is written wrong, running what is computed wrong."""
    ((place, message),) = refuse(question)
    assert (place, said in message) == (line, True), message
