"""One student's folder, graded for all assigned exercises, whether they were submitted or not.

Learning platforms give a folder of all that a student uploaded. So a file may lie in a subfolder or
be missing. If only one exercise is assigned, the file may have any name.
"""

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from grader.definitions.exercise import Exercise
from grader.errors import UsageError
from grader.grading.results.jobs import Job
from grader.grading.results.submission import Submission, read_submission
from grader.grading.results.submitted_files import candidate, choose, exercise_for, name_inside
from grader.grading.results.zips import is_code, is_passed_over, is_zip
from grader.grading.workers.batch import Entry, Plan

_MOST_NAMES = 3  # of files, in a sentence


def plan_assignment(folder: Path, exercises: Sequence[Exercise]) -> Plan:
    """Plan an entry for each exercise. A missing file is a failed submission.

    Raises:
        UsageError: two exercises have the same id.
    """
    named: dict[str, list[Path]] = {str(exercise.id): [] for exercise in exercises}
    if len(named) < len(exercises):
        raise UsageError("two of the assigned exercises have the same id")

    paths = sorted(_files(folder))
    others = _sort(paths, named, folder)
    if len(exercises) == 1 and not any(named.values()) and len(others) == 1:
        named = dict.fromkeys(named, others)
    made = Plan()
    for exercise in exercises:
        expected, files = f"{exercise.id}.py", named[str(exercise.id)]
        if exercise.files_to_submit:
            expected = exercise.files_to_submit[0]
            main = (expected, f"{expected.removesuffix('.py')}.ipynb")
            files = [path for path in paths if path.name in main] or [*filter(_is_zip, files)]
        best, left_out = choose([candidate(path) for path in files])
        if best is not None:
            made.left_out.update(left_out)
            submission = read_submission(best.path, exercise.files_to_submit, below=folder)
        else:
            problem = f"There is no file {expected}"
            if files:
                problem = f"There are several: {_listed(files, folder)}. Submit one {expected}"
            elif others and not exercise.files_to_submit:
                problem += (
                    f"; what was submitted is {_listed(others, folder)}. Call yours {expected}"
                )
            submission = Submission.without_source(folder / expected, f"{problem}.")
        entry = Entry("", submission.path, str(exercise.id))
        key = (exercise.digest, submission.digest, submission.problem)
        made.groups[key] = (Job(exercise, submission), [entry])
    return made


def _sort(paths: Sequence[Path], named: dict[str, list[Path]], folder: Path) -> list[Path]:
    """Give each exercise the files that are named after it; return the others."""

    def files_of(name: str) -> list[Path]:
        if name not in named:
            raise UsageError(f"{name} is not assigned")
        return named[name]

    others: list[Path] = []
    for path in paths:
        files = others
        with contextlib.suppress(UsageError):
            files = exercise_for(name_inside(path, below=folder), files_of)
        with contextlib.suppress(UsageError):
            files = exercise_for(path.name, files_of)
        files.append(path)
    return others


def _is_zip(path: Path) -> bool:
    return is_zip(path.name)


def _files(folder: Path) -> Iterator[Path]:
    """Yield the Python files, notebooks and zips below a folder, following no link.

    Hidden ones are passed over.
    """
    waiting = [os.fspath(folder)]  # no recursion, whose depth the student would choose
    while waiting:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if is_passed_over(entry.name):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                elif is_code(entry.name) or is_zip(entry.name):
                    yield Path(entry.path)


def _listed(paths: Sequence[Path], folder: Path) -> str:
    names = [ascii(str(path.relative_to(folder)))[1:-1] for path in paths[:_MOST_NAMES]]
    more = len(paths) - len(names)
    return ", ".join([*names, f"{more} more"] if more else names)
