"""The verdict on one submission of one exercise."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar, Literal, TypeAlias

from grader.definitions.exercise import ExerciseId, TestId
from grader.grading.results.evidence import Evidence
from grader.grading.results.value_summary import ValueSummary

DiagnosisKind: TypeAlias = Literal[
    "misconception", "mutation", "ambiguous", "pair", "repair", "unused", "expression"
]  # fmt: skip


class Outcome(StrEnum):
    """The end of a test, or of a submission as a whole."""

    PASSED = "passed"
    FAILED = "failed"
    ERRORED = "errored"
    TIMED_OUT = "timed out"
    OUT_OF_MEMORY = "out of memory"
    OUTPUT_LIMIT = "output limit"
    NOT_RUN = "not run"


@dataclass(frozen=True, slots=True)
class TestResult:
    """The result of one test.

    It respects the test's disclosure: everything in it may be shown with the verdict.
    """

    __test__: ClassVar[bool] = False  # for pytest: this is no test class

    id: TestId
    description: str  # of a hidden test none: it may say what the test looks for
    hidden: bool
    outcome: Outcome
    points: int
    max_points: int
    message: str = ""
    line: int | None = None  # of the submission, where the message points to one
    output: str = ""  # what a visible test printed
    # Of a visible test that did not pass, the values of the draw that decided it:
    inputs: tuple[tuple[str, ValueSummary], ...] = ()
    expected: ValueSummary | None = None
    got: ValueSummary | None = None
    worst: tuple[int, ...] | None = None  # where the two differ most, if both have rows
    seconds: float | None = field(default=None, compare=False)  # that a visible test took

    def __post_init__(self) -> None:
        """Refuse a hidden test that carries what a hidden test must not tell."""
        told = (self.expected, self.got, self.worst, self.seconds)
        if self.hidden and (self.inputs or any(each is not None for each in told)):
            raise ValueError(f"the hidden test {self.id!r} carries values")


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The known mistake that explains all of a submission's failures that may be told of.

    Of kind `misconception`, `id` is the misconception's, with the exercise's before it if that is
    another one; of kind `mutation`, the name of the mutation operator; of kind `ambiguous`, several
    of either, joined by `JOIN`; of kind `pair`, two misconceptions that come together; of kind
    `repair`, the kind of part of the submission without which the tests pass; of kind `expression`,
    in which way the first expression that differs from a right program does. Of kind `unused` it is
    no explanation, but a remark that something is never used.
    """

    JOIN: ClassVar[str] = " | "

    kind: DiagnosisKind
    id: str
    feedback: str  # Markdown, for the learner
    hint: int | None  # the number of the hint that helps, from 1
    tests: tuple[TestId, ...]  # that it explains

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all mistakes that explain the failures."""
        return tuple(self.id.split(self.JOIN))


@dataclass(frozen=True, slots=True)
class SmallExample:
    """A small input on which a submission is wrong that fails hidden tests only.

    It is drawn for the learner and is in no test: everything in it may be shown.
    """

    code: str  # Python that can be pasted: the inputs, if they need lines of their own, and a call
    result: TestResult  # as of a visible test without points that is called "example"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome, points and results of one submission."""

    exercise: ExerciseId
    title: str
    outcome: Outcome
    message: str  # why no test could run; empty when they ran
    line: int | None
    tests: tuple[TestResult, ...]
    output: str  # printed while the submission was loaded
    hidden_elsewhere: int  # tests that this edition of the exercise leaves out
    xp: int  # earned: the exercise's on a pass, else none
    sandbox: str  # the backend's name
    exercise_hash: str
    submission_hash: str
    grader_version: str
    diagnosis: Diagnosis | None = None  # if one mistake explains why it did not pass
    example: SmallExample | None = None  # if only hidden tests failed and one was found
    notes: tuple[str, ...] = ()  # on what of a notebook was left out or failed
    evidence: Evidence | None = None  # if it was asked for; no part of any report

    @property
    def score(self) -> int:
        """The points earned."""
        return sum(test.points for test in self.tests)

    @property
    def max_score(self) -> int:
        """The points there are."""
        return sum(test.max_points for test in self.tests)
