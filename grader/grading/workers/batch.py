"""A folder of submissions: find them, grade equal code once, write results as they come, resume."""

import fcntl
import functools
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Self

from grader.definitions.exercise import Exercise
from grader.errors import EtudeError, GraderFault, UsageError
from grader.grading.results.jobs import Job, Result
from grader.grading.results.submission import Submission, read_submission
from grader.grading.results.submitted_files import (
    Candidate,
    candidate,
    changed,
    choose,
    exercise_for,
    name_inside,
)
from grader.grading.results.verdict import Outcome, Verdict
from grader.grading.results.verdict_json import (
    FAULT,
    fault_data,
    utc_text,
    verdict_data,
    verdict_from_data,
)
from grader.grading.results.zips import is_code, is_passed_over, is_zip
from grader.grading.workers.pool import Pool
from grader.safe_files import linked_folder

NOT_GRADED = "not graded"

_Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Entry:
    """One student's submission to an exercise: a file, or a folder or zip of several."""

    student: str
    path: Path
    exercise: str = ""
    handed_in: float | None = None  # when the file was last changed, in seconds since 1970


@dataclass(frozen=True, slots=True)
class Record:
    """The result of one entry: a verdict, a fault, or a reason why it was not graded."""

    entry: Entry
    result: Result | str

    @property
    def outcome(self) -> str:
        """The verdict's outcome, or `fault` or `not graded`."""
        if isinstance(self.result, Verdict):
            return self.result.outcome.value
        return NOT_GRADED if isinstance(self.result, str) else FAULT

    def data(self) -> dict[str, Any]:
        """Return the record as JSON types."""
        head = {"student": self.entry.student, "file": os.fspath(self.entry.path)}
        if self.entry.handed_in is not None:
            head["handed_in"] = utc_text(self.entry.handed_in)
        if isinstance(self.result, Verdict):
            return {**head, **verdict_data(self.result)}
        if isinstance(self.result, EtudeError):
            return {**head, **fault_data(self.entry.exercise, str(self.result))}
        return {
            **head,
            "exercise": self.entry.exercise,
            "outcome": NOT_GRADED,
            "message": self.result,
        }


@dataclass(slots=True)
class Plan:
    """The work to do in a folder."""

    groups: dict[_Key, tuple[Job, list[Entry]]] = field(default_factory=dict)
    not_graded: list[Record] = field(default_factory=list)
    done_before: list[Record] = field(default_factory=list)  # with the verdict of an earlier run
    not_looked_at: list[Path] = field(default_factory=list)
    left_out: dict[Path, str] = field(default_factory=dict)  # why another file counts

    @property
    def entries(self) -> int:
        """The number of files that will get a record."""
        return len(self.not_graded) + sum(len(entries) for _, entries in self.groups.values())


def find(
    folder: Path, exercise_named: Callable[[str], Exercise], made: Plan
) -> Iterator[tuple[Entry, Exercise]]:
    """Walk a folder in the order of names, following no link; yield what counts as a submission.

    A file, folder or zip is a submission to the exercise that it is named after; a zip of one file
    may leave that to the file. Hidden files are passed over.

    Args:
        folder: holds a folder for each student.
        exercise_named: gives the exercise of a name, or raises `UsageError`.
        made: takes what cannot be graded, what is no submission, and what does not count.
    """

    @functools.cache
    def exercise_of(name: str) -> Exercise | str:
        try:
            return exercise_for(name, exercise_named)
        except UsageError as error:
            return str(error)

    for student in sorted(os.scandir(folder), key=lambda each: each.name):
        if is_passed_over(student.name):
            continue
        entry = Entry(student.name, Path(student.path))
        if student.is_symlink() and student.is_dir():
            reason = "The folder is a symbolic link; put the folder itself here."
            made.not_graded.append(Record(entry, reason))
            continue
        if not student.is_dir():
            made.not_looked_at.append(entry.path)
            continue
        try:
            paths = sorted(Path(each.path) for each in os.scandir(student.path))
        except OSError as error:
            reason = f"The folder cannot be read: {error.strerror}."
            made.not_graded.append(Record(entry, reason))
            continue
        yield from _of_student(student.name, paths, exercise_of, made)


def _of_student(
    student: str, paths: Sequence[Path], exercise_of: Callable[[str], Exercise | str], made: Plan
) -> Iterator[tuple[Entry, Exercise]]:
    candidates: dict[str, tuple[Exercise, list[Candidate]]] = {}
    for path in paths:
        if is_passed_over(path.name):
            continue
        exercise = exercise_of(path.name)
        is_one = is_code(path.name) or is_zip(path.name)
        if isinstance(exercise, str) and is_zip(path.name):
            try:
                exercise = exercise_of(name_inside(path, below=path.parent.parent))
            except UsageError as error:
                exercise = str(error)
        if isinstance(exercise, str) and is_one:
            entry = Entry(student, path, path.stem, changed(path))
            made.not_graded.append(Record(entry, exercise))
        elif isinstance(exercise, str) or not (
            is_one or (exercise.files_to_submit and path.is_dir())
        ):
            made.not_looked_at.append(path)
        else:
            candidates.setdefault(str(exercise.id), (exercise, []))[1].append(candidate(path))
    for name, (exercise, several) in candidates.items():
        best, left_out = choose(several)
        if best is not None:
            yield Entry(student, best.path, name, best.changed), exercise
        else:
            path = several[0].path
            reason = f"There are several files for this exercise: {left_out.pop(path)}."
            made.not_graded.append(Record(Entry(student, path, name), reason))
        made.left_out.update(left_out)


