"""What a learner is told: every sentence about how a test or a submission ended, in one place.

A sentence about a hidden test must not carry anything that the submission could have chosen: not a
message, not a value, not a line. It is made from the outcome and the rung alone.
"""

import difflib
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from grader.definitions.exercise import Disclosure
from grader.grading.compare import Difference, Rung
from grader.grading.contents import Contents
from grader.grading.verdict import Outcome
from grader.sandbox.process import Cause, ChildGoneError, Raised, Unsupported

_HIDDEN_BY_RUNG = {
    Rung.NOTHING: "Nothing was returned for the inputs of this hidden test.",
    Rung.TYPE: "The result has the wrong type for the inputs of this hidden test.",
    Rung.LENGTH: "The result has the wrong number of items for the inputs of this hidden test.",
    Rung.SHAPE: "The result has the wrong shape for the inputs of this hidden test.",
    Rung.DTYPE: "The result has the wrong dtype for the inputs of this hidden test.",
    Rung.NOT_FINITE: "The result has NaN or infinity in it for the inputs of this hidden test.",
    Rung.VALUES: "The result has the right form but wrong values in this hidden test.",
    Rung.INPUTS: "Your code changes its inputs in place in this hidden test.",
    Rung.TEXT: "The wrong text was printed for the inputs of this hidden test.",
}
_HIDDEN_BY_OUTCOME = {
    Outcome.FAILED: "The result of this hidden test is wrong.",
    Outcome.ERRORED: "Your code raised an error or ended for the inputs of this hidden test.",
    Outcome.TIMED_OUT: "Your code took too long for the inputs of this hidden test.",
    Outcome.OUT_OF_MEMORY: "Your code ran out of memory for the inputs of this hidden test.",
    Outcome.OUTPUT_LIMIT: "Your code printed too much for the inputs of this hidden test.",
}
_NOTHING_DISCLOSED = "A hidden test did not pass."

_LONGEST = 300  # characters of a submission's own words in a sentence

_ENDED = (
    "Your code ended the whole program. Return from the function instead; "
    "the tests after this one could not run."
)


def hidden(
    disclose: Disclosure, outcome: Outcome, rung: Rung | None, inputs: Mapping[str, Any]
) -> str:
    """Say about a hidden test only what its disclosure allows.

    Also where the inputs may be shown, the rest stays a fixed sentence: what a submission returns
    or raises could carry the inputs of another hidden test.
    """
    if disclose == "nothing":
        return _NOTHING_DISCLOSED
    sentence = _HIDDEN_BY_OUTCOME[outcome] if rung is None else _HIDDEN_BY_RUNG[rung]
    if disclose != "inputs":
        return sentence
    shown = "; ".join(f"{name} = {_summary(value)}" for name, value in inputs.items())
    return f"{sentence} Its inputs: {shown or 'none'}."


def _summary(value: object) -> str:
    """Print a value on one line, the middle of a large array left out."""
    with np.printoptions(precision=4, threshold=24, edgeitems=2, linewidth=1000):
        return f"{' '.join(repr(value).split()):.300}"


def differs(difference: Difference, draw: int, draws: int) -> str:
    """Say how a result differs, and in which of several draws."""
    if draws == 1:
        return difference.sentence
    return f"{difference.sentence} (Inputs {draw + 1} of {draws}.)"


def input_changed(name: str, call: str) -> str:
    """Say that an argument was changed in place."""
    return f"Your code changes {name} of `{call}` in place. Work on a copy, or make a new array."


def outcome_of(raised: Raised) -> Outcome:
    """Class an exception that the submission raised."""
    if "MemoryError" in raised.bases:
        return Outcome.OUT_OF_MEMORY
    if raised.type == "OutputLimitError":
        return Outcome.OUTPUT_LIMIT
    return Outcome.ERRORED


def raised(error: Raised, call: str, contents: Contents) -> str:
    """Say what a submission's exception was and where it came from."""
    if error.type == "SystemExit":
        return "Your code ends the program with sys.exit(). Return from the function instead."
    if error.type == "OutputLimitError":
        return OUTPUT_LIMIT
    if "MemoryError" in error.bases:
        return f"Your code asked for more memory than it may use{_at(error)}."
    if error.type == "ModuleNotFoundError" and (module := _QUOTED.search(error.message)):
        known = "only NumPy and Python's standard library"
        return f"There is no module `{module[1]:.60}` here, {known}{_at(error)}."
    if not error.frames and call:
        return _in_the_test_itself(error, call, contents)
    message = f": {_cut(error.message)}" if error.message else ""
    return f"{error.type}{message}{_at(error)}.{_HINTS.get(error.type, '')}{_exit_hint(error)}"


