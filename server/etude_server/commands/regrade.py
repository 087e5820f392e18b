"""`etude regrade`: grade stored submissions again under a fixed exercise."""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from etude_server.actions import regrades as regrade_actions
from etude_server.actions.regrades import RegradePlan
from etude_server.commands.server_options import database_option, find_user_name, open_course
from etude_server.grading import GradingService
from etude_server.store import regrades
from etude_server.store.database import Database
from etude_server.store.regrades import Regrade, RegradeChange
from grader.cli import options
from grader.cli.progress_bar import progress
from grader.definitions.wording import plural
from grader.errors import GraderFault, UsageError
from grader.grading.workers.grading_process import GradingProcess
from grader.sandbox.printable import printable

_MAX_SHOWN_RAISED = 20  # improvements that are listed; every lower verdict is
_MINUTES_FROM_SECONDS = 120  # longer times are given in minutes
_MAX_CELL_WIDTH = 40  # most characters of a table cell; an id has 36
_MAX_TABLE_WIDTH = 1_000


@click.command("regrade")
@click.argument("exercise", required=False)
@click.option(
    "--from", "from_hash", default="", metavar="HASH",
    help="The version whose verdicts are replaced; its first characters will do. Not needed if "
    "there is only one.",
)  # fmt: skip
@click.option(
    "--sample", type=click.IntRange(1), metavar="N",
    help="Preview by so many distinct sources instead of all.",
)  # fmt: skip
@click.option("--yes", is_flag=True, help="Publish the new verdicts; without it, only a preview.")
@click.option("--reason", default="", metavar="TEXT", help="Why; kept for good. Needed with --yes.")
@click.option("--allow-lower", is_flag=True, help="Publish also what is worse than it was.")
@click.option("--list", "listing", is_flag=True, help="List all regrades, and end.")
@click.option("--show", metavar="ID", help="List all that a regrade changed, and end.")
@click.option("--cancel", metavar="ID", help="Cancel a regrade; what it published stays.")
@click.option("--undo", metavar="ID", help="Publish again what a regrade replaced; needs --reason.")
@click.option(
    "--workers", type=click.IntRange(1, 256), default=options.cores,
    show_default="the number of cores", metavar="N", help="How many are graded at once.",
)  # fmt: skip
@database_option
@options.exercises_option
def command(
    exercise: str | None,
    database: str,
    *,
    listing: bool,
    show: str | None,
    cancel: str | None,
    undo: str | None,
    **run_options: Any,
) -> None:
    """Preview what grading the stored submissions of EXERCISE again would change; --yes does it.

    Of identical code one is graded. A verdict that would become worse keeps what it was unless
    --allow-lower is given, and is listed. The run can be interrupted at any time: the same command
    goes on with it. A server that runs has to be started again first, or it goes on grading with
    the exercise as it was.

    \b
    Examples:
      etude regrade attention-weights
      etude regrade attention-weights --from 3f9a --sample 200
      etude regrade attention-weights --yes --reason "test 3 was wrong for float32"
      etude regrade --list
    """
    if sum(map(bool, (exercise, listing, show, cancel, undo))) != 1:
        raise click.UsageError("Give an EXERCISE, or --list, --show ID, --cancel ID or --undo ID.")
    if listing:
        with open_course(database) as course, course.database.read() as connection:
            _print_regrades(regrades.list_regrades(connection))
    elif show is not None:
        with open_course(database) as course:
            with course.database.read() as connection:
                changes = list(regrades.iterate_changes(connection, show))
            _print_changes(changes, max_raised=None)
            _print_result(course.database, show)
    elif cancel is not None:
        with open_course(database) as course:
            if not regrade_actions.end_regrade(course, cancel, "cancelled", actor=find_user_name()):
                raise UsageError(f"no regrade {cancel!r} is running")
        click.echo("cancelled; what it published stays")
    elif undo is not None:
        with _open_grading(database, run_options["exercises"], 1) as grading:
            _run_regrade(
                grading,
                regrade_actions.undo_regrade(
                    grading, undo, by=find_user_name(), reason=run_options["reason"]
                ),
            )
    elif exercise is not None:
        _regrade(exercise, database, **run_options)


def _regrade(
    exercise: str,
    database: str,
    *,
    from_hash: str,
    sample: int | None,
    yes: bool,
    reason: str,
    allow_lower: bool,
    workers: int,
    exercises: tuple[Path, ...],
) -> None:
    if yes and not reason.strip():
        raise UsageError("--yes needs a --reason: those whose grade changes will ask for it")
    with _open_grading(database, exercises, workers) as grading:
        plan = regrade_actions.plan_regrade(grading, exercise, from_hash)
        faults = _show_preview(grading, plan, sample, allow_lower=allow_lower)
        if yes:
            regrade = regrade_actions.start_regrade(
                grading, plan, by=find_user_name(), reason=reason, allow_lower=allow_lower
            )
            _run_regrade(grading, regrade)
        elif faults:
            raise GraderFault(f"could not grade {plural(faults, 'source')}")
        else:
            click.echo("\nNothing is published. To publish it: --yes --reason TEXT")


