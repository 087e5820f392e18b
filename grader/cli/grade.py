"""`etude grade`: grade a folder of submissions."""

import contextlib
import functools
import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli import options
from grader.cli.main import FAULT, NOT_PASSED, USAGE
from grader.errors import UsageError
from grader.grading.pool import Pool

if TYPE_CHECKING:
    from grader.definitions.exercise import Exercise
    from grader.grading.batch import Plan, Record, Results
    from grader.reports.text import Row

_STATUS = {"passed": 0, "not passed": NOT_PASSED, "not graded": USAGE, "fault": FAULT}
_SHOWN = 50  # submissions that are listed one by one
_NAMED = 5  # files that were not looked at


@click.command("grade", short_help="Grade a folder of submissions.")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "--jobs",
    type=click.IntRange(1, 256),
    default=lambda: len(os.sched_getaffinity(0)),
    show_default="one for each core",
    metavar="N",
    help="How many to grade at once.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write each result here as it comes, as JSON Lines.",
)
@click.option(
    "--resume", is_flag=True, help="Go on with FILE: what has a verdict there is not graded again."
)
@options.exercises_option
@options.format_option("text", "json")
@options.unsafe_option
def command(  # noqa: PLR0917  click calls it by name
    folder: Path,
    jobs: int,
    output: Path | None,
    resume: bool,
    exercises: Path | None,
    form: str,
    unsafe: bool,
) -> None:
    """Grade every FOLDER/<student>/<exercise>.py.

    \b
    Examples:
      etude grade submissions/
      etude grade submissions/ --jobs 8 --output results.jsonl --resume
    """
    options.prefer_own_output()
    if resume and output is None:
        raise UsageError("--resume goes on with a file: name it with --output FILE")
    from grader.grading.batch import Results, plan, worst  # noqa: PLC0415  not for --help

    with contextlib.ExitStack() as stack:
        results = None
        if output is not None:
            opened = Results.resume(output) if resume else Results.create(output)
            results = stack.enter_context(opened)
        to_do = plan(folder, _finder(options.collection_folder(exercises)), results)
        if not to_do.entries and not to_do.done_before:
            raise UsageError(
                f"there is no <student>/<exercise>.py in {folder}; if it is one student's, name "
                "the folder above it"
            )
        pool = stack.enter_context(Pool(jobs, options.sandbox_opener(unsafe, spare=True)))
        records = _run(to_do, pool, results)
    (_print_json if form == "json" else _print_text)(records, to_do)
    outcomes = [*to_do.done_before, *(record.outcome for record in records)]
    raise click.exceptions.Exit(_STATUS[worst(outcomes)])


def _finder(folder: Path) -> "functools.partial[Exercise]":
    from grader.definitions.collection import resolve  # noqa: PLC0415

    return functools.partial(resolve, collection_folder=folder)


def _run(to_do: "Plan", pool: Pool, results: "Results | None") -> list["Record"]:
    """Grade, show the progress, and keep each result the moment it comes."""
    from grader.cli.progress import progress  # noqa: PLC0415
    from grader.grading.batch import run  # noqa: PLC0415

    records = []
    with progress(to_do.entries) as advance:
        for record in run(to_do, pool):
            if results is not None:
                results.write(record)
            records.append(record)
            advance()
    return records


def _print_text(records: Iterable["Record"], to_do: "Plan") -> None:
    from rich.console import Console  # noqa: PLC0415

    from grader.reports.text import print_verdicts  # noqa: PLC0415

    ordered = sorted(records, key=lambda record: record.entry.path)
    console = Console(highlight=False)
    shown = ordered if len(ordered) <= _SHOWN else []
    print_verdicts(console, [_row(record) for record in shown])
    outcomes = Counter(record.outcome for record in ordered)
    summary = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common())
    noun = "submission" if len(ordered) == 1 else "submissions"
    console.print(f"{len(ordered)} {noun}: {summary or 'nothing to do'}", markup=False)
    if to_do.done_before:
        console.print(f"{len(to_do.done_before)} had a verdict already", markup=False)
    if to_do.not_looked_at:
        console.print(_not_looked_at(to_do.not_looked_at), markup=False, soft_wrap=True)


def _not_looked_at(paths: Sequence[Path]) -> str:
    from grader.sandbox.printable import printable  # noqa: PLC0415

    shown = ", ".join(printable(str(path)) for path in paths[:_NAMED])
    more = ", ..." if len(paths) > _NAMED else ""
    return f"{len(paths)} not looked at, being no <student>/<exercise>.py: {shown}{more}"


def _row(record: "Record") -> "Row":
    from grader.grading.verdict import Verdict  # noqa: PLC0415
    from grader.reports.text import Row, why  # noqa: PLC0415
    from grader.sandbox.printable import printable  # noqa: PLC0415

    verdict = record.result if isinstance(record.result, Verdict) else None
    reason = str(record.result) if verdict is None else why(verdict)
    student, exercise = printable(record.entry.student), printable(record.entry.exercise)
    return Row(student, exercise, verdict, record.outcome, printable(reason))


def _print_json(records: Iterable["Record"], to_do: "Plan") -> None:
    ordered = sorted(records, key=lambda record: record.entry.path)
    verdicts = [record.data() for record in ordered]
    not_looked_at = [str(path) for path in to_do.not_looked_at]
    done_before = len(to_do.done_before)
    data = {"verdicts": verdicts, "done_before": done_before, "not_looked_at": not_looked_at}
    click.echo(json.dumps(data, indent=2))
