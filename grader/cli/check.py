"""`etude check`: grade one file and say what to do next."""

import contextlib
import dataclasses
import functools
import gc
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli import options
from grader.cli.main import BUG, EXIT_NOT_PASSED
from grader.errors import EtudeError, GraderFault, UsageError
from grader.sandbox.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.cli.portable_check import PortablePool
    from grader.cli.progress_record import FollowUp
    from grader.grading.jobs import Job
    from grader.grading.results.verdict import Verdict
    from grader.grading.submissions.submission import Submission
    from grader.grading.workers.pool import WorkerPool
    from grader.reports.formats import Delivery, RequestedFormat


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRequest:
    """One file to grade, and the options for showing its verdict."""

    exercise: str
    file: Path
    exercises: tuple[Path, ...]
    delivery: "Delivery"
    verbose: bool
    shapes: bool = False


@click.command("check")
@options.exercise_argument
@click.argument("file", type=options.PATH, required=False)
@options.exercises_option
@options.report_option
@options.unsafe_option
@click.option("--plain", is_flag=True, help="The same as --format plain: for screen readers.")
@click.option("--verbose", is_flag=True, help="Open every failing test, and leave nothing out.")
@click.option("--shapes", is_flag=True, help="Show the shape and dtype that each line makes.")
def command(
    id_or_path: str,
    file: Path | None,
    exercises: tuple[Path, ...],
    formats: "tuple[RequestedFormat, ...]",
    unsafe: bool,
    plain: bool,
    verbose: bool,
    shapes: bool,
) -> None:
    """Grade FILE, a Python file or a Jupyter notebook, as a submission to EXERCISE.

    Without FILE it is the file in this folder that is called like EXERCISE, as `etude start` writes
    it. With FILE alone, its name says which exercise it is for. Where EXERCISE asks for several
    files, FILE is their folder, a zip of it, or the main one.

    EXERCISE is an id, or the path of a YAML definition anywhere: a path has a slash or ends in
    .yaml or .yml. The attempt is recorded on this machine, see `etude progress`; a verdict never
    depends on that.

    \b
    Examples:
      etude check attention-weights
      etude check attention-weights.py
      etude check attention-weights my_solution.py --verbose
      etude check drafts/07-rope.yaml rope.py --format json
      etude check attention-weights my_solution.py --format junit=out.xml --format html=out.html
    """
    # Imported modules stay alive and little else is allocated.
    gc.disable()
    delivery = options.parse_delivery(formats, plain=plain)
    if file is None:
        id_or_path, file = find_exercise_and_file(id_or_path, exercises)
    request = CheckRequest(
        exercise=id_or_path,
        file=file,
        exercises=exercises,
        delivery=delivery,
        verbose=verbose,
        shapes=shapes,
    )
    with contextlib.ExitStack() as stack:
        with _reported_fault(request):
            pool = open_pool(unsafe=unsafe, is_batch=False)
            stack.enter_context(pool)
        verdict, follow_up = check_file(request, pool)
        for line in follow_up.next_steps(verdict):
            click.echo(line)
        sys.stdout.flush()
    raise click.exceptions.Exit(0 if verdict.outcome == "passed" else EXIT_NOT_PASSED)


def find_exercise_and_file(word: str, exercises: tuple[Path, ...]) -> tuple[str, Path]:
    """Return an exercise and its file, given the id of one or the name of the other.

    Raises:
        UsageError: There is no such file, or there are several.
    """
    from grader.definitions.files import id_in_name, is_path
    from grader.definitions.wording import join_first
    from grader.grading.submissions.submitted_files import (
        find_named_files,
        list_exercises,
        list_possible_ids,
        list_zip_files,
        match_exercise,
    )
    from grader.grading.submissions.zips import ZipError, is_code, is_zip

    if is_code(word) or is_zip(word):
        path = Path(word)
        exercise_of = functools.partial(match_exercise, _possible_ids("", exercises))
        if exercise := exercise_of(path.name):
            return exercise, path
        if ids := list_exercises(path, exercise_of):
            raise UsageError(f"{path} has {join_first(ids)}; name the EXERCISE before the FILE")
        if is_code(word):
            return next(iter(list_possible_ids(word)), word), path
        try:
            exercise_of_file = find_named_files(list_zip_files(path), path.name, exercise_of)
        except ZipError as error:
            raise UsageError(f"{path}: The zip cannot be read: {error}.") from None
        (name, exercise), *others = exercise_of_file.items()
        if others:
            names = " and ".join(exercise_of_file)
            raise UsageError(f"{path} has {names}; name the EXERCISE before the FILE")
        return exercise or Path(name).stem, path / name
    if is_path(word) and not word.endswith((".yaml", ".yml")) and Path(word).exists():
        raise UsageError(
            f"{word} is neither a submission by its name (.py, .ipynb, .zip) nor a definition "
            "(.yaml); name the EXERCISE before the FILE"
        )
    path_here = find_file(word, exercises)
    if path_here is None:
        # Raises an error that suggests an exercise.
        options.resolve_exercise(word, exercises)
        name = id_in_name(Path(word)) if is_path(word) else word
        raise UsageError(
            f"there is no {name}.py here; name the FILE to check, or begin with "
            f"'etude start {word}'"
        )
    return word, path_here


