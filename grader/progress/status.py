"""The status of each exercise in a history, and the XP that it earned.

An exercise earns its XP once, on the first pass, less the prices of the hints that were taken
before it, and never less than nothing. An exercise that was given up before earns none.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

from grader.definitions.exercise import ExerciseId
from grader.progress.history import Attempt, GivenUp, HintTaken, History

State: TypeAlias = Literal["new", "tried", "passed", "given up"]


@dataclass(frozen=True, slots=True)
class ExerciseStatus:
    """The status of one exercise."""

    state: State = "new"
    attempts: int = 0
    failures: int = 0  # since the last hint or pass
    hints: int = 0  # how many were taken: the next one is the one after
    paid: int = 0  # for hints that were taken before the first pass
    earned: int = 0
    gave_up: bool = False  # before the first pass
    passed_at: datetime | None = None
    self_reported: bool = False  # passed, and in the browser alone

    @property
    def closed(self) -> bool:
        """Return whether nothing is left to earn."""
        return self.state in ("passed", "given up")

    def worth(self, xp: int) -> int:
        """Return what a first pass would earn now, of an exercise that is worth `xp`."""
        return 0 if self.closed else max(0, xp - self.paid)


def standings(history: History) -> dict[ExerciseId, ExerciseStatus]:
    """Return the standing of every exercise of which anything is known."""
    known: dict[ExerciseId, _Events] = {}
    for attempt in history.attempts:
        known.setdefault(attempt.exercise, _Events()).attempts.append(attempt)
    for hint in history.hints:
        known.setdefault(hint.exercise, _Events()).hints.append(hint)
    for surrender in history.given_up:
        known.setdefault(surrender.exercise, _Events()).given_up.append(surrender)
    return {name: _standing(events) for name, events in known.items()}


def standing(history: History, exercise: ExerciseId) -> ExerciseStatus:
    """Return the standing of one exercise."""
    return standings(history).get(exercise, ExerciseStatus())


def total_xp(found: Iterable[ExerciseStatus]) -> int:
    """Return the XP of many exercises together."""
    return sum(each.earned for each in found)


@dataclass(slots=True)
class _Events:
    """The history of one exercise, each part in the order of time."""

    attempts: list[Attempt] = field(default_factory=list)
    hints: list[HintTaken] = field(default_factory=list)
    given_up: list[GivenUp] = field(default_factory=list)


def _standing(events: _Events) -> ExerciseStatus:
    attempts, hints = events.attempts, events.hints
    passed = next((each for each in attempts if each.passed), None)
    before = [each for each in hints if passed is None or each.at <= passed.at]
    paid = sum(each.price for each in before)
    gave_up = any(passed is None or each.at <= passed.at for each in events.given_up)
    return ExerciseStatus(
        _state(attempts, passed, gave_up=gave_up),
        len(attempts),
        _failures(attempts, hints),
        max((each.number for each in hints), default=0),
        paid,
        max(0, passed.xp - paid) if passed is not None and not gave_up else 0,
        gave_up,
        passed.at if passed is not None else None,
        passed is not None and all(each.self_reported for each in attempts if each.passed),
    )


def _state(attempts: list[Attempt], passed: Attempt | None, *, gave_up: bool) -> State:
    if passed is not None:
        return "passed"
    if gave_up:
        return "given up"
    return "tried" if attempts else "new"


def _failures(attempts: list[Attempt], hints: list[HintTaken]) -> int:
    """Count the failed attempts since the last pass or hint."""
    helped = max((each.at for each in hints), default=None)
    count = 0
    for attempt in reversed(attempts):
        if attempt.passed or (helped is not None and attempt.at <= helped):
            break
        count += 1
    return count
