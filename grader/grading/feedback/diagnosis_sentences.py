"""The sentences of diagnoses that no author wrote, such as those about a submission's own code."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

_LONGEST: Final = 60  # characters of the submission's code in a sentence
_ONLY_THERE: Final = (
    "With the right {} there, and nothing else changed, your results would be right."
)


def explained(mistakes: Sequence[str], *, are_mutants: bool, is_never_finite: bool) -> str:
    """Return the sentence about one mistake that explains the failures, or about two that do.

    Args:
        mistakes: what is said of each; of mutants in words that begin with "as if".
        are_mutants: whether no author declared them.
        is_never_finite: whether no result has a finite number, which can have several causes.
    """
    said = mistakes[0]
    if are_mutants:
        said = f"Your code behaves exactly {', or '.join(mistakes)}."
    elif len(mistakes) > 1:
        said = f"This is what happens with either of two mistakes: {' Or: '.join(mistakes)}"
    return (
        f"No result has a number in it, and that can have several causes. One is known here: {said}"
        if is_never_finite
        else said
    )


def at_once(mistakes: Sequence[str]) -> str:
    """Return the sentence about two known mistakes in one program."""
    one, other = mistakes
    return (
        "Your code has two known mistakes. Each is described as if it were the only one. "
        f"The first: {one} The second: {other}"
    )


def in_helper(name: str, line: int, feedback: str = "") -> str:
    """Return the sentence about a helper with the only mistake of a submission."""
    where = f"The mistake is in your `{quoted(name)}` (line {line})"
    return f"{where}: {feedback}" if feedback else f"{where}: with a right one, the tests pass."


def repaired(kind: str, lines: Sequence[int], was: Sequence[Any]) -> str:
    """Return the sentence about a part of a submission without which its tests pass."""
    *most, last = lines
    place = f"lines {', '.join(map(str, most))} and {last}" if most else f"line {last}"
    return _REPAIRS[kind](place, was)


def _rounded(place: str, digits: Sequence[Any]) -> str:
    to = ""
    if len(digits) == 1:
        count = digits[0]
        to = f" to {count} digit{'' if count == 1 else 's'} after the point"
        if count == 0:
            to = " to whole numbers"
    return f"You round{to} (in {place}), and only that makes your results wrong. Keep all digits."


def quoted(code: str) -> str:
    """Return the submission's code on one line, shortened, as it stands between backticks."""
    code = " ".join(code.replace("`", "'").split())
    return code if len(code) <= _LONGEST else f"{code[: _LONGEST - 3]}..."


_REPAIRS: Final[Mapping[str, Callable[[str, Sequence[Any]], str]]] = {
    "rounded": _rounded,
    "cut": lambda place, was: (
        f"`{quoted(str(was[0]))}` in {place} takes digits away, and only that makes your results "
        "wrong."
    ),
    "dtype": lambda place, was: (
        f"The dtype in {place} makes your results wrong, and nothing else does: "
        f"`{quoted(str(was[0]))}`."
    ),
    "floor-division": lambda place, _: (
        f"`//` in {place} rounds down to whole numbers. With `/` there, the tests pass."
    ),
    "exchanged": lambda _, was: (
        "{} and {} are exchanged: with each in the other's place, the tests pass.".format(
            *(f"`{quoted(str(each))}`" for each in dict.fromkeys(was))
        )
    ),
    "one-off": lambda place, was: (
        f"Look at the 1 in `{quoted(str(was[0]))}` in {place}: without it, the tests pass."
    ),
    "operator": lambda place, was: (
        f"Look at the operator in `{quoted(str(was[0]))}` in {place}: with another one there, the "
        "tests pass."
    ),
    "comparison": lambda place, was: (
        f"Look at the comparison `{quoted(str(was[0]))}` in {place}: with another sign there, the "
        "tests pass."
    ),
    "turned-round": lambda place, was: (
        f"`{quoted(str(was[0]))}` in {place} is turned round: without `~` or `not`, the tests pass."
    ),
    "branches": lambda place, was: (
        f"The two choices of `{quoted(str(was[0]))}` in {place} are exchanged: the other way "
        "round, the tests pass."
    ),
    "shift": lambda place, was: (
        f"What goes into `{quoted(str(was[0]))}` in {place} is not shifted so that its maximum is "
        "0: with that, the tests pass."
    ),
    "length": lambda place, was: (
        f"`{quoted(str(was[0]))}` in {place} is the length of the wrong axis: with another axis "
        "there, the tests pass."
    ),
    "order": lambda place, was: (
        f"`{quoted(str(was[0]))}` in {place} changes the order: without that, the tests pass."
    ),
    "axis": lambda place, was: (
        f"Look at the axis of `{quoted(str(was[0]))}` in {place}: along another one, the tests "
        "pass."
    ),
    "number": lambda place, was: (
        f"Look at the number {quoted(str(was[0]))} in {place}: with another one there, the tests "
        "pass."
    ),
}

REPAIRS: Final = frozenset(_REPAIRS)
"""The kinds of changes that a sentence knows."""

TRUSTED: Final = frozenset({"rounded", "cut", "dtype", "floor-division"})
"""The kinds that say enough where only a few tests are run."""

GUESSED: Final = REPAIRS - TRUSTED
"""The kinds that could pass a few tests by chance, and are tried last."""


def leaves_the_track(kind: str, code: str, line: int, filled: Sequence[int] = ()) -> str:
    """Return the sentence about an expression.

    Args:
        kind: one of `PLACES`.
        code: of the expression.
        line: of the expression.
        filled: the first and last line that fill an array, where it was filled wrongly.
    """
    return _PLACES[kind](quoted(code), line, filled)


_PLACES: Final[Mapping[str, Callable[[str, int, Sequence[int]], str]]] = {
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
    "filled": lambda code, line, filled: (
        f"When line {line} reads `{code}`, it does not hold the right values. What goes into it is "
        f"right: look at line {' to line '.join(map(str, dict.fromkeys(filled)))}, where it is "
        "filled."
    ),
}

PLACES: Final = frozenset(_PLACES)
"""The kinds of places that a sentence knows."""
