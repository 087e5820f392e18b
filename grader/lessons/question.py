"""Questions of a lesson: a choice of answers, or a number, each with its reasons."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from grader.errors import Location
from grader.lessons.computed_text import ComputedText, Value, split_values
from grader.lessons.fence import Fence, Field, error, only, read_fields

_FEWEST_CHOICES: Final = 2
LETTERS: Final = "ABCDEF"  # of the answers to choose from


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the answers, and why it is right or wrong."""

    text: ComputedText
    is_right: bool
    reason: ComputedText


@dataclass(frozen=True, slots=True)
class ChoiceQuestion:
    """A question with a few answers, of which one is right."""

    where: Location
    prompt: ComputedText
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Slip:
    """A wrong number that readers are known to give, and the reason for it."""

    value: Value
    reason: ComputedText


@dataclass(frozen=True, slots=True)
class NumberQuestion:
    """A question whose answer is a number."""

    where: Location
    prompt: ComputedText
    answer: Value
    reason: ComputedText
    slips: tuple[Slip, ...]
    hint: ComputedText  # for every other number; empty for none
    within: Value | None  # how far from the answer a number may be


Question: TypeAlias = ChoiceQuestion | NumberQuestion


def read_question(fence: Fence) -> Question:
    """Read a question.

    Raises:
        DefinitionError: There is no such kind of question, a key is not known, two answers are the
            same, or there is not one right answer.
    """
    kind = " ".join(fence.words[1:])
    if kind == "number":
        return _read_number(fence)
    if kind != "choice":
        raise fence.error(f"expected one of choice, number after 'question', found '{kind:.40}'")
    prompt, fields = read_fields(fence, ("right", "wrong"))
    choices = []
    texts = set[str]()
    for field in fields:
        text, reason = field.halves()
        if text in texts:
            raise error(field.where, "this answer is there twice")
        texts.add(text)
        answer = split_values(text, fence.path, field.where.line)
        choices.append(Choice(answer, field.key == "right", _text(reason)))
    only(fields, "right", fence.where)
    if not _FEWEST_CHOICES <= len(choices) <= len(LETTERS):
        raise fence.error(
            f"expected {_FEWEST_CHOICES} to {len(LETTERS)} answers, found {len(choices)}"
        )
    return ChoiceQuestion(prompt.where, _text(prompt), tuple(choices))


def _read_number(fence: Fence) -> NumberQuestion:
    keys = ("answer", "reason", "slip", "hint", "within")
    prompt, fields = read_fields(fence, keys)
    answer, reason = only(fields, "answer", fence.where), only(fields, "reason", fence.where)
    slips = []
    for field in fields:
        if field.key == "slip":
            expression, why = field.halves()
            slips.append(Slip(Value(field.where, expression), _text(why)))
    hint, within = _optional(fields, "hint"), _optional(fields, "within")
    return NumberQuestion(
        prompt.where,
        _text(prompt),
        Value(answer.where, answer.value),
        _text(reason),
        tuple(slips),
        _text(hint) if hint else (),
        Value(within.where, within.value) if within else None,
    )


def _optional(fields: Sequence[Field], key: str) -> Field | None:
    return only(fields, key, fields[0].where) if any(each.key == key for each in fields) else None


def _text(field: Field) -> ComputedText:
    return split_values(field.value, field.where.path, field.where.line)
