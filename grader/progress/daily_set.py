"""The set of short exercises for one day."""

from collections.abc import Sequence
from datetime import date
from random import Random
from typing import Final

from grader.definitions.exercise import Exercise, ExerciseId
from grader.definitions.public_exercise import estimated_minutes
from grader.progress.history import History

MINUTES: Final = 10  # estimated minutes of work for one day


def choose_daily_set(
    exercises: Sequence[Exercise], history: History, day: date
) -> tuple[Exercise, ...]:
    """Return exercises for about ten minutes, at least one unless there are no exercises.

    New exercises come first, drawn by the date from those whose requirements are passed or earlier
    in the set. Then come those that were passed longest ago. Work done on the day itself does not
    change the set.
    """
    passed = {
        attempt.exercise: attempt.day
        for attempt in history.attempts
        if attempt.has_passed and attempt.day < day
    }
    sample = Random(day.isoformat()).sample(exercises, len(exercises))  # noqa: S311  no secret
    old = sorted(
        (exercise for exercise in sample if exercise.id in passed), key=lambda each: passed[each.id]
    )
    chosen: dict[ExerciseId, Exercise] = {}
    minutes = 0
    while True:
        done = {*passed, *chosen}
        new = [each for each in sample if each.id not in done and done.issuperset(each.requires)]
        todo = [*new, *(exercise for exercise in old if exercise.id not in chosen)]
        fits = (each for each in todo if not chosen or minutes + estimated_minutes(each) <= MINUTES)
        following = next(fits, None)
        if following is None:
            return tuple(chosen.values())
        chosen[following.id] = following
        minutes += estimated_minutes(following)
