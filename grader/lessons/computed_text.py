"""Text of a lesson in which `= expression` stands for a value that is computed."""

import re
from dataclasses import dataclass
from typing import Final, Self

from grader.errors import Location

_VALUE: Final = re.compile(r"`= ([^`\n]+)`")


@dataclass(frozen=True, slots=True)
class Value:
    """An expression whose value is computed after the cells above it."""

    where: Location
    expression: str


@dataclass(frozen=True, slots=True)
class Text:
    """Markdown in which `= expression` stands for a value; after a run the value is there."""

    parts: tuple[str | Value, ...] = ()
    computed: tuple[tuple[str, str], ...] = ()  # by a run: each expression with its value

    @classmethod
    def read(cls, source: str, where: Location) -> Self:
        """Split a text that begins at a line of a file."""
        parts: list[str | Value] = []
        done = 0
        for match in _VALUE.finditer(source):
            line = where.line + source.count("\n", 0, match.start())
            parts += [
                source[done : match.start()],
                Value(Location(where.path, line), match[1].strip()),
            ]
            done = match.end()
        return cls((*parts, source[done:]))

    def __str__(self) -> str:
        return "".join(
            part if isinstance(part, str) else f"`= {part.expression}`" for part in self.parts
        )
