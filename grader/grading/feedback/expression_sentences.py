"""The sentences about the first expression that leaves the track of a right program."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from grader.grading.feedback.diagnosis_sentences import quoted

_ONLY_THERE = "With the right {} there, and nothing else changed, your results would be right."


def leaves_the_track(kind: str, code: str, line: int, filled: Sequence[int] = ()) -> str:
    """Return the sentence about an expression.

    Args:
        kind: one of `KINDS`.
        code: of the expression.
        line: of the expression.
        filled: the first and last line that fill an array, where it was filled wrongly.
    """
    return _SENTENCES[kind](quoted(code), line, filled)


def _filled(code: str, line: int, filled: Sequence[int]) -> str:
    first, last = filled
    where = f"line {first}" if first == last else f"line {first} to line {last}"
    return (
        f"When line {line} reads `{code}`, it does not hold the right values. What goes into it is "
        f"right: look at {where}, where it is filled."
    )


_SENTENCES: Final[Mapping[str, Callable[[str, int, Sequence[int]], str]]] = {
    "wrong": lambda code, line, _: (
        f"`{code}` in line {line} gives the first wrong value. "
        + _ONLY_THERE.format("value")
        + " Look at this step, and at what goes into it."
    ),
    "shape": lambda code, line, _: (
        f"`{code}` in line {line} has the right numbers in a wrong shape. "
        + _ONLY_THERE.format("shape")
    ),
    "missing": lambda code, line, _: (
        f"The value of `{code}` in line {line} is right, but a right solution does something more "
        "with it before it goes on. Look at where you use it next."
    ),
    "filled": _filled,
}

KINDS: Final = frozenset(_SENTENCES)
"""The kinds of places that a sentence knows."""
