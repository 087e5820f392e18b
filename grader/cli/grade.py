"""`etude grade`: grade a folder of submissions."""

import contextlib
import dataclasses
import time
from collections.abc import Sequence
from pathlib import Path

import click

from grader.cli import options
from grader.cli.main import BUG, EXIT_FAULT, EXIT_NOT_PASSED, EXIT_USAGE
from grader.cli.progress_bar import progress
from grader.course.times_file import TIMES_FILE, read_times
from grader.definitions.collection import exercise_ids, find_exercise, load_exercise
from grader.definitions.files import is_path
from grader.errors import DefinitionError, EtudeError, GraderFault, UsageError
from grader.grading.results.verdict_json import FAULT, NOT_GRADED
from grader.grading.workers.assignment_plan import plan_assignment
from grader.grading.workers.pool import WorkerPool
from grader.grading.workers.submissions_folder import (
    Entry,
    EntryResult,
    Plan,
    plan_batch,
    run_batch,
)
from grader.reports.formats import Delivery, RequestedFormat
from grader.reports.report import Batch, HiddenTests, Report
from grader.reports.results_file import ResultsFile
from grader.safe_files import find_linked_folder
from grader.sandbox.printable import printable

_STATUS = {FAULT: EXIT_FAULT, NOT_GRADED: EXIT_USAGE}  # the worst outcome first


@click.command("grade")
@click.argument("folder", type=options.EXISTING_FOLDER)
@options.jobs_option("to grade")
@options.output_option("Write each result here as it comes, as JSON Lines.")
@click.option(
    "--resume",
    is_flag=True,
    help="Go on with FILE: what has a verdict there is reported, and not graded again.",
)
@click.option(
    "--assigned",
    multiple=True,
    metavar="EXERCISE",
    help="FOLDER is one student's: grade it for this exercise, an id or the path of a definition; "
    "may be given several times. A file that is missing is a submission that failed.",
)
@options.exercises_option
@options.report_option
@options.hidden_tests_option
@options.unsafe_option
def command(
    folder: Path,
    jobs: int,
    output: Path | None,
    resume: bool,
    assigned: tuple[str, ...],
    exercises: tuple[Path, ...],
    formats: tuple[RequestedFormat, ...],
    hidden_tests: HiddenTests,
    unsafe: bool,
) -> None:
    """Grade every FOLDER/<student>/<exercise>.py or .ipynb, or what one student was assigned.

    \b
    Examples:
      etude grade submissions/
      etude grade submissions/ --jobs 8 --output results.jsonl --resume
      etude grade submissions/ --format csv=scores.csv --format html=report.html
      etude grade submitted/ --assigned token-lookup --assigned attention-weights
    """
    if resume and output is None:
        raise UsageError("--resume goes on with a file: name it with --output FILE")
    if resume and assigned:
        raise UsageError("--resume is for many students, --assigned for one")
    delivery = options.parse_delivery(formats)

    began = time.time()
    to_do, records = Plan(), list[EntryResult]()
    with contextlib.ExitStack() as stack:
        try:
            results = None
            if output is not None:
                results = stack.enter_context(ResultsFile(output, resume=resume))
            to_do = _plan(folder, assigned, exercises, results, delivery)
            for path, reason in to_do.left_out.items():
                click.echo(f"{printable(str(path))} does not count: {printable(reason)}", err=True)
            for path, reason in to_do.unreadable.items():
                click.echo(f"{printable(str(path))} gets 0 points: {printable(reason)}", err=True)
            pool = stack.enter_context(
                WorkerPool(jobs, options.sandbox_opener(unsafe, workers=jobs))
            )
            with progress(to_do.record_count) as advance:
                for record in run_batch(to_do, pool):
                    # Each result is saved as soon as it arrives.
                    if results is not None:
                        results.write(Report.from_record(record))
                    records.append(record)
                    advance()
        except Exception as error:
            # OSError: the first error is the one to report.
            with contextlib.suppress(OSError):
                delivery.write(
                    _single_or_batch(_interrupted_batch(to_do, records, error, began), assigned)
                )
            raise
    report = _single_or_batch(_batch(to_do, records, began), assigned)
    options.deliver(delivery, dataclasses.replace(report, hidden_tests=hidden_tests))
    outcomes = {record.outcome for record in (*to_do.done_before, *records)}
    faults = [record.result for record in records if isinstance(record.result, EtudeError)]
    if faults and all(isinstance(fault, DefinitionError) for fault in faults):
        # Not a fault, since trying again would not help.
        raise click.exceptions.Exit(EXIT_USAGE)
    worst = next((status for name, status in _STATUS.items() if name in outcomes), EXIT_NOT_PASSED)
    raise click.exceptions.Exit(worst if outcomes - {"passed"} else 0)


