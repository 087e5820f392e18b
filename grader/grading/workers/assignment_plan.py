"""One student's folder, graded for all assigned exercises, including missing ones.

A learning platform provides a folder with all files that a student uploaded. So a file may be in a
subfolder, or missing. If only one exercise is assigned, the file may have any name.
"""

from collections.abc import Collection, Sequence
from pathlib import Path

from grader.definitions.exercise import Exercise
from grader.definitions.wording import join_first
from grader.errors import UsageError
from grader.grading.jobs import Job
from grader.grading.submissions.read_submission import read_submission
from grader.grading.submissions.submission import Submission
from grader.grading.submissions.submitted_files import (
    ClassifiedFiles,
    choose,
    classify_files,
    make_candidate,
    match_exercise,
)
from grader.grading.submissions.zips import is_code
from grader.grading.workers.submissions_folder import Entry, Plan


def plan_assignment(folder: Path, exercises: Sequence[Exercise], ids: Collection[str] = ()) -> Plan:
    """Plan an entry for each exercise. A missing file counts as a failed submission.

    Args:
        ids: The ids of other exercises that a file may be named after.

    Raises:
        UsageError: Two exercises have the same id.
    """
    by_id = {str(exercise.id): exercise for exercise in exercises}
    if len(by_id) < len(exercises):
        raise UsageError("two of the assigned exercises have the same id")

    def find_exercise(name: str) -> str | None:
        meant = match_exercise({*by_id, *ids}, name)
        return meant if meant in by_id else None

    try:
        files = classify_files(
            folder, find_exercise, lambda each: by_id[each].files_to_submit, below=folder
        )
    except OSError:
        files = ClassifiedFiles()
    others = sorted([*files.unnamed, *(each for each in files.others if is_code(each.name))])
    plan = Plan()
    for name, exercise in by_id.items():
        expected, paths = f"{name}.py", sorted(files.candidates.get(name, ()))
        if exercise.files_to_submit:
            expected = exercise.files_to_submit[0]
            main = (expected, f"{expected.removesuffix('.py')}.ipynb")
            paths = [path for path in others if path.name in main] or paths
        elif not paths and len(by_id) == len(others) == 1:
            paths = others
        best, left_out = choose(
            [make_candidate(path, exercise.files_to_submit, below=folder) for path in paths]
        )
        if best is not None:
            plan.left_out.update(left_out)
            submission = read_submission(
                best.path, exercise.files_to_submit, below=folder
            ).part_for(exercise)
        else:
            problem = f"There is no file {expected}"
            if paths:
                problem = f"There are several: {_list_paths(paths, folder)}. Submit one {expected}"
            elif others and not exercise.files_to_submit:
                listed = _list_paths(others, folder)
                problem += f"; what was submitted is {listed}. Call yours {expected}"
            submission = Submission.without_source(folder / expected, f"{problem}.")
        plan.add(Entry("", submission.path, name), Job(exercise, submission))
    return plan


def _list_paths(paths: Sequence[Path], folder: Path) -> str:
    return join_first([ascii(str(path.relative_to(folder)))[1:-1] for path in paths])
