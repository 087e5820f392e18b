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
from grader.grading.workers.batch import Entry, Plan, is_passed_over, is_submission

_MOST_NAMES = 3  # of files, in a sentence


def plan_assignment(folder: Path, exercises: Sequence[Exercise]) -> Plan:
    """Plan an entry for each exercise. A missing file is a failed submission.

    Raises:
        UsageError: two exercises have the same id.
    """
    named: dict[str, list[Path]] = {str(exercise.id): [] for exercise in exercises}
    if len(named) < len(exercises):
        raise UsageError("two of the assigned exercises have the same id")
    others: list[Path] = []
    paths = sorted(_files(folder))
    for path in paths:
        named.get(path.stem.replace("_", "-"), others).append(path)
    if len(exercises) == 1 and not any(named.values()) and len(others) == 1:
        named = dict.fromkeys(named, others)
    made = Plan()
    for exercise in exercises:
        if exercise.files_to_submit:
            submission = _of_several(exercise.files_to_submit, paths, folder)
        else:
            submission = _submission(exercise.id, named[exercise.id], others, folder)
        entry = Entry("", submission.path, str(exercise.id))
        key = (exercise.digest, submission.digest, submission.problem)
        made.groups[key] = (Job(exercise, submission), [entry])
    return made


def _files(folder: Path) -> Iterator[Path]:
    """Yield the Python files and notebooks below a folder, following no link.

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
                elif is_submission(entry.name):
                    yield Path(entry.path)


def _submission(
    exercise: str, named: Sequence[Path], others: Sequence[Path], folder: Path
) -> Submission:
    if len(named) == 1:
        return Submission.read(named[0], below=folder)
    expected = f"{exercise}.py"
    if named:
        problem = f"There are several: {_listed(named, folder)}. Submit one {expected}."
    elif others:
        problem = (
            f"There is no file {expected}; what was submitted is {_listed(others, folder)}. "
            f"Call yours {expected}."
        )
    else:
        problem = f"There is no file {expected}."
    return Submission.without_source(folder / expected, problem)


def _of_several(names: Sequence[str], paths: Sequence[Path], folder: Path) -> Submission:
    """Read a submission of several files, which lie together in any folder."""
    main = Path(names[0])
    found = [path for path in paths if path.name in (main.name, main.with_suffix(".ipynb").name)]
    if len(found) == 1:
        return read_submission(found[0], names, below=folder)
    if found:
        problem = f"There are several: {_listed(found, folder)}. Submit one {main}."
    else:
        problem = f"There is no file {main}."
    return Submission.without_source(folder / main, problem)


def _listed(paths: Sequence[Path], folder: Path) -> str:
    names = [ascii(str(path.relative_to(folder)))[1:-1] for path in paths[:_MOST_NAMES]]
    more = len(paths) - len(names)
    return ", ".join([*names, f"{more} more"] if more else names)