def _plan(
    folder: Path,
    assigned: tuple[str, ...],
    exercises: tuple[Path, ...],
    results: ResultsFile | None,
    delivery: Delivery,
) -> Plan:
    """Decide what to grade, and check that the formats can show it.

    Raises:
        UsageError: There is nothing to grade, a format cannot show so many students, the exercises
            come from the graded folder itself, or a student's folder is a symbolic link.
    """
    collection = options.collection_folders(exercises)
    paths = [Path(name) for name in assigned if is_path(name)]
    if exercises and (not assigned or len(paths) < len(assigned)):
        paths += collection
    for path in paths:
        options.refuse_submitted_definitions(path, folder)
    if assigned:
        linked = folder if folder.is_symlink() else find_linked_folder(folder)
        if linked is not None:
            raise UsageError(f"{linked} is a symbolic link; submit the folder itself")
        ids = exercise_ids(*collection) if len(paths) < len(assigned) else ()
        return plan_assignment(folder, [load_exercise(name, *collection) for name in assigned], ids)
    file = folder / TIMES_FILE
    times = read_times(file) if file.is_file() else None
    to_do = plan_batch(
        folder,
        exercise_ids(*collection),
        lambda name: find_exercise(name, *collection),
        None if results is None else results.verdicts,
        times,
    )
    to_do.not_looked_at = [path for path in to_do.not_looked_at if path != file]
    if not to_do.record_count and not to_do.done_before:
        raise UsageError(
            f"there is no <student>/<exercise>.py or .ipynb in {folder}; if it is one student's, "
            "name the folder above it"
        )
    students = {record.entry.student for record in to_do.not_graded}
    students |= {record.entry.student for record in to_do.done_before}
    students |= {entry.student for _, entries in to_do.groups.values() for entry in entries}
    narrow = [format_.name for format_ in delivery.formats if format_.one_student]
    if narrow and len(students) > 1:
        raise UsageError(f"--format {narrow[0]} shows one student, and {folder} has more")
    return to_do


def _batch(to_do: Plan, records: Sequence[EntryResult], began: float) -> Batch:
    """Return the records in file order, together with those of an earlier run."""
    ended = time.time()
    finished_records = [*to_do.done_before, *records]
    ordered = sorted(finished_records, key=lambda each: (each.entry.path, each.entry.exercise))
    reports = tuple(Report.from_record(record, began=began, ended=ended) for record in ordered)
    not_looked_at = tuple(str(path) for path in (*to_do.left_out, *to_do.not_looked_at))
    return Batch(reports, len(to_do.done_before), not_looked_at)


def _interrupted_batch(
    to_do: Plan, records: Sequence[EntryResult], error: Exception, began: float
) -> Batch:
    """Return the finished records, and a fault for every submission that is left."""
    fault = GraderFault(str(error) if isinstance(error, EtudeError) else BUG)
    planned_entries = [entry for _, entries in to_do.groups.values() for entry in entries]
    finished_entries = {record.entry for record in records}
    unfinished = [
        EntryResult(entry, fault) for entry in planned_entries if entry not in finished_entries
    ]
    unfinished += [record for record in to_do.not_graded if record.entry not in finished_entries]
    if not (records or unfinished):
        unfinished = [EntryResult(Entry("", Path()), fault)]
    return _batch(to_do, [*records, *unfinished], began)


def _single_or_batch(batch: Batch, assigned: tuple[str, ...]) -> Batch | Report:
    """Return the report of a single assigned exercise, as `etude check` shows it, or the batch."""
    if len(assigned) != 1 or len(batch.reports) != 1:
        return batch
    return dataclasses.replace(batch.reports[0], student=None)
