"""The time of a submission, with its source."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

CLONE: Final = "git clone"
"""The source of no time: the files of a clone have its date, and commits the dates of a student's
machine."""


ALL: Final = "all"
"""Stands for all exercises of a student."""


def utc_text(seconds: float) -> str:
    """Return a time, in seconds since 1970, as ISO 8601 text in UTC."""
    moment = dt.datetime.fromtimestamp(seconds, dt.UTC)
    return moment.isoformat(timespec="seconds")


def is_clone(folder: Path) -> bool:
    """Return whether a folder is a clone."""
    return (folder / ".git").exists()


@dataclass(frozen=True, slots=True)
class SubmissionTime:
    """The time of a submission, and the source that says it."""

    at: float | None = None  # seconds since 1970; None if the source does not say it
    source: str = "file"
    is_late: bool = False  # whether a platform that says no time marks it as late

    def data(self) -> dict[str, str | bool]:
        """Return it as entries of a record of JSON types."""
        at = {} if self.at is None else {"handed_in": utc_text(self.at)}
        mark = {"marked_late": True} if self.is_late else {}
        return {**at, "time_from": self.source, **mark}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self | None:
        """Read what `data` returns; None if there is nothing of it.

        Raises:
            ValueError, TypeError: The time is none.
        """
        text = data.get("handed_in")
        if text is None and "time_from" not in data:
            return None
        at = None if text is None else dt.datetime.fromisoformat(text).timestamp()
        return cls(at, str(data.get("time_from", "file")), data.get("marked_late") is True)


Times = Mapping[tuple[str, str], SubmissionTime]
"""The times of submissions, by student and exercise, or `ALL`."""


def time_in(times: Times, student: str, exercise: str) -> SubmissionTime | None:
    """Return the time of a submission, if it is known."""
    return times.get((student, exercise)) or times.get((student, ALL))
