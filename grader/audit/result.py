"""The result of an audit."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from grader.authoring.importing.assignment import Assignment

CheckVerdict: TypeAlias = Literal["ok", "hole", "note"]


@dataclass(frozen=True, slots=True)
class SuiteCheck:
    """The answer to one question about the tests."""

    # "solution passes", "starter fails", "order", "never calls", "accepts sevens", "redundant",
    # "tolerance", "unseeded", "entered", "inputs" or "time".
    name: str
    verdict: CheckVerdict  # a hole makes the audit fail; a note does not
    sentence: str
    tests: tuple[str, ...] = ()  # the ids of the tests concerned


@dataclass(frozen=True, slots=True)
class Survivor:
    """A wrong program that all tests pass."""

    # One line, unique in an audit; a file of accepted survivors refers to it.
    change: str
    diff: str  # from the solution to the program, unified
    line: int  # the first line of the change in the solution, from 1
    # The smallest call found that tells the program from the solution, such as
    # "softmax(np.array([1.0, 2.0]))"; None where no call does.
    example: str | None = None
    expected: str | None = None  # the solution's result of that call
    got: str | None = None  # the program's
    test: str | None = None  # a ready test that fails on the program and passes on the solution
    misconception: str | None = None  # the title of a known mistake


GROUPS: Final = ("survivors", "equivalent", "untried", "unread", "accepted")
"""The fields of an audit that hold programs that no test rejects."""


@dataclass(frozen=True, slots=True)
class Audit:
    """The findings about an assignment."""

    assignment: Assignment
    checks: tuple[SuiteCheck, ...]
    # Programs that differ from the solution on a call, and that all tests pass: holes.
    survivors: tuple[Survivor, ...]
    # Programs without a known call that tells them from the solution, though tests run the line.
    equivalent: tuple[Survivor, ...]
    accepted: tuple[Survivor, ...]  # survivors named in the file of accepted ones
    killed: int  # how many programs a test rejects
    seconds: float
    misconceptions: int = 0  # how many of all these programs are known mistakes
    # The same, but no test that counts runs the changed line.
    untried: tuple[Survivor, ...] = ()
    # Programs that differ only in an attribute that no test reads.
    unread: tuple[Survivor, ...] = ()
    # A module of tests that kills the survivors; "" if there is none to write.
    extra_tests: str = ""

    @property
    def distinguishable(self) -> int:
        """Return how many programs differ from the solution on a known call."""
        return self.killed + len(self.survivors)

    @property
    def score(self) -> float:
        """Return which part of the distinguishable programs is killed; 1 if there is none."""
        return self.killed / self.distinguishable if self.distinguishable else 1.0

    @property
    def has_holes(self) -> bool:
        """Return whether a program survives or a check found a hole."""
        return bool(self.survivors) or any(check.verdict == "hole" for check in self.checks)
