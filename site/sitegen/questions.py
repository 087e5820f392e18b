"""Questions of a lesson as the templates print them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from markupsafe import Markup

from grader.lessons.execute import RunChoiceQuestion, RunNumberQuestion, RunQuestion
from sitegen.markdown import render_inline

_OTHER: Final = "Look at the question again, step by step."


@dataclass(frozen=True, slots=True)
class ChoiceView:
    """One of the answers, and why it is right or wrong."""

    letter: str
    text: Markup
    is_right: bool
    reason: Markup


@dataclass(frozen=True, slots=True)
class QuestionView:
    """A question; one without choices asks for a number."""

    form: ClassVar[str] = "question"
    number: int  # among the questions of its lesson, from one
    total: int
    prompt: Markup
    choices: tuple[ChoiceView, ...] = ()
    numbers: Sequence[tuple[float, float]] = ()  # the answer and the slips: value, and how near
    reasons: tuple[Markup, ...] = ()  # of these numbers, and of any other one
    answer: str = ""  # as a reader may write it


def view_question(question: RunQuestion, number: int, total: int) -> QuestionView:
    """Render a question.

    Raises:
        DefinitionError: A text cannot be shown.
    """
    where, line = question.where.path, question.where.line
    prompt = _inline(question.prompt, where, line)
    match question:
        case RunChoiceQuestion(choices=choices):
            views = tuple(
                ChoiceView(
                    each.letter,
                    _inline(each.text, where, line),
                    each.is_right,
                    _inline(each.reason, where, line),
                )
                for each in choices
            )
            return QuestionView(number, total, prompt, choices=views)
        case RunNumberQuestion(answer=answer, slips=slips, hint=hint):
            numbers = (answer, *slips)
            reasons = (*(each.reason for each in numbers), hint or _OTHER)
            return QuestionView(
                number,
                total,
                prompt,
                numbers=tuple((each.value, each.near) for each in numbers),
                reasons=tuple(_inline(each, where, line) for each in reasons),
                answer=f"{answer.value:.6g}",
            )


def _inline(source: str, where: Path, line: int) -> Markup:
    return render_inline(source, where=where, line=line)