def plan(
    folder: Path, exercise_named: Callable[[str], Exercise], done: "Results | None" = None
) -> Plan:
    """Read every submission and put equal code of one exercise together.

    Args:
        folder: holds a folder for each student.
        exercise_named: gives the exercise of a name, or raises `UsageError`.
        done: results of an earlier run; what they settle is left out.
    """
    made = Plan()
    for entry, exercise in find(folder, exercise_named, made):
        try:
            submission = read_submission(entry.path, exercise.files_to_submit, below=folder)
        except GraderFault as fault:
            made.not_graded.append(Record(entry, fault))
            continue
        if submission.is_unreadable:
            made.not_graded.append(Record(entry, f"{submission.path}: {submission.problem}"))
            continue
        before = done and done.verdict_before(entry, exercise, submission)
        if before:
            made.done_before.append(Record(entry, before))
            continue
        key = (exercise.digest, submission.digest, submission.problem)
        made.groups.setdefault(key, (Job(exercise, submission), []))[1].append(entry)
    return made


def run(to_do: Plan, pool: Pool) -> Iterator[Record]:
    """Grade the planned entries and yield a record for each, as they come."""
    yield from to_do.not_graded
    for job, result in pool.grade(job for job, _ in to_do.groups.values()):
        key = (job.exercise.digest, job.submission.digest, job.submission.problem)
        for entry in to_do.groups[key][1]:
            yield Record(entry, result)


class Results:
    """A JSON Lines file of records, one line each, written as they come."""

    def __init__(self, path: Path, file: IO[bytes], settled: dict[_Key, Verdict]) -> None:
        self.path = path
        self._file = file
        self._settled = settled

    @classmethod
    def create(cls, path: Path) -> Self:
        """Begin a new file.

        Raises:
            UsageError: it exists already, or cannot be created.
        """
        _refuse_linked_folder(path)
        try:
            file = path.open("xb")
        except FileExistsError:
            raise UsageError(f"{path} exists; --resume goes on with it") from None
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror}") from error
        _lock(path, file)
        return cls(path, file, {})

    @classmethod
    def resume(cls, path: Path) -> Self:
        """Continue a file: read its verdicts, drop a last line that was cut off.

        Raises:
            UsageError: it cannot be written, or holds something else.
        """
        _refuse_linked_folder(path)
        try:
            file = open(path, "a+b", opener=_open_no_link)  # noqa: SIM115  closed with the results
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror}") from error
        _lock(path, file)
        file.seek(0)
        settled: dict[_Key, Verdict] = {}
        end = 0
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n") and number > 1:
                break
            try:
                data = json.loads(line)
                outcome, file_name = str(data["outcome"]), str(data["file"])
                if outcome not in (FAULT, NOT_GRADED) and data["sandbox"] != "none":
                    key = (file_name, data["exercise_hash"], data["submission_hash"])
                    settled[key] = verdict_from_data(data)
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                file.close()
                raise UsageError(
                    f"{path}:{number} is no whole result of etude grade --output; "
                    "delete the line, or name another file"
                ) from None
            end += len(line)
        file.truncate(end)
        return cls(path, file, settled)

    def verdict_before(
        self, entry: Entry, exercise: Exercise, submission: Submission
    ) -> Verdict | None:
        """Return the verdict that an earlier run gave this file, as it is now."""
        key = (os.fspath(entry.path), exercise.digest, submission.digest)
        return self._settled.get(key)

    def write(self, record: Record) -> None:
        """Append a record; after this returns, a kill of the process does not lose it."""
        self._file.write(json.dumps(record.data()).encode() + b"\n")
        self._file.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        self._file.seek(0, os.SEEK_END)
        # An empty file would keep the next run from beginning.
        if error is not None and self._file.tell() == 0:
            self.path.unlink(missing_ok=True)
        self._file.close()


def _lock(path: Path, file: IO[bytes]) -> None:
    """Keep other runs from writing a file.

    Raises:
        UsageError: another run does; the file is closed.
    """
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise UsageError(f"{path} is being written by another run") from None


def _refuse_linked_folder(path: Path) -> None:
    folder = linked_folder(path)
    if folder is not None:
        raise UsageError(f"{folder} is a symbolic link; name the folder that it leads to")


def _open_no_link(path: str, flags: int) -> int:
    """Open a file, but follow no link: others may have put one there."""
    return os.open(path, flags | os.O_NOFOLLOW, 0o666)


def worst(outcomes: Iterable[str]) -> str:
    """Return the worst of all outcomes: `fault`, `not graded`, `not passed` or `passed`."""
    found = set(outcomes)
    if FAULT in found:
        return "fault"
    if NOT_GRADED in found:
        return "not graded"
    return "passed" if found <= {Outcome.PASSED.value} else "not passed"
