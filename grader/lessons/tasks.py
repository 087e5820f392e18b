"""The tasks of a lesson, read from their fences: questions, experiments, programs to break."""

from typing import Final

from grader.definitions.exercise import ExerciseId
from grader.errors import DefinitionError
from grader.lessons.blocks import (
    LETTERS,
    BreakTask,
    Choice,
    ChoiceQuestion,
    Experiment,
    NumberAnswer,
    NumberQuestion,
    Question,
)
from grader.lessons.computed_text import Text, Value
from grader.lessons.fence import Fence, only, read_fields

_MIN_CHOICES: Final = 2
_MAX_GUESSES: Final = 4


def read_question(fence: Fence) -> Question:
    """Read a question whose answer is a letter or a number.

    Raises:
        DefinitionError: The kind of question or a key is not known, two answers are the same, or
            there is not exactly one right answer.
    """
    kind = " ".join(fence.info_words[1:])
    if kind == "number":
        return _read_number(fence)
    if kind != "choice":
        raise fence.error(f"expected one of choice, number after 'question', found '{kind:.40}'")
    prompt, fields = read_fields(fence, ("right", "wrong"))
    texts = set[str]()
    choices = []
    for letter, field in zip(LETTERS, fields, strict=False):
        answer, reason = field.halves()
        if answer.value in texts:
            raise DefinitionError.at(field.where, "this answer is there twice")
        texts.add(answer.value)
        choices.append(Choice(letter, answer.text, field.key == "right", reason.text))
    only(fields, "right", fence.where)
    if not _MIN_CHOICES <= len(fields) <= len(LETTERS):
        raise fence.error(f"expected {_MIN_CHOICES} to {len(LETTERS)} answers, found {len(fields)}")
    return ChoiceQuestion(prompt.where, prompt.text, tuple(choices))


def _read_number(fence: Fence) -> NumberQuestion:
    keys = ("answer", "reason", "slip", "hint", "within")
    prompt, fields = read_fields(fence, keys)
    answer, reason = only(fields, "answer", fence.where), only(fields, "reason", fence.where)
    halves = [field.halves() for field in fields if field.key == "slip"]
    hint, tolerance = (
        only(fields, key, prompt.where) if any(field.key == key for field in fields) else None
        for key in ("hint", "within")
    )
    return NumberQuestion(
        prompt.where,
        prompt.text,
        NumberAnswer(Value(answer.where, answer.value), reason.text),
        tuple(NumberAnswer(Value(slip.where, slip.value), why.text) for slip, why in halves),
        hint.text if hint else Text(),
        Value(tolerance.where, tolerance.value) if tolerance else None,
    )


def read_experiment(fence: Fence) -> Experiment:
    """Read a *try this*: a change to the cell above, and guesses at its effect.

    Raises:
        DefinitionError: A key is unknown or missing, or there is not exactly one right guess.
    """
    if len(fence.info_words) > 1:
        raise fence.error(f"expected nothing after 'try', found '{fence.info_words[1]:.40}'")
    prompt, fields = read_fields(fence, ("find", "put", "right", "wrong", "why"))
    find, put, reason = (only(fields, key, fence.where) for key in ("find", "put", "why"))
    only(fields, "right", fence.where)
    guesses = [field for field in fields if field.key in ("right", "wrong")]
    if not _MIN_CHOICES <= len(guesses) <= _MAX_GUESSES:
        raise fence.error(
            f"expected {_MIN_CHOICES} to {_MAX_GUESSES} guesses, found {len(guesses)}"
        )
    if len({guess.value for guess in guesses}) < len(guesses):
        raise DefinitionError.at(guesses[-1].where, "two guesses are the same")
    if find.value == put.value:
        raise DefinitionError.at(put.where, "this changes nothing")
    return Experiment(
        prompt.where,
        prompt.value,
        find.value,
        put.value,
        tuple((guess.value, guess.key == "right") for guess in guesses),
        reason.text,
    )


def read_break(fence: Fence) -> BreakTask:
    """Read a *break it*: an exercise and a misconception after the fence, and a prompt below.

    Raises:
        DefinitionError: The exercise, the misconception or the prompt is missing.
    """
    prompt = fence.content.strip()
    match fence.info_words:
        case (_, exercise, misconception) if prompt:
            return BreakTask(fence.where, ExerciseId(exercise), misconception, prompt)
    raise fence.error("expected an exercise and a misconception after 'break', and a text below")
