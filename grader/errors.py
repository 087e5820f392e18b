"""Errors outside a verdict.

A submission that fails is not an exception: it is a `Verdict`. Everything else is one of these:

    EtudeError
    ├── UsageError        the command was asked for something that does not exist    exit status 2
    ├── DefinitionError   an exercise or track definition is not valid               exit status 2
    └── GraderFault       we could not grade; no score, no attempt charged           exit status 3
        └── SandboxFault  no sandbox, or the sandbox itself failed
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


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


class GraderFault(EtudeError):  # noqa: N818  a fault is our word for what is not an error of anybody
    """We could not grade. Never the submission's fault, so it never becomes a verdict."""


class SandboxFault(GraderFault):
    """No sandbox on this host, or the sandbox itself failed."""
