"""Values of unquoted YAML scalars: the YAML 1.2 core schema, without what readers disagree about.

YAML 1.1 takes `on` for true and `0123` for 83, YAML 1.2 takes them for a word and for 123. Such a
scalar has no value here: it carries a note that says what to write instead, and its reader reports
the note.
"""

import math
import re
from typing import Final, TypeAlias

from grader.definitions.wording import quote

ScalarValue: TypeAlias = str | int | float | bool | None

_CONSTANTS: Final[dict[str, ScalarValue]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
}
_BOOLEAN_WORDS: Final = frozenset({"on", "off", "yes", "no", "y", "n"})
_FLOAT_WORDS: Final = {
    "nan": ".nan",
    "inf": ".inf",
    "+inf": ".inf",
    "-inf": "-.inf",
    "infinity": ".inf",
    "+infinity": ".inf",
    "-infinity": "-.inf",
}

_NUMERIC_START: Final = frozenset("+-.0123456789")
_INTEGER: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]*)|0x[0-9a-fA-F]+")
_FLOAT: Final = re.compile(
    r"[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*)(?:[eE][-+]?[0-9]+)?|[-+]?[0-9]+[eE][-+]?[0-9]+"
)
_DISPUTED: Final = re.compile(  # octal, signed or binary bases, underscores
    r"[-+]?0[0-9_]+|[-+]?0o[0-7]+|[-+]?0b[01_]+|[-+]?0x[0-9a-fA-F_]+|[-+]?[0-9]+(?:_[0-9]+)+(?:\.[0-9_]*)?"
)

MAX_DIGITS: Final = 250
"""Longer integers are refused; every integer up to here also fits a float."""


def resolve(text: str, *, is_key: bool) -> tuple[ScalarValue, str]:
    """Return the value of an unquoted scalar, and a note if it has none that all readers share.

    `y`, `n` and `nan` are welcome as keys: inputs and a test's policy are called so, and a key is
    never a boolean or a number.
    """
    if text in _CONSTANTS:
        return _CONSTANTS[text], ""
    if note := _note_on_word(text, is_key=is_key):
        return text, note
    if text[0] in _NUMERIC_START:
        return _number(text)
    return text, ""


def _note_on_word(text: str, *, is_key: bool) -> str:
    word = text.lower()
    if word in _BOOLEAN_WORDS and not (is_key and len(word) == 1):
        return (
            f"some YAML readers take '{text}' for a boolean; "
            f'write "{text}" in quotes if you mean the word, true or false if you mean a boolean'
        )
    if word in _FLOAT_WORDS and not is_key:
        return (
            f"YAML takes '{text}' for a word; "
            f'write {_FLOAT_WORDS[word]} if you mean the number, "{text}" in quotes for the word'
        )
    if text == "None":
        return (
            "YAML takes 'None' for a word; "
            'write null if you mean no value, "None" in quotes for the word'
        )
    return ""


def _number(text: str) -> tuple[ScalarValue, str]:
    if _INTEGER.fullmatch(text):
        if len(text) > MAX_DIGITS:
            return text, f"an integer of {len(text)} digits is too long; {MAX_DIGITS} are allowed"
        return int(text, 16 if text.startswith("0x") else 10), ""
    if _FLOAT.fullmatch(text):
        value = float(text)
        if math.isinf(value):
            return text, f"{quote(text)} is too large for a float; write .inf for infinity"
        return value, ""
    if _DISPUTED.fullmatch(text):
        return text, (
            f"YAML readers disagree about {quote(text)}; write a number in plain decimal digits, "
            "or put text in quotes"
        )
    return text, ""
