"""`etude check`: grade one file and say what to do next."""

import gc
import importlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli import options
from grader.cli.main import NOT_PASSED
from grader.errors import EtudeError, GraderFault

if TYPE_CHECKING:
    from grader.grading.pool import Pool
    from grader.grading.verdict import Verdict
    from grader.sandbox.process import Sandbox


@click.command("check", short_help="Grade one file.")
@click.argument("exercise")
@click.argument("file", type=click.Path(path_type=Path))
@options.exercises_option
@options.format_option("text", "json")
@options.unsafe_option
def command(exercise: str, file: Path, exercises: Path | None, form: str, unsafe: bool) -> None:
    """Grade FILE as a submission to EXERCISE.

    EXERCISE is an id, or the path of a YAML definition anywhere.

    \b
    Examples:
      etude check attention-weights my_solution.py
      etude check drafts/07-rope.yaml rope.py --format json
    """
    gc.disable()  # what is imported stays, and there is not much else
    options.prefer_own_output()
    started = None if unsafe else _begin_sandbox()
    from grader.grading.pool import Pool  # noqa: PLC0415  while the sandbox starts

    with Pool(1, options.sandbox_opener(unsafe), started=started, once=True) as pool:
        verdict = _grade(pool, exercise, file, options.collection_folder(exercises), form)
        _show(verdict, form)  # while what graded it comes to its end
    raise click.exceptions.Exit(0 if verdict.outcome == "passed" else NOT_PASSED)


def _begin_sandbox() -> "Sandbox | None":
    """Set it going before anything else: it takes as long to start as all that we import."""
    from grader.sandbox.choose import begin_sandbox  # noqa: PLC0415

    return begin_sandbox()


def _grade(pool: "Pool", exercise: str, file: Path, folder: Path, form: str) -> "Verdict":
    from grader.definitions.collection import resolve  # noqa: PLC0415  while the sandbox starts
    from grader.grading.jobs import Job  # noqa: PLC0415
    from grader.grading.submission import Submission  # noqa: PLC0415

    definition = resolve(exercise, folder)
    if form != "json":
        importlib.import_module("grader.reports.text")  # while the worker gets ready
    try:
        ((_, result),) = pool.grade([Job(definition, Submission.read(file))])
        if isinstance(result, EtudeError):
            raise result
    except GraderFault as fault:
        if form == "json":
            from grader.grading.records import fault_data  # noqa: PLC0415

            click.echo(json.dumps(fault_data(definition.id, str(fault)), indent=2))
        raise
    return result


def _show(verdict: "Verdict", form: str) -> None:
    if form == "json":
        from grader.grading.records import verdict_data  # noqa: PLC0415

        click.echo(json.dumps(verdict_data(verdict), indent=2))
        return
    from rich.console import Console  # noqa: PLC0415

    from grader.reports.text import print_verdict  # noqa: PLC0415

    print_verdict(Console(highlight=False), verdict)
