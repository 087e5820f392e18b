"""Collecting the problems of a file, so that an author sees all of them at once."""

from collections.abc import Iterable
from typing import Final, NoReturn

from grader.errors import DefinitionError, Location, Problem

MAX_PROBLEMS: Final = 100


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