def _run_regrade(grading: GradingService, regrade: Regrade) -> None:
    goes_on = f" goes on behind {regrade.done} of {regrade.sources} sources" if regrade.done else ""
    click.echo(f"\nRegrade {regrade.id}{goes_on}")
    try:
        with progress(regrade.sources - regrade.done) as advance:
            regrade_actions.run_regrade(grading, regrade, on_progress=advance)
    except KeyboardInterrupt:
        click.echo("What is done stays done; the same command goes on.", err=True)
        raise
    finally:
        # The total of this run and earlier ones.
        _print_result(grading.database, regrade.id)


@contextlib.contextmanager
def _open_grading(url: str, exercises: tuple[Path, ...], workers: int) -> Iterator[GradingService]:
    """Open the grading process before the database, whose address may contain a password."""
    folders = options.collection_folders(exercises)
    with GradingProcess(workers) as grading_process, open_course(url, folders) as course:
        yield GradingService(
            course.database, course.catalog, grading_process, regrade_queue=course.regrade_queue
        )


def _show_preview(
    grading: GradingService, plan: RegradePlan, sample: int | None, *, allow_lower: bool
) -> int:
    """Show the changes, and return the number of sources that could not be graded."""
    with grading.database.read() as connection:
        count = len(regrades.list_sources(connection, plan.exercise.id, plan.from_hash))
    with progress(min(count, sample or count)) as advance:
        preview = regrade_actions.preview_regrade(grading, plan, sample=sample, on_progress=advance)
    raised = sum(change.effect == "raised" for change in preview.changes)
    same = preview.submissions_tried - len(preview.changes)
    tried = "all" if preview.tried == preview.sources else f"{preview.tried} of {preview.sources}"
    click.echo(f"{preview.exercise}: {preview.from_hash[:12]} → {preview.to_hash[:12]}")
    click.echo(
        f"  {plural(preview.submissions, 'submission')}, {preview.sources} distinct; tried {tried}"
    )
    click.echo(f"  {raised} raised, {len(preview.changes) - raised} lowered, {same} the same")
    if preview.faults:
        click.echo(f"  {plural(preview.faults, 'source')} could not be graded")
    if preview.ungraded:
        duration = ""
        if preview.seconds is not None:
            is_long = preview.seconds >= _MINUTES_FROM_SECONDS
            number = preview.seconds / 60 if is_long else preview.seconds
            duration = f", which takes about {number:.0f} {'min' if is_long else 's'}"
        click.echo(f"  {preview.ungraded} left to grade{duration}")
    _print_changes(
        [
            replace(change, held=change.effect == "lowered" and not allow_lower)
            for change in preview.changes
        ]
    )
    return preview.faults


def _print_result(database: Database, regrade_id: str) -> None:
    with database.read() as connection:
        regrade = regrades.find_regrade(connection, regrade_id)
        if regrade is None:
            raise UsageError(f"there is no regrade {regrade_id!r}")
        changes = list(regrades.iterate_changes(connection, regrade_id))
    held = sum(change.held for change in changes)
    raised = sum(change.effect == "raised" for change in changes)
    click.echo(
        f"{regrade.state}: {regrade.done} of {plural(regrade.sources, 'source')} done, "
        f"{raised} raised, {len(changes) - raised - held} lowered, {held} left as they were; "
        f"etude regrade --show {regrade_id} lists them"
    )


def _print_regrades(rows: Sequence[Regrade]) -> None:
    table = _make_table("id", "exercise", "from", "to", "state", "sources", "by", "begun", "reason")
    for regrade in rows:
        created_at = datetime.fromtimestamp(regrade.created_at / 1e6, UTC)
        table.add_row(
            regrade.id, _safe_cell(regrade.exercise),
            regrade.from_hash[:12], regrade.to_hash[:12], regrade.state,
            f"{regrade.done}/{regrade.sources}", _safe_cell(regrade.by_name),
            f"{created_at:%Y-%m-%d %H:%M}", _safe_cell(regrade.reason),
        )  # fmt: skip
    if rows:
        _print_table(table)
    else:
        click.echo("nothing was graded again")


def _print_changes(
    changes: Sequence[RegradeChange], max_raised: int | None = _MAX_SHOWN_RAISED
) -> None:
    groups = {
        "Raised": [change for change in changes if change.effect == "raised"],
        "Lowered": [change for change in changes if change.effect == "lowered" and not change.held],
        "Worse: they stay as they are without --allow-lower": [
            change for change in changes if change.held
        ],
    }
    for heading, group in groups.items():
        if not group:
            continue
        click.echo(f"\n{heading}")
        table = _make_table("student", "submission", "was", "", "is", "")
        limit = max_raised if heading == "Raised" else None
        for change in sorted(group, key=lambda change: (change.person, change.submission))[:limit]:
            marks = (
                cell
                for mark in (change.before, change.after)
                for cell in (mark.outcome, f"{mark.score}/{mark.max_score}")
            )
            table.add_row(_safe_cell(change.person), change.submission, *marks)
        _print_table(table)
        if limit is not None and len(group) > limit:
            click.echo(f"... and {len(group) - limit} more")


def _make_table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold", max_width=_MAX_CELL_WIDTH)
    return table


def _print_table(table: Table) -> None:
    """Print a table at its full width, since an id broken over two lines cannot be copied."""
    console = Console(highlight=False)
    width = console.measure(
        table, options=console.options.update(max_width=_MAX_TABLE_WIDTH)
    ).maximum
    Console(highlight=False, width=max(console.width, width)).print(table)


def _safe_cell(text: str) -> str:
    """Return untrusted text as a cell, without control characters and markup."""
    return escape(printable(text))
