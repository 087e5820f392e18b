"""The rules that turn points into a grade: late work, and what staff gave by hand.

`etude report` and the service share them.
"""

import datetime as dt
import math
import re
from dataclasses import dataclass
from typing import Final

from grader.errors import UsageError
from grader.reports.report import Grade

_DAY: Final = 86_400.0


@dataclass(frozen=True, slots=True)
class LateRule:
    """A rule for late work: `factor` of the points for each day that has begun since `due`."""

    due: dt.datetime  # with its time zone
    factor: float = 0.0  # 0 to 1

    @classmethod
    def parse(cls, due: str, late: str | None) -> "LateRule":
        """Read `2026-12-01T18:00` and `0.9/day`; a time without a zone is this machine's.

        Raises:
            UsageError: one of them is written in another way.
        """
        try:
            moment = time_of(due)
        except ValueError:
            raise UsageError(
                f"--due {due}: write a time of the years 1970 to 9998, as 2026-12-01T18:00"
            ) from None
        if moment.tzinfo is None:
            moment = moment.astimezone()
        if late is None:
            return cls(moment)
        factor = share_of(late)
        if factor is None:
            raise UsageError(f"--late {late}: write a share from 0 to 1 for each day, as 0.9/day")
        return cls(moment, factor)

    def days_late(self, handed_in: float) -> int:
        """Return how many days have begun since work was due; `handed_in` is in Unix seconds."""
        return days_late(handed_in - self.due.timestamp())


@dataclass(frozen=True, slots=True)
class Override:
    """Points that somebody gave by hand, or an excuse."""

    points: float | None  # None where only a comment is given, or an excuse
    is_excused: bool
    comment: str
    by: str
    where: str = ""  # file and line

    @property
    def note(self) -> str:
        """Say who did what, and why."""
        what = "excused" if self.is_excused else "set by hand"
        if self.points is None and not self.is_excused:
            what = "comment"
        by = f" by {self.by}" if self.by else ""
        return f"{what}{by}: {self.comment}" if self.comment else f"{what}{by}"


def time_of(text: str) -> dt.datetime:
    """Read an ISO 8601 time of the years 1970 to 9998: in any zone it is one of the calendar.

    Raises:
        ValueError: it is none.
    """
    found = dt.datetime.fromisoformat(text)
    if not 1970 <= found.year < dt.MAXYEAR:  # noqa: PLR2004  the store counts from there
        raise ValueError(text)
    return found


def share_of(late: str) -> float | None:
    """Return the share that `0.9/day` says is left for each day; None if it is not written so."""
    found = re.fullmatch(r"(0(?:\.[0-9]+)?|1(?:\.0+)?|\.[0-9]+)/day", late)
    return float(found[1]) if found is not None else None


def days_late(seconds: float) -> int:
    """Return how many days have begun, of work that came so many seconds after it was due."""
    return max(0, math.ceil(seconds / _DAY))


def earned(
    points: float | None, most: int, *, days: int, factor: float, override: Override | None
) -> Grade:
    """Return a grade: by hand, else the points less what being late costs.

    Args:
        points: of the verdict; None if nothing was judged.
        most: how many there are.
        days: how many days late.
        factor: what is left for each of them.
        override: what staff gave.
    """
    notes = []
    if points and days:
        plural = "day" if days == 1 else "days"
        notes.append(f"{days} {plural} late: {points:g} points were earned")
        points = round(points * factor**days, 2)
    if override is not None:
        if override.is_excused:
            return Grade(None, 0, override.note)
        if override.points is not None:
            return Grade(override.points, most, override.note)
        notes.append(override.note)
    return Grade(points, most, "; ".join(notes))
