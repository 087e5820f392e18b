"""The verdict on one submission of one exercise, with its values and its evidence.

This module does not import NumPy, so that commands can read a verdict quickly.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Final, Literal, TypeAlias

from grader.definitions.exercise import ExerciseId, TestId

Number: TypeAlias = float | int | bool
Row: TypeAlias = tuple[Number, ...]

PRINTED: Final = "printed text"
"""The `ValueSummary.summary` of a printed output."""


@dataclass(frozen=True, slots=True)
class ValueSummary:
    """A summary of a value of a visible test: an input, the expected value, or the result.

    `summarize_values` makes it. All of its strings are printable, except for line feeds in `text`.
    """

    MAX_CHARACTERS: ClassVar[int] = 1000  # length at which `text` is cut
    MAX_CELLS: ClassVar[int] = 12  # length of each axis of `rows`

    summary: str  # "float64 (3, 3)", "tuple of 2", "str"
    text: str  # as Python or NumPy prints it; a text that was cut ends with its full size
    rows: tuple[Row, ...] | None = None  # numbers of a small array with one or two axes
    is_vector: bool = False  # whether the array has one axis, so that `rows` has one row

    @property
    def is_number(self) -> bool:
        """True for a single number: `summary` is then its type, or the dtype with `()`."""
        return _NUMBER_SUMMARY.fullmatch(self.summary) is not None


_NUMBER_SUMMARY: Final = re.compile(r"(bool|int|uint|float|complex)\d*( \(\))?")


@dataclass(frozen=True, slots=True)
class WrongExpectedValue:
    """An expected value that its author wrote out and that the reference contradicts."""

    test: TestId
    message: str  # "[0, 1]: the definition says 0.211, the reference gives 0.2246"


@dataclass(frozen=True, slots=True)
class ResourceUsage:
    """The time, memory and output that a run took."""

    cpu_seconds: float
    wall_seconds: float
    peak_kib: int  # peak memory of the whole process, including Python and NumPy
    output_bytes: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """Measurements of a run that `etude verify` needs beyond its verdict."""

    usage: ResourceUsage
    wrong_expected_values: tuple[WrongExpectedValue, ...] = ()
    varied: tuple[TestId, ...] = ()  # tests that expect an array of floats with different values
    # The type and the text of the submission's own error in a test.
    errors: Mapping[TestId, tuple[str, str]] = field(default_factory=dict)

    # For a `PairedJob`: the tests that changed when both programs were graded again.
    changed_outcomes: tuple[TestId, ...] = ()  # tests with another outcome for the submission
    changed_wrong_outcomes: tuple[TestId, ...] = ()  # the same for the wrong program
    changed_inputs: tuple[TestId, ...] = ()  # tests whose inputs were drawn differently
    changed_expected_values: tuple[TestId, ...] = ()  # the reference gave another value
    input_summary: Mapping[str, Any] = field(default_factory=dict)  # by `summarize_inputs`


DiagnosisKind: TypeAlias = Literal[
    "misconception", "mutation", "ambiguous", "pair", "repair", "expression"
]


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

    __test__: ClassVar[bool] = False  # keeps pytest from collecting this class

    id: TestId
    description: str  # empty for a hidden test, since it may give the test away
    hidden: bool
    outcome: Outcome
    points: int
    max_points: int
    message: str = ""
    line: int | None = None  # line of the submission that the message points to
    output: str = ""  # output during a visible test
    # The values of the draw that a visible test failed on.
    inputs: tuple[tuple[str, ValueSummary], ...] = ()
    expected: ValueSummary | None = None
    got: ValueSummary | None = None
    worst: tuple[int, ...] | None = None  # index of the largest difference, if both have rows
    seconds: float | None = field(default=None, compare=False)  # duration of a visible test

    def __post_init__(self) -> None:
        """Refuse a hidden test that carries values or a duration."""
        values = (self.expected, self.got, self.worst, self.seconds)
        if self.hidden and (self.inputs or any(value is not None for value in values)):
            raise ValueError(f"the hidden test {self.id!r} carries values")


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The known mistake that explains all failures of a submission that may be disclosed.

    The content of `id` depends on the kind:

    - `misconception`: the id of the misconception, prefixed by its exercise if that is another one
    - `mutation`: the name of the mutation operator
    - `ambiguous`: several ids of these two kinds, joined by `JOIN`
    - `pair`: the ids of two misconceptions that the submission combines, joined by `JOIN`
    - `repair`: the kind of code whose removal or change makes the tests pass
    - `expression`: the kind of difference of the first expression that differs from a right program
    """

    JOIN: ClassVar[str] = " | "

    kind: DiagnosisKind
    id: str
    feedback: str  # Markdown, for the learner
    hint: int | None  # number of a helpful hint, counted from 1
    tests: tuple[TestId, ...]  # tests whose failure it explains

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all mistakes that explain the failures."""
        return tuple(self.id.split(self.JOIN))


@dataclass(frozen=True, slots=True)
class SmallExample:
    """A small wrong result of a submission that fails only hidden tests.

    It is drawn for the learner and does not come from a test, so all of it may be shown.
    """

    code: str  # Python to paste: assignments of the inputs where needed, and a call
    result: TestResult  # the result of a visible test named "example", without points


@dataclass(frozen=True, slots=True)
class LineShape:
    """The form of the value that a line of the submission made last in a visible test."""

    line: int
    name: str  # the variable's name, or "return" for a result
    kind: str  # the dtype of an array or a NumPy scalar, otherwise the type
    lengths: tuple[int, ...]  # the shape of an array, or the length of a list or a tuple
    is_off_track: bool = False  # whether this is the first value that occurs in no right program

    @property
    def text(self) -> str:
        """The form in a few words: "(3, 5) float64", "list of 3", "int"."""
        if self.kind in ("list", "tuple"):
            return f"{self.kind} of {self.lengths[0]}" if self.lengths else self.kind
        return f"{self.lengths} {self.kind}" if self.lengths else self.kind


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome, points and results of one submission."""

    exercise: ExerciseId
    title: str
    outcome: Outcome
    message: str  # the reason why no test could run; empty if tests ran
    line: int | None
    tests: tuple[TestResult, ...]
    output: str  # output while the submission was loaded
    hidden_elsewhere: int  # number of tests that this edition of the exercise leaves out
    xp: int  # XP earned: the exercise's XP after a pass, otherwise 0
    sandbox: str  # the backend's name
    exercise_hash: str
    submission_hash: str
    grader_version: str
    diagnosis: Diagnosis | None = None
    example: SmallExample | None = None
    notes: tuple[str, ...] = ()  # sentences about cells of a notebook that were left out or failed
    shapes: tuple[LineShape, ...] = ()  # filled only with `JobOptions.with_shapes`
    # Filled only with `JobOptions.with_evidence`; never in a report.
    evidence: Evidence | None = None
    feedback_errors: tuple[str, ...] = ()  # why optional parts are missing; never in a report
    # Whether no test ran because an answer is still a placeholder; never in a report.
    is_unanswered: bool = False

    @property
    def score(self) -> int:
        """The points earned."""
        return sum(test.points for test in self.tests)

    @property
    def has_timed_out(self) -> bool:
        """True if the submission or one of its tests ran out of time."""
        return Outcome.TIMED_OUT in {self.outcome, *(test.outcome for test in self.tests)}

    @property
    def max_score(self) -> int:
        """The points that can be earned."""
        return sum(test.max_points for test in self.tests)
