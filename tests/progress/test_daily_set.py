"""The set of short exercises for one day."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from grader.definitions.exercise import Exercise, ExerciseId
from grader.grading.results.verdict import Outcome
from grader.progress.daily_set import choose_daily_set
from grader.progress.history import Attempt, History
from tests.own_collection import COLLECTION

TODAY = date(2026, 3, 5)


def exercise(name: str, minutes: int = 2, requires: Iterable[str] = ()) -> Exercise:
    """Return an exercise that takes some minutes."""
    needed = tuple(map(ExerciseId, requires))
    return replace(COLLECTION.exercises[0], id=ExerciseId(name), minutes=minutes, requires=needed)


def passes(days_ago: dict[str, int]) -> History:
    """Return a history with a pass of each exercise, so many days ago."""
    days = sorted(((TODAY - timedelta(days=n), name) for name, n in days_ago.items()))
    return History(
        attempts=tuple(
            Attempt(
                ExerciseId(name), datetime(day.year, day.month, day.day, tzinfo=UTC), day,
                Outcome.PASSED, 1, 1, 5, "", "", "", "", "",
            )
            for day, name in days
        )
    )  # fmt: skip


def ids(exercises: Iterable[Exercise]) -> list[str]:
    return [each.id for each in exercises]


def test_a_set_takes_about_ten_minutes() -> None:
    """Exercises are added while they fit; one that is longer than that is a set of its own."""
    many = [exercise(f"e{n}", minutes) for n, minutes in enumerate([3] * 8)]
    assert len(choose_daily_set(many, History(), TODAY)) == 3
    assert ids(choose_daily_set([exercise("long", 25)], History(), TODAY)) == ["long"]
    assert choose_daily_set([], History(), TODAY) == ()


def test_the_date_draws_the_set() -> None:
    """Another day, another set; on one day always the same, whatever is done on it."""
    many = [exercise(f"e{n:02}") for n in range(40)]
    today = ids(choose_daily_set(many, History(), TODAY))
    assert today != ids(choose_daily_set(many, History(), TODAY + timedelta(days=1)))
    assert today == ids(choose_daily_set(many, passes({today[0]: 0}), TODAY))


def test_new_exercises_come_after_what_they_require() -> None:
    """What is required is passed on another day, or stands earlier in the set."""
    chain = [exercise("c", requires=["b"]), exercise("b", requires=["a"]), exercise("a")]
    assert ids(choose_daily_set(chain, History(), TODAY)) == ["a", "b", "c"]
    assert ids(choose_daily_set(chain[:1], History(), TODAY)) == []


def test_passed_exercises_come_again_the_oldest_first() -> None:
    """After the new ones; the last pass counts."""
    known = [exercise(name) for name in ("a", "b", "c", "new")]
    history = passes({"a": 2, "b": 9, "c": 5}) + passes({"b": 1})
    assert ids(choose_daily_set(known, history, TODAY)) == ["new", "c", "a", "b"]
