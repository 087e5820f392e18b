"""Phrases for error messages: shortened values, suggestions, listings."""

import unicodedata
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from itertools import islice
from typing import Final

_WIDTH = 40  # characters of a text that a message quotes
_MAX_COMPARED = 500  # words that are compared for a suggestion, which is slow
# Cyrillic and Greek letters, with the Latin letters that they look like.
_LOOK_ALIKE: Final = dict(
    zip(
        "аеорсухіјѕАВЕКМНОРСТУХІЈЅοΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",  # noqa: RUF001  look-alikes are the point
        "aeopcyxijsABEKMHOPCTYXIJSoABEZHIKMNOPTYX",
        strict=True,
    )
)


def shorten(text: str, max_length: int, ending: str = "...") -> str:
    """Cut a text to a length, which includes the ending that shows the cut.

    Line breaks stay; a caller that needs one line replaces them before.
    """
    return text if len(text) <= max_length else text[: max_length - len(ending)] + ending


def shorten_line(text: str) -> str:
    """Return `text` on one line, with escapes and cut to about forty characters."""
    return repr(shorten(text, _WIDTH, "…"))[1:-1]


def quote(text: str) -> str:
    """Return `text` on one line, cut to about forty characters, in quotes."""
    return f"'{shorten_line(text)}'"


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """Return `; did you mean 'x'?` for the closest word, or "" if none is close."""
    if len(word) > 2 * _WIDTH:  # too long for a typing mistake, and slow to compare
        return ""
    close = get_close_matches(word, islice(words, _MAX_COMPARED), n=1)
    if not close:
        return ""
    letter = other_letter(word, close[0]) or other_letter(close[0], word)
    return " ".join(filter(None, (f"; did you mean '{close[0]}'?", letter)))


def join_quoted(words: Iterable[str], conjunction: str) -> str:
    """Join quoted words: `'a', 'b' or 'c'`."""
    return join_words(map(quote, words), conjunction)


def join_words(words: Iterable[str], conjunction: str) -> str:
    """Join words: `a, b or c`."""
    *earlier, last = words
    return f"{', '.join(earlier)} {conjunction} {last}" if earlier else last


def plural(number: int, noun: str, nouns: str = "") -> str:
    """Return a number and its noun, in the plural if necessary.

    Args:
        nouns: The plural, if it is not the noun with an s.
    """
    return f"{number} {noun if number == 1 else nouns or noun + 's'}"


def join_first(words: Sequence[str], max_words: int = 3) -> str:
    """Join the first words, and count the others: `a, b, c and 2 more`."""
    more = f" and {len(words) - max_words} more" if len(words) > max_words else ""
    return ", ".join(words[:max_words]) + more


def other_letter(written: str, meant: str) -> str:
    """Return the sentence about a look-alike letter in a name, or ""."""
    apart = [i for i, (a, b) in enumerate(zip(written, meant, strict=False)) if a != b]
    if len(written) != len(meant) or not apart or any(written[i].isascii() for i in apart):
        return ""
    if len(apart) == len(meant) and any(_LOOK_ALIKE.get(written[i]) != meant[i] for i in apart):
        return ""
    index = apart[0]
    letter = written[index]
    script = unicodedata.name(letter, "").partition(" ")[0].capitalize()
    note = f", which is a {script} letter and" if script in ("Cyrillic", "Greek") else ""
    return (
        f"Letter {index + 1} of `{written}` is `{letter}`{note or ','} not `{meant[index]}`. "
        "Type the name again."
    )
