"""The grader's own sentences for diagnoses, such as those about parts of a submission's code."""

from collections.abc import Mapping, Sequence
from typing import Final

from grader.definitions.wording import plural, shorten

_MAX_CODE_LENGTH: Final = 60  # characters of a submission's code that a sentence quotes


def mistakes_sentence(mistakes: Sequence[str], *, are_mutants: bool, is_never_finite: bool) -> str:
    """Return the sentence about one mistake, or two alternative ones, that explain the failures.

    Args:
        mistakes: The phrase for each mistake; for a mutant it begins with "as if".
        are_mutants: Whether the mistakes are mutants rather than misconceptions.
        is_never_finite: Whether all results lack finite numbers, which can have several causes.
    """
    sentence = mistakes[0]
    if are_mutants:
        sentence = f"Your code behaves exactly {', or '.join(mistakes)}."
    elif len(mistakes) > 1:
        sentence = f"This is what happens with either of two mistakes: {' Or: '.join(mistakes)}"
    if not is_never_finite:
        return sentence
    several = "No result has a number in it, and that can have several causes."
    return f"{several} One is known here: {sentence}"


def two_mistakes_sentence(mistakes: Sequence[str]) -> str:
    """Return the sentence about two known mistakes that occur together."""
    one, other = mistakes
    return (
        "Your code has two known mistakes. Each is described as if it were the only one. "
        f"The first: {one} The second: {other}"
    )


def answers_sentence(mistakes: Sequence[tuple[Sequence[str], str]]) -> str:
    """Return the sentences about mistakes in a prediction, each with the answers that show it."""
    return " ".join(
        f"{', '.join(f'`{name}`' for name in names)}: {feedback}" for names, feedback in mistakes
    )


def helper_sentence(name: str, line: str, feedback: str = "") -> str:
    """Return the sentence about a helper function that has the only mistake of a submission.

    Args:
        line: The line of its definition, such as "line 2 of cell 3".
    """
    where = f"The mistake is in your `{quote(name)}` ({line})"
    return f"{where}: {feedback}" if feedback else f"{where}: with a right one, the tests pass."


def repair_sentence(kind: str, place: str, parts: Sequence[str | int]) -> str:
    """Return the sentence about a change with which a submission passes its tests.

    Args:
        place: The changed lines, such as "lines 2 and 3".
        parts: The code in the changed lines; for `rounded`, the number of digits.
    """
    texts = [f"`{quote(str(part))}`" for part in dict.fromkeys(parts)]
    return _REPAIRS[kind].format(
        code=texts[0] if texts else "",
        number=quote(str(parts[0])) if parts else "",
        to=_digits(parts) if kind == "rounded" else "",
        place=place,
    )


def _digits(counts: Sequence[str | int]) -> str:
    match counts:
        case [0]:
            return " to whole numbers"
        case [count]:
            return f" to {plural(int(count), 'digit')} after the point"
    return ""


def first_expression_sentence(kind: str, code: str, line: str) -> str:
    """Return the sentence about the first expression that differs from a right program.

    Args:
        line: Its line, such as "line 2 of cell 3".
    """
    return _PLACES[kind].format(code=f"`{quote(code)}`", line=line)


def quote(code: str) -> str:
    """Return code of a submission on one line, shortened, for use between backticks."""
    return shorten(" ".join(code.replace("`", "'").split()), _MAX_CODE_LENGTH)


_REPAIRS: Final[Mapping[str, str]] = {
    "rounded": (
        "You round{to} (in {place}), and only that makes your results wrong. Keep all digits."
    ),
    "floor-division": (
        "`//` in {place} rounds down to whole numbers. With `/` there, the tests pass."
    ),
    "one-off": "Look at the 1 in {code} in {place}: without it, the tests pass.",
    "operator": (
        "Look at the operator in {code} in {place}: with another one there, the tests pass."
    ),
    "number": "Look at the number {number} in {place}: with another one there, the tests pass.",
}

REPAIRS: Final = frozenset(_REPAIRS)
"""The kinds of changes that have a sentence."""

_PLACES: Final[Mapping[str, str]] = {
    "wrong": (
        "{code} in {line} gives the first wrong value. With the right value there, and "
        "nothing else changed, your results would be right. Look at this step, and at what goes "
        "into it."
    ),
    "shape": (
        "{code} in {line} has the right numbers in a wrong shape or type. With the right one "
        "there, and nothing else changed, your results would be right."
    ),
    "missing": (
        "The value of {code} in {line} is right, but a right solution does something more "
        "with it before it goes on. Look at where you use it next."
    ),
}

PLACES: Final = frozenset(_PLACES)
"""The kinds of places that have a sentence."""
