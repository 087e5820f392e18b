"""The sentences about the tests that a learner wrote."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from grader.definitions.wording import shorten
from grader.grading.feedback.sentence_tables import SentenceTemplate
from grader.sandbox.printable import printable

_MAX_TEXT_LENGTH: Final = 160  # characters of a call or an error's message in a sentence
_MAX_NAMES: Final = 5  # further tests that a sentence names


def _refusal_sentence(_: str, number: int, failures: Sequence[Mapping[str, Any]]) -> str:
    """Return the sentence about a right program that does not pass the learner's tests.

    The sentence quotes only the learner's own code, and results for the learner's own arguments.

    Args:
        number: 0 for the main program, otherwise the number of an alternative one.
    """
    program = "a right program that is written another way" if number else "the right program"
    first, *others = failures
    if "test" not in first:
        return f"A call of your tests ends {program}, as one that takes too much time or memory."
    problem = f"it ends with {_to_quote(first['error'])}"
    problem = "an `assert` does not hold" if first["error"] == "AssertionError" else problem
    message = f": {_to_quote(first['message'])}" if first["message"] else ""
    call = f" Its last call: `{_to_quote(first['call'])}`." if first["call"] else ""
    names = [f"`{_to_quote(each.get('test', ''))}`" for each in others[:_MAX_NAMES]]
    other_failures = (
        f" {', '.join(names)} {'does' if len(names) == 1 else 'do'} so too." if names else ""
    )
    test = f"`{_to_quote(first['test'])}` refuses {program} (line {first['line']})"
    end = "" if message.endswith(".") else "."
    return f"{test}: {problem}{message}{end}{call}{other_failures}"


def _acceptance_sentence(_: str, rejected: int, count: int, needed: int, told: str | None) -> str:
    enough = "all of them must be" if needed == count else f"{needed} must be"
    left = "" if told else " Those that pass differ in a small change: an axis, a sign, a constant."
    return f"Your tests reject {rejected} of {count} wrong programs; {enough}.{left}"


def _to_quote(text: str) -> str:
    """Return a text for use between backticks: printable, on one line, and shortened."""
    return shorten(" ".join(printable(text).replace("`", "'").split()), _MAX_TEXT_LENGTH)


SUITE_SENTENCES: Final[Mapping[str, SentenceTemplate]] = {
    "suite-no-tests": (
        "There is no test in your file. A test is a function at the left margin whose name begins "
        "with `test_`."
    ),
    "suite-unstable": (
        "Your tests do not end the same each time on a right program. Take out what depends on "
        "chance, time or files, or give a random generator a seed."
    ),
    "suite-not-valid": "Wrong programs are tried when every right program passes your tests.",
    "suite-slow": "Your tests are too slow for all {count} wrong programs. Use smaller arrays.",
    "suite-refuses": _refusal_sentence,
    "suite-accepts": _acceptance_sentence,
}
