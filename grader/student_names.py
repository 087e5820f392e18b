"""Names of students as platforms, spreadsheets and people write them, made comparable."""

import string
from collections.abc import Iterable
from typing import Final

LOST_ZEROS: Final = "where a spreadsheet took leading zeros away, format the column as text"
_ASCII_LOWER: Final = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def login_key(login: str) -> str:
    """Return a login for comparison, with ASCII letters in lower case.

    Unicode case folding or normalisation could merge two people: it maps U+017F to s, and the
    Kelvin sign to k.
    """
    return login.translate(_ASCII_LOWER)


def name_key(name: str) -> str:
    """Return a name's letters and digits in lower case, to compare different spellings."""
    return "".join(character for character in name.casefold() if character.isalnum())


def find_lost_zeros(names: Iterable[str], others: Iterable[str]) -> tuple[str, str] | None:
    """Return the first two numbers that differ only in leading zeros, or None."""
    numbers = {other.lstrip("0"): other for other in others if other.isdecimal()}
    pairs = ((name, numbers.get(name.lstrip("0"), name)) for name in names if name.isdecimal())
    return next((pair for pair in pairs if pair[0] != pair[1]), None)
