"""A fenced block of a lesson: `key: value` lines, or a prompt with such lines below it."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from grader.errors import DefinitionError, Location, Problem

_FIELD: Final = re.compile(r"([a-z]+):(?:\s+|$)")
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
        return DefinitionError([Problem(self.where, message)])


@dataclass(frozen=True, slots=True)
class Setting:
    """A `key: value` line."""

    where: Location
    key: str
    value: str


def settings_of(fence: Fence) -> Mapping[str, Setting]:
    """Return the settings of a block by their keys.

    Raises:
        DefinitionError: A line is not `key: value`, or a key stands there twice.
    """
    problems = []
    settings: dict[str, Setting] = {}
    for number, line in enumerate(fence.content.splitlines(), start=fence.line + 1):
        key, colon, value = line.partition(":")
        where = Location(fence.path, number)
        if not colon and not line.strip():
            continue
        if not key.strip() or not colon:
            message = f"expected 'key: value', found '{(value if colon else line).strip():.40}'"
            problems.append(Problem(where, message))
        elif key.strip() in settings:
            problems.append(Problem(where, f"'{key.strip()}' is set twice"))
        else:
            settings[key.strip()] = Setting(where, key.strip(), value.strip())
    if problems:
        raise DefinitionError(problems)
    return settings


@dataclass(frozen=True, slots=True)
class Field:
    """A key and its value; a line that is indented continues the one above."""

    where: Location
    key: str
    value: str

    def halves(self) -> "tuple[str, Field]":
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
        return before, Field(Location(self.where.path, line), self.key, after)


def error(where: Location, message: str) -> DefinitionError:
    """Return the error of one problem."""
    return DefinitionError([Problem(where, message)])


def read_fields(fence: Fence, keys: Collection[str]) -> tuple[Field, Sequence[Field]]:
    """Return the prompt of a block, as a field of the key "", and its other fields.

    Raises:
        DefinitionError: A key is not known, there is no prompt, or a value is empty.
    """
    path, line = fence.path, fence.line + 1
    begun: list[tuple[int, str, list[str]]] = [(line, "", [])]
    for number, text in enumerate(fence.content.splitlines(), start=line):
        where = Location(path, number)
        match = _FIELD.match(text)
        if match:
            if match[1] not in keys:
                names = ", ".join(keys)
                raise error(where, f"expected one of {names} before the colon, found '{match[1]}'")
            begun.append((number, match[1], [text[match.end() :]]))
        elif begun[-1][1] and text.strip() and not text.startswith(" "):
            raise error(where, "expected `key: value`, or an indented line that goes on")
        else:
            begun[-1][2].append(text.strip())
    fields = [Field(Location(path, at), key, "\n".join(texts).rstrip()) for at, key, texts in begun]
    for each in fields:
        if not each.value.strip():
            message = (
                f"`{each.key}:` has no value" if each.key else "the block has no text of its own"
            )
            raise error(each.where, message)
    return fields[0], fields[1:]


def only(fields: Sequence[Field], key: str, where: Location) -> Field:
    """Return the one field of a key.

    Raises:
        DefinitionError: There is none, or more than one.
    """
    matches = [each for each in fields if each.key == key]
    if len(matches) != 1:
        place = matches[1].where if matches else where
        raise error(place, f"expected one `{key}:`, found {len(matches) or 'none'}")
    return matches[0]
