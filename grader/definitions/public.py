"""The public form of an exercise: the only one that reaches the modules that make pages.

These types have no place for a hidden test, a solution or a misconception's program, so a template
cannot leak what it was never given. `grader.grading.expected.public_form` makes them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from grader.definitions.exercise import (
    KINDS_OF_TEST,
    Difficulty,
    Exercise,
    ExerciseId,
    Kind,
    Property,
    TestId,
)
from grader.definitions.properties import PROPERTIES
from grader.definitions.track import TrackId

_KINDS: Final = {kind.kind: kind for kind in KINDS_OF_TEST}
_MINUTES: Final = {"beginner": 8, "intermediate": 15, "advanced": 25}  # by difficulty
_PREDICT_MINUTES: Final = 5


@dataclass(frozen=True, slots=True)
class DescribedValue:
    """Stands for a value that is no plain data, such as a function, and prints as it does."""

    kind: str  # the name of its type
    text: str

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class PublicTest:
    """A visible test with its inputs and its expected value, both computed."""

    kind: str  # of a prediction "answer": the value that it is compared with is not shown
    id: TestId
    description: str
    points: int
    given: Mapping[str, Any]  # name to value: plain Python values, NumPy arrays, `DescribedValue`
    code: str  # the expression that is called, or the statements that are run
    expected: Any  # of a call the value, of an output the text; else None
    holds: Property | None = None  # the property that is checked
    draws: int = 1  # how many sets of inputs there are; the first is shown

    @property
    def heading(self) -> str:
        """The heading of the code."""
        kind = _KINDS.get(self.kind)
        return "Your answer" if kind is None else kind.page_heading

    @property
    def expected_heading(self) -> str:
        """The heading of the expected value, or nothing."""
        kind = _KINDS.get(self.kind)
        return "" if kind is None else kind.expected_heading

    @property
    def promise(self) -> str:
        """The property in words, or nothing."""
        return "" if self.holds is None else PROPERTIES[self.holds].on_page


@dataclass(frozen=True, slots=True)
class PublicHint:
    """A hint, and the XP that it costs to see it."""

    text: str  # Markdown
    price: int = 0


@dataclass(frozen=True, slots=True)
class PublicExercise:
    """An exercise without anything hidden."""

    id: ExerciseId
    title: str
    kind: Kind
    difficulty: Difficulty
    xp: int
    requires: tuple[ExerciseId, ...]
    concepts: tuple[str, ...]
    instructions: str  # Markdown
    starter: str  # Python
    defines: tuple[str, ...]  # the names that a submission must define
    hints: tuple[PublicHint, ...]
    tests: Sequence[PublicTest]
    hidden_tests: int  # how many more there are
    max_points: int
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # by the answer's name
    digest: str = ""  # SHA-256 of the definition's file: which version a learner solved
    needs: tuple[str, ...] = ()  # packages and data files that its page lacks
    packages: tuple[str, ...] = ()  # that its page loads
    file: Path | None = None  # its definition; images of its texts lie beside it
    minutes: int | None = None  # how long it takes, as its author estimates


@dataclass(frozen=True, slots=True)
class PublicTrack:
    """A track and its exercises, in order, without anything hidden."""

    id: TrackId
    title: str
    description: str  # Markdown
    xp: int
    exercises: tuple[PublicExercise, ...]


def estimated_minutes(exercise: Exercise | PublicExercise) -> int:
    """Return how long an exercise takes those who have read its lesson."""
    if exercise.minutes is not None:
        return exercise.minutes
    return _PREDICT_MINUTES if exercise.kind == "predict" else _MINUTES[exercise.difficulty]