_QUOTED = re.compile(r"'([^']+)'")

_HINTS = {
    "EOFError": " Nothing can be typed in here: `input()` has nothing to read.",
}


def _exit_hint(error: Raised) -> str:
    if error.type == "NameError" and re.search(r"'(exit|quit)'", error.message):
        return " To leave a function, use `return`."
    return ""


def _cut(message: str) -> str:
    return message if len(message) <= _LONGEST else f"{message[:_LONGEST]}..."


def _at(error: Raised) -> str:
    if not error.frames:
        return ""
    line, function = error.frames[-1]
    return f" (line {line})" if function == "<module>" else f" (line {line}, in {function})"


def _in_the_test_itself(error: Raised, call: str, contents: Contents) -> str:
    """Explain an error without a line of the learner's: at the call, or in the test's own line."""
    for name, defined in contents.defined.items():
        if error.type == "TypeError" and error.message.startswith(f"{name}()"):
            where = f" (line {defined.line})" if defined.line else ""
            return (
                f"The test runs `{_cut(call)}`, but your function is "
                f"`def {name}{defined.signature}`{where}: {_cut(error.message)}."
            )
    return (
        f"The test's own line fails with what your code gave it: `{_cut(call)}` "
        f"({error.type}: {_cut(error.message)}). Does your function return what is asked for?"
    )


def syntax_error(error: Raised) -> str:
    """Say what Python could not read."""
    shown = f": `{error.text.strip()[:80]}`" if error.text.strip() else ""
    line = f"line {error.line}" if error.line else "your code"
    return f"Python cannot read {line}{shown} ({error.type}: {_cut(error.message)})."


def unsupported(answer: Unsupported) -> str:
    """Say that a value is of a kind that no test can look at."""
    where = f" (at {answer.path} of the result)" if answer.path else ""
    if answer.kind == "coroutine":
        return "Your function is `async def`, so calling it computes nothing. Write `def`."
    if any(word in answer.kind for word in ("array", "matrix", "Masked")):
        advice = (
            "Return an ordinary array of numbers, for example `np.asarray(result, dtype=float)`."
        )
    else:
        advice = "Return plain Python values or NumPy arrays."
    return f"Your function returned {_article(answer.kind)}{where}. {advice}"


def _article(kind: str) -> str:
    if kind == "ndarray":
        return "a NumPy array"
    if kind.startswith(("a ", "an ")):
        return kind
    return f"{'an' if kind[:1].lower() in 'aeiou' else 'a'} {kind}"


def gone(error: ChildGoneError) -> tuple[Outcome, str]:
    """Class and explain the end of a submission's process."""
    match error.cause:
        case Cause.CPU_TIME:
            return (
                Outcome.TIMED_OUT,
                f"Stopped after {error.detail} of computing. Is there a loop without an end?",
            )
        case Cause.WALL_TIME:
            return (
                Outcome.TIMED_OUT,
                f"Stopped after {error.detail}. Does it wait for something, or never end?",
            )
        case Cause.SIGNAL:
            return (
                Outcome.ERRORED,
                f"Python itself crashed ({error.detail}) while it ran your code.",
            )
        case Cause.KILLED:
            return Outcome.ERRORED, (
                "Your code's process was killed, for its use of memory perhaps, or it closed its "
                "connection to the grader."
            )
        case Cause.EXIT:
            return Outcome.ERRORED, _ENDED
        case Cause.PROTOCOL:
            return (
                Outcome.ERRORED,
                "Your code wrote to the grader's connection, so there is no answer to judge.",
            )


def missing(name: str, call: str, names: Sequence[str]) -> str:
    """Say that a function is missing, and which one it may have become."""
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    if close:
        return f"There is no function `{name}` in your code. Is `{close[0]}` meant to be it?"
    return f"There is no function `{name}` in your code; the tests call `{call}`."


def not_callable(name: str, kind: str) -> str:
    """Say that a name stands for something else than a function."""
    return f"`{name}` should be a function, but in your code it is {_article(kind)}."


OUTPUT_LIMIT = (
    "Your code printed more than it may, so the rest was cut off. Is there a print in a loop?"
)
NOT_RUN = "Not run, because your program had ended before."
