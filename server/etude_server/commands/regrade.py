"""`etude regrade`: grade stored submissions again under a fixed exercise."""

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from etude_server.commands.server_options import database_option, open_store, whoami
from grader.cli import options
from grader.cli.server_extra import needs_service
from grader.errors import GraderFault, UsageError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from rich.table import Table

    from etude_server.grading import Grading
    from etude_server.job_queue import JobQueue
    from etude_server.regrading import Concurrency, RegradePlan
    from etude_server.store.database import Database
    from etude_server.store.regrades import Mark, RegradeChange

_SHOWN = 20  # changes for the better that are listed; those for the worse always are
_MINUTE, _HOUR = 60, 3600
_CELL = 40  # characters of a line in one: an id is 36
_WIDEST = 1_000


@click.command("regrade", short_help="Grade stored submissions again under a fixed exercise.")
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
    **how: Any,
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
    options.prefer_own_output()
    asked = [each for each in (exercise, listing, show, cancel, undo) if each]
    if len(asked) != 1:
        raise click.UsageError("Give an EXERCISE, or --list, --show ID, --cancel ID or --undo ID.")
    if listing:
        _list(database)
    elif show is not None:
        with needs_service():
            from etude_server.store import regrades
        with open_store(database) as opened:
            with opened.read() as connection:
                if regrades.find(connection, show) is None:
                    raise UsageError(f"there is no regrade {show!r}")
                changes = list(regrades.changes(connection, show))
            published = [each for each in changes if not each.held]
            _print_changes(published, [each for each in changes if each.held], most=None)
            _print_result(opened, show)
    elif cancel is not None:
        with needs_service():
            from etude_server.store import regrades
        with open_store(database) as opened, _queue(opened) as queue:
            with opened.write() as connection:
                is_ended = regrades.end(connection, cancel, "cancelled", actor=whoami())
            if not is_ended:
                raise UsageError(f"no regrade {cancel!r} is running")
            if queue is not None:
                queue.cancel_regrade(cancel)
        click.echo("cancelled; what it published stays")
    elif undo is not None:
        with _grading(database, options.collection_folder(how["exercises"]), 1) as grading:
            from etude_server.regrading import undo as take_back

            begun = take_back(grading, undo, by=whoami(), reason=how["reason"])
            _print_result(grading.database, begun.id)
    elif exercise is not None:
        _regrade(exercise, database, **how)


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
    exercises: Path | None,
) -> None:
    if yes and not reason.strip():
        raise UsageError("--yes needs a --reason: those whose grade changes will ask for it")
    with _grading(database, options.collection_folder(exercises), workers) as grading:
        from etude_server.regrading import begin, plan, run
        from etude_server.store import regrades

        wanted = plan(grading, exercise, from_hash)
        faults = _preview(grading, wanted, sample, allow_lower=allow_lower)
        if yes:
            begun = begin(grading, wanted, by=whoami(), reason=reason, allow_lower=allow_lower)
            with grading.database.read() as connection:
                done, count = regrades.progress(connection, begun.id)
            goes_on = f" goes on behind {done} of {count} sources" if done else ""
            click.echo(f"\nRegrade {begun.id}{goes_on}")
            try:
                with _concurrency(count - done) as concurrency:
                    run(grading, begun, concurrency)
            except KeyboardInterrupt:
                click.echo("What is done stays done; the same command goes on.", err=True)
                raise
            finally:  # all that it came to, in this run and earlier ones
                _print_result(grading.database, begun.id)
        elif faults:
            raise GraderFault(f"could not grade {_count(faults, 'source')}")
        else:
            click.echo("\nNothing is published. To publish it: --yes --reason TEXT")


@contextlib.contextmanager
def _grading(url: str, folder: Path, workers: int) -> "Iterator[Grading]":
    """Open the grading pool, then the database, whose address may have a password."""
    with needs_service():
        from etude_server.catalog import Catalog
        from etude_server.grading import Grading
        from grader.grading.workers.grading_pool import GradingPool
    catalog = Catalog.load(folder)
    with GradingPool(workers) as pool, open_store(url) as database, _queue(database) as queue:
        yield Grading(database, catalog, pool, queue=queue)


def _queue(database: "Database") -> "AbstractContextManager[JobQueue | None]":
    """Return the job queue of a database on PostgreSQL."""
    from etude_server.job_queue import JobQueue

    return contextlib.nullcontext() if database.is_sqlite else JobQueue(database)


