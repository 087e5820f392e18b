"""Repair of typeset code: curly quotes, dashes and no-break spaces."""

import re
from collections.abc import Callable
from typing import Final

SINGLE: Final = "'\u2018\u2019\u201a\u201b\u2032"
DOUBLE: Final = '"\u201c\u201d\u201e\u201f\u2033'
DASHES: Final = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"

_KINDS: Final[dict[str, tuple[str, str]]] = {
    "typographic quotes": (SINGLE[1:], "'"),
    "typographic double quotes": (DOUBLE[1:], '"'),
    "dashes for minus signs": (DASHES, "-"),
    "spaces that do not break": ("\u00a0\u2002\u2003\u2007\u2008\u2009\u202f\u3000", " "),
    "characters that no one sees": ("\u00ad\u200b\u200c\u200d\u2060\ufeff", ""),
    "an ellipsis in one character": ("\u2026", "..."),
}
_SPACES: Final = ("spaces that do not break", "characters that no one sees")
_PLAIN: Final = {ord(c): plain for characters, plain in _KINDS.values() for c in characters}
_PLAIN_SPACES: Final = {ord(c): _KINDS[kind][1] for kind in _SPACES for c in _KINDS[kind][0]}
# Comments and quoted strings; an unclosed string ends with its line.
_KEPT: Final = re.compile(
    "|".join(
        (
            r"(#[^\n]*)",
            *(
                rf"[{opening}]((?:\\.|[^\\\n{closing}])*)"
                for opening, closing in (
                    ("'", "'"), ('"', '"'), (SINGLE[1:], SINGLE), (DOUBLE[1:], DOUBLE),
                )
            ),
        )
    )
)  # fmt: skip


def plain_code(code: str, reads: Callable[[str], bool]) -> str:
    """Undo typesetting in code.

    All changes of typesetting are undone, except inside strings if the program is valid without
    that repair, which `reads` decides.
    """
    straight = plain_output(code)
    if straight == code or reads(code):
        return code
    if reads(straight):
        return straight
    pieces, at = [], 0
    while match := _KEPT.search(code, at):
        begin, end = match.span(match.lastindex or 0)
        pieces += [plain_output(code[at:begin]), code[begin:end], plain_output(code[end : end + 1])]
        at = end + 1  # after the closing quote, or at the end of the line
    careful = "".join([*pieces, plain_output(code[at:])])
    return careful if reads(careful) else straight


def plain_output(text: str) -> str:
    """Undo typesetting in printed output."""
    return text.translate(_PLAIN)


def plain_prose(text: str) -> str:
    """Return prose with plain spaces, but with its typographic quotes and dashes."""
    return text.translate(_PLAIN_SPACES)


def list_kinds(before: str, after: str) -> list[str]:
    """Return the names of the typographic characters that were removed between two texts."""
    return [
        kind
        for kind, (characters, _) in _KINDS.items()
        if sum(map(after.count, characters)) < sum(map(before.count, characters))
    ]
