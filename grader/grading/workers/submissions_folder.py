"""A batch run over a folder of submissions: find, grade equal code once, write results, resume."""

import contextlib
import fcntl
import functools
import json
import os
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from grader.definitions.exercise import Exercise
from grader.errors import GraderFault, UsageError
from grader.grading.jobs import Job, Result
from grader.grading.results.verdict import Verdict
from grader.grading.results.verdict_json import FAULT, NOT_GRADED, verdict_from_data
from grader.grading.submissions.read_submission import read_submission
from grader.grading.submissions.submission import Submission
from grader.grading.submissions.submission_time import (
    FileDate,
    SubmissionTime,
    Times,
    is_clone,
    time_in,
)
from grader.grading.submissions.submitted_files import (
    choose,
    classify_files,
    find_change_time,
    make_candidate,
    match_exercise,
)
from grader.grading.submissions.zips import is_ignored
from grader.grading.workers.pool import WorkerPool
from grader.safe_files import find_linked_folder

_Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Entry:
    """One student's submission to an exercise: a file, or a folder or zip of several."""

    student: str
    path: Path
    exercise: str = ""
    time: SubmissionTime | None = None


@dataclass(frozen=True, slots=True)
class EntryResult:
    """The result of one entry: a verdict, a fault, or the reason why it was not graded."""

    entry: Entry
    result: Result | str

    @property
    def outcome(self) -> str:
        """The verdict's outcome, or `FAULT` or `NOT_GRADED`."""
        if isinstance(self.result, Verdict):
            return self.result.outcome.value
        return NOT_GRADED if isinstance(self.result, str) else FAULT


@dataclass(slots=True)
class Plan:
    """The work to do in a folder."""

    groups: dict[_Key, tuple[Job, list[Entry]]] = field(default_factory=dict)
    not_graded: list[EntryResult] = field(default_factory=list)
    # Records with a verdict of an earlier run.
    done_before: list[EntryResult] = field(default_factory=list)
    not_looked_at: list[Path] = field(default_factory=list)
    left_out: dict[Path, str] = field(default_factory=dict)  # the reason why another file counts
    times: Times = field(default_factory=dict)
    unreadable: dict[Path, str] = field(default_factory=dict)  # files with 0 points, and the reason

    @property
    def record_count(self) -> int:
        """The number of files that will get a record."""
        return len(self.not_graded) + sum(len(entries) for _, entries in self.groups.values())

    def add(self, entry: Entry, job: Job) -> None:
        """Add an entry to the group of entries with the same code."""
        self.groups.setdefault(_key(job), (job, []))[1].append(entry)


def _key(job: Job) -> _Key:
    return job.exercise.digest, job.submission.digest, job.submission.problem


def find_submissions(
    folder: Path, ids: Collection[str], load: Callable[[str], Exercise], plan: Plan
) -> Iterator[tuple[Entry, Exercise]]:
    """Walk a folder in alphabetical order, without following links, and yield the submissions.

    A file, folder or zip is a submission to the exercise that it is named after.

    Args:
        folder: A folder with one folder for each student.
        load: Returns the exercise with an id, or raises `UsageError`.
        plan: Collects the files that are not yielded, with the reasons.
    """
    exercise_of = functools.cache(functools.partial(match_exercise, ids))
    load = functools.cache(load)
    for student_folder in _students(folder, plan):
        student = student_folder.student
        try:
            files = classify_files(
                student_folder.path,
                exercise_of,
                lambda each: load(each).files_to_submit,
                below=folder,
            )
        except OSError as error:
            reason = f"The folder cannot be read: {error.strerror}."
            plan.not_graded.append(EntryResult(student_folder, reason))
            continue
        for path, problem in files.unnamed.items():
            entry = Entry(student, path, path.stem, SubmissionTime(find_change_time(path)))
            plan.not_graded.append(EntryResult(entry, problem or _why_none(path.stem, load)))
        plan.not_looked_at += files.others
        for name, paths in files.candidates.items():
            exercise = load(name)
            best, left_out = choose(
                [make_candidate(path, exercise.files_to_submit, below=folder) for path in paths]
            )
            if best is None:
                reason = f"There are several files for this exercise: {left_out[paths[0]]}."
                plan.not_graded.append(EntryResult(Entry(student, paths[0], name), reason))
            else:
                plan.left_out.update(left_out)
                by_file = SubmissionTime(best.changed)
                if is_clone(student_folder.path):
                    by_file = SubmissionTime(source=FileDate.CLONE)
                time = time_in(plan.times, student, name) or by_file
                yield Entry(student, best.path, name, time), exercise


