"""The sentences on the tests that a learner wrote."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from grader.sandbox.printable import printable

_LONGEST: Final = 160  # characters of a call, or of an error's message
_MOST_NAMES: Final = 5

_FIXED: Final[Mapping[str, str]] = {
    "no-tests": (
        "There is no test in your file. A test is a function at the left margin, without a class, "
        "whose name begins with `test_`."
    ),
    "unstable": (
        "Your tests do not end the same each time on a right program. Take out what depends on "
        "chance, time or files, or give a random generator a seed."
    ),
    "not-valid": "Wrong programs are tried when every right program passes your tests.",
}


def suite_sentence(what: str, **facts: Any) -> str:
    """Return the sentence on how a suite ended."""
    if what in _FIXED:
        return _FIXED[what]
    return _SENTENCES[what](**facts)


def _refuses(number: int, first: Any, tests: list[str]) -> str:
    """Return the sentence on a right program that does not pass.

    Args:
        number: Of the program among the right ones.
        first: The failure of the first test; all in it is the learner's.
        tests: The names of all that failed.
    """
    program = "the right program" if number == 0 else "a right program that is written another way"
    line = f" (line {first.line})" if first.line else ""
    error = _cut(first.error) if first.error else "an error"
    message = f": {_cut(first.message)}" if first.message else ""
    reason = (
        f"an `assert` does not hold{message}"
        if first.error == "AssertionError"
        else f"it ends with {error}{message}"
    )
    call = f" Its last call: `{_cut(first.call)}`." if first.call else ""
    others = [f"`{_cut(each)}`" for each in tests[1 : _MOST_NAMES + 1]]
    also = f" {', '.join(others)} {'does' if len(others) == 1 else 'do'} so too." if others else ""
    return f"`{_cut(first.test)}` refuses {program}{line}: {reason}.{call}{also}"


def _ends(number: int) -> str:
    program = "the right program" if number == 0 else "a right program that is written another way"
    return (
        f"A call in your tests ends {program}: it takes too long, or too much memory. "
        "Ask for something smaller."
    )


def _slow(count: int) -> str:
    return (
        f"Your tests are too slow: there are {count} wrong programs to run them on. Use smaller "
        "arrays and fewer calls."
    )


def _accepts(rejected: int, count: int, needed: int, *, is_told: bool) -> str:
    enough = "all of them must be" if needed == count else f"{needed} must be"
    left = (
        ""
        if is_told
        else (
            " Those that pass differ from a right program in a small change, such as another axis, "
            "constant or comparison."
        )
    )
    return f"Your tests reject {rejected} of {count} wrong programs; {enough}.{left}"


_SENTENCES: Final[Mapping[str, Callable[..., str]]] = {
    "refuses": _refuses,
    "ends": _ends,
    "slow": _slow,
    "accepts": _accepts,
}


def _cut(text: str) -> str:
    words = " ".join(printable(text).replace("`", "'").split())
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 3]}..."
