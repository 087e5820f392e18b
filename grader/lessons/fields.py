"""The text of a fenced block: a prompt, and below it lines of `key: value`."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from grader.errors import DefinitionError, Location, Problem
from grader.lessons.fence import Fence

_FIELD: Final = re.compile(r"([a-z]+):(?:\s+|$)")
_SEPARATOR: Final = re.compile(r"\s\|\s")


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
        found = _SEPARATOR.search(self.value)
        before = self.value[: found.start()].strip() if found else ""
        after = self.value[found.end() :].strip() if found else ""
        if found is None or not before or not after:
            raise error(self.where, f"expected `{self.key}: ... | the reason`")
        line = self.where.line + self.value.count("\n", 0, found.end())
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
        found = _FIELD.match(text)
        if found:
            if found[1] not in keys:
                known = ", ".join(keys)
                raise error(where, f"expected one of {known} before the colon, found '{found[1]}'")
            begun.append((number, found[1], [text[found.end() :]]))
        elif begun[-1][1] and text.strip() and not text.startswith(" "):
            raise error(where, "expected `key: value`, or an indented line that goes on")
        else:
            begun[-1][2].append(text.strip())
    fields = [Field(Location(path, at), key, "\n".join(texts).rstrip()) for at, key, texts in begun]
    for each in fields:
        if not each.value.strip():
            said = f"`{each.key}:` has no value" if each.key else "the block has no text of its own"
            raise error(each.where, said)
    return fields[0], fields[1:]


def only(fields: Sequence[Field], key: str, where: Location) -> Field:
    """Return the one field of a key.

    Raises:
        DefinitionError: There is none, or more than one.
    """
    found = [each for each in fields if each.key == key]
    if len(found) != 1:
        place = found[1].where if found else where
        raise error(place, f"expected one `{key}:`, found {len(found) or 'none'}")
    return found[0]
