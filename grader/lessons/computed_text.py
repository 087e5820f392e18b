"""Text of a lesson in which `= expression` stands for a computed value."""

import re
from dataclasses import dataclass
from typing import Final, Self

from grader.errors import Location

_VALUE: Final = re.compile(r"`= ([^`\n]+)`")


@dataclass(frozen=True, slots=True)
class Value:
    """An expression that is evaluated after the cells above it."""

    where: Location
    expression: str


@dataclass(frozen=True, slots=True)
class Text:
    """Markdown in which `= expression` stands for a value, until a run puts the value there."""

    parts: tuple[str | Value, ...] = ()
    computed: tuple[tuple[str, str], ...] = ()  # expressions and values, filled in by a run

    @classmethod
    def read(cls, source: str, where: Location) -> Self:
        """Split a text into Markdown and expressions; `where` is the place of its first line."""
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
