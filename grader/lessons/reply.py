"""Replies to an answer to a lesson's question, as `lesson/question.ts` does in a page."""

import math
import re
from typing import Final, NamedTuple

from grader.lessons.blocks import ChoiceQuestion, Question

OTHER: Final = "Look at the question again, step by step."
"""The reason that is given for an unexpected number if the question has no hint."""

_NUMBER: Final = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", re.IGNORECASE | re.ASCII)


class Reply(NamedTuple):
    """The judgement of an answer, with its reason."""

    is_right: bool
    reason: str


def judge_answer(question: Question, answer: str) -> Reply | None:
    """Return the reply to a letter or a number; None if the answer is neither."""
    if isinstance(question, ChoiceQuestion):
        letter = answer.strip().rstrip(".").upper()
        chosen = (choice for choice in question.choices if choice.letter == letter)
        return next((Reply(choice.is_right, str(choice.reason)) for choice in chosen), None)
    numbers = read_numbers(answer)
    for known in (question.answer, *question.slips):
        if any(abs(number - known.number) <= known.tolerance for number in numbers):
            return Reply(known is question.answer, str(known.reason))
    return Reply(False, str(question.hint) or OTHER) if numbers else None


def describe_right_answer(question: Question) -> str:
    """Return the right answer and its reason as text."""
    if isinstance(question, ChoiceQuestion):
        right = next(choice for choice in question.choices if choice.is_right)
        return f"{right.letter}. {right.reason}"
    return f"{question.answer.number:.6g}. {question.answer.reason}"


def read_numbers(text: str) -> list[float]:
    """Return the numbers that a text may mean.

    `2`, `2.0`, `2,0` and `8/4` have one meaning, `65,536` has two, and text that is not a number
    has none.
    """
    plain = re.sub(r"\s", "", text).replace("\N{MINUS SIGN}", "-")
    is_grouped = re.fullmatch(r"-?\d{1,3}(,\d{3})+(\.\d+)?", plain, re.ASCII)
    grouped = [plain.replace(",", "")] if is_grouped else []
    texts = [re.sub(r",(?=\d*(/|$))", ".", plain), *grouped]
    return [number for number in map(_read, texts) if math.isfinite(number)]


def _read(text: str) -> float:
    over, slash, under = text.partition("/")
    parts = (over, under if slash else "1")
    if not all(map(_NUMBER.fullmatch, parts)) or not float(parts[1]):
        return math.nan
    return float(parts[0]) / float(parts[1])