def _preview(
    grading: "Grading", wanted: "RegradePlan", sample: int | None, *, allow_lower: bool
) -> int:
    """Show what would change, and return how many sources could not be graded."""
    from etude_server.regrading import preview
    from etude_server.store import regrades

    with grading.database.read() as connection:
        count = len(regrades.sources(connection, wanted.exercise.id, wanted.from_hash))
    with _concurrency(min(count, sample or count)) as concurrency:
        seen = preview(grading, wanted, sample=sample, concurrency=concurrency)
    raised = [each for each in seen.changes if each.effect == "raised"]
    lowered = [each for each in seen.changes if each.effect == "lowered"]
    same = seen.submissions_tried - len(seen.changes)
    tried = "all" if seen.tried == seen.sources else f"{seen.tried} of {seen.sources}"
    click.echo(f"{wanted.exercise.id}: {wanted.from_hash[:12]} → {wanted.exercise.digest[:12]}")
    click.echo(
        f"  {_count(seen.submissions, 'submission')}, {seen.sources} distinct; tried {tried}"
    )
    click.echo(
        f"  {len(raised)} raised, {len(seen.changes) - len(raised)} lowered, {same} the same"
    )
    if seen.faults:
        click.echo(f"  {_count(seen.faults, 'source')} could not be graded")
    if seen.ungraded:
        known = ""
        if seen.seconds is not None:
            if seen.seconds < 2 * _MINUTE:
                time = f"{max(1, round(seen.seconds))} s"
            elif seen.seconds < 2 * _HOUR:
                time = f"{seen.seconds / _MINUTE:.0f} min"
            else:
                time = f"{seen.seconds / _HOUR:.0f} h"
            known = f", which takes about {time}"
        click.echo(f"  {seen.ungraded} left to grade{known}")
    _print_changes(raised + (lowered if allow_lower else []), [] if allow_lower else lowered)
    return seen.faults


def _print_result(database: "Database", regrade_id: str) -> None:
    from etude_server.store import regrades

    with database.read() as connection:
        ended = regrades.find(connection, regrade_id)
        done, count = regrades.progress(connection, regrade_id)
        changes = list(regrades.changes(connection, regrade_id))
    held = sum(each.held for each in changes)
    raised = sum(each.effect == "raised" for each in changes)
    lowered = len(changes) - raised - held
    state = "gone" if ended is None else ended.state
    click.echo(
        f"{state}: {done} of {_count(count, 'source')} done, {raised} raised, {lowered} lowered, "
        f"{held} left as they were; etude regrade --show {regrade_id} lists them"
    )


def _list(url: str) -> None:
    with needs_service():
        from etude_server.store import regrades
    table = _table("id", "exercise", "from", "to", "state", "sources", "by", "begun", "reason")
    with open_store(url) as database, database.read() as connection:
        for each in regrades.listed(connection):
            done, count = regrades.progress(connection, each.id)
            begun = datetime.fromtimestamp(each.created_at / 1e6, UTC)
            table.add_row(
                each.id, _safe(each.exercise), each.from_hash[:12], each.to_hash[:12], each.state,
                f"{done}/{count}", _safe(each.by_name), f"{begun:%Y-%m-%d %H:%M}",
                _safe(each.reason),
            )  # fmt: skip
    if table.row_count:
        _print(table)
    else:
        click.echo("nothing was graded again")


@contextlib.contextmanager
def _concurrency(total: int) -> "Iterator[Concurrency]":
    from etude_server.regrading import Concurrency
    from grader.cli.progress_bar import progress

    with progress(total) as advance:
        yield Concurrency(tell=advance)


def _print_changes(
    published: "Sequence[RegradeChange]", held: "Sequence[RegradeChange]", most: int | None = _SHOWN
) -> None:
    raised = [each for each in published if each.effect == "raised"]
    lowered = [each for each in published if each.effect == "lowered"]
    _print_table("Raised", raised, most)
    _print_table("Lowered", lowered, None)
    _print_table("Worse: they stay as they are without --allow-lower", held, None)


def _print_table(heading: str, changes: "Sequence[RegradeChange]", most: int | None) -> None:
    if not changes:
        return
    click.echo(f"\n{heading}")
    table = _table("student", "submission", "was", "", "is", "")
    ordered = sorted(changes, key=lambda each: (each.person, each.submission_id))
    for each in ordered[:most]:
        was, now_is = _cells(each.before), _cells(each.after)
        table.add_row(_safe(each.person), each.submission_id, *was, *now_is)
    _print(table)
    if most is not None and len(changes) > most:
        click.echo(f"... and {len(changes) - most} more")


def _table(*headings: str) -> "Table":
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold", max_width=_CELL)
    return table


def _print(table: "Table") -> None:
    """Print a table at its own width: an id in two pieces could not be copied, or found."""
    from rich.console import Console

    console = Console(highlight=False)
    wanted = console.measure(table, options=console.options.update(max_width=_WIDEST)).maximum
    Console(highlight=False, width=max(console.width, wanted)).print(table)


def _cells(mark: "Mark") -> Iterable[str]:
    return mark.outcome, f"{mark.score}/{mark.max_score}"


def _safe(text: str) -> str:
    """Return a text from elsewhere as a cell: nothing in it steers the terminal or the table."""
    from rich.markup import escape

    from grader.sandbox.printable import printable

    return escape(printable(text))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
