"""`etude check`: grade one file and say what to do next."""

import contextlib
import dataclasses
import functools
import gc
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from grader.cli import options
from grader.cli.main import NOT_PASSED
from grader.errors import EtudeError, GraderFault, UsageError
from grader.sandbox.printable import printable

if TYPE_CHECKING:
    from grader.cli.portable_check import PortablePool
    from grader.cli.progress_record import Afterwards
    from grader.definitions.exercise import ExerciseId
    from grader.grading.results.submission import Submission
    from grader.grading.results.verdict import Verdict
    from grader.grading.workers.pool import Pool
    from grader.reports.formats import Delivery, RequestedFormat

_BUG = "Etude itself failed; its log has the reason"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """The arguments of the command line."""

    exercise: str
    file: Path
    exercises: Path | None
    delivery: "Delivery"
    unsafe: bool
    verbose: bool


@click.command("check", short_help="Grade one file.")
@options.exercise_argument
@click.argument("file", type=click.Path(path_type=Path), required=False)
@options.exercises_option
@options.report_option
@options.unsafe_option
@click.option("--plain", is_flag=True, help="The same as --format plain: for screen readers.")
@click.option("--verbose", is_flag=True, help="Open every failing test, and leave nothing out.")
@click.option(
    "--watch",
    is_flag=True,
    help="Grade again whenever FILE is saved, until Ctrl-C; after a pass, go on to the next one.",
)
def command(
    exercise: str,
    file: Path | None,
    exercises: Path | None,
    formats: "tuple[RequestedFormat, ...]",
    unsafe: bool,
    plain: bool,
    verbose: bool,
    watch: bool,
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
      etude check attention-weights my_solution.py --watch
      etude check attention-weights my_solution.py --verbose
      etude check drafts/07-rope.yaml rope.py --format json
      etude check attention-weights my_solution.py --format junit=out.xml --format html=out.html
    """
    gc.disable()  # what is imported stays, and there is not much else
    options.prefer_own_output()
    delivery = options.delivery(formats, plain=plain)
    if file is None:
        exercise, file = _exercise_and_file(exercise, exercises)
    asked = _Asked(
        exercise=exercise,
        file=file,
        exercises=exercises,
        delivery=delivery,
        unsafe=unsafe,
        verbose=verbose,
    )
    if watch:
        _watch(asked)
    verdict, _ = _check(asked)
    raise click.exceptions.Exit(0 if verdict.outcome == "passed" else NOT_PASSED)


def _exercise_and_file(word: str, exercises: Path | None) -> tuple[str, Path]:
    """Return the exercise that a file is named after, or the file here that is named after one.

    Raises:
        UsageError: there is no such file, or several of which none counts.
    """
    from grader.definitions.collection import resolve
    from grader.definitions.files import id_in_name, is_path
    from grader.grading.results.submitted_files import (
        candidate,
        choose,
        exercise_in,
        exercise_names,
        files_of_zip,
        named_inside,
    )
    from grader.grading.results.zips import ZipError, is_code, is_zip

    if is_code(word) or is_zip(word):
        path = Path(word)
        exercise_of = functools.partial(exercise_in, _ids("", exercises))
        if exercise := exercise_of(path.name):
            return exercise, path
        if is_code(word):
            return next(iter(exercise_names(word)), word), path
        try:
            inside = named_inside(files_of_zip(path), path.name, exercise_of)
        except ZipError as error:
            raise UsageError(f"{path}: The zip cannot be read: {error}.") from None
        (name, exercise), *others = inside.items()
        if others:
            names = " and ".join(inside)
            raise UsageError(f"{path} has {names}; name the EXERCISE before the FILE")
        return exercise or Path(name).stem, path / name
    if is_path(word) and not word.endswith((".yaml", ".yml")) and Path(word).exists():
        raise UsageError(
            f"{word} is no submission by its name (.py, .ipynb, .zip) and no definition (.yaml); "
            "name the EXERCISE before the FILE"
        )
    wanted = id_in_name(Path(word)) if is_path(word) else word
    ids = _ids(word, exercises)
    here: list[Path] = []
    with contextlib.suppress(OSError):  # the folder was removed, or cannot be read
        here += [path for path in Path().iterdir() if exercise_in(ids, path.name) == wanted]
    files = sorted(path for path in here if is_code(path.name) or is_zip(path.name))
    files += sorted(path for path in here if path.is_dir() or not path.suffix)
    best, left_out = choose([candidate(path) for path in files])
    if best is None and files:
        paths = " and ".join(map(str, files))
        raise UsageError(f"there are {paths} here; name the FILE to check")
    if best is None:
        resolve(word, options.collection_folder(exercises))  # or say which exercise is meant
        raise UsageError(
            f"there is no {wanted}.py here; name the FILE to check, or begin with "
            f"'etude start {word}'"
        )
    for path, why in left_out.items():
        click.echo(printable(f"{path} does not count: {why}"), err=True)
    return word, best.path


def _ids(exercise: str, exercises: Path | None) -> list[str]:
    """Return the ids that a file may be named after, where an exercise is asked for."""
    from grader.definitions.collection import exercise_ids
    from grader.definitions.files import id_in_name, is_path

    if is_path(exercise):
        return [id_in_name(Path(exercise))]
    return exercise_ids(options.collection_folder(exercises))


def _watch(asked: _Asked) -> NoReturn:
    """Grade at each save; after a pass, wait for the file of the next exercise."""
    from grader.cli.file_watcher import changed, changes

    seen = changed(_files(asked))  # before it is read: what is saved meanwhile is a change
    following = _check_and_go_on(asked)
    with contextlib.suppress(KeyboardInterrupt):
        while True:
            if following is not None:
                asked, seen = following, changed(_files(following))
            _say_waiting(asked)
            for _ in changes(_files(asked), seen):
                click.clear()  # in a terminal: what is there is the newest verdict
                try:
                    following = _check_and_go_on(asked)
                except EtudeError as error:
                    click.echo(str(error), err=True)
                    continue
                if following is not None:
                    break
                _say_waiting(asked)
    raise click.exceptions.Exit(0)


def _say_waiting(asked: _Asked) -> None:
    click.echo(f"\nWaiting for {asked.file} to be saved (Ctrl-C ends)")
    sys.stdout.flush()


def _files(asked: _Asked) -> list[Path]:
    return [asked.file, *asked.file.glob("*.py")] if asked.file.is_dir() else [asked.file]


def _check_and_go_on(asked: _Asked) -> _Asked | None:
    """Grade a file; after a pass, write that of the next exercise and return what to grade next."""
    from grader.cli.progress_record import suffix
    from grader.cli.start import path_for, write_starter
    from grader.definitions.collection import resolve
    from grader.definitions.files import is_path

    _, name = _check(asked)
    if name is None or is_path(asked.exercise):
        return None
    exercise = resolve(name, options.collection_folder(asked.exercises))
    path = path_for(exercise, asked.file.parent)
    done = "there already" if path.exists() else write_starter(exercise, path)
    click.echo(f"\n{path}: {done}.\nRead:  etude show {name}{suffix(asked.exercises)}")
    return dataclasses.replace(asked, exercise=str(name), file=path)


def _check(asked: _Asked) -> "tuple[Verdict, ExerciseId | None]":
    """Grade a file; return the verdict, and after a pass the exercise that comes next."""
    began = time.time()
    delivery = asked.delivery
    with contextlib.ExitStack() as stack:
        try:
            verdict, afterwards, submission = _grade(stack, asked)
        except Exception as error:
            with contextlib.suppress(OSError):  # what went wrong first is what is said
                _deliver_fault(asked, error, began)
            raise
        # While what graded it comes to its end:
        from grader.reports.report import Report

        report = Report.of_verdict(verdict, str(submission.path), began=began, ended=time.time())
        report = dataclasses.replace(report, verbose=asked.verbose)
        shown = dataclasses.replace(report, verdict=afterwards.for_the_learner(verdict))
        if delivery.is_drawn:
            from grader.reports.lines import standard_output
            from grader.reports.to_text import print_report

            print_report(standard_output(), shown)
        else:
            click.echo(delivery.text(shown), nl=False)
        delivery.write(report)
        # Only now, with the verdict told: the record may have to wait for the disk.
        sys.stdout.flush()
        afterwards.record(verdict, submission.source)
        for line in afterwards.advice(verdict):
            click.echo(line)
        sys.stdout.flush()
    return verdict, afterwards.following


def _grade(stack: contextlib.ExitStack, asked: _Asked) -> "tuple[Verdict, Afterwards, Submission]":
    """Grade what is asked for; return also the submission.

    The pool is left to the stack, and may come to its end while the verdict is shown.
    """
    from grader.sandbox.backends import unsupported_reason

    pool: Pool | PortablePool
    if unsupported_reason() is not None:
        from grader.cli import portable_check

        pool = stack.enter_context(portable_check.PortablePool(unsafe=asked.unsafe))
    else:
        from grader.grading.workers import pool as pools

        opener = options.sandbox_opener(asked.unsafe, many=False)
        pool = stack.enter_context(pools.Pool(1, opener, preload=False))
    from grader.definitions.collection import resolve
    from grader.grading.results.jobs import Job
    from grader.grading.results.submission import read_submission
    from grader.grading.results.submitted_files import file_for

    definition = resolve(asked.exercise, options.collection_folder(asked.exercises))
    asked.delivery.load()  # while the worker gets ready
    from grader.cli.progress_record import Afterwards

    told = asked.delivery.printed in {"text", "plain"}
    afterwards = Afterwards(definition, asked.exercises, told=told)
    path = asked.file
    if not definition.files_to_submit:
        path = file_for(path, definition.id, _ids(asked.exercise, asked.exercises))
    submission = read_submission(path, definition.files_to_submit)
    if submission.is_unreadable:
        raise UsageError(f"{submission.path}: {submission.problem}")
    ((_, result),) = pool.grade([Job(definition, submission)])
    if isinstance(result, EtudeError):
        raise result
    return result, afterwards, submission


def _deliver_fault(asked: _Asked, error: Exception, began: float) -> None:
    """Write the files even now: anyone who waits for one learns that there is no score."""
    from grader.definitions.files import is_path
    from grader.reports.report import Report

    message = str(error) if isinstance(error, EtudeError) else _BUG
    name = Path(asked.exercise).stem if is_path(asked.exercise) else asked.exercise
    report = Report.of_fault(name, str(asked.file), message, began=began, ended=time.time())
    if isinstance(error, GraderFault) and asked.delivery.printed != "text":
        click.echo(asked.delivery.text(report), nl=False)
    asked.delivery.write(report)
