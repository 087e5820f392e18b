"""What an exercise is: frozen types that mirror the YAML, field by field.

The docstring of a class and the `doc` of a field are what the published format says about them.
A field of type `Location` is not written by authors: the decoder fills it with the node's place.
Nor is one whose metadata says `internal`: the loader fills it.
"""
# ruff: noqa: RUF009  _doc declares a field, as dataclasses.field does

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NewType, TypeAlias

from grader.errors import Location

ExerciseId = NewType("ExerciseId", str)
TestId = NewType("TestId", str)

Kind: TypeAlias = Literal["write", "fix", "predict"]
Difficulty: TypeAlias = Literal["beginner", "intermediate", "advanced"]
Disclosure: TypeAlias = Literal["nothing", "category", "inputs"]
Edition: TypeAlias = Literal["full", "student"]


def _doc(text: str, **options: Any) -> Any:  # noqa: ANN401  dataclasses.field is typed as the field it declares
    """Declare a field with the sentence that the format's documentation shows."""
    return field(metadata={"doc": text}, **options)


@dataclass(frozen=True, slots=True)
class Literals:
    """Inputs written as plain YAML; a nested list of numbers is the array NumPy makes of it."""

    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Seeded:
    """Inputs made by Python that the grader runs; `rng` and `np` are there, `rng` is seeded."""

    code: str


@dataclass(frozen=True, slots=True)
class FromReference:
    """The expected value is what the reference gives for the same call."""


@dataclass(frozen=True, slots=True)
class LiteralValue:
    """The expected value is written out; a nested list of numbers stands for an array."""

    value: Any


Given: TypeAlias = Literals | Seeded
Expected: TypeAlias = FromReference | LiteralValue


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far a number may be off: `|got - expected| <= atol + rtol * |expected|`."""

    atol: float = _doc("Absolute part.", default=1e-9)
    rtol: float = _doc("Relative part.", default=1e-7)


@dataclass(frozen=True, slots=True)
class CallTest:
    """Call the submission and compare what it returns."""

    where: Location
    id: TestId = _doc("Names the test in every report; unique in the exercise.")
    call: str = _doc("A Python expression over the given names and the functions that are defined.")
    description: str = _doc("What the test shows, in a few words a learner reads.", default="")
    given: Given = _doc(
        "The inputs: a mapping of literals, or Python.", default_factory=lambda: Literals({})
    )
    seeds: int = _doc("How often to draw the inputs anew; each draw must pass.", default=1)
    expect: Expected = _doc("`reference`, or the value itself.", default_factory=FromReference)
    tolerance: Tolerance | None = _doc(
        "How close numbers must be; follows the dtype when left out.", default=None
    )
    keep_inputs: bool = _doc("Fail a submission that changes an argument in place.", default=False)
    hidden: bool = _doc("A hidden test is never shown to learners.", default=False)
    points: int = _doc("What the test is worth.", default=1)
    disclose: Disclosure = _doc("What feedback on a hidden test may tell.", default="category")


@dataclass(frozen=True, slots=True)
class OutputTest:
    """Run statements after the submission, in its namespace, and compare what they print."""

    where: Location
    id: TestId = _doc("Names the test in every report; unique in the exercise.")
    run: str = _doc("Python statements that run in the submission's namespace.")
    stdout: str = _doc("What they must print; numbers compare within the tolerance.")
    description: str = _doc("What the test shows, in a few words a learner reads.", default="")
    given: Given = _doc(
        "The inputs: a mapping of literals, or Python.", default_factory=lambda: Literals({})
    )
    tolerance: Tolerance | None = _doc(
        "How close printed numbers must be; to the last printed digit when left out.", default=None
    )
    hidden: bool = _doc("A hidden test is never shown to learners.", default=False)
    points: int = _doc("What the test is worth.", default=1)
    disclose: Disclosure = _doc("What feedback on a hidden test may tell.", default="category")


TestCase: TypeAlias = CallTest | OutputTest


@dataclass(frozen=True, slots=True)
class Definition:
    """One name that a submission must define."""

    where: Location
    reference: str | None = _doc(
        "The reference's counterpart, as `package.module:name`.", default=None
    )


@dataclass(frozen=True, slots=True)
class Misconception:
    """A known wrong way to solve the exercise, and what to tell someone who took it."""

    where: Location
    id: str = _doc("Names the misconception in reports and statistics.")
    code: str = _doc("A program that makes exactly this mistake.")
    feedback: str = _doc("What unlocks it, in one or two sentences.")


@dataclass(frozen=True, slots=True)
class ExerciseLimits:
    """What a submission to this exercise may use, where the usual limits do not fit."""

    where: Location
    cpu_seconds: int | None = _doc("CPU time for all tests together.", default=None)
    wall_seconds: float | None = _doc("Wall clock for all tests together.", default=None)
    memory_mib: int | None = _doc(
        "Address space; Python and NumPy take some 350 MiB of it.", default=None
    )
    output_kib: int | None = _doc("What may be printed; a multiple of 4.", default=None)


@dataclass(frozen=True, slots=True)
class Exercise:
    """One exercise: from it come the verdict and the page."""

    where: Location
    id: ExerciseId = _doc("Lower-case words joined by hyphens; unique in the collection.")
    title: str = _doc("The heading of the page.")
    difficulty: Difficulty = _doc("beginner, intermediate or advanced.")
    xp: int = _doc("Experience points for passing.")
    instructions: str = _doc("Markdown with $maths$: what to write, and why.")
    defines: Mapping[str, Definition] = _doc("What a submission must define.")
    starter: str = _doc("The code a learner begins with.")
    tests: tuple[TestCase, ...] = _doc("Visible and hidden tests, in the order they run.")
    solution: str = _doc(
        "A model answer; it passes every test. Only a student edition may lack it.", default=""
    )
    explanation: str = _doc(
        "Markdown: why the solution is right. Only a student edition may lack it.", default=""
    )
    kind: Kind = _doc(
        "write; fix (the starter is broken); predict (answered without running).", default="write"
    )
    requires: tuple[ExerciseId, ...] = _doc("Exercises to have passed before.", default=())
    concepts: tuple[str, ...] = _doc("Ideas that the exercise trains.", default=())
    hints: tuple[str, ...] = _doc("Markdown; from a nudge to nearly the answer.", default=())
    limits: ExerciseLimits | None = _doc(
        "Other limits than the usual, up to the site's cap.", default=None
    )
    misconceptions: tuple[Misconception, ...] = _doc(
        "Known mistakes, each with a program that makes it.", default=()
    )
    edition: Edition = _doc(
        "full, or student: without anything hidden, made from the full one, never by hand.",
        default="full",
    )
    hidden_elsewhere: int = _doc(
        "In a student edition: how many hidden tests the full edition has.", default=0
    )
    digest: str = field(default="", metadata={"internal": True})  # SHA-256 of the file's bytes

    @property
    def max_points(self) -> int:
        """The points of all tests together."""
        return sum(test.points for test in self.tests)

    @property
    def path_name(self) -> str:
        """The file name that a submission to this exercise has: `<id>.py`."""
        return f"{self.id}.py"
