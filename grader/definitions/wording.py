"""Words that error messages share: shortened values, near misses, listings."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from itertools import islice

_WIDTH = 40
_MAX_COMPARED = 500


def clip(text: str) -> str:
    """Return `text` on one line, cut to about forty characters."""
    shortened = repr(text[:_WIDTH])[1:-1]
    return shortened if len(text) <= _WIDTH else f"{shortened}…"


def quote(text: str) -> str:
    """Return `text` on one line, cut to about forty characters, in quotes."""
    return f"'{clip(text)}'"


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """Return `; did you mean 'x'?` for the closest word, or nothing if none is close."""
    if len(word) > 2 * _WIDTH:  # no typing mistake is that long, and comparing takes time
        return ""
    close = get_close_matches(word, islice(words, _MAX_COMPARED), n=1)
    return f"; did you mean '{close[0]}'?" if close else ""


def listing(words: Iterable[str], conjunction: str) -> str:
    """Return the words in quotes as a listing: `'a', 'b' or 'c'`."""
    *most, last = [quote(word) for word in words]
    return f"{', '.join(most)} {conjunction} {last}" if most else last


def few(words: Sequence[str], most: int = 3) -> str:
    """Return the first words, and how many more there are: `a, b, c and 2 more`."""
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(words[:most]) + more
