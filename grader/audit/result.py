"""The result of an audit."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from grader.authoring.importing.assignment import Assignment

CheckVerdict: TypeAlias = Literal["ok", "hole", "note"]


@dataclass(frozen=True, slots=True)
class SuiteCheck:
    """The answer to one question about the tests.

    Attributes:
        name: "solution passes", "starter fails", "order", "never calls", "accepts sevens",
            "redundant", "tolerance", "unseeded", "entered", "inputs" or "time".
        verdict: A hole makes the audit fail; a note does not.
        sentence: Plain text, one sentence.
        tests: The ids of the tests concerned.
    """

    name: str
    verdict: CheckVerdict
    sentence: str
    tests: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Survivor:
    """A wrong program that all tests pass.

    Attributes:
        change: Names the change in one line, unique in an audit; a file of accepted ones refers to
            it.
        diff: From the solution to the program, unified.
        line: Where in the solution the change begins, from 1.
        example: The smallest call found that tells the program from the solution, such as
            "softmax(np.array([1.0, 2.0]))"; None where no call does.
        expected: The solution's result of that call.
        got: The program's.
        test: A ready test that fails on the program and passes on the solution.
        misconception: Its title, for a known mistake.
    """

    change: str
    diff: str
    line: int
    example: str | None = None
    expected: str | None = None
    got: str | None = None
    test: str | None = None
    misconception: str | None = None


GROUPS: Final = ("survivors", "equivalent", "untried", "unread", "accepted")
"""The fields of an audit that hold programs that no test rejects."""


@dataclass(frozen=True, slots=True)
class Audit:
    """The findings about an assignment.

    Attributes:
        survivors: Programs that differ from the solution on a call, and that all tests pass: holes.
        equivalent: Programs of which no call is known that tells them from the solution.
        untried: Those of which that is true because no test that counts runs the changed line.
        unread: Programs that differ in an attribute alone that no test reads.
        accepted: Survivors named in the file of accepted ones.
        killed: How many programs a test rejects.
        misconceptions: How many of all these programs are known mistakes.
        extra_tests: A module of tests that kills the survivors; "" if there is none to write.
    """

    assignment: Assignment
    checks: tuple[SuiteCheck, ...]
    survivors: tuple[Survivor, ...]
    equivalent: tuple[Survivor, ...]
    accepted: tuple[Survivor, ...]
    killed: int
    seconds: float
    misconceptions: int = 0
    untried: tuple[Survivor, ...] = ()
    unread: tuple[Survivor, ...] = ()
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
