"""`etude check`: grade one file and say what to do next."""

import json
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli import options
from grader.cli.main import NOT_PASSED
from grader.errors import GraderFault
from grader.sandbox.choose import open_sandbox, open_unsafe

if TYPE_CHECKING:
    from grader.grading.verdict import Verdict
    from grader.sandbox.process import Sandbox


@click.command("check", short_help="Grade one file.")
@click.argument("exercise")
@click.argument("file", type=click.Path(path_type=Path))
@options.exercises_option
@options.format_option("text", "json")
@options.unsafe_option
def command(exercise: str, file: Path, exercises: Path | None, form: str, unsafe: bool) -> None:
    r"""Grade FILE as a submission to EXERCISE.

    EXERCISE is an id, or the path of a YAML definition anywhere.

    \b
    Examples:
      etude check attention-weights my_solution.py
      etude check drafts/07-rope.yaml rope.py --format json
    """
    options.prefer_own_output()
    # The sandbox starts while everything else is imported and read.
    with ThreadPoolExecutor(1) as starter:
        starting = starter.submit(open_unsafe if unsafe else open_sandbox)
        try:
            status = _check(exercise, file, options.collection_folder(exercises), form, starting)
        finally:
            if starting.exception() is None:
                starting.result().close()
    raise click.exceptions.Exit(status)


def _check(exercise: str, file: Path, folder: Path, form: str, starting: "Future[Sandbox]") -> int:
    from grader.definitions.collection import resolve  # noqa: PLC0415  while the sandbox starts
    from grader.grading.engine import grade  # noqa: PLC0415
    from grader.grading.submission import Submission  # noqa: PLC0415

    definition = resolve(exercise, folder)
    submission = Submission.read(file)
    try:
        verdict = grade(definition, submission, starting.result())
    except GraderFault as fault:
        if form == "json":
            from grader.reports.data import fault_data  # noqa: PLC0415

            click.echo(json.dumps(fault_data(definition.id, str(fault)), indent=2))
        raise
    _show(verdict, form)
    return 0 if verdict.outcome == "passed" else NOT_PASSED


def _show(verdict: "Verdict", form: str) -> None:
    if form == "json":
        from grader.reports.data import verdict_data  # noqa: PLC0415

        click.echo(json.dumps(verdict_data(verdict), indent=2))
        return
    from rich.console import Console  # noqa: PLC0415

    from grader.reports.text import print_verdict  # noqa: PLC0415

    print_verdict(Console(highlight=False), verdict)
