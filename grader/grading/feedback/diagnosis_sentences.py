"""The sentences of diagnoses that no author wrote: about the submission's own code."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

_LONGEST: Final = 60  # characters of the submission's code in a sentence


def at_once(mistakes: Sequence[str]) -> str:
    """Return the sentence about two known mistakes in one program."""
    one, other = mistakes
    return (
        "Your code has two known mistakes. Each is described as if it were the only one. "
        f"The first: {one} The second: {other}"
    )


def with_another_number(feedback: str, known: float, own: float) -> str:
    """Return the sentence about a known mistake that is made with another number."""
    return f"This is a known mistake, here with {own:g} in place of {known:g}: {feedback}"


def in_helper(name: str, line: int, feedback: str = "") -> str:
    """Return the sentence about a helper with the only mistake of a submission."""
    where = f"The mistake is in your `{quoted(name)}` (line {line})"
    return f"{where}: {feedback}" if feedback else f"{where}: with a right one, the tests pass."


def unused(kind: str, name: str, line: int) -> str:
    """Return the sentence about a value that a submission never uses."""
    if kind == "parameter":
        return f"The parameter `{quoted(name)}` (line {line}) is never used."
    if kind == "result":
        return f"The result of `{quoted(name)}` in line {line} is never used."
    return f"`{quoted(name)}` gets a value in line {line}, which is never used."


def repaired(kind: str, lines: Sequence[int], was: Sequence[Any]) -> str:
    """Return the sentence about a part of a submission without which its tests pass."""
    return _REPAIRS[kind](_place(lines), was)


def _place(lines: Sequence[int]) -> str:
    if len(lines) == 1:
        return f"line {lines[0]}"
    return f"lines {', '.join(map(str, lines[:-1]))} and {lines[-1]}"


def _rounded(place: str, digits: Sequence[Any]) -> str:
    to = ""
    if len(digits) == 1:
        count = digits[0]
        to = f" to {count} digit{'' if count == 1 else 's'} after the point"
        if count == 0:
            to = " to whole numbers"
    return f"You round{to} (in {place}), and only that makes your results wrong. Keep all digits."


def _cut(place: str, was: Sequence[Any]) -> str:
    code = quoted(str(was[0]))
    return f"`{code}` in {place} takes digits away, and only that makes your results wrong."


def quoted(code: str) -> str:
    """Return the submission's code on one line, shortened, as it stands between backticks."""
    code = " ".join(code.replace("`", "'").split())
    return code if len(code) <= _LONGEST else f"{code[: _LONGEST - 3]}..."


_REPAIRS: Final[Mapping[str, Callable[[str, Sequence[Any]], str]]] = {
    "rounded": _rounded,
    "cut": _cut,
    "dtype": lambda place, was: (
        f"The dtype in {place} cannot hold your values, and only that makes your results wrong: "
        f"`{quoted(str(was[0]))}`."
    ),
    "floor-division": lambda place, _: (
        f"`//` in {place} rounds down to whole numbers. With `/` there, the tests pass."
    ),
    "number": lambda place, was: (
        f"Look at the number {quoted(str(was[0]))} in {place}: with another one there, the tests "
        "pass."
    ),
}

REPAIRS: Final = frozenset(_REPAIRS)
"""The kinds of changes that a sentence knows."""
