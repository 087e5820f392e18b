"""The sentences about a learner's call that should show that a program is wrong."""

import re
from collections.abc import Iterable
from typing import Final

from grader.definitions.wording import shorten

NO_WITNESS: Final = "A search finds no small call that breaks this program."
RAISES: Final = "Right programs raise an error on this call, so the task does not allow it."
TOO_LONG: Final = "Right programs take too long or too much memory for this call; make it smaller."
TOO_LARGE: Final = "The arguments are too large; a call has at most 1,000 numbers."
ENDLESS: Final = "The wrong program takes too long here, which is no wrong result."
EMPTY: Final = "The right result is empty here, so there is nothing to compare."
NAN: Final = "The right result has NaN here, so no other result is wrong."
TIES: Final = (
    "Some numbers are equal here that the task keeps different, and which of them comes first is "
    "free."
)
DISAGREE: Final = "Right programs give different results on this call, so none of them is wrong."
LENGTHS: Final = "Two axes have different lengths here where the task allows only equal ones."
NO_CALL: Final = (
    "No test of this exercise compares the result of such a call; give the function all its usual "
    "arguments."
)

_LINE: Final = 80  # characters of a call that a sentence quotes
# The phrase for each property of ordinary inputs. The first missing property is reported.
_PROMISES: Final = {
    "of kind b": "True and False",
    "of kind i": "whole numbers",
    "of kind u": "whole numbers of an unsigned dtype",
    "of kind f": "decimal numbers",
    "of kind c": "complex numbers",
    "finite": "finite numbers",
    "each row has a finite number": "rows with a finite number",
    "positive": "numbers above 0",
    "negative": "numbers below 0",
    "not negative": "numbers from 0 on",
    "not positive": "numbers up to 0",
    "less than 1": "numbers below 1",
    "at most 1": "numbers up to 1",
    "rows have the sum 1": "rows with the sum 1",
    "increasing": "increasing numbers",
    "not decreasing": "numbers in increasing order",
    "each row has True": "rows with a True",
    "each row has False": "rows with a False",
    "the diagonal is True": "a diagonal of True",
    "the diagonal is False": "a diagonal of False",
}


def lacking_property_sentence(text: str, lacking: Iterable[str], *, is_empty: bool) -> str:
    """Return the sentence about an argument that lacks properties of ordinary inputs."""
    if is_empty:
        return f"The task promises at least one number here, and {_code(text)} has none."
    lacks = set(lacking)
    phrases = (phrase for name, phrase in _PROMISES.items() if name in lacks)
    usual_inputs = next(phrases, "other numbers")
    return f"The tests give only {usual_inputs} here, not {_code(text)}."


def wrong_form_sentence(text: str, forms: Iterable[str]) -> str:
    """Return the sentence about an argument of an unusual form."""
    usual_inputs = " or ".join(sorted(forms)).replace(" axes or an array with ", " or ")
    return f"The tests give only {usual_inputs} here, not {_code(text)}."


def wrong_program_sentence(sentence: str) -> str:
    """Rewrite a sentence about a submission as one about the wrong program and the call."""
    numbered = re.sub(r"`argument_(\d+)`", lambda m: f"argument {int(m[1]) + 1}", sentence)
    program = numbered.replace("your code", "the program")
    return program.replace(" Work on a copy, or make a new array.", "")


def same_result_sentence(text: str) -> str:
    """Return the sentence about a call for which right and wrong programs agree."""
    return f"Both give the same result: {_code(text)}."


def unreadable_call_sentence(reason: str) -> str:
    """Return the sentence about a text that is not a call with plain data."""
    return f"{reason}; write one call with plain data, such as 2, [1, 2] or np.array([1.0, 2.0])."


def _code(text: str) -> str:
    return f"`{shorten(' '.join(text.split()), _LINE, '…')}`"
