"""A tolerant parser for object literals of JavaScript, as they look after a typographer had them.

Keys with or without quotes, strings in any quotes there are, also typographic ones, backticks,
comments, trailing commas, escapes, strings joined by `+`, numbers with a dash for a sign. Depth,
size and work are bounded, and nothing is ever evaluated.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NoReturn, TypeAlias

from grader.authoring.importing.typography import DOUBLE, SINGLE, name_of

MAX_DEPTH: Final = 32
MAX_VALUES: Final = 20_000
MAX_LENGTH: Final = 512 << 10  # characters of one object

_WORD: Final = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")
_NUMBER: Final = re.compile(
    r"([-+\u2012\u2013\u2014\u2212]?)(0[xX][0-9a-fA-F]{1,16}|(?:\d{1,300}\.?\d{0,300}|\.\d{1,300})(?:[eE][-+]?\d{1,3})?)"
)
_SPACE: Final = re.compile(r"[\s\ufeff\u200b]*")
_AFTER_EMPTY: Final = re.compile(
    rf"\s*(?:[}}\]]|,\s*(?:[}}\]\[{{{SINGLE}{DOUBLE}`]|[\w$]+\s*:|//|/\*|\Z))"
)
_CONSTANTS: Final[dict[str, bool | float | None]] = {
    "true": True,
    "false": False,
    "null": None,
    "undefined": None,
    "NaN": float("nan"),
    "Infinity": float("inf"),
}
_ESCAPES: Final = {
    "n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "",
}  # fmt: skip
_HEX: Final = re.compile(r"x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}")
_MAX_CODE: Final = 0x10FFFF
_SURROGATES: Final = range(0xD800, 0xE000)


class ParseError(Exception):
    """The text at the place `at` is no object literal."""

    def __init__(self, at: int, message: str) -> None:
        self.at = at
        self.message = message
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class JsRepair:
    """One thing that was wrong with the notation itself."""

    at: int
    what: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Text:
    """A string, and for each of its characters the place in the source."""

    at: int
    text: str
    places: Sequence[int]


@dataclass(frozen=True, slots=True)
class Plain:
    """A number, a boolean or nothing; `text` as written."""

    at: int
    value: float | bool | None
    text: str


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    at: int
    items: tuple["Value", ...]


@dataclass(frozen=True, slots=True)
class Object:
    """An object; a key that comes twice is kept twice."""

    at: int
    entries: tuple[tuple[str, "Value"], ...]

    def get(self, key: str) -> "Value | None":
        """Return the last value of a key, as JavaScript does."""
        return next((value for name, value in reversed(self.entries) if name == key), None)


Value: TypeAlias = Text | Plain | Items | Object


@dataclass(frozen=True, slots=True)
class Parsed:
    """An object, the place where it ends, and the repairs that were needed to read it."""

    value: Object
    end: int
    mended: tuple[JsRepair, ...]


def parse_object(text: str, at: int) -> Parsed:
    """Parse the object whose opening brace is at a place.

    Raises:
        ParseError: it is none, does not end, or is larger than anyone writes.
    """
    parser = _Parser(text, at)
    value = parser.object(0)
    return Parsed(value, parser.at, tuple(parser.mended))


@dataclass(slots=True)
class _JsBuilder:
    """A string under way."""

    characters: list[str] = field(default_factory=list)
    places: list[int] = field(default_factory=list)

    def add(self, text: str, at: int) -> None:
        self.characters += text
        self.places += [at] * len(text)


class _Parser:
    def __init__(self, text: str, at: int) -> None:
        self._text = text
        self.at = at
        self._limit = min(len(text), at + MAX_LENGTH)
        self._values = 0
        self.mended: list[JsRepair] = []

    def object(self, depth: int) -> Object:
        begin = self.at
        self._take("{")
        entries: list[tuple[str, Value]] = []
        while not self._closes("}", begin):
            character = self._peek()
            if character and character in SINGLE + DOUBLE:
                key = self._string().text
            else:
                found = _WORD.match(self._text, self.at, self._limit) or _NUMBER.match(
                    self._text, self.at, self._limit
                )
                if found is None:
                    self._fail(f"expected a key, found {character!r}")
                self.at = found.end()
                key = found.group()
            if self._peek() != ":":
                self._fail(f"expected ':' after the key {key[:40]!r}")
            self.at += 1
            entries.append((key, self._value(depth + 1)))
            self._separator("}")
        return Object(begin, tuple(entries))

    def _closes(self, bracket: str, begin: int) -> bool:
        character = self._peek()
        if not character:
            opening = {"}": "{", "]": "["}[bracket]
            raise ParseError(begin, f"this '{opening}' is never closed")
        if character == bracket:
            self.at += 1
            return True
        return False

    def _separator(self, bracket: str) -> None:
        character = self._peek()
        if character == ",":
            self.at += 1
        elif character and character != bracket:
            self._fail(f"expected ',' or '{bracket}', found {character!r}")

    def _value(self, depth: int) -> Value:
        self._values += 1
        if depth > MAX_DEPTH:
            self._fail(f"nested more than {MAX_DEPTH} levels deep")
        if self._values > MAX_VALUES:
            self._fail(f"more than {MAX_VALUES:,} values")
        character = self._peek()
        if character == "{":
            return self.object(depth)
        if character == "[":
            begin = self.at
            self._take("[")
            items: list[Value] = []
            while not self._closes("]", begin):
                items.append(self._value(depth + 1))
                self._separator("]")
            return Items(begin, tuple(items))
        if character and character in f"{SINGLE}{DOUBLE}`":
            return self._texts()
        begin = self.at
        if found := _NUMBER.match(self._text, begin, self._limit):
            self.at = found.end()
            sign, digits = found.groups()
            if sign not in ("", "-", "+"):
                self._mend(begin, name_of(sign), sign, "-")
            read = int if digits.isdecimal() else float
            value: float = int(digits, 16) if digits[:2] in ("0x", "0X") else read(digits)
            return Plain(begin, value if sign in ("", "+") else -value, found.group())
        word = _WORD.match(self._text, begin, self._limit)
        if word is None or word.group() not in _CONSTANTS:
            shown = word.group()[:40] if word else self._text[begin : begin + 1]
            self._fail(f"expected a value, found {shown!r}")
        self.at = word.end()
        return Plain(begin, _CONSTANTS[word.group()], word.group())

    def _texts(self) -> Text:
        """Read a string, or several joined by `+`."""
        text = self._string()
        while self._peek() == "+":
            self.at += 1
            if self._peek() not in (*SINGLE, *DOUBLE, "`"):
                self._fail("expected a string after '+'")
            more = self._string()
            text = Text(text.at, text.text + more.text, [*text.places, *more.places])
        return text

    def _string(self) -> Text:
        begin, quote = self.at, self._text[self.at]
        if quote in DOUBLE[1:] and _AFTER_EMPTY.match(self._text, begin + 1, self._limit):
            self._mend(begin, "an empty string that had become one quotation mark", quote, "''")
            self.at += 1
            return Text(begin, "", ())
        closing = SINGLE if quote in SINGLE else DOUBLE if quote in DOUBLE else "`"
        is_curly = quote not in "'\"`"
        built = _JsBuilder()
        self.at += 1
        while True:
            if self.at >= self._limit:
                raise ParseError(begin, "this string is never closed")
            character = self._text[self.at]
            if character in closing:
                # A curly quote may also be an apostrophe, unless the value ends there.
                after = _SPACE.match(self._text, self.at + 1, self._limit)
                end = after.end() if after else self.at + 1
                is_last = end >= len(self._text) or self._text[end] in ",}]:+/"
                if is_last if is_curly else character == quote:
                    break
            if character == "\\":
                self._escape(built)
                continue
            if character == "\n" and quote != "`":
                self._mend(self.at, "a line break inside a string", "(line break)", "\\n")
            built.add(character, self.at)
            self.at += 1
        last = self._text[self.at]
        self.at += 1
        if is_curly or last not in "'\"`":
            straight = "'" if quote in SINGLE else '"'
            what = "typographic quotes around a string"
            self._mend(begin, what, f"{quote}…{last}", f"{straight}…{straight}")
        return Text(begin, "".join(built.characters), built.places)

    def _escape(self, built: _JsBuilder) -> None:
        begin = self.at
        following = self._text[begin + 1 : begin + 2]
        self.at += 2
        if found := _HEX.match(self._text, begin + 1, self._limit):
            self.at = found.end()
            code = int(next(filter(None, found.groups())), 16)
            if code > _MAX_CODE or code in _SURROGATES:
                raise ParseError(begin, f"{found.group()!r} is no character")
            built.add(chr(code), begin)
        elif following in _ESCAPES:
            built.add(_ESCAPES[following], begin)
        elif following and following in SINGLE[1:] + DOUBLE[1:]:
            straight = "'" if following in SINGLE else '"'
            self._mend(begin, name_of(following), f"\\{following}", straight)
            built.add(straight, begin)
        else:  # as in JavaScript: the character itself
            built.add(following, begin)

    def _peek(self) -> str:
        """Skip spaces and comments; return the next character, or nothing at the end."""
        while True:
            found = _SPACE.match(self._text, self.at, self._limit)
            self.at = found.end() if found else self.at
            if self._text.startswith("//", self.at):
                end = self._text.find("\n", self.at, self._limit)
            elif self._text.startswith("/*", self.at):
                end = self._text.find("*/", self.at, self._limit)
                if end < 0:
                    self._fail("this comment is never closed")
                end += 2
            else:
                return self._text[self.at] if self.at < self._limit else ""
            self.at = self._limit if end < 0 else end

    def _take(self, character: str) -> None:
        if self._peek() != character:
            self._fail(f"expected {character!r}")
        self.at += 1

    def _mend(self, at: int, what: str, before: str, after: str) -> None:
        self.mended.append(JsRepair(at, what, before, after))

    def _fail(self, message: str) -> NoReturn:
        if self.at >= self._limit and self._limit < len(self._text):
            message = f"longer than {MAX_LENGTH:,} characters"
        raise ParseError(self.at, message)
