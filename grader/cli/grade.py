"""`etude grade`: grade a folder of submissions."""

import contextlib
import functools
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli import options
from grader.cli.main import FAULT, NOT_PASSED, USAGE
from grader.errors import EtudeError, UsageError
from grader.grading.pool import Pool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.definitions.exercise import Exercise
    from grader.grading.batch import Plan, Record, Results
    from grader.reports.deliver import Delivery, Wanted
    from grader.reports.report import Batch

_STATUS = {"passed": 0, "not passed": NOT_PASSED, "not graded": USAGE, "fault": FAULT}
_BUG = "Etude itself failed; its log has the reason"


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
@options.report_option
@options.unsafe_option
def command(  # noqa: PLR0917  click calls it by name
    folder: Path,
    jobs: int,
    output: Path | None,
    resume: bool,
    exercises: Path | None,
    formats: "tuple[Wanted, ...]",
    unsafe: bool,
) -> None:
    """Grade every FOLDER/<student>/<exercise>.py.

    \b
    Examples:
      etude grade submissions/
      etude grade submissions/ --jobs 8 --output results.jsonl --resume
      etude grade submissions/ --format csv=scores.csv --format html=report.html
    """
    options.prefer_own_output()
    if resume and output is None:
        raise UsageError("--resume goes on with a file: name it with --output FILE")
    delivery = options.delivery(formats)
    from grader.grading.batch import Plan, Results, worst  # noqa: PLC0415  not for --help

    began = time.time()
    to_do, records = Plan(), list["Record"]()
    with contextlib.ExitStack() as stack:
        try:
            results = None
            if output is not None:
                opened = Results.resume(output) if resume else Results.create(output)
                results = stack.enter_context(opened)
            to_do = _plan(folder, exercises, results, delivery)
            pool = stack.enter_context(Pool(jobs, options.sandbox_opener(unsafe, spare=True)))
            _run(to_do, pool, results, records)
        except Exception as error:
            with contextlib.suppress(OSError):  # what went wrong first is what is said
                delivery.write(_broken_off(to_do, records, error, began))
            raise
    _deliver(delivery, _batch(to_do, records, began))
    outcomes = [*to_do.done_before, *(record.outcome for record in records)]
    raise click.exceptions.Exit(_STATUS[worst(outcomes)])


def _plan(
    folder: Path, exercises: Path | None, results: "Results | None", delivery: "Delivery"
) -> "Plan":
    """Find out what there is to do, and whether the formats can show it.

    Raises:
        UsageError: there is nothing, or a format cannot show so many students.
    """
    from grader.grading.batch import plan  # noqa: PLC0415  not for --help

    to_do = plan(folder, _finder(options.collection_folder(exercises)), results)
    if not to_do.entries and not to_do.done_before:
        raise UsageError(
            f"there is no <student>/<exercise>.py in {folder}; if it is one student's, name "
            "the folder above it"
        )
    students = {record.entry.student for record in to_do.not_graded}
    students |= {entry.student for _, entries in to_do.groups.values() for entry in entries}
    narrow = [each.name for each in delivery.formats if each.one_student]
    if narrow and len(students) > 1:
        raise UsageError(f"--format {narrow[0]} shows one student, and {folder} has more")
    return to_do


def _finder(folder: Path) -> "functools.partial[Exercise]":
    from grader.definitions.collection import resolve  # noqa: PLC0415

    return functools.partial(resolve, collection_folder=folder)


def _run(to_do: "Plan", pool: Pool, results: "Results | None", records: "list[Record]") -> None:
    """Grade, show the progress, and keep each result the moment it comes."""
    from grader.cli.progress import progress  # noqa: PLC0415
    from grader.grading.batch import run  # noqa: PLC0415

    with progress(to_do.entries) as advance:
        for record in run(to_do, pool):
            if results is not None:
                results.write(record)
            records.append(record)
            advance()


def _batch(to_do: "Plan", records: "Sequence[Record]", began: float) -> "Batch":
    """Put records in the order of their files."""
    from grader.reports.report import Batch, Report  # noqa: PLC0415  not for --help

    ended = time.time()
    ordered = sorted(records, key=lambda record: record.entry.path)
    reports = tuple(Report.of_record(each, began=began, ended=ended) for each in ordered)
    not_looked_at = tuple(str(path) for path in to_do.not_looked_at)
    return Batch(reports, len(to_do.done_before), not_looked_at)


def _broken_off(
    to_do: "Plan", records: "Sequence[Record]", error: Exception, began: float
) -> "Batch":
    """Report what is done, and a fault for all that was still to do."""
    from grader.errors import GraderFault  # noqa: PLC0415  a run that ends well needs none
    from grader.grading.batch import Entry, Record  # noqa: PLC0415  the same

    fault = GraderFault(str(error) if isinstance(error, EtudeError) else _BUG)
    planned = [entry for _, entries in to_do.groups.values() for entry in entries]
    settled = {record.entry for record in records}
    left = [Record(entry, fault) for entry in planned if entry not in settled]
    left += [record for record in to_do.not_graded if record.entry not in settled]
    if not (records or left):
        left = [Record(Entry("", Path()), fault)]
    return _batch(to_do, [*records, *left], began)


def _deliver(delivery: "Delivery", batch: "Batch") -> None:
    if delivery.printed == "text":
        from rich.console import Console  # noqa: PLC0415  only for text

        from grader.reports.to_text import print_batch  # noqa: PLC0415  the same

        print_batch(Console(highlight=False), batch)
    else:
        click.echo(delivery.text(batch), nl=False)
    delivery.write(batch)
