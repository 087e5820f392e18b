"""A batch run over a folder of submissions: find, grade equal code once, write results, resume."""

import functools
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from grader.definitions.exercise import Exercise
from grader.errors import GraderFault, UsageError
from grader.grading.jobs import Job, Result
from grader.grading.results.verdict import Verdict
from grader.grading.results.verdict_json import FAULT, NOT_GRADED
from grader.grading.submissions.read_submission import read_submission
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
    done: Mapping[tuple[str, str, str], Verdict] | None = None,
    times: Times | None = None,
) -> Plan:
    """Read every submission and group equal code of one exercise.

    Args:
        folder: A folder with one folder for each student.
        load: Returns the exercise with an id, or raises `UsageError`.
        done: Verdicts of an earlier run, whose submissions are not graded again, by file, hash of
            the exercise and hash of the submission.
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
        before = (os.fspath(entry.path), exercise.digest, submission.digest)
        if done and before in done:
            batch_plan.done_before.append(EntryResult(entry, done[before]))
        else:
            batch_plan.add(entry, Job(exercise, submission))
    return batch_plan


def run_batch(to_do: Plan, pool: WorkerPool) -> Iterator[EntryResult]:
    """Grade the planned entries and yield a record for each as soon as it is graded."""
    yield from to_do.not_graded
    for job, result in pool.grade(job for job, _ in to_do.groups.values()):
        for entry in to_do.groups[_key(job)][1]:
            yield EntryResult(entry, result)
