"""Errors outside a verdict.

A submission that fails is not an exception: it is a `Verdict`. Everything else is one of these:

    EtudeError
    ├── UsageError        the command was asked for something that does not exist    exit status 2
    ├── DefinitionError   an exercise or track definition is not valid               exit status 2
    └── GraderFault       we could not grade; no score, no attempt charged           exit status 3
        └── SandboxFault  no sandbox, or the sandbox itself failed
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn, Self

MAX_PROBLEMS: Final = 100


class EtudeError(Exception):
    """Base of every error that Etude raises on purpose."""


class UsageError(EtudeError):
    """The command names something that does not exist or does not go together."""


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place in a definition: a file, and a line and column that count from one."""

    path: Path
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        path = str(self.path)
        if not path.isprintable():  # a file's name steers no terminal and begins no line
            path = ascii(path)[1:-1]
        return f"{path}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing that is wrong with a definition, and where."""

    where: Location
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


class DefinitionError(EtudeError):
    """A definition is not valid; `problems` lists everything found, in file order."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(sorted(problems))
        super().__init__("\n".join(map(str, self.problems)))

    def data(self) -> list[list[str | int]]:
        """Return the problems as JSON types."""
        places = [(problem.where, problem.message) for problem in self.problems]
        return [[str(at.path), at.line, at.column, message] for at, message in places]

    @classmethod
    def from_data(cls, data: object, clean: Callable[[str], str]) -> Self:
        """Return the error that `data` describes.

        Args:
            clean: Makes each message safe to show: it comes from an author's code.

        Raises:
            TypeError, ValueError: The data describe none.
        """
        if not isinstance(data, list) or not data:
            raise TypeError("no list of problems")
        return cls(
            [
                Problem(Location(Path(path), int(line), int(column)), clean(str(message)))
                for path, line, column, message in data
            ]
        )


class ProblemList:
    """The problems found so far; it gives up when there are more than anyone would read."""

    def __init__(self, problems: Iterable[Problem] = ()) -> None:
        self.problems = list(problems)

    def add(self, where: Location, message: str) -> None:
        """Note a problem that does not stop the reading."""
        self.problems.append(Problem(where, message))
        if len(self.problems) == MAX_PROBLEMS:
            self.stop(where, "there may be more problems; only the first are shown")

    def stop(self, where: Location, message: str) -> NoReturn:
        """Raise everything found, with one last problem that makes reading on pointless."""
        raise DefinitionError([*self.problems, Problem(where, message)])

    def raise_if_any(self) -> None:
        """Raise everything found, if anything was."""
        if self.problems:
            raise DefinitionError(self.problems)


class GraderFault(EtudeError):  # noqa: N818  a fault is our word for what is not an error of anybody
    """We could not grade. Never the submission's fault, so it never becomes a verdict."""


class SandboxFault(GraderFault):
    """No sandbox on this host, or the sandbox itself failed."""
