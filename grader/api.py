"""The Python API, exported by `grader`, for programs that grade submissions.

It grades as `etude check` does, in the sandbox of this machine. The grading runs in a separate
process, so a program with threads, such as a notebook, can use the API.
"""

import os
from concurrent.futures import Future
from pathlib import Path
from typing import Self

from grader.definitions import collection
from grader.definitions.exercise import Exercise
from grader.definitions.files import default_folder
from grader.errors import UsageError
from grader.grading.jobs import Job
from grader.grading.results.verdict import Verdict
from grader.grading.submissions.read_submission import read_submission
from grader.grading.submissions.submission import Submission
from grader.grading.workers.grading_process import GradingProcess
from grader.progress.breaks import break_job
from grader.reports.formats import format_named
from grader.reports.report import Report


def load_exercise(name: str | os.PathLike[str], exercises: Path | None = None) -> Exercise:
    """Load the exercise with a path or an id.

    Args:
        name: The id of an exercise, or the path of a definition. A path has a slash or ends in
            `.yaml` or `.yml`.
        exercises: The collection in which an id is looked up, by default Etude's own.

    Raises:
        UsageError: There is no such file or exercise; the message names the closest id.
        DefinitionError: The exercise is not valid; `problems` has each problem with its line.
    """
    return collection.load_exercise(os.fspath(name), exercises or default_folder())


class Grader:
    """A grader of many submissions with one pool of worker processes. Use it as a context manager.

    Its methods may be called from any thread. When it is closed, submissions without a verdict get
    a `SandboxFault`.

    Args:
        workers: The number of submissions that are graded at once, by default one for each core.

    Raises:
        UsageError: `workers` is below 1.
    """

    def __init__(self, workers: int | None = None) -> None:
        if workers is not None and workers < 1:
            raise UsageError(f"a grader needs at least one worker, found {workers}")
        self._process = GradingProcess(workers or len(os.sched_getaffinity(0)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def grade(
        self,
        exercise: Exercise,
        file: str | os.PathLike[str] | None = None,
        *,
        source: str | None = None,
    ) -> Verdict:
        """Grade one submission and wait for the verdict; see `grade`."""
        return self.submit(exercise, file, source=source).result()

    def submit(
        self,
        exercise: Exercise,
        file: str | os.PathLike[str] | None = None,
        *,
        source: str | None = None,
    ) -> Future[Verdict]:
        """Begin to grade one submission; see `grade`.

        Returns:
            A future with the verdict or a `GraderFault`.

        Raises:
            UsageError: Both `file` and `source` were given, or neither.
        """
        return self._process.grade(Job(exercise, _make_submission(exercise, file, source)))

    def close(self) -> None:
        """End the worker processes."""
        self._process.close()


def grade(
    exercise: Exercise,
    file: str | os.PathLike[str] | None = None,
    *,
    source: str | None = None,
) -> Verdict:
    """Grade one submission of one exercise in the sandbox.

    This starts and ends a worker process. For more than a few submissions use one `Grader`.

    Args:
        exercise: From `load_exercise`.
        file: The submission: a Python file, a notebook, or a zip file that contains one. For an
            exercise of several files, it can also be their folder. A file that is missing or cannot
            be read does not pass, and the verdict's `message` says why.
        source: The text of the submission, instead of a file.

    Returns:
        The verdict. `score` and `max_score` are in points; `seconds` of a test is in seconds.

    Raises:
        UsageError: Both `file` and `source` were given, or neither.
        DefinitionError: The exercise cannot be run with any submission.
        GraderFault: The submission could not be graded, through no fault of its own.
        SandboxFault: A `GraderFault`: this machine has no sandbox, so nothing was run.
    """
    job = Job(exercise, _make_submission(exercise, file, source))
    with GradingProcess(1) as process:
        return process.grade(job).result()


def break_program(exercise: Exercise, misconception: str, call: str) -> Verdict:
    """Judge a call that should show that the program of a misconception is wrong.

    Args:
        exercise: From `load_exercise`.
        misconception: The id of the misconception.
        call: Python such as `softmax(np.array([[1.0, 2.0]]))`. If it is empty, a small call is
            searched for.

    Returns:
        A verdict. If the call counts, the verdict's `example` has the call and both results.
        Otherwise `example` is None, and `message` says why.

    Raises:
        UsageError: The exercise has no such misconception.
        GraderFault: The call could not be judged.
    """
    with GradingProcess(1) as process:
        return process.grade(break_job(exercise, misconception, call)).result()


def render(verdict: Verdict, form: str = "json", *, file: str | os.PathLike[str] = "") -> str:
    """Return a verdict as text in one of the formats of `etude check --format`.

    Args:
        verdict: From `grade`.
        form: The format's name, such as `json`, `junit`, `markdown` or `html`.
        file: The name of the submission that the text shows.

    Raises:
        UsageError: There is no such format, or it needs environment variables that are not set.
    """
    return format_named(form).render(Report.from_verdict(verdict, os.fspath(file)))


def _make_submission(
    exercise: Exercise, file: str | os.PathLike[str] | None, source: str | None
) -> Submission:
    if file is not None and source is None:
        return read_submission(Path(file), exercise.files_to_submit).part_for(exercise)
    if source is not None and file is None:
        return Submission.from_program(exercise, source)
    raise UsageError("a submission is either a file or a source: give one of the two")
