"""A fenced block of a lesson, and the `key: value` lines in it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.errors import DefinitionError, Location, Problem


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block: the words after the fence, and what stands in it."""

    path: Path
    line: int  # of the fence, counted from one
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
    found: dict[str, Setting] = {}
    for setting in _settings(fence):
        if not setting.key:
            message = f"expected 'key: value', found '{setting.value:.40}'"
            problems.append(Problem(setting.where, message))
        elif setting.key in found:
            problems.append(Problem(setting.where, f"'{setting.key}' is set twice"))
        found.setdefault(setting.key, setting)
    if problems:
        raise DefinitionError(problems)
    return found


def _settings(fence: Fence) -> Iterator[Setting]:
    for number, line in enumerate(fence.content.splitlines(), start=fence.line + 1):
        key, colon, value = line.partition(":")
        where = Location(fence.path, number)
        if colon:
            yield Setting(where, key.strip(), value.strip())
        elif line.strip():
            yield Setting(where, "", line.strip())
