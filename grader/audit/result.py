"""The result of an audit."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from grader.authoring.sources.assignment import Assignment

CheckName: TypeAlias = Literal[
    "solution passes", "starter fails", "order", "never calls", "accepts sevens", "tolerance",
    "redundant", "unseeded", "entered", "inputs", "time", "like",
]  # fmt: skip
CheckVerdict: TypeAlias = Literal["ok", "hole", "note"]


@dataclass(frozen=True, slots=True)
class SuiteCheck:
    """The result of one check of a test suite."""

    name: CheckName
    verdict: CheckVerdict  # a hole makes the audit fail; a note does not
    sentence: str
    tests: tuple[str, ...] = ()  # ids of the tests concerned


@dataclass(frozen=True, slots=True)
class Survivor:
    """A wrong program that every test passes."""

    # One line that is unique in an audit; a file of accepted survivors refers to it.
    change: str
    diff: str  # a unified diff from the solution to the program
    line: int  # the solution's line where the change begins, from 1
    # The smallest call that distinguishes the program from the solution, such as
    # "softmax(np.array([1.0, 2.0]))"; None if no such call was found.
    example: str | None = None
    expected: str | None = None  # the solution's result for that call
    got: str | None = None  # the program's result for that call
    # A ready-made test that fails on the program and passes on the solution.
    test: str | None = None
    misconception: str | None = None  # the title of a known mistake
    operator: str = ""  # the mutation operator that made it
    test_name: str = ""  # the name of the function or method in `test`


GROUPS: Final = ("survivors", "equivalent", "untried", "unread", "accepted")
"""The fields of `Audit` with programs that every test passes."""


@dataclass(frozen=True, slots=True)
class Audit:
    """The result of auditing one assignment."""

    assignment: Assignment
    checks: tuple[SuiteCheck, ...]
    # Programs that differ from the solution on a call although every test passes: holes.
    survivors: tuple[Survivor, ...]
    # Programs for which no distinguishing call was found, although tests run the changed line.
    equivalent: tuple[Survivor, ...]
    accepted: tuple[Survivor, ...]  # survivors listed in the file of accepted ones
    killed: int  # number of programs that a test rejects
    seconds: float
    # Number of known mistakes among all programs.
    misconceptions: int = 0
    # Programs whose changed line no passing test runs.
    untried: tuple[Survivor, ...] = ()
    # Programs that differ only in an attribute that no test reads.
    unread: tuple[Survivor, ...] = ()
    # A test module that kills the survivors, or "" if there are no such tests.
    extra_tests: str = ""

    @property
    def distinguishable(self) -> int:
        """The number of programs that differ from the solution on a known call."""
        return self.killed + len(self.survivors)

    @property
    def score(self) -> float:
        """The killed share of the distinguishable programs; 1 if there are no such programs."""
        return self.killed / self.distinguishable if self.distinguishable else 1.0

    @property
    def has_holes(self) -> bool:
        """True if a program survives or a check found a hole."""
        return bool(self.survivors) or any(check.verdict == "hole" for check in self.checks)
