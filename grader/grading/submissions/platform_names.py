"""The names that learning platforms give to the files and folders of submissions."""

import contextlib
import datetime as dt
import re
from dataclasses import dataclass
from typing import Final

from grader.grading.submissions.submission_time import FileDate, SubmissionTime

_PLATFORMS: Final = {
    # Name, number, file. With folders, the file is a separate part of the path.
    FileDate.MOODLE: re.compile(
        r"(?P<name>.+?)_(?P<id>[0-9]+)_assignsubmission_file(?:_(?P<file>.*))?"
    ),
    # Name, number, number of the upload, file.
    "Canvas": re.compile(
        r"(?P<name>.+?)_(?P<late>LATE_)?(?P<id>[0-9]+)_(?P<upload_number>[0-9]+)_"
        r"(?P<file>(?!assignsubmission_).+)"
    ),
    # Names are replaced by a random id.
    "Canvas, anonymous": re.compile(
        r"(?P<late>LATE_)?(?P<name>anon_[0-9A-Za-z]+)_(?P<upload_number>[0-9]+)_(?P<file>.+)"
    ),
    # Number, name, date, file.
    "Brightspace": re.compile(
        r"(?P<id>[0-9]+)-[0-9]+ - (?P<name>.+?) - "
        r"(?P<date>\w+ [0-9]+, [0-9]+ [0-9]+ ?[AP]M)(?: - (?P<file>.*))?"
    ),
    # Assignment, login, date of the attempt, file.
    "Blackboard": re.compile(
        r".+?_(?P<name>[^_]+)_attempt_(?P<upload_number>(?P<date>[0-9-]+))(?:_(?P<file>.*))?"
    ),
}
_DATES: Final = ("%b %d, %Y %I%M %p", "%b %d, %Y %I%M%p", "%Y-%m-%d-%H-%M-%S")


@dataclass(frozen=True, slots=True)
class PlatformName:
    """The facts that a learning platform writes into the name of a file or folder."""

    name: str  # the student's name
    id: str | None
    upload_number: int | None  # higher for later uploads
    file: str  # the student's own name for the file; may be empty
    platform: str = ""
    time: SubmissionTime | None = None  # None if the file's own date is the time of the submission

    @classmethod
    def parse(cls, part: str) -> "PlatformName | None":
        """Parse a part of a path; return None if it was not written by a known platform."""
        matches = {name: pattern.fullmatch(part) for name, pattern in _PLATFORMS.items()}
        hits = [(name, match.groupdict()) for name, match in matches.items() if match]
        if not hits:
            return None
        # The student's own name may look like another platform's, so the longest one is right.
        platform, facts = max(hits, key=lambda hit: len(hit[1]["file"] or ""))
        digits = (facts.get("upload_number") or "").replace("-", "")
        upload_number = int(digits) if digits else None
        name, file = facts["name"].strip(), facts["file"] or ""
        return cls(name, facts.get("id"), upload_number, file, platform, _time(platform, facts))


def _time(platform: str, facts: dict[str, str | None]) -> SubmissionTime | None:
    """Return the time in a name, read in the time zone of this machine, or None."""
    if "late" in facts:  # because the dates of files in a zip of Canvas are those of the download
        return SubmissionTime(None, "Canvas", is_late=facts["late"] is not None)
    for pattern in _DATES:
        with contextlib.suppress(ValueError, OverflowError):
            moment = dt.datetime.strptime(facts.get("date") or "", pattern)  # noqa: DTZ007  local time
            return SubmissionTime(moment.timestamp(), platform)
    return None
