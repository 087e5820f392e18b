"""The sentences about the answers to a prediction. They do not reveal the right answer."""

import re
from collections.abc import Sequence

from grader.definitions.wording import join_words
from grader.grading.results.raw_result import DifferenceKind

_MAX_ANSWER_LENGTH = 40  # characters up to which a sentence repeats an answer
_PLAIN_VALUE = re.compile(r"[-+\d.,()\[\] e]+|True|False")
_MORE_THAN_ANSWERS = {
    "statement": "is more than an answer. Write only assignments of plain values here",
    "name": "sets `{name}`, which is not asked for. Set only {answers}",
    "value": (
        "leaves something to compute. Work out `{name}` yourself and write the plain value: a "
        "number, a text, a list or `np.array([...])`"
    ),
}


def unanswered_sentence(name: str, kind: str) -> str:
    """Return the sentence about an answer that is still a placeholder."""
    placeholder = "..." if kind == "ellipsis" else "None"
    return f"`{name}` is not answered yet: write your answer in place of `{placeholder}`."


def choices_sentence(name: str, choices: Sequence[str]) -> str:
    """Return the sentence that lists the answers to choose from."""
    quoted = [f'"{choice}"' for choice in choices]
    return f"`{name}` should be one of {join_words(quoted, 'or')}."


def wrong_answer_sentence(
    names: Sequence[str],
    kind: DifferenceKind,
    got: object,
    *,
    is_quoted: bool = False,
    is_text: bool = False,
) -> str:
    """Return the sentence about a wrong prediction, which does not reveal the right one.

    Args:
        is_quoted: Whether the answer is a text although another type is asked for.
        is_text: Whether a text is asked for and the answer is of another type.
    """
    answers = join_words([f"`{name}`" for name in names], "and")
    verb = "is" if len(names) == 1 else "are"
    if is_quoted:
        answer = str(got).strip()
        if len(answer) <= _MAX_ANSWER_LENGTH and _PLAIN_VALUE.fullmatch(answer):
            return f"{answers} is a text. Remove the quotes: `{names[0]} = {answer}`."
        return f"{answers} is a text. Another kind of value is asked for."
    if is_text:
        return f"{answers} {verb} not right. Read again what may be answered."
    if kind in (DifferenceKind.TYPE, DifferenceKind.LENGTH, DifferenceKind.SHAPE):
        form = "has another form" if len(names) == 1 else "have another form"
        return (
            f"{answers} {form} than the answer: look at how many values there are, and how they "
            "are nested."
        )
    answer = repr(got)
    if (
        len(names) > 1
        or not isinstance(got, (bool, int, float, str))
        or len(answer) > _MAX_ANSWER_LENGTH
    ):
        return f"{answers} {verb} not right. Go through it step by step once more."
    return f"{answers}: {answer} is not it. Go through it step by step once more."


def more_than_answers_sentence(statement: str, line: str, name: str, answers: Sequence[str]) -> str:
    """Return the sentence about code in a prediction that is more than answers.

    Args:
        line: The line, such as "Line 2 of cell 3".
    """
    listed = join_words([f"`{answer}`" for answer in answers], "and")
    return f"{line} {_MORE_THAN_ANSWERS[statement].format(name=name, answers=listed)}."
