"""Progress computed from a history: state and XP of each exercise, streak, next exercise.

An exercise earns its XP once, on the first pass, minus the prices of the hints taken before it, but
never less than zero. An exercise whose solution was shown before the first pass earns nothing.

A streak counts the learner's local days, as recorded with each attempt: evening work counts for
that evening, whatever the date in UTC.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final, Literal, TypeAlias

from grader.definitions.exercise import ExerciseId, Hint
from grader.progress.breaks import MAX_REWARDED_BREAKS
from grader.progress.history import History

State: TypeAlias = Literal["new", "tried", "passed", "given up"]
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class ExerciseStatus:
    """The status of one exercise."""

    state: State = "new"
    attempts: int = 0
    failures: int = 0  # number since the last hint or pass
    hints: int = 0  # number of hints taken so far
    paid: int = 0  # XP paid for hints before the first pass
    earned: int = 0
    gave_up: bool = False  # the solution was shown before the first pass
    passed_at: datetime | None = None
    self_reported: bool = False  # passed only in the browser
    broken: frozenset[str] = frozenset()  # ids of the misconceptions whose programs were broken

    @property
    def is_done(self) -> bool:
        """True if nothing is left to earn."""
        return self.state in ("passed", "given up")

    @property
    def total(self) -> int:
        """All XP earned on the exercise, with one for each rewarded broken program."""
        return self.earned + min(len(self.broken), MAX_REWARDED_BREAKS)

    def hint_price(self, hints: Sequence[Hint]) -> int:
        """Return the XP that the next hint of an exercise costs; none once it is done."""
        return 0 if self.is_done else hints[self.hints].price

    def available_xp(self, xp: int) -> int:
        """Return the XP that a first pass would earn now, for an exercise with `xp` points."""
        return 0 if self.is_done else max(0, xp - self.paid)


def compute_statuses(history: History) -> dict[ExerciseId, ExerciseStatus]:
    """Return the status of every exercise that the history mentions."""
    statuses = {}
    for name, events in history.group_by_exercise().items():
        attempts, hints = events.attempts, events.hints
        passed = next((attempt for attempt in attempts if attempt.has_passed), None)
        before = [hint for hint in hints if passed is None or hint.at <= passed.at]
        paid = sum(hint.price for hint in before)
        gave_up = any(passed is None or hint.at <= passed.at for hint in events.given_up)
        state: State = "tried" if attempts else "new"
        if passed is not None:
            state = "passed"
        elif gave_up:
            state = "given up"
        helped = max((hint.at for hint in hints), default=None)
        failures = 0
        for attempt in reversed(attempts):
            if attempt.has_passed or (helped is not None and attempt.at <= helped):
                break
            failures += 1
        statuses[name] = ExerciseStatus(
            state=state,
            attempts=len(attempts),
            failures=failures,
            hints=max((hint.number for hint in hints), default=0),
            paid=paid,
            earned=max(0, passed.xp - paid) if passed is not None and not gave_up else 0,
            gave_up=gave_up,
            passed_at=passed.at if passed is not None else None,
            self_reported=passed is not None
            and all(attempt.is_self_reported for attempt in attempts if attempt.has_passed),
            broken=frozenset(broken_program.misconception for broken_program in events.broken),
        )
    return statuses


def compute_status(history: History, exercise: ExerciseId) -> ExerciseStatus:
    """Return the status of one exercise."""
    return compute_statuses(history).get(exercise, ExerciseStatus())


@dataclass(frozen=True, slots=True)
class NextExercise:
    """The next exercise; `is_started` is true if it was tried last and is still open."""

    exercise: ExerciseId
    is_started: bool


def choose_next_exercise(
    history: History,
    order: Sequence[ExerciseId],
    requires: Callable[[ExerciseId], Collection[ExerciseId]],
) -> NextExercise | None:
    """Return the last attempt's exercise if it is open, else the next one, or None."""
    done = {name for name, status in compute_statuses(history).items() if status.is_done}
    last = history.attempts[-1].exercise if history.attempts else None
    if last is not None and last in order and last not in done:
        return NextExercise(last, is_started=True)
    following = find_next_open(order, done, last, requires)
    return None if following is None else NextExercise(following, is_started=False)


def find_next_open(
    order: Sequence[ExerciseId],
    done: Collection[ExerciseId],
    after: ExerciseId | None,
    requires: Callable[[ExerciseId], Collection[ExerciseId]],
) -> ExerciseId | None:
    """Return the next open exercise, or None if all are done.

    This is the first one whose requirements are all done; if there is none, the first open one.

    Args:
        order: The exercises of a track.
        done: The exercises that are passed or given up.
        after: The exercise done last. The search begins behind it and then wraps to the start.
        requires: Returns the requirements of one exercise; called only until one is found.
    """
    begin = order.index(after) + 1 if after in order else 0
    rotated = [*order[begin:], *order[:begin]]
    todo = [name for name in rotated if name not in done and name != after]
    ready = (name for name in todo if all(requirement in done for requirement in requires(name)))
    return next(ready, todo[0] if todo else None)


@dataclass(frozen=True, slots=True)
class Streak:
    """Lengths of streaks in days; a pass yesterday keeps `current` alive through today."""

    current: int
    longest: int


def compute_streak(history: History, today: date) -> Streak:
    """Return the current streak and the longest one."""
    days = sorted({attempt.day for attempt in history.attempts if attempt.has_passed})
    longest = run = 0
    for before, day in zip([None, *days], days, strict=False):
        run = run + 1 if before is not None and day - before == _DAY else 1
        longest = max(longest, run)
    alive = bool(days) and days[-1] >= today - _DAY
    return Streak(run if alive else 0, longest)
