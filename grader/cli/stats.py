"""`etude stats`: what result files tell about exercises."""

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli import options
from grader.cli.service_options import files_or_store, needs_service, open_store, stored_option
from grader.errors import UsageError

if TYPE_CHECKING:
    from grader.authoring.statistics import ExerciseStatistics

_NAMED = 3  # mistakes and tests that a line names


@click.command("stats", short_help="Difficulty and common mistakes, from result files.")
@click.argument("results", nargs=-1, type=click.Path(path_type=Path))
@stored_option
@options.format_option("text", "json")
def command(results: tuple[Path, ...], database: str | None, form: str) -> None:
    """Sum up RESULTS, files that `etude grade --output` wrote, by exercise.

    Difficulty is the share of students that pass. Discrimination is how well passing goes with
    doing well on the other exercises: near 1 it tells strong from weak, near 0 it tells nothing,
    below 0 something is wrong with the exercise.

    \b
    Examples:
      etude stats results.jsonl
      etude stats week-*.jsonl --format json
      etude stats --database sqlite:///etude.db
    """
    options.prefer_own_output()
    files_or_store(results, database)
    if database is None:
        from grader.authoring.statistics import read_results, summarise

        found = summarise(read_results(results))
    else:
        with needs_service():
            from grader.service.gradebook_data import numbers
        with open_store(database) as opened, opened.read() as connection:
            found = [each.statistics for each in numbers(connection)]
    if not found:
        raise UsageError("there is no verdict in what was given")
    if form == "json":
        click.echo(json.dumps([dataclasses.asdict(each) for each in found], indent=2))
    else:
        _print(found)


def _print(found: list["ExerciseStatistics"]) -> None:
    from rich.console import Console
    from rich.table import Table

    from grader.sandbox.printable import printable

    table = Table(box=None, pad_edge=False)
    table.add_column("exercise", overflow="fold")
    for heading in ("students", "pass", "score", "discrimination"):
        table.add_column(heading, justify="right")
    table.add_column("most common", overflow="fold")
    for each in found:
        told = each.misconceptions or each.failed_tests
        common = ", ".join(f"{name} ({count})" for name, count in list(told.items())[:_NAMED])
        table.add_row(
            printable(each.exercise),
            str(each.students),
            f"{each.pass_rate:.0%}",
            f"{each.mean_score:.0%}",
            "" if each.discrimination is None else f"{each.discrimination:.2f}",
            printable(common),
        )
    Console(highlight=False).print(table)