def find_file(exercise: str, exercises: tuple[Path, ...], folder: Path = Path()) -> Path | None:
    """Return the file in a folder that is named after an exercise, or None.

    Raises:
        UsageError: Several files have such a name.
    """
    from grader.definitions.files import id_in_name, is_path
    from grader.grading.submissions.submitted_files import choose, make_candidate, match_exercise
    from grader.grading.submissions.zips import is_code, is_zip

    name = id_in_name(Path(exercise)) if is_path(exercise) else exercise
    ids = _possible_ids(exercise, exercises)
    matches: list[Path] = []
    # OSError: the folder was removed or cannot be read.
    with contextlib.suppress(OSError):
        matches += [path for path in folder.iterdir() if match_exercise(ids, path.name) == name]
    files = sorted(path for path in matches if is_code(path.name) or is_zip(path.name))
    files += sorted(path for path in matches if path.is_dir() or not path.suffix)
    best, left_out = choose([make_candidate(path) for path in files])
    if best is None and files:
        paths = " and ".join(map(str, files))
        raise UsageError(f"there are {paths} here; name the FILE to check")
    for path, reason in left_out.items():
        click.echo(printable(f"{path} does not count: {reason}"), err=True)
    return best.path if best is not None else None


def _possible_ids(exercise: str, exercises: tuple[Path, ...]) -> list[str]:
    """Return the ids after which the file for an exercise may be named."""
    from grader.definitions.collection import exercise_ids
    from grader.definitions.files import id_in_name, is_path

    if is_path(exercise):
        return [id_in_name(Path(exercise))]
    return exercise_ids(*options.collection_folders(exercises))


def open_pool(*, unsafe: bool, is_batch: bool) -> "WorkerPool | PortablePool":
    """Return the pool that grades on this system, a context manager.

    Args:
        unsafe: True if the command line allows a run without a sandbox.
        is_batch: True for more than one submission.

    Raises:
        SandboxFault: This system has no sandbox, and the user did not agree to do without.
    """
    from grader.sandbox.backends import unsupported_reason

    if unsupported_reason() is not None:
        from grader.cli.portable_check import PortablePool

        return PortablePool(unsafe=unsafe)
    from grader.grading.workers.pool import WorkerPool

    return WorkerPool(1, options.sandbox_opener(unsafe, is_batch=is_batch), preload=is_batch)


def check_file(
    request: CheckRequest, pool: "WorkerPool | PortablePool"
) -> "tuple[Verdict, FollowUp]":
    """Grade a file, show and record the verdict; return it with its follow-up advice."""
    began = time.time()
    delivery = request.delivery
    with _reported_fault(request):
        verdict, follow_up, submission = _grade_file(request, pool)
    from grader.reports.report import Report

    report = Report.from_verdict(verdict, str(submission.path), began=began, ended=time.time())
    report = dataclasses.replace(report, verbose=request.verbose)
    learner_report = dataclasses.replace(report, verdict=follow_up.with_earned_xp(verdict))
    options.print_delivery(delivery, learner_report)
    delivery.write(report)
    # The verdict comes first, because the record may have to wait for the disk.
    sys.stdout.flush()
    follow_up.record(verdict, submission.source)
    for line in follow_up.advice(verdict):
        click.echo(line)
    sys.stdout.flush()
    return verdict, follow_up


def _grade_file(
    request: CheckRequest, pool: "WorkerPool | PortablePool"
) -> "tuple[Verdict, FollowUp, Submission]":
    from grader.grading.jobs import Job, JobOptions
    from grader.grading.submissions.read_submission import read_submission
    from grader.grading.submissions.submitted_files import find_in_zip

    exercise = options.resolve_exercise(request.exercise, request.exercises)
    request.delivery.load()  # runs while the worker starts
    from grader.cli.progress_record import FollowUp

    is_text = request.delivery.printed.name in {"text", "plain"}
    follow_up = FollowUp(exercise, request.exercises, advises=is_text)
    path = request.file
    if not exercise.files_to_submit:
        path = find_in_zip(path, exercise.id, _possible_ids(request.exercise, request.exercises))
    submission = read_submission(path, exercise.files_to_submit).part_for(exercise)
    if submission.is_unreadable:
        raise UsageError(f"{submission.path}: {submission.problem}")
    job_options = JobOptions(with_shapes=request.shapes)
    verdict = grade_job(pool, Job(exercise, submission, options=job_options))
    return verdict, follow_up, submission


def grade_job(pool: "WorkerPool | PortablePool", job: "Job") -> "Verdict":
    """Return the verdict of a single job.

    Raises:
        EtudeError: It has none.
    """
    ((_, result),) = pool.grade([job])
    if isinstance(result, EtudeError):
        raise result
    return result


@contextlib.contextmanager
def _reported_fault(request: CheckRequest) -> "Iterator[None]":
    """Write the reports of an error as well, so that their reader learns that there is no score."""
    began = time.time()
    try:
        yield
    except Exception as error:
        # OSError: the first error is the one to report.
        with contextlib.suppress(OSError):
            from grader.definitions.files import is_path
            from grader.reports.report import Report

            message = str(error) if isinstance(error, EtudeError) else BUG
            name = Path(request.exercise).stem if is_path(request.exercise) else request.exercise
            report = Report.from_fault(
                name, str(request.file), message, began=began, ended=time.time()
            )
            if isinstance(error, GraderFault) and request.delivery.printed.name != "text":
                click.echo(request.delivery.text(report), nl=False)
            request.delivery.write(report)
        raise
