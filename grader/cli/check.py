"""`etude check`: grade one file and say what to do next."""

import contextlib
import dataclasses
import functools
import gc
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from grader.cli import arguments, options
from grader.cli.main import NOT_PASSED
from grader.errors import EtudeError, GraderFault

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.cli.afterwards import Afterwards
    from grader.grading.pool import Pool
    from grader.grading.verdict import Verdict
    from grader.reports.deliver import Delivery, Wanted
    from grader.reports.report import Report
    from grader.sandbox.process import Sandbox

_BUG = "Etude itself failed; its log has the reason"


@click.command("check", short_help="Grade one file.")
@arguments.exercise_argument
@click.argument("file", type=click.Path(path_type=Path))
@options.exercises_option
@options.report_option
@options.unsafe_option
@click.option("--watch", is_flag=True, help="Grade again whenever FILE is saved, until Ctrl-C.")
def command(  # noqa: PLR0917  click calls it by name
    exercise: str,
    file: Path,
    exercises: Path | None,
    formats: "tuple[Wanted, ...]",
    unsafe: bool,
    watch: bool,
) -> None:
    """Grade FILE as a submission to EXERCISE.

    EXERCISE is an id, or the path of a YAML definition anywhere. The attempt is recorded on this
    machine, see `etude progress`; a verdict never depends on that.

    \b
    Examples:
      etude check attention-weights my_solution.py
      etude check attention-weights my_solution.py --watch
      etude check drafts/07-rope.yaml rope.py --format json
      etude check attention-weights my_solution.py --format junit=out.xml --format html=out.html
    """
    gc.disable()  # what is imported stays, and there is not much else
    options.prefer_own_output()
    check = functools.partial(
        _check, exercise, file, exercises, options.delivery(formats), unsafe=unsafe
    )
    if watch:
        _watch(file, check)
    verdict = check()
    raise click.exceptions.Exit(0 if verdict.outcome == "passed" else NOT_PASSED)


def _watch(file: Path, check: "Callable[[], object]") -> NoReturn:
    from grader.cli.watching import changed, rebuild_on_change  # noqa: PLC0415  seldom

    seen = changed([file])  # before it is read: what is saved meanwhile is a change
    check()

    def again() -> None:
        click.clear()  # in a terminal: what is there is the newest verdict
        check()

    click.echo(f"\nWaiting for {file} to be saved (Ctrl-C ends)")
    sys.stdout.flush()
    with contextlib.suppress(KeyboardInterrupt):
        rebuild_on_change([file], again, seen)
    raise click.exceptions.Exit(0)


def _check(
    exercise: str, file: Path, exercises: Path | None, delivery: "Delivery", *, unsafe: bool
) -> "Verdict":
    began = time.time()
    with contextlib.ExitStack() as stack:
        try:
            pool = stack.enter_context(_pool(unsafe))
            verdict, afterwards = _grade(pool, exercise, file, exercises, delivery)
        except Exception as error:
            with contextlib.suppress(OSError):  # what went wrong first is what is said
                _deliver_fault(delivery, exercise, file, error, began)
            raise
        # While what graded it comes to its end:
        _deliver(delivery, verdict, file, began, afterwards)
        _record(verdict, afterwards)
    return verdict


def _pool(unsafe: bool) -> "Pool":
    started = None if unsafe else _begin_sandbox()
    from grader.grading.pool import Pool  # noqa: PLC0415  while the sandbox starts

    return Pool(1, options.sandbox_opener(unsafe), started=started, once=True)


def _begin_sandbox() -> "Sandbox | None":
    """Set it going before anything else: it takes as long to start as all that we import."""
    from grader.sandbox.choose import begin_sandbox  # noqa: PLC0415

    return begin_sandbox()


def _grade(
    pool: "Pool", exercise: str, file: Path, exercises: Path | None, delivery: "Delivery"
) -> "tuple[Verdict, Afterwards]":
    from grader.definitions.collection import resolve  # noqa: PLC0415  while the sandbox starts
    from grader.grading.jobs import Job  # noqa: PLC0415
    from grader.grading.submission import Submission  # noqa: PLC0415

    definition = resolve(exercise, options.collection_folder(exercises))
    delivery.load()  # while the worker gets ready
    from grader.cli.afterwards import Afterwards  # noqa: PLC0415  the same

    afterwards = Afterwards(definition, exercises, told=delivery.printed in {"text", "plain"})
    ((_, result),) = pool.grade([Job(definition, Submission.read(file))])
    if isinstance(result, EtudeError):
        raise result
    return result, afterwards


def _deliver(
    delivery: "Delivery", verdict: "Verdict", file: Path, began: float, afterwards: "Afterwards"
) -> None:
    from grader.reports.report import Report  # noqa: PLC0415  while the sandbox starts

    report = Report.of_verdict(verdict, str(file), began=began, ended=time.time())
    shown = dataclasses.replace(report, verdict=afterwards.for_the_learner(verdict))
    if delivery.printed == "text":
        _print_text(shown)
    else:
        click.echo(delivery.text(shown), nl=False)
    delivery.write(report)


def _record(verdict: "Verdict", afterwards: "Afterwards") -> None:
    """Only now, with the verdict told: the record may have to wait for the disk."""
    sys.stdout.flush()
    afterwards.record(verdict)
    for line in afterwards.advice(verdict):
        click.echo(line)
    sys.stdout.flush()


def _print_text(report: "Report") -> None:
    from rich.console import Console  # noqa: PLC0415  only for text

    from grader.reports.to_text import print_report  # noqa: PLC0415  the same

    print_report(Console(highlight=False), report)


def _deliver_fault(
    delivery: "Delivery", exercise: str, file: Path, error: Exception, began: float
) -> None:
    """Write the files even now: whoever waits for one learns that there is no score."""
    from grader.reports.report import Report  # noqa: PLC0415

    message = str(error) if isinstance(error, EtudeError) else _BUG
    name = Path(exercise).stem if exercise.endswith((".yaml", ".yml")) else exercise
    report = Report.of_fault(name, str(file), message, began=began, ended=time.time())
    if isinstance(error, GraderFault) and delivery.printed != "text":
        click.echo(delivery.text(report), nl=False)
    delivery.write(report)
