"""The rules that turn points into a grade: the late penalty and manual points.

`etude report` and the service share them.
"""

import datetime as dt
import math
import re
from dataclasses import dataclass
from typing import Final

from grader.definitions.wording import plural
from grader.reports.report import CourseGrade

_SECONDS_OF_DAY: Final = 86_400.0


@dataclass(frozen=True, slots=True)
class LateRule:
    """The share of the points that late work keeps.

    Attributes:
        due: Due time in seconds since 1970; None if time does not matter.
        daily_factor: Factor for each started day of 24 hours after `due`.
        grace_seconds: Seconds after `due` in which work is not late. Days still count from `due`.
        max_late_days: Days after which work keeps nothing; None for no such limit.
        min_share: Least share that other late work keeps.
    """

    due: float | None = None
    daily_factor: float = 0.0
    grace_seconds: float = 0.0
    max_late_days: int | None = None
    min_share: float = 0.0

    def count_late_days(self, at: float | None) -> int:
        """Return the number of days by which work submitted at a time is late."""
        if self.due is None or at is None or at - self.due <= self.grace_seconds:
            return 0
        return math.ceil((at - self.due) / _SECONDS_OF_DAY)

    def compute_share(self, days: int) -> float:
        """Return the share of the points that is kept after so many days."""
        if not days:
            return 1.0
        if self.max_late_days is not None and days > self.max_late_days:
            return 0.0
        return max(self.daily_factor**days, self.min_share)


@dataclass(frozen=True, slots=True)
class Override:
    """Points that staff gave by hand, or an excuse."""

    points: float | None  # None for a comment or an excuse alone
    is_excused: bool
    comment: str
    by: str
    where: str = ""  # file and line of the override

    @property
    def note(self) -> str:
        """A note that says who gave the override, and why."""
        kind = "excused" if self.is_excused else "set by hand"
        if self.points is None and not self.is_excused:
            kind = "comment"
        author = f" by {self.by}" if self.by else ""
        return f"{kind}{author}: {self.comment}" if self.comment else f"{kind}{author}"


def parse_time(text: str) -> dt.datetime:
    """Read an ISO 8601 time of the years 1970 to 9998, which is valid in any time zone.

    Raises:
        ValueError: The text is not such a time.
    """
    moment = dt.datetime.fromisoformat(text)
    if not 1970 <= moment.year < dt.MAXYEAR:  # noqa: PLR2004  the store counts from there
        raise ValueError(text)
    return moment


def parse_share(late: str) -> float | None:
    """Return the daily factor of a text such as `0.9/day`, or None for any other text."""
    match = re.fullmatch(r"(0(?:\.[0-9]+)?|1(?:\.0+)?|\.[0-9]+)/day", late)
    return float(match[1]) if match is not None else None


def compute_grade(
    points: float | None, max_points: int, *, rule: LateRule, days: int, override: Override | None
) -> CourseGrade:
    """Compute a grade: the manual points, or the points minus the late penalty.

    Args:
        points: The verdict's points; None if nothing was judged.
        max_points: The points of the exercise.
    """
    notes = []
    if points and days:
        were = "point was" if points == 1 else "points were"
        notes.append(f"{plural(days, 'day')} late: {points:g} {were} earned")
        points = round(points * rule.compute_share(days), 2)
    if override is not None:
        if override.is_excused:
            return CourseGrade(None, 0, override.note, is_excused=True)
        if override.points is not None:
            return CourseGrade(override.points, max_points, override.note)
        notes.append(override.note)
    return CourseGrade(points, max_points, "; ".join(notes))
