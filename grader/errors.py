"""Errors outside a verdict.

A submission that fails is not an exception but a `Verdict`. Other failures end a command by one of
these, or by a subclass that stands where it is raised:

    EtudeError
    ├── UsageError        what was asked for does not exist or is not allowed         exit status 2
    ├── DefinitionError   an exercise or track definition is not valid               exit status 2
    └── GraderFault       we could not grade; no score, no attempt charged           exit status 3
        └── SandboxFault  no sandbox, or the sandbox itself failed

`UnreadableError` of imports, and `PlatformRequestError` and `LaunchError` of the server, are an
`EtudeError` and no more: each is caught where its work begins.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn, Self

MAX_PROBLEMS: Final = 100  # reading a definition stops here: no one reads a longer list


class EtudeError(Exception):
    """Base of every error that Etude raises on purpose."""


class UsageError(EtudeError):
    """A request for something that does not exist, does not go together, or is not allowed."""


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place in a definition: a file, and a line and column that count from one."""

    path: Path
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        path = str(self.path)
        # The name of a file must not control the terminal, or look like a line of its own.
        if not path.isprintable():
            path = ascii(path)[1:-1]
        return f"{path}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """An error in a definition, and its place."""

    where: Location
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


class DefinitionError(EtudeError):
    """A definition is not valid; `problems` lists all errors that were found, in file order."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(sorted(problems))
        super().__init__("\n".join(map(str, self.problems)))

    @classmethod
    def at(cls, where: Location, message: str) -> Self:
        """Return the error with one problem."""
        return cls([Problem(where, message)])

    def data(self) -> list[list[str | int]]:
        """Return the problems as JSON types."""
        places = [(problem.where, problem.message) for problem in self.problems]
        return [[str(at.path), at.line, at.column, message] for at, message in places]

    @classmethod
    def from_data(cls, data: object, clean: Callable[[str], str]) -> Self:
        """Return the error whose `data()` this is.

        Args:
            clean: Makes a message safe to show, since an author's code may have written it.

        Raises:
            TypeError, ValueError: The data does not describe an error.
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
    """The problems found so far. Collecting stops at `MAX_PROBLEMS`."""

    def __init__(self, problems: Iterable[Problem] = ()) -> None:
        self.problems = list(problems)

    def add(self, where: Location, message: str) -> None:
        """Add a problem and read on; raise all if there are now `MAX_PROBLEMS`."""
        self.problems.append(Problem(where, message))
        if len(self.problems) == MAX_PROBLEMS:
            self.stop(where, "there may be more problems; only the first are shown")

    def stop(self, where: Location, message: str) -> NoReturn:
        """Raise the problems so far together with one that makes reading on pointless."""
        raise DefinitionError([*self.problems, Problem(where, message)])

    def raise_if_any(self) -> None:
        """Raise the problems so far, if there are any."""
        if self.problems:
            raise DefinitionError(self.problems)


class GraderFault(EtudeError):  # noqa: N818  a fault is not an error in anybody's input
    """The grader itself failed. This is never the submission's fault, so it is not a verdict."""


class SandboxFault(GraderFault):
    """A lack of a sandbox on this machine, or a failure of the sandbox itself."""
