"""Tables of sentences, and numbers as they stand in sentences."""

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

Sentence: TypeAlias = str | Callable[..., str]
"""A text with names of facts in braces, or a function of the facts."""

_MAX_TEXT_LENGTH = 80  # characters of a text


def render_sentence(
    sentence: Sentence, /, *arguments: Any, words: Mapping[str, Any], **facts: Any
) -> str:
    """Return a sentence of a table with its facts.

    Args:
        arguments: What a function takes before the facts.
        words: What a text may name besides the facts.
    """
    if isinstance(sentence, str):
        return sentence.format_map({**facts, **words})
    return sentence(*arguments, **facts)


def number_text(value: Any, digits: int = 4) -> str:
    """Return a number, a truth value, a time or a text as it stands in a sentence."""
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (np.datetime64, np.timedelta64)):  # NumPy counts a time span as an integer
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
    """Return two numbers with as many digits as it takes to tell them apart."""
    for digits in (4, 6, 9, 13, 17):
        pair = number_text(one, digits), number_text(other, digits)
        if pair[0] != pair[1]:
            break
    return pair
