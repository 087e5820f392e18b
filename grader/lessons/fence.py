"""Fenced blocks of a lesson, and their content: a prompt followed by `key: value` lines."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from grader.errors import DefinitionError, Location
from grader.lessons.computed_text import Text

_FIELD: Final = re.compile(r"([a-z_]+):(?:\s+|$)")
_SEPARATOR: Final = re.compile(r"\s\|\s")


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block."""

    path: Path
    line: int  # the line of the fence, counted from one
    info_words: tuple[str, ...]  # words after the fence, such as "python" and "hidden"
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
        return DefinitionError.at(self.where, message)


@dataclass(frozen=True, slots=True)
class Field:
    """A key and its value, which may go on in indented lines."""

    where: Location
    key: str
    value: str

    @property
    def text(self) -> Text:
        """The value as Markdown with expressions."""
        return Text.read(self.value, self.where)

    def halves(self) -> "tuple[Field, Field]":
        """Split the value at its first ` | ` into two fields, each with its own line.

        Raises:
            DefinitionError: There is no ` | ` with text on both sides.
        """
        match = _SEPARATOR.search(self.value)
        before = self.value[: match.start()].strip() if match else ""
        after = self.value[match.end() :].strip() if match else ""
        if match is None or not before or not after:
            raise DefinitionError.at(self.where, f"expected `{self.key}: ... | the reason`")
        line = self.where.line + self.value.count("\n", 0, match.end())
        second = Location(self.where.path, line)
        return Field(self.where, self.key, before), Field(second, self.key, after)


def parse_fields(fence: Fence) -> tuple[Field, Sequence[Field]]:
    """Split a block into its prompt, which is a field with the key "", and its other fields.

    Raises:
        DefinitionError: A line below a field is neither indented nor a field.
    """
    begun: list[tuple[Location, str, list[str]]] = [(fence.first_line, "", [])]
    for number, text in enumerate(fence.content.splitlines(), start=fence.line + 1):
        where = Location(fence.path, number)
        if match := _FIELD.match(text):
            begun.append((where, match[1], [text[match.end() :]]))
        elif begun[-1][1] and text.strip() and not text.startswith(" "):
            raise DefinitionError.at(
                where, "expected `key: value`, or an indented line that goes on"
            )
        else:
            begun[-1][2].append(text.strip())
    prompt, *others = (Field(at, key, "\n".join(texts).rstrip()) for at, key, texts in begun)
    return prompt, others


def read_fields(fence: Fence, keys: Collection[str]) -> tuple[Field, Sequence[Field]]:
    """Return the prompt and the fields of a block, and check them.

    Raises:
        DefinitionError: A key is not known, there is no prompt, or a value is empty.
    """
    prompt, fields = parse_fields(fence)
    for field in fields:
        if field.key not in keys:
            names = ", ".join(keys)
            raise DefinitionError.at(
                field.where, f"expected one of {names} before the colon, found '{field.key}'"
            )
    for field in (prompt, *fields):
        if not field.value.strip():
            lacks = (
                f"`{field.key}:` has no value" if field.key else "the block has no text of its own"
            )
            raise DefinitionError.at(field.where, lacks)
    return prompt, fields


def only(fields: Sequence[Field], key: str, where: Location) -> Field:
    """Return the only field with a key.

    Raises:
        DefinitionError: No field, or more than one, has the key.
    """
    matches = [field for field in fields if field.key == key]
    if len(matches) != 1:
        place = matches[1].where if matches else where
        raise DefinitionError.at(place, f"expected one `{key}:`, found {len(matches) or 'none'}")
    return matches[0]
