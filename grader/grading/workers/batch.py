"""A folder of submissions: find them, grade equal code once, write results as they come, resume."""

import fcntl
import functools
import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Self

from grader.definitions.exercise import Exercise
from grader.errors import EtudeError, GraderFault, UsageError
from grader.grading.results.jobs import Job, Result
from grader.grading.results.submission import Submission, read_submission
from grader.grading.results.submitted_files import (
    candidate,
    changed,
    choose,
    exercise_in,
    sort_files,
)
from grader.grading.results.verdict import Outcome, Verdict
from grader.grading.results.verdict_json import (
    FAULT,
    fault_data,
    utc_text,
    verdict_data,
    verdict_from_data,
)
from grader.grading.results.zips import is_passed_over
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
    unreadable: dict[Path, str] = field(default_factory=dict)  # get 0 points, and why

    @property
    def entries(self) -> int:
        """The number of files that will get a record."""
        return len(self.not_graded) + sum(len(entries) for _, entries in self.groups.values())


def find(
    folder: Path, ids: Collection[str], load: Callable[[str], Exercise], plan: Plan
) -> Iterator[tuple[Entry, Exercise]]:
    """Walk a folder in the order of names, following no link; yield what counts as a submission.

    A file, folder or zip is a submission to the exercise that it is named after.

    Args:
        folder: Holds a folder for each student.
        ids: Of the exercises.
        load: Returns the exercise of an id, or raises `UsageError`.
        plan: Takes what cannot be graded, what is no submission, and what does not count.
    """
    exercise_of = functools.cache(functools.partial(exercise_in, ids))
    load = functools.cache(load)

    def asks_for_several(exercise: str) -> bool:
        return bool(load(exercise).files_to_submit)

    for student in _students(folder, plan):
        try:
            files = sort_files(student.path, exercise_of, asks_for_several, below=folder)
        except OSError as error:
            reason = f"The folder cannot be read: {error.strerror}."
            plan.not_graded.append(Record(student, reason))
            continue
        for path, problem in files.unnamed.items():
            entry = Entry(student.student, path, path.stem, changed(path))
            plan.not_graded.append(Record(entry, problem or _why_none(path.stem, load)))
        plan.not_looked_at += files.others
        for name, paths in files.candidates.items():
            entries = _chosen(student.student, load(name), paths, folder, plan)
            yield from ((entry, load(name)) for entry in entries)


def _why_none(name: str, load: Callable[[str], Exercise]) -> str:
    """Return the sentence about a name that is no exercise's."""
    try:
        load(name)
    except UsageError as error:
        return str(error)
    return f"there is no exercise {name!r}"


def _students(folder: Path, plan: Plan) -> Iterator[Entry]:
    """Yield the folder of each student."""
    for student in sorted(os.scandir(folder), key=lambda each: each.name):
        entry = Entry(student.name, Path(student.path))
        if is_passed_over(student.name):
            continue
        if student.is_symlink() and student.is_dir():
            reason = "The folder is a symbolic link; put the folder itself here."
            plan.not_graded.append(Record(entry, reason))
        elif student.is_dir():
            yield entry
        else:
            plan.not_looked_at.append(entry.path)


def _chosen(
    student: str, exercise: Exercise, paths: Sequence[Path], folder: Path, plan: Plan
) -> Iterator[Entry]:
    """Yield the file that counts, if one does."""
    several = [candidate(each, exercise.files_to_submit, below=folder) for each in paths]
    best, left_out = choose(several)
    if best is None:
        reason = f"There are several files for this exercise: {left_out[paths[0]]}."
        plan.not_graded.append(Record(Entry(student, paths[0], str(exercise.id)), reason))
    else:
        plan.left_out.update(left_out)
        yield Entry(student, best.path, str(exercise.id), best.changed)


def plan(
    folder: Path,
    ids: Collection[str],
    load: Callable[[str], Exercise],
    done: "Results | None" = None,
) -> Plan:
    """Read every submission and put equal code of one exercise together.

    Args:
        folder: holds a folder for each student.
        ids: of the exercises.
        load: gives the exercise of an id, or raises `UsageError`.
        done: results of an earlier run; what they settle is left out.
    """
    made = Plan()
    for entry, exercise in find(folder, ids, load, made):
        try:
            submission = read_submission(entry.path, exercise.files_to_submit, below=folder)
        except GraderFault as fault:
            made.not_graded.append(Record(entry, fault))
            continue
        if submission.is_unreadable:
            made.unreadable[submission.path] = submission.problem
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
