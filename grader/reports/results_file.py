"""Files with the results of `etude grade --output`: JSON Lines with one report each."""

import contextlib
import fcntl
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from grader.errors import UsageError
from grader.grading.results.verdict_json import FAULT, NOT_GRADED, verdict_from_data
from grader.grading.submissions.submission_time import SubmissionTime
from grader.reports.report import Report
from grader.reports.to_json import json_line
from grader.safe_files import find_linked_folder

if TYPE_CHECKING:
    from grader.grading.results.verdict import Verdict


def parse_result(line: str | bytes, where: str, advice: str) -> Report:
    """Return the report in a line of a results file.

    Args:
        where: The file and the number of the line.
        advice: What else to do than to delete an incomplete line.

    Raises:
        UsageError: The line is invalid or cut off.
    """
    try:
        data = json.loads(line)
        outcome = str(data["outcome"])
        head: dict[str, Any] = {"file": str(data["file"]), "student": str(data["student"])}
        head["time"] = SubmissionTime.from_data(data)
        if outcome in (FAULT, NOT_GRADED):
            # What is not graded may have only the file's name, with underscores for hyphens.
            name, message = str(data["exercise"]).replace("_", "-"), str(data["message"])
            return Report(name, outcome=outcome, message=message, **head)
        verdict = verdict_from_data(data)
        return Report(verdict.exercise, outcome=outcome, verdict=verdict, **head)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise UsageError(
            f"{where} is not a whole result of etude grade --output; delete the line, {advice}"
        ) from None


class ResultsFile:
    """A JSON Lines file with one line for each record, written as the results arrive.

    Existing records are read first, and an incomplete last line is dropped.

    Raises:
        UsageError: The file cannot be written, has other content, is being written by another run,
            or exists although `resume` is false.

    Attributes:
        verdicts: The verdicts of earlier runs, by file, hash of the exercise and hash of the
            submission, without those of runs that had no sandbox.
    """

    def __init__(self, path: Path, *, resume: bool = False) -> None:
        self.path = path
        self.verdicts: dict[tuple[str, str, str], Verdict] = {}
        if (folder := find_linked_folder(path)) is not None:
            raise UsageError(f"{folder} is a symbolic link; name the folder that it leads to")
        # Links are not followed, since someone else may have put a link there.
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | (0 if resume else os.O_EXCL)
        try:
            self._file = os.fdopen(os.open(path, flags, 0o666), "a+b")
        except FileExistsError:
            raise UsageError(f"{path} exists; --resume goes on with it") from None
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror}") from error
        with contextlib.ExitStack() as stack:
            stack.callback(self._file.close)
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise UsageError(f"{path} is being written by another run") from None
            self._read_records()
            stack.pop_all()

    def _read_records(self) -> None:
        end = self._file.seek(0)
        for number, line in enumerate(self._file, 1):
            if not line.endswith(b"\n") and number > 1:
                break
            report = parse_result(line, f"{self.path}:{number}", "or name another file")
            if (verdict := report.verdict) is not None and verdict.sandbox != "none":
                key = (report.file, verdict.exercise_hash, verdict.submission_hash)
                self.verdicts[key] = verdict
            end += len(line)
        self._file.truncate(end)

    def write(self, report: Report) -> None:
        """Append a report and flush it, so that it survives if the process is killed."""
        self._file.write(json_line(report).encode())
        self._file.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        self._file.seek(0, os.SEEK_END)
        # Without --resume the next run would refuse an existing file, even an empty one.
        if error is not None and self._file.tell() == 0:
            self.path.unlink(missing_ok=True)
        self._file.close()
