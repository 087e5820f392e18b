"""The steps after a verdict: record the attempt, name the next exercise."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from grader.cli.progress_record import keep, lesson_before, next_exercise, read_history, suffix
from grader.definitions.exercise import Exercise
from grader.grading.results.verdict import Outcome, Verdict
from grader.progress.history import Attempt, History, local_now
from grader.progress.status import ExerciseStatus, standing

_NOTHING = hashlib.sha256(b"").hexdigest()  # the digest of a file that is empty, or not there
_ENOUGH = 2  # failures after which a hint is offered


class Afterwards:
    """One check: made while the grader starts, used when the verdict is there.

    Args:
        exercise: what is graded.
        exercises: the collection that was named on the command line.
        told: whether a learner reads what is printed, and advice below it.
    """

    def __init__(self, exercise: Exercise, exercises: Path | None, *, told: bool) -> None:
        self._exercise = exercise
        self._suffix = suffix(exercises)
        self._told = told
        self._history = read_history(hurried=True) if told else History()

    def for_the_learner(self, verdict: Verdict) -> Verdict:
        """Return the verdict with the XP that this learner earns by it."""
        if not verdict.xp or not self._told:
            return verdict
        return replace(verdict, xp=self._before.worth(verdict.xp))

    def record(self, verdict: Verdict) -> None:
        """Record the attempt, and add to what is known; what was not judged is no attempt."""
        if verdict.submission_hash == _NOTHING or verdict.outcome is Outcome.NOT_RUN:
            return
        attempt = History(attempts=(Attempt.of(verdict, self._exercise.xp, local_now()),))
        keep(attempt, "this attempt")
        self._history += attempt

    def advice(self, verdict: Verdict) -> list[str]:
        """Return the lines that a learner reads below the verdict, after `record`."""
        if not self._told:
            return []
        passed = verdict.outcome is Outcome.PASSED
        return list(self._passed(verdict) if passed else self._failed())

    @property
    def _before(self) -> ExerciseStatus:
        return standing(self._history, self._exercise.id)

    def _passed(self, verdict: Verdict) -> Iterator[str]:
        now = self._before
        passes = [
            each
            for each in self._history.attempts
            if each.exercise == self._exercise.id and each.passed
        ]
        if len(passes) > 1:
            yield "You had passed this before; an exercise earns its XP once."
        elif now.gave_up:
            yield "You had seen the solution, so this exercise earns no XP."
        elif now.paid:
            xp = self._exercise.xp
            price = min(now.paid, xp)
            yield f"{xp} XP less {price} for hints: you earn {now.earned}."
        elif verdict.hidden_elsewhere:
            yield f"+{now.earned} XP."
        following = next_exercise(self._exercise, self._history)
        if following is None:
            return
        lesson = lesson_before(self._exercise, following)
        if lesson is not None:
            yield f"Read first: etude lesson show {lesson}{self._suffix}"
        yield f"Next: etude start {following}{self._suffix}"

    def _failed(self) -> Iterator[str]:
        now, hints = self._before, self._exercise.hints
        if now.failures < _ENOUGH or now.hints >= len(hints):
            return
        price = 0 if now.closed else hints[now.hints].price
        cost = f"costs {price} XP" if price else "is free"
        command = f"etude hint {self._exercise.id}{self._suffix}"
        yield f"Stuck? Hint {now.hints + 1} of {len(hints)} {cost}: {command}"
