"""The verdict on one submission of one exercise, with its values and its evidence.

It needs no NumPy, so that a verdict is read in little time.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Final, Literal, TypeAlias

from grader.definitions.exercise import ExerciseId, TestId

Number: TypeAlias = float | int | bool
Row: TypeAlias = tuple[Number, ...]

PRINTED: Final = "printed text"
"""The summary of what was printed."""


@dataclass(frozen=True, slots=True)
class ValueSummary:
    """A value of a visible test: an input, what was expected, or what the submission gave.

    `summarize_values` makes it. Every text in it is printable as it is, but for line feeds in
    `text`.
    """

    MAX_CHARACTERS: ClassVar[int] = 1000  # the length at which a text is cut
    MAX_CELLS: ClassVar[int] = 12  # along each axis of rows

    summary: str  # "float64 (3, 3)", "tuple of 2", "str"
    text: str  # as Python or NumPy prints it; what is too long ends in a note of how much there is
    rows: tuple[Row, ...] | None = None  # the numbers of a small array with one axis or two
    is_vector: bool = False  # its only row is an array with one axis

    def data(self) -> dict[str, Any]:
        """Return it as an object of JSON types."""
        # JSON has no NaN and no infinity: they go by their names.
        rows = None
        if self.rows is not None:
            rows = [[c if math.isfinite(c) else str(c) for c in row] for row in self.rows]
        return {
            "summary": self.summary,
            "text": self.text,
            "rows": rows,
            "vector": self.is_vector,
        }

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> "ValueSummary":
        """Return the summary that an object of JSON types describes.

        Raises:
            KeyError, TypeError, ValueError: It describes none.
        """
        rows = data["rows"]
        return cls(
            summary=data["summary"],
            text=data["text"],
            rows=None if rows is None else tuple(tuple(map(_number, row)) for row in rows),
            is_vector=data["vector"],
        )


@dataclass(frozen=True, slots=True)
class FailureValues:
    """The values of the draw that did not pass; none where none may be shown."""

    inputs: tuple[tuple[str, ValueSummary], ...] = ()
    expected: ValueSummary | None = None
    got: ValueSummary | None = None
    worst: tuple[int, ...] | None = None  # where the rows of both differ most


def _number(sent: object) -> Number:
    if isinstance(sent, str):
        return float(sent)
    if isinstance(sent, (bool, int, float)):
        return sent
    raise TypeError(f"no number: {sent!r}")


@dataclass(frozen=True, slots=True)
class Untrue:
    """An expected value that its author wrote out and that is not what comes out."""

    test: TestId
    message: str  # "[0, 1]: the definition says 0.211, the reference gives 0.2246"


@dataclass(frozen=True, slots=True)
class Evidence:
    """The resources of a run, and the written values that it shows to be wrong."""

    cpu_seconds: float
    wall_seconds: float
    peak_kib: int  # the whole process, Python and NumPy included
    printed: int  # bytes
    untrue: tuple[Untrue, ...] = ()
    varied: tuple[TestId, ...] = ()  # tests that expect an array of floats that are not all alike

    # With `Probe.wrong_program`, the tests that changed when both programs were graded again:
    changed: tuple[TestId, ...] = ()  # in their outcome, for the submission
    changed_wrong: tuple[TestId, ...] = ()  # in their outcome, for the wrong program
    changed_inputs: tuple[TestId, ...] = ()  # in the inputs that were drawn
    recomputed: tuple[TestId, ...] = ()  # in the value that the reference gives
    reach: Mapping[str, Any] = field(
        default_factory=dict
    )  # facts about the inputs; see `summarize_inputs`

    def data(self) -> dict[str, Any]:
        """Return it as an object of JSON types."""
        return asdict(self)

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> "Evidence":
        """Return the evidence that an object of JSON types describes.

        Raises:
            KeyError, TypeError, ValueError: It describes none.
        """
        return cls(
            float(data["cpu_seconds"]),
            float(data["wall_seconds"]),
            int(data["peak_kib"]),
            int(data["printed"]),
            tuple(Untrue(TestId(each["test"]), str(each["message"])) for each in data["untrue"]),
            **{
                name: tuple(TestId(str(each)) for each in data[name])
                for name in ("varied", "changed", "changed_wrong", "changed_inputs", "recomputed")
            },
            reach=dict(data["reach"]),
        )


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

    __test__: ClassVar[bool] = False  # for pytest: this is no test class

    id: TestId
    description: str  # empty for a hidden test: it may say what the test looks for
    hidden: bool
    outcome: Outcome
    points: int
    max_points: int
    message: str = ""
    line: int | None = None  # a line of the submission, where the message points to one
    output: str = ""  # the output of a visible test
    # Of a visible test that did not pass, the values of the draw that decided it:
    inputs: tuple[tuple[str, ValueSummary], ...] = ()
    expected: ValueSummary | None = None
    got: ValueSummary | None = None
    worst: tuple[int, ...] | None = None  # where the two differ most, if both have rows
    seconds: float | None = field(default=None, compare=False)  # that a visible test took

    def __post_init__(self) -> None:
        """Refuse a hidden test that carries what a hidden test must not tell."""
        values = (self.expected, self.got, self.worst, self.seconds)
        if self.hidden and (self.inputs or any(each is not None for each in values)):
            raise ValueError(f"the hidden test {self.id!r} carries values")


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The known mistake that explains all of a submission's failures that may be told of.

    Of kind `misconception`, `id` is the misconception's, with the exercise's before it if that is
    another one; of kind `mutation`, the name of the mutation operator; of kind `ambiguous`, several
    of either, joined by `JOIN`; of kind `pair`, two misconceptions that come together; of kind
    `repair`, the kind of part of the submission without which the tests pass; of kind `expression`,
    in which way the first expression that differs from a right program does.
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
class LineShape:
    """The form of what a line of a submission made when it last ran, in a visible test."""

    line: int
    name: str  # a variable; "return" for a result
    kind: str  # the dtype of an array or of a number of NumPy, else the type
    lengths: tuple[int, ...]  # the shape of an array, the length of a list or a tuple
    is_off_track: bool = False  # whether the first value that no right program has is here

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
    shapes: tuple[LineShape, ...] = ()  # if they were asked for
    evidence: Evidence | None = None  # if it was asked for; no part of any report
    failures: tuple[str, ...] = ()  # causes of optional parts that failed; no part of any report

    @property
    def score(self) -> int:
        """The points earned."""
        return sum(test.points for test in self.tests)

    @property
    def timed_out(self) -> bool:
        """Return whether it took more time than it has."""
        return Outcome.TIMED_OUT in {self.outcome, *(test.outcome for test in self.tests)}

    @property
    def max_score(self) -> int:
        """The points there are."""
        return sum(test.max_points for test in self.tests)
