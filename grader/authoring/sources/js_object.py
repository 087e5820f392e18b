"""A tolerant reader of JavaScript object literals, for documents that were typeset.

It accepts keys with or without quotes, strings in any quotes including typographic ones, backticks,
comments, trailing commas, escapes, strings joined by `+`, and a dash as a sign. It rewrites the
tokens as JSON for the standard library, so nothing is evaluated.

`json5` and `chompjs` would not make this shorter: the text must be split into these tokens anyway,
to tell typographic quotes from apostrophes and to find the object's end. Neither reads joined
strings or line breaks in backticks, `chompjs` takes `f()` for a text and tells no place of an
error, and `json5` needs seconds for 100 kB.
"""

import json
import re
from collections import Counter
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final

from grader.authoring.sources.typography import DASHES, DOUBLE, SINGLE

MAX_DEPTH: Final = 32
MAX_LENGTH: Final = 512 << 10  # longest object, in characters

_SPACE: Final = r"[\s\ufeff\u200b]"
_AFTER_EMPTY: Final = rf"\s*(?:[}}\]]|,\s*(?:[}}\]\[{{{SINGLE}{DOUBLE}`]|[\w$]+\s*:|//|/\*|\Z))"
# A typographic quote is an apostrophe unless the value ends there.
_LAST: Final = rf"(?={_SPACE}*+(?:[,}}\]:+/]|\Z))"
_DECIMAL: Final = r"(?:\d{1,300}\.?\d{0,300}|\.\d{1,300})(?:[eE][-+]?\d{1,3})?"
_TOKEN: Final = re.compile(
    "|".join(
        (
            rf"(?P<gap>{_SPACE}++|//[^\n]*|/\*.*?\*/)",
            r"(?P<mark>[{}\[\]:,])",
            rf"(?P<empty>[{DOUBLE[1:]}])(?={_AFTER_EMPTY})",
            *(rf"(?:\+{_SPACE}*)?{q}(?:\\.|[^\\{q}])*+{q}" for q in "'\"`"),
            *(
                rf"(?:\+{_SPACE}*)?[{family[1:]}](?:\\.|[^\\])*?[{family}]{_LAST}"
                for family in (SINGLE, DOUBLE)
            ),
            rf"(?P<key>[\w$]++)(?={_SPACE}*:)",
            rf"(?P<sign>[-+{DASHES}]?)(?P<number>0[xX][0-9a-fA-F]{{1,16}}|{_DECIMAL})",
            r"(?P<word>true|false|null|undefined|NaN|Infinity)\b",
        )
    ),
    re.DOTALL,
)
_ESCAPE: Final = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,5})\}|(.))", re.DOTALL
)
_ESCAPED_QUOTE: Final = re.compile(rf"\\[{SINGLE[1:]}{DOUBLE[1:]}]")
_ESCAPES: Final = {
    "n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "",
    **dict.fromkeys(SINGLE, "'"), **dict.fromkeys(DOUBLE, '"'),
}  # fmt: skip


class NoObjectError(Exception):
    """The text at `at` is not an object literal; it was read up to `reached`."""

    def __init__(self, at: int, message: str, reached: int = 0) -> None:
        self.at = at
        self.message = message
        self.reached = max(at, reached)
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class ReadObject:
    """An object, the index of its end, and the number of repairs of each kind."""

    value: dict[str, Any]
    end: int
    repairs: Counter[str]


def read_object(text: str, begin: int) -> ReadObject:
    """Read the object whose opening brace is at an index.

    Raises:
        NoObjectError: There is no object, it does not end, or it is unreasonably large.
    """
    limit = min(len(text), begin + MAX_LENGTH)
    pieces: list[tuple[str, int]] = []  # pieces of JSON with their index in the text
    repairs: Counter[str] = Counter()
    at, depth = begin, 0
    while at == begin or depth:
        token = _TOKEN.match(text, at, limit)
        if token is None and at >= limit:
            raise NoObjectError(begin, "this '{' is never closed", limit)
        if token is None:
            is_quote = text[at] in f"{SINGLE}{DOUBLE}`"
            message = "this string is never closed" if is_quote else _explain_misplaced(text[at])
            raise NoObjectError(at, message)
        if mark := token["mark"]:
            depth += (mark in "{[") - (mark in "}]")
        if depth > MAX_DEPTH:
            raise NoObjectError(at, f"nested more than {MAX_DEPTH} levels deep")
        _add(token, pieces, repairs)
        at = token.end()
    try:
        value = json.loads("".join(piece for piece, _ in pieces))
    except json.JSONDecodeError as error:
        ends = accumulate(len(piece) for piece, _ in pieces)
        spans = zip(ends, pieces, strict=True)
        place = next((place for end, (_, place) in spans if end > error.pos), begin)
        raise NoObjectError(place, _explain_misplaced(text[place]), at) from None
    return ReadObject(value, at, repairs)


def _explain_misplaced(character: str) -> str:
    return f"{character!r} cannot stand here"


def _add(token: re.Match[str], pieces: list[tuple[str, int]], repairs: Counter[str]) -> None:
    """Append a token to the JSON."""
    place, piece = token.start(), token.group()
    if token["gap"]:
        return
    if token["mark"]:
        if piece in "}]" and pieces and pieces[-1][0] == ",":
            pieces.pop()
    elif token["key"]:
        piece = json.dumps(piece)
    elif token["empty"]:
        repairs["an empty string that had become one quotation mark"] += 1
        piece = json.dumps("")
    elif token["number"]:
        piece = _number(token["sign"], token["number"], repairs)
    elif token["word"]:
        piece = piece.replace("undefined", "null")
    else:
        piece = _string(piece, repairs)
        if token.group()[0] == "+" and pieces and pieces[-1][0][0] == '"':
            begun, place = pieces.pop()
            piece = f"{begun[:-1]}{piece[1:]}"
    pieces.append((piece, place))


def _number(sign: str, digits: str, repairs: Counter[str]) -> str:
    if sign and sign in DASHES:
        repairs["a dash for a minus sign"] += 1
    value: float = int(digits, 16) if digits[:2] in ("0x", "0X") else float(digits)
    value = int(digits) if digits.isdecimal() else value
    return json.dumps(value if sign in ("", "+") else -value)


def _string(written: str, repairs: Counter[str]) -> str:
    quoted = written.removeprefix("+").strip("\ufeff\u200b \t\n") if written[0] == "+" else written
    inner = quoted[1:-1]
    if quoted[0] not in "'\"`":
        repairs["typographic quotes around a string"] += 1
    if count := len(_ESCAPED_QUOTE.findall(inner)):
        repairs["a typographic quote behind a backslash"] += count
    if quoted[0] != "`" and re.search(r"(?<!\\)\n", inner):
        repairs["a line break inside a string"] += 1
    return json.dumps(_ESCAPE.sub(_unescape, inner))


def _unescape(escape: re.Match[str]) -> str:
    if digits := escape[1] or escape[2] or escape[3]:
        return chr(int(digits, 16))
    # As in JavaScript, an unknown escape is the character itself.
    return _ESCAPES.get(escape[4], escape[4])
