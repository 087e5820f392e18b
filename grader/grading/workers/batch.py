"""A folder of submissions: find them, grade equal code once, write results as they come, resume."""

import contextlib
import fcntl
import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Self

from grader.definitions.exercise import Exercise
from grader.errors import EtudeError, GraderFault, UsageError
from grader.grading.results.jobs import Job, Result
from grader.grading.results.submission import Submission, read_submission
from grader.grading.results.verdict import Outcome, Verdict
from grader.grading.results.verdict_json import (
    FAULT,
    fault_data,
    utc_text,
    verdict_data,
    verdict_from_data,
)
from grader.grading.workers.pool import Pool
from grader.safe_files import linked_folder

NOT_GRADED = "not graded"

_Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Entry:
    """One submission: `<student>/<exercise>.py` or `.ipynb`, or one of a known exercise.

    One of several files is a folder `<student>/<exercise>/`, or a zip of it.
    """

    student: str
    path: Path
    known_exercise: str = ""
    handed_in: float | None = None  # when the file was last changed, in seconds since 1970

    @property
    def exercise(self) -> str:
        """The exercise's name: by default the name of the file."""
        return self.known_exercise or self.path.stem


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

    @property
    def entries(self) -> int:
        """The number of files that will get a record."""
        return len(self.not_graded) + sum(len(entries) for _, entries in self.groups.values())


def find(folder: Path) -> Iterator[Entry | Record | Path]:
    """Walk a folder in the order of names, following no link.

    Of a Python file and a notebook of one name the newer one is the submission.

    Yields:
        an entry for each `<student>/<exercise>.py` or `.ipynb`, and for each folder or zip, which
        may be a submission of several files; a record for each student's folder
        that cannot be read or is a link, and the bare path of what is neither. Hidden files are
        passed over.
    """
    for student in sorted(os.scandir(folder), key=lambda found: found.name):
        if is_passed_over(student.name):
            continue
        if student.is_symlink() and student.is_dir():
            entry = Entry(student.name, Path(student.path))
            yield Record(entry, "The folder is a symbolic link; put the folder itself here.")
            continue
        if not student.is_dir():
            yield Path(student.path)
            continue
        try:
            names = sorted(found.name for found in os.scandir(student.path))
            changed = {name: os.lstat(Path(student.path, name)).st_mtime for name in names}
        except OSError as error:
            entry = Entry(student.name, Path(student.path))
            yield Record(entry, f"The folder cannot be read: {error.strerror}.")
            continue
        newest: dict[str, str] = {}  # of a Python file and a notebook of one name
        for name in filter(is_submission, names):
            stem = name.rpartition(".")[0]
            newest[stem] = max(newest.get(stem, name), name, key=lambda each: changed[each])
        for name in names:
            path = Path(student.path, name)
            is_newest = is_submission(name) and newest[name.rpartition(".")[0]] == name
            if is_passed_over(name) and not is_newest:
                continue
            if is_newest or may_be_several(path):
                yield Entry(student.name, path, handed_in=_last_change(path, changed[name]))
            else:
                yield path


def is_submission(name: str) -> bool:
    """Return whether a file is called as a Python file or a notebook."""
    return name.endswith((".py", ".ipynb"))


def may_be_several(path: Path) -> bool:
    """Return whether a path may be a submission of several files, whatever the exercise is."""
    return path.suffix.lower() == ".zip" or (path.is_dir() and not is_submission(path.name))


def _last_change(path: Path, changed: float) -> float:
    """Return when a folder's files were last changed."""
    with contextlib.suppress(OSError):
        return max([os.lstat(each).st_mtime for each in os.scandir(path)], default=changed)
    return changed


def is_passed_over(name: str) -> bool:
    """Return whether a file or folder is ignored."""
    return name.startswith(".") or name == "__pycache__"


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
    exercises: dict[str, Exercise | str] = {}
    for found in find(folder):
        if isinstance(found, Path):
            made.not_looked_at.append(found)
            continue
        if isinstance(found, Record):
            made.not_graded.append(found)
            continue
        if found.exercise not in exercises:
            exercises[found.exercise] = _exercise_or_reason(found.exercise, exercise_named)
        exercise = exercises[found.exercise]
        if may_be_several(found.path) and (
            isinstance(exercise, str) or not exercise.files_to_submit
        ):
            made.not_looked_at.append(found.path)
            continue
        if isinstance(exercise, str):
            made.not_graded.append(Record(found, exercise))
            continue
        try:
            submission = read_submission(found.path, exercise.files_to_submit, below=folder)
        except GraderFault as fault:
            made.not_graded.append(Record(found, fault))
            continue
        if submission.is_notebook and submission.problem:
            made.not_graded.append(Record(found, f"{submission.path}: {submission.problem}"))
            continue
        before = done and done.verdict_before(found, exercise, submission)
        if before:
            made.done_before.append(Record(found, before))
            continue
        key = (exercise.digest, submission.digest, submission.problem)
        made.groups.setdefault(key, (Job(exercise, submission), []))[1].append(found)
    return made


def _exercise_or_reason(name: str, exercise_named: Callable[[str], Exercise]) -> Exercise | str:
    """Look up the name as it is, then with hyphens: a Python file is `attention_weights.py`."""
    try:
        return exercise_named(name)
    except UsageError as error:
        if "_" in name:
            return _exercise_or_reason(name.replace("_", "-"), exercise_named)
        return str(error)


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
