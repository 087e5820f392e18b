"""Tables of sentences, and the text of numbers in sentences."""

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

SentenceTemplate: TypeAlias = str | Callable[..., str]
"""A format string with the names of facts, or a function of the facts."""

_MAX_TEXT_LENGTH = 80  # characters of a string that a sentence quotes


def render_sentence(
    sentence: SentenceTemplate, /, *arguments: Any, extra_names: Mapping[str, Any], **facts: Any
) -> str:
    """Fill the facts into a sentence of a table.

    Args:
        arguments: Positional arguments for a function.
        extra_names: Additional names for a format string.
    """
    if isinstance(sentence, str):
        return sentence.format_map({**facts, **extra_names})
    return sentence(*arguments, **facts)


def number_text(value: Any, digits: int = 4) -> str:
    """Return the text of a number, a boolean, a date or a string for a sentence."""
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (np.datetime64, np.timedelta64)):  # before np.integer, its base class
        return str(value)
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, str):
        return repr(str(value[:_MAX_TEXT_LENGTH]))
    if isinstance(value, (complex, np.complexfloating)):
        return f"{complex(value):.{digits}g}"
    number = float(value)
    return f"{number:.{digits}g}" if math.isfinite(number) else str(number)


def distinct_texts(one: object, other: object) -> tuple[str, str]:
    """Return the texts of two numbers, with enough digits to show the difference."""
    for digits in (4, 6, 9, 13, 17):
        pair = number_text(one, digits), number_text(other, digits)
        if pair[0] != pair[1]:
            break
    return pair
