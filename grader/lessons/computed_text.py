"""Text of a lesson in which `= expression` stands for a value that is computed."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from grader.errors import Location

_VALUE: Final = re.compile(r"`= ([^`\n]+)`")


@dataclass(frozen=True, slots=True)
class Value:
    """An expression in a text whose value stands in its place."""

    where: Location
    expression: str


ComputedText: TypeAlias = tuple[str | Value, ...]
"""Each item is a text, or a value to be computed."""


def split_values(text: str, path: Path, line: int) -> ComputedText:
    """Split a text at its expressions.

    Args:
        line: The line of that file in which the text begins, from one.
    """
    parts: list[str | Value] = []
    done = 0
    for match in _VALUE.finditer(text):
        where = Location(path, line + text.count("\n", 0, match.start()))
        parts += [text[done : match.start()], Value(where, match[1].strip())]
        done = match.end()
    return (*parts, text[done:])
