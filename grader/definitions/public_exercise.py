"""The public form of an exercise, the only form that the modules for pages receive.

These types have no field for a hidden test, a solution or a misconception's program, so a template
cannot leak them. `grader.grading.expected.public_form` makes them.

A learner gets two other forms without what is hidden. `student_edition` writes definitions as YAML,
for a course to hand out. `grader.browser.shipping` makes the exercise that a page's grader runs.
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
_MINUTES: Final = {"beginner": 8, "intermediate": 15, "advanced": 25}  # minutes by difficulty
_PREDICT_MINUTES: Final = 5  # minutes for a prediction, in which no program is written


@dataclass(frozen=True, slots=True)
class DescribedValue:
    """A placeholder for a value that is not plain data, such as a function, with the same text."""

    kind: str  # name of the value's type
    text: str

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class PublicTest:
    """A visible test with its inputs and its expected value, both computed."""

    kind: str  # the kind of test; "answer" for a prediction, whose expected value is not shown
    id: TestId
    description: str
    points: int
    given: Mapping[str, Any]  # inputs by name: plain Python values, NumPy arrays, `DescribedValue`
    code: str  # the expression or the statements
    expected: Any  # the value of a call or the text of an output; otherwise None
    holds: Property | None = None  # the property that is checked
    draws: int = 1  # number of sets of inputs, of which the first is shown

    @property
    def heading(self) -> str:
        """The heading of the code."""
        kind = _KINDS.get(self.kind)
        return "Your answer" if kind is None else kind.page_heading

    @property
    def expected_heading(self) -> str:
        """The heading of the expected value, or ""."""
        kind = _KINDS.get(self.kind)
        return "" if kind is None else kind.expected_heading

    @property
    def promise(self) -> str:
        """The sentence about the property, or ""."""
        return "" if self.holds is None else PROPERTIES[self.holds].on_page


@dataclass(frozen=True, slots=True)
class PublicHint:
    """A hint, and its price in XP."""

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
    hidden_tests: int  # number of hidden tests
    max_points: int
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # choices of each answer
    digest: str = ""  # digest of the exercise, to identify the version that a learner solved
    needs: tuple[str, ...] = ()  # packages and data files that it needs and its page lacks
    packages: tuple[str, ...] = ()  # packages that its page loads
    file: Path | None = None  # file of the definition, to which paths of images are relative
    minutes: int | None = None  # the author's estimate of its duration


@dataclass(frozen=True, slots=True)
class PublicTrack:
    """A track and its exercises, in order, without anything hidden."""

    id: TrackId
    title: str
    description: str  # Markdown
    xp: int
    exercises: tuple[PublicExercise, ...]


def estimated_minutes(exercise: Exercise | PublicExercise) -> int:
    """Return the estimated minutes for an exercise, for learners who have read its lesson."""
    if exercise.minutes is not None:
        return exercise.minutes
    return _PREDICT_MINUTES if exercise.kind == "predict" else _MINUTES[exercise.difficulty]
