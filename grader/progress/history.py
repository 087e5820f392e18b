"""The history of a learner: attempts, hints, shown solutions and broken programs, by time."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime
from operator import attrgetter
from typing import Any, Final, Self, TypeAlias

from grader.definitions.exercise import ExerciseId
from grader.grading.results.verdict import Outcome, Verdict

BROWSER: Final = "browser"
"""The sandbox name of an attempt in the site's browser page."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One verdict on one submission; a fault of the grader does not count.

    `at` is an instant in UTC. `day` is the learner's local date at that time. Streaks are counted
    in local days, so that travel to another time zone does not rewrite them.
    """

    exercise: ExerciseId
    at: datetime
    day: date
    outcome: Outcome
    score: int
    max_score: int
    xp: int  # the exercise's XP if the attempt passed, else 0
    diagnosis: str  # ids of the mistakes that explain the failure, joined as in `Diagnosis`, or ""
    submission: str  # SHA-256 of the submitted file
    definition: str  # SHA-256 of the exercise's definition
    grader: str  # version of the grader
    sandbox: str  # name of the sandbox backend

    @classmethod
    def from_verdict(cls, verdict: Verdict, xp: int, now: datetime) -> Self:
        """Return the attempt that belongs to a verdict.

        Args:
            xp: The XP of the exercise. A verdict by a student edition certifies no XP, but the
                learner has done all the work that is possible here.
            now: The current time, with the learner's time zone.
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
    def has_passed(self) -> bool:
        """True if every test passed."""
        return self.outcome is Outcome.PASSED

    @property
    def is_self_reported(self) -> bool:
        """True if a browser page reports the attempt, where the learner can forge the result."""
        return self.sandbox == BROWSER


Programs: TypeAlias = Mapping[ExerciseId, str]
"""The latest passing program of each exercise."""


@dataclass(frozen=True, slots=True)
class TakenHint:
    """A hint that was shown, with its price in XP."""

    exercise: ExerciseId
    number: int  # the hint's number, from 1
    price: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Surrender:
    """An exercise whose solution was shown before the learner passed it."""

    exercise: ExerciseId
    at: datetime


@dataclass(frozen=True, slots=True)
class BrokenProgram:
    """A wrong program for which the learner found a revealing call, worth one XP."""

    exercise: ExerciseId
    misconception: str  # the misconception's id
    call: str  # the call for which the program gives a wrong result
    at: datetime


Event: TypeAlias = Attempt | TakenHint | Surrender | BrokenProgram


@dataclass(frozen=True, slots=True)
class History:
    """The history of a learner, each part in the order of time."""

    attempts: tuple[Attempt, ...] = ()
    hints: tuple[TakenHint, ...] = ()
    given_up: tuple[Surrender, ...] = ()
    broken: tuple[BrokenProgram, ...] = ()

    def __len__(self) -> int:
        return sum(len(getattr(self, part)) for part in PARTS)

    def __add__(self, other: "History") -> "History":
        """Merge two histories, in the order of time."""
        parts = ((*getattr(self, part), *getattr(other, part)) for part in PARTS)
        return History(*(tuple(sorted(part, key=attrgetter("at"))) for part in parts))

    def group_by_exercise(self) -> "dict[ExerciseId, History]":
        """Split the history by exercise."""
        parts: dict[ExerciseId, dict[str, list[Any]]] = {}
        for part in PARTS:
            for event in getattr(self, part):
                history_parts = parts.setdefault(event.exercise, {name: [] for name in PARTS})
                history_parts[part].append(event)
        return {name: History(*map(tuple, part.values())) for name, part in parts.items()}


PARTS: Final[Mapping[str, type[Event]]] = {
    "attempts": Attempt,
    "hints": TakenHint,
    "given_up": Surrender,
    "broken": BrokenProgram,
}
"""The parts of a history: the fields of `History`, the tables on disk, and the keys in JSON."""


def read_event(kind: type[Event], values: Iterable[Any]) -> Any:
    """Return an event from the plain values of its fields, each a string or an integer.

    Raises:
        ValueError, TypeError: A value does not have the type of its field.
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
    """Return the current time with this machine's time zone."""
    return datetime.now(UTC).astimezone()
