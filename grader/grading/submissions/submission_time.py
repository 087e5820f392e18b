"""The time of a submission, with its source."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, Self


class FileDate(StrEnum):
    """The sources of times that are dates of files, by their names in records."""

    FILE = "file"
    ZIP = "zip"
    MOODLE = "Moodle"  # a download, whose names of files contain no date
    # Submissions without a time: the files of a clone have the date of the clone, and commits have
    # dates that a student's machine chose.
    CLONE = "git clone"


ALL: Final = "all"
"""Key in `Times` that stands for all exercises of a student."""


def format_utc(seconds: float) -> str:
    """Return a time, given in seconds since 1970, as ISO 8601 text in UTC."""
    moment = dt.datetime.fromtimestamp(seconds, dt.UTC)
    return moment.isoformat(timespec="seconds")


def is_clone(folder: Path) -> bool:
    """Return whether a folder is a clone of a Git repository."""
    return (folder / ".git").exists()


@dataclass(frozen=True, slots=True)
class SubmissionTime:
    """The time of a submission, and the source of the time."""

    at: float | None = None  # seconds since 1970; None if the source does not provide it
    source: str = FileDate.FILE  # a `FileDate`, or the name of a platform or of a CSV file
    is_late: bool = False  # whether a platform marks the submission as late, without a time

    @property
    def is_file_date(self) -> bool:
        """True if the time is the date of a file."""
        return self.source in [*FileDate]

    def data(self) -> dict[str, str | bool]:
        """Return the entries for a record of JSON types."""
        at = {} if self.at is None else {"handed_in": format_utc(self.at)}
        mark = {"marked_late": True} if self.is_late else {}
        return {**at, "time_from": self.source, **mark}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self | None:
        """Return the time from the entries that `data` made, or None if they are missing.

        Raises:
            ValueError, TypeError: The time is malformed.
        """
        text = data.get("handed_in")
        if text is None and "time_from" not in data:
            return None
        at = None if text is None else dt.datetime.fromisoformat(text).timestamp()
        return cls(at, str(data.get("time_from", FileDate.FILE)), data.get("marked_late") is True)


Times = Mapping[tuple[str, str], SubmissionTime]
"""The times of submissions, by student and exercise. The exercise may be `ALL`."""


def time_in(times: Times, student: str, exercise: str) -> SubmissionTime | None:
    """Return the time of a submission, or None if it is unknown."""
    return times.get((student, exercise)) or times.get((student, ALL))