def _why_none(name: str, load: Callable[[str], Exercise]) -> str:
    """Return the sentence about a name that does not belong to an exercise."""
    try:
        load(name)
    except UsageError as error:
        return str(error)
    return f"there is no exercise {name!r}"


def _students(folder: Path, plan: Plan) -> Iterator[Entry]:
    """Yield the folder of each student."""
    for student in sorted(os.scandir(folder), key=lambda each: each.name):
        entry = Entry(student.name, Path(student.path))
        if is_ignored(student.name):
            continue
        if student.is_symlink() and student.is_dir():
            reason = "The folder is a symbolic link; put the folder itself here."
            plan.not_graded.append(EntryResult(entry, reason))
        elif student.is_dir():
            yield entry
        else:
            plan.not_looked_at.append(entry.path)


def plan_batch(
    folder: Path,
    ids: Collection[str],
    load: Callable[[str], Exercise],
    done: "ResultsFile | None" = None,
    times: Times | None = None,
) -> Plan:
    """Read every submission and group equal code of one exercise.

    Args:
        folder: A folder with one folder for each student.
        load: Returns the exercise with an id, or raises `UsageError`.
        done: Results of an earlier run, whose submissions are not graded again.
        times: Submission times by student and exercise; by default the times of the files.
    """
    batch_plan = Plan(times=times or {})
    for entry, exercise in find_submissions(folder, ids, load, batch_plan):
        try:
            submission = read_submission(
                entry.path, exercise.files_to_submit, below=folder
            ).part_for(exercise)
        except GraderFault as fault:
            batch_plan.not_graded.append(EntryResult(entry, fault))
            continue
        if not submission.is_begun:
            continue
        if submission.is_unreadable:
            batch_plan.unreadable[submission.path] = submission.problem
        if done and (before := done.verdict_before(entry, exercise, submission)):
            batch_plan.done_before.append(EntryResult(entry, before))
        else:
            batch_plan.add(entry, Job(exercise, submission))
    return batch_plan


def run_batch(to_do: Plan, pool: WorkerPool) -> Iterator[EntryResult]:
    """Grade the planned entries and yield a record for each as soon as it is graded."""
    yield from to_do.not_graded
    for job, result in pool.grade(job for job, _ in to_do.groups.values()):
        for entry in to_do.groups[_key(job)][1]:
            yield EntryResult(entry, result)


class ResultsFile:
    """A JSON Lines file with one line for each record, written as the results arrive.

    Existing records are read first, and an incomplete last line is dropped.

    Raises:
        UsageError: The file cannot be written, has other content, is being written by another run,
            or exists although `resume` is false.
    """

    def __init__(self, path: Path, *, resume: bool = False) -> None:
        self.path = path
        self._settled: dict[_Key, Verdict] = {}
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
            try:
                data = json.loads(line)
                outcome, file_name = str(data["outcome"]), str(data["file"])
                if outcome not in (FAULT, NOT_GRADED) and data["sandbox"] != "none":
                    key = (file_name, data["exercise_hash"], data["submission_hash"])
                    self._settled[key] = verdict_from_data(data)
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                raise UsageError(
                    f"{self.path}:{number} is not a whole result of etude grade --output; "
                    "delete the line, or name another file"
                ) from None
            end += len(line)
        self._file.truncate(end)

    def verdict_before(
        self, entry: Entry, exercise: Exercise, submission: Submission
    ) -> Verdict | None:
        """Return the verdict of an earlier run on this file with the same content, or None."""
        return self._settled.get((os.fspath(entry.path), exercise.digest, submission.digest))

    def write(self, line: str) -> None:
        """Append a line and flush it, so that it survives if the process is killed."""
        self._file.write(line.encode())
        self._file.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        self._file.seek(0, os.SEEK_END)
        # Without --resume the next run would refuse an existing file, even an empty one.
        if error is not None and self._file.tell() == 0:
            self.path.unlink(missing_ok=True)
        self._file.close()
