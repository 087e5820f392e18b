"""The history of a learner: attempts, hints taken, exercises given up, in the order of time."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime
from operator import attrgetter
from typing import Any, Final, Self, TypeAlias

from grader.definitions.exercise import ExerciseId
from grader.grading.results.verdict import Outcome, Verdict

BROWSER: Final = "browser"
"""The sandbox of an attempt that a page of the site made."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One verdict on one submission; faults of the grader are no attempts.

    `at` is an instant, in UTC. `day` is the date that the learner's calendar showed then: streaks
    are counted in it, and a journey to another time zone does not rewrite it.
    """

    exercise: ExerciseId
    at: datetime
    day: date
    outcome: Outcome
    score: int
    max_score: int
    xp: int  # the exercise's XP on a pass, else 0
    diagnosis: str  # the id of the mistake that explains the failure, or empty
    submission: str  # SHA-256 of the file
    definition: str  # SHA-256 of the exercise
    grader: str  # its version
    sandbox: str  # the backend's name

    @classmethod
    def from_verdict(cls, verdict: Verdict, xp: int, now: datetime) -> Self:
        """Return the attempt that a verdict is about.

        Args:
            xp: What the exercise is worth. A verdict by a student edition certifies none, but
                the learner has done here what there is to do.
            now: The time, aware, in the learner's zone.
        """
        return cls(
            verdict.exercise,
            now.astimezone(UTC),
            now.date(),
            verdict.outcome,
            verdict.score,
            verdict.max_score,
            xp if verdict.outcome is Outcome.PASSED else 0,
            verdict.diagnosis.id if verdict.diagnosis else "",
            verdict.submission_hash,
            verdict.exercise_hash,
            verdict.grader_version,
            verdict.sandbox,
        )

    @property
    def passed(self) -> bool:
        """Return whether every test passed."""
        return self.outcome is Outcome.PASSED

    @property
    def self_reported(self) -> bool:
        """Return whether a page says so, where the learner could make it say anything."""
        return self.sandbox == BROWSER


Programs: TypeAlias = Mapping[ExerciseId, str]
"""The programs that passed last, by their exercises."""


@dataclass(frozen=True, slots=True)
class ShownHint:
    """A hint that was shown, and what it cost in XP."""

    exercise: ExerciseId
    number: int  # from 1
    price: int
    at: datetime  # in UTC


@dataclass(frozen=True, slots=True)
class ShownSolution:
    """An exercise whose solution was shown before it was passed."""

    exercise: ExerciseId
    at: datetime  # in UTC


@dataclass(frozen=True, slots=True)
class BrokenProgram:
    """A wrong program that the learner has shown to be wrong, for one XP."""

    exercise: ExerciseId
    misconception: str  # its id
    call: str  # on which its result is wrong
    at: datetime  # in UTC


Event: TypeAlias = Attempt | ShownHint | ShownSolution | BrokenProgram


@dataclass(frozen=True, slots=True)
class History:
    """The history of a learner, each part in the order of time."""

    attempts: tuple[Attempt, ...] = ()
    hints: tuple[ShownHint, ...] = ()
    given_up: tuple[ShownSolution, ...] = ()
    broken: tuple[BrokenProgram, ...] = ()

    def __len__(self) -> int:
        return sum(len(getattr(self, part)) for part in PARTS)

    def __add__(self, other: "History") -> "History":
        """Return both histories as one, in the order of time."""
        parts = ((*getattr(self, part), *getattr(other, part)) for part in PARTS)
        return History(*(tuple(sorted(part, key=attrgetter("at"))) for part in parts))

    def by_exercise(self) -> "dict[ExerciseId, History]":
        """Return the history of each exercise."""
        parts: dict[ExerciseId, dict[str, list[Any]]] = {}
        for part in PARTS:
            for event in getattr(self, part):
                of_exercise = parts.setdefault(event.exercise, {name: [] for name in PARTS})
                of_exercise[part].append(event)
        return {name: History(*map(tuple, each.values())) for name, each in parts.items()}


PARTS: Final[Mapping[str, type[Event]]] = {
    "attempts": Attempt,
    "hints": ShownHint,
    "given_up": ShownSolution,
    "broken": BrokenProgram,
}
"""The parts of a history: the fields of `History`, the tables on disk, and the keys in JSON."""


def read_event(kind: type[Event], values: Iterable[Any]) -> Any:
    """Return an event from the plain values of its fields: texts, and whole numbers.

    Raises:
        ValueError, TypeError: One of them is not of the field's type.
    """
    readers = (_READERS.get(field.type, str) for field in fields(kind))
    return kind(*(read(value) for read, value in zip(readers, values, strict=True)))


_READERS: Final[Mapping[Any, Callable[[Any], Any]]] = {
    int: int,
    date: date.fromisoformat,
    datetime: lambda text: datetime.fromisoformat(text).astimezone(UTC),
    Outcome: Outcome,
}


def local_now() -> datetime:
    """Return the time, aware, in the zone of this machine."""
    return datetime.now(UTC).astimezone()
