"""`etude stats`: statistics of exercises from result files."""

import dataclasses
import json
import shlex
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from grader.cli import options
from grader.cli.server_extra import read_stored, require_one_source, stored_option
from grader.course.failures import FailureGroup, TestStatistics, group_failures, summarize_tests
from grader.course.grades import read_results
from grader.course.statistics import ExerciseStatistics, make_rows, summarize_exercises
from grader.definitions.wording import plural
from grader.errors import UsageError
from grader.sandbox.printable import printable

_MAX_NAMES = 3  # mistakes and tests named in one line
_MAX_TESTS = 12  # tests shown; JSON has all
_MAX_GROUPS = 10  # groups shown; JSON has all
_MAX_MESSAGE_LENGTH = 160  # longest message, in characters


@click.command("stats")
@click.argument("results", nargs=-1, type=options.PATH)
@stored_option
@options.format_option("text", "json")
def command(results: tuple[Path, ...], database: str | None, form: str) -> None:
    """Sum up RESULTS, files that `etude grade --output` wrote, by exercise.

    Difficulty is the share of students that pass. Discrimination is how well passing goes with
    doing well on the other exercises: near 1 it tells strong from weak, near 0 it tells nothing,
    below 0 something is wrong with the exercise. For a test it is with the other tests.

    The first line names a suspicious test, if there is one: most who pass all other tests fail it.
    Failures that no diagnosis explains are grouped by equal behaviour, the largest group first;
    `etude misconception add` makes a misconception of one.

    \b
    Examples:
      etude stats results.jsonl
      etude stats week-*.jsonl --format json
      etude stats --database sqlite:///etude.db
    """
    require_one_source(results, database)
    tests, groups = list[TestStatistics](), list[FailureGroup]()
    if database is None:
        rows = make_rows(read_results(results))
        statistics = summarize_exercises(rows)
        tests, groups = summarize_tests(rows), group_failures(rows)
    else:
        stored = read_stored("compute_statistics", database)
        statistics = [entry.statistics for entry in stored]
    if not statistics:
        raise UsageError("there is no verdict in what was given")
    if form == "json":
        test_data = [{**dataclasses.asdict(test), "suspicion": test.suspicion} for test in tests]
        group_data = [dataclasses.asdict(group) for group in groups]
        data = [
            {
                **dataclasses.asdict(statistic),
                "tests": [test for test in test_data if test["exercise"] == statistic.exercise],
                "undiagnosed": [
                    group for group in group_data if group["exercise"] == statistic.exercise
                ],
            }
            for statistic in statistics
        ]
        click.echo(json.dumps(data, indent=2))
        return
    for test in tests:
        if test.suspicion:
            name = printable(f"{test.exercise}: test '{test.test}'")
            click.echo(f"Suspicious: {name}: {test.suspicion}.")
    _print_exercises(statistics)
    _print_tests([test for test in tests if test.failed])
    _print_groups(groups, results)


def _print_exercises(statistics: list[ExerciseStatistics]) -> None:
    table = Table(box=None, pad_edge=False)
    table.add_column("exercise", overflow="fold")
    for heading in ("students", "pass", "score", "discrimination"):
        table.add_column(heading, justify="right")
    table.add_column("most common", overflow="fold")
    for exercise in statistics:
        details = exercise.misconceptions or exercise.failed_tests
        common = ", ".join(
            f"{name} ({count})" for name, count in list(details.items())[:_MAX_NAMES]
        )
        table.add_row(
            printable(exercise.exercise),
            str(exercise.students),
            f"{exercise.pass_rate:.0%}",
            f"{exercise.mean_score:.0%}",
            "" if exercise.discrimination is None else f"{exercise.discrimination:.2f}",
            printable(common),
        )
    Console(highlight=False).print(table)


def _print_tests(tests: list[TestStatistics]) -> None:
    """Print the tests that students most often fail as their only one."""
    if not tests:
        return

    table = Table(box=None, pad_edge=False)
    for heading in ("exercise", "test"):
        table.add_column(heading, overflow="fold")
    for heading in ("students", "fail", "fail it alone", "discrimination"):
        table.add_column(heading, justify="right")
    for test in tests[:_MAX_TESTS]:
        discrimination = "" if test.discrimination is None else f"{test.discrimination:.2f}"
        numbers = map(str, (test.students, test.failed, test.alone))
        table.add_row(printable(test.exercise), printable(test.test), *numbers, discrimination)
    console = Console(highlight=False)
    console.print()
    console.print(table)
    if len(tests) > _MAX_TESTS:
        console.print(f"{len(tests) - _MAX_TESTS} more tests failed; --format json has all.")


def _print_groups(groups: list[FailureGroup], results: tuple[Path, ...]) -> None:
    """Print the largest groups of undiagnosed failures, and the command to diagnose one."""
    if not groups:
        return
    click.echo("\nFailures that no diagnosis explains, by equal behaviour:")
    for group in groups[:_MAX_GROUPS]:
        message = " ".join(group.message.split())[:_MAX_MESSAGE_LENGTH]
        where = f"test '{group.tests[0]}': " if group.tests else ""
        click.echo(
            printable(
                f"{group.number}. {group.exercise}, {plural(group.students, 'submission')}, "
                f"as {group.files[0]}: {where}{message}"
            )
        )
    if len(groups) > _MAX_GROUPS:
        click.echo(f"{len(groups) - _MAX_GROUPS} more; --format json has all.")
    files = " ".join(f"--results {shlex.quote(str(path))}" for path in results)
    click.echo(
        printable(
            f"To name one: etude misconception add {groups[0].exercise} {groups[0].number} {files}"
        )
    )
