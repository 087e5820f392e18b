"""The CSV file of submission times, written by `etude collect` and read for grades."""

import csv
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from grader.course.csv_rows import is_yes, parse_rows, read_text
from grader.course.schedule import parse_zoned_time
from grader.errors import UsageError
from grader.grading.submissions.submission_time import ALL, SubmissionTime, Times, format_utc
from grader.grading.submissions.submitted_files import SAME_MOMENT_SECONDS
from grader.whole_files import write_whole

TIMES_FILE: Final = "times.csv"
"""The file's name, in the folder that contains the students' folders."""


def read_times(path: Path) -> dict[tuple[str, str], SubmissionTime]:
    """Read submission times from a CSV with student, time, exercise, late, from.

    A time without an exercise holds for all exercises. `late` is yes if a platform marks a
    submission as late without a time. `from` is the source, by default the file's name.

    Raises:
        UsageError: The file cannot be read, or a line is invalid.
    """
    times: dict[tuple[str, str], SubmissionTime] = {}
    for number, row in parse_rows(read_text(path), str(path), ("student", "time")):
        where = f"{path}:{number}"
        key = (row["student"], row.get("exercise", "") or ALL)
        is_late, source = is_yes(row, "late", where), row.get("from", "")
        if key in times:
            raise UsageError(f"{where} is about {key[0]!r} and {key[1]!r} again")
        if not row["time"] and not source and not is_late:
            raise UsageError(f"{where} has no time, and no platform in 'from' that marks late work")
        try:
            at = parse_zoned_time(row["time"]).timestamp() if row["time"] else None
        except UsageError as error:
            raise UsageError(f"{where}: {error}") from None
        times[key] = SubmissionTime(at, source or path.name, at is None and is_late)
    return times


def write_times(path: Path, times: Times) -> None:
    """Write the times of submissions."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("student", "exercise", "time", "late", "from"))
    for (student, exercise), time in sorted(times.items()):
        at = "" if time.at is None else format_utc(time.at)
        writer.writerow((student, exercise, at, "yes" * time.is_late, time.source))
    write_whole(path, text.getvalue())


def are_at_once(times: Iterable[tuple[str, SubmissionTime]]) -> bool:
    """Return whether all files have one date, which is then that of a download or a copy."""
    dated = [(student, time.at) for student, time in times if time.is_file_date and time.at]
    moments = [at for _, at in dated]
    return len(dict(dated)) > 1 and max(moments) - min(moments) <= SAME_MOMENT_SECONDS
