"""Undoing what typesetting does to code: curly quotes, dashes, spaces that do not break."""

import ast
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Final

SINGLE: Final = "'\u2018\u2019\u201a\u201b\u2032"
DOUBLE: Final = '"\u201c\u201d\u201e\u201f\u2033'

_DASHES: Final = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_SPACES: Final = "\u00a0\u2002\u2003\u2007\u2008\u2009\u202f\u3000"
_UNSEEN: Final = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_PLAIN: Final[dict[str, str]] = {
    **dict.fromkeys(SINGLE[1:], "'"),
    **dict.fromkeys(DOUBLE[1:], '"'),
    **dict.fromkeys(_DASHES, "-"),
    **dict.fromkeys(_SPACES, " "),
    **dict.fromkeys(_UNSEEN, ""),
    "\u2026": "...",
}
_STRANGE: Final = re.compile(f"[{''.join(_PLAIN)}]")
_NO_SPACES: Final = re.compile(f"[{_SPACES}{_UNSEEN}]")
_NAMES: Final[dict[str, str]] = {
    **dict.fromkeys(SINGLE[1:], "a typographic quote"),
    **dict.fromkeys(DOUBLE[1:], "a typographic quote"),
    **dict.fromkeys(_DASHES, "a dash for a minus sign"),
    **dict.fromkeys(_SPACES, "a space that does not break"),
    **dict.fromkeys(_UNSEEN, "a character that no one sees"),
    "\u2026": "an ellipsis in one character",
}

Change = tuple[int, str, str]  # where in the text, what stood there, what stands there now


def parses(code: str) -> bool:
    """Return whether a text is Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # doubtful escapes are its author's
            ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def name_of(character: str) -> str:
    """Return the name of a character that typesetting brought in."""
    return _NAMES.get(character, "a character that typesetting brought in")


def plain_code(code: str, reads: Callable[[str], bool] = parses) -> tuple[str, list[Change]]:
    """Return code as it was typed, and what was changed.

    All that typesetting brings in is undone, unless a text that reads as it is would suffer.

    Args:
        code: a program, perhaps with its indentation lost.
        reads: tells whether a candidate is a program.
    """
    if not _STRANGE.search(code) or reads(code):
        return code, []
    everything = list(_changes(code, 0, len(code)))
    straight = _apply(code, everything)
    if reads(straight):
        return straight, everything
    careful = [
        change for begin, end in _outside_texts(code) for change in _changes(code, begin, end)
    ]
    mended = _apply(code, careful)
    return (mended, careful) if reads(mended) else (straight, everything)


def plain_output(text: str) -> tuple[str, list[Change]]:
    """Return printed text as a program prints it, and what was changed."""
    changes = list(_changes(text, 0, len(text)))
    return _apply(text, changes), changes


def plain_prose(text: str) -> tuple[str, list[Change]]:
    """Return prose with plain spaces, and what was changed; its quotes and dashes are right."""
    changes = [(m.start(), m.group(), _PLAIN[m.group()]) for m in _NO_SPACES.finditer(text)]
    return _apply(text, changes), changes


def _changes(text: str, begin: int, end: int) -> Iterator[Change]:
    for found in _STRANGE.finditer(text, begin, end):
        yield found.start(), found.group(), _PLAIN[found.group()]


def _apply(text: str, changes: list[Change]) -> str:
    pieces, at = [], 0
    for place, before, after in changes:
        pieces += [text[at:place], after]
        at = place + len(before)
    return "".join([*pieces, text[at:]])


def _outside_texts(code: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of code that lie outside the texts and comments in it, quotes included."""
    at = begin = 0
    while at < len(code):
        character = code[at]
        if character == "#":
            yield begin, at
            found = code.find("\n", at)
            at = begin = len(code) if found < 0 else found
        elif character in SINGLE or character in DOUBLE:
            yield begin, at + 1
            family = SINGLE if character in SINGLE else DOUBLE
            closing = character if character in "'\"" else family
            at += 1
            while at < len(code) and code[at] != "\n" and code[at] not in closing:
                at += 2 if code[at] == "\\" else 1
            at = begin = min(at, len(code))  # the end of the line if nothing closes the text
            at += 1
        else:
            at += 1
    yield begin, len(code)
