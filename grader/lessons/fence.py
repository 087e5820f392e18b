"""A fenced block of a lesson, and the `key: value` lines in it, which may follow a prompt."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from grader.errors import DefinitionError, Location, Problem
from grader.lessons.computed_text import Text

_FIELD: Final = re.compile(r"([a-z_]+):(?:\s+|$)")
_SEPARATOR: Final = re.compile(r"\s\|\s")


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block: the words after the fence, and what stands in it."""

    path: Path
    line: int  # the line of the fence, counted from one
    words: tuple[str, ...]
    content: str

    @property
    def where(self) -> Location:
        """The line of the fence."""
        return Location(self.path, self.line)

    @property
    def first_line(self) -> Location:
        """The line below the fence."""
        return Location(self.path, self.line + 1)

    def error(self, message: str) -> DefinitionError:
        """Return an error about the line of the fence."""
        return error(self.where, message)


@dataclass(frozen=True, slots=True)
class Field:
    """A key and its value; a line that is indented continues the one above."""

    where: Location
    key: str
    value: str

    @property
    def text(self) -> Text:
        """The value as a text with expressions."""
        return Text.read(self.value, self.where)

    def halves(self) -> "tuple[Field, Field]":
        """Return the value before ` | `, and the rest with the line in which it begins.

        Raises:
            DefinitionError: There is no ` | `, or nothing on one side of it.
        """
        match = _SEPARATOR.search(self.value)
        before = self.value[: match.start()].strip() if match else ""
        after = self.value[match.end() :].strip() if match else ""
        if match is None or not before or not after:
            raise error(self.where, f"expected `{self.key}: ... | the reason`")
        line = self.where.line + self.value.count("\n", 0, match.end())
        second = Location(self.where.path, line)
        return Field(self.where, self.key, before), Field(second, self.key, after)


def error(where: Location, message: str) -> DefinitionError:
    """Return the error of one problem."""
    return DefinitionError([Problem(where, message)])


def parse_fields(fence: Fence) -> tuple[Field, Sequence[Field]]:
    """Return the prompt of a block, as a field of the key "", and its other fields.

    Raises:
        DefinitionError: A line below a field is neither indented nor a field.
    """
    begun: list[tuple[Location, str, list[str]]] = [(fence.first_line, "", [])]
    for number, text in enumerate(fence.content.splitlines(), start=fence.line + 1):
        where = Location(fence.path, number)
        if match := _FIELD.match(text):
            begun.append((where, match[1], [text[match.end() :]]))
        elif begun[-1][1] and text.strip() and not text.startswith(" "):
            raise error(where, "expected `key: value`, or an indented line that goes on")
        else:
            begun[-1][2].append(text.strip())
    prompt, *others = (Field(at, key, "\n".join(texts).rstrip()) for at, key, texts in begun)
    return prompt, others


def read_fields(fence: Fence, keys: Collection[str]) -> tuple[Field, Sequence[Field]]:
    """Return the prompt of a block, and its fields.

    Raises:
        DefinitionError: A key is not known, there is no prompt, or a value is empty.
    """
    prompt, fields = parse_fields(fence)
    for field in fields:
        if field.key not in keys:
            names = ", ".join(keys)
            raise error(
                field.where, f"expected one of {names} before the colon, found '{field.key}'"
            )
    for each in (prompt, *fields):
        if not each.value.strip():
            lacks = (
                f"`{each.key}:` has no value" if each.key else "the block has no text of its own"
            )
            raise error(each.where, lacks)
    return prompt, fields


def only(fields: Sequence[Field], key: str, where: Location) -> Field:
    """Return the one field of a key.

    Raises:
        DefinitionError: There is none, or more than one.
    """
    matches = [field for field in fields if field.key == key]
    if len(matches) != 1:
        place = matches[1].where if matches else where
        raise error(place, f"expected one `{key}:`, found {len(matches) or 'none'}")
    return matches[0]
