"""Jobs for the grader, and the only thing that may go wrong with one: a verdict not passed."""

import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from benchmarks import material
from grader.definitions.collection import load_exercise_file
from grader.definitions.exercise import Exercise
from grader.grading.jobs import Job, Result
from grader.grading.results.verdict import Outcome, Verdict
from grader.grading.submissions.submission import Submission

_numbers = count()


class WrongVerdictError(Exception):
    """A right solution did not pass, so no figure of this run means anything."""


def exercises(number: int, slug: str = "row-weights") -> list[Exercise]:
    """Write, load and return exercises that differ in their names."""
    with tempfile.TemporaryDirectory() as folder:
        return [_exercise(Path(folder), f"{slug}-{index}") for index in range(number)]


def _exercise(folder: Path, slug: str) -> Exercise:
    path = folder / f"{slug}.yaml"
    path.write_text(material.exercise(slug))
    return load_exercise_file(path)


def new_job(exercise: Exercise) -> Job:
    """Return a submission that this process has not graded before."""
    number = next(_numbers)
    data = material.source(number).encode()
    return Job(exercise, Submission.from_bytes(Path(f"{number}.py"), data))


def new_jobs(exercise: Exercise, number: int) -> Iterator[Job]:
    """Yield that many new jobs, each made when it is asked for."""
    return (new_job(exercise) for _ in range(number))


def require_passed(result: Result) -> None:
    """Raise unless it is a pass.

    Raises:
        WrongVerdictError: it is another verdict, or none.
    """
    if not isinstance(result, Verdict) or result.outcome is not Outcome.PASSED:
        raise WrongVerdictError(f"a right solution did not pass: {result}")
