"""Days in a row on which something was passed.

A day is the learner's own, as recorded with each attempt: an evening's work counts for that
evening, wherever UTC is at the time.
"""

from dataclasses import dataclass
from datetime import date, timedelta

from grader.progress.history import History

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Streak:
    """Lengths in days. `current` is kept alive through today by a pass of yesterday."""

    current: int
    longest: int


def streak(history: History, today: date) -> Streak:
    """Return the streak that is running, if one is, and the longest ever."""
    days = sorted({attempt.day for attempt in history.attempts if attempt.passed})
    longest = run = 0
    for before, day in zip([None, *days], days, strict=False):
        run = run + 1 if before is not None and day - before == _DAY else 1
        longest = max(longest, run)
    alive = bool(days) and days[-1] >= today - _DAY
    return Streak(run if alive else 0, longest)
