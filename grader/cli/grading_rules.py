"""The options that turn verdicts into grades, shared by `report` and `export`."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from grader.errors import UsageError

if TYPE_CHECKING:
    from grader.course.grades import Rules
    from grader.reports.report import Batch

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "--roster", type=click.Path(path_type=Path), metavar="FILE",
        help="A CSV with a column 'student': what they did not submit counts 0.",
    ),
    click.option("--due", metavar="TIME", help="When work was due, as 2026-12-01T18:00."),
    click.option(
        "--late", metavar="SHARE/day",
        help="What is left of late work's points for each day that has begun, as 0.9/day; by "
        "default nothing is.",
    ),
    click.option(
        "--overrides", type=click.Path(path_type=Path), metavar="FILE",
        help="A CSV with columns student, exercise, points, excused, comment, by.",
    ),
)  # fmt: skip


def rules_options(command: Command) -> Command:
    """Add the options `--roster`, `--due`, `--late` and `--overrides`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def read_rules(
    roster: Path | None, due: str | None, late: str | None, overrides: Path | None
) -> "Rules":
    """Read what the options name.

    Raises:
        UsageError: one of them is not as it should be.
    """
    from grader.course.grades import Rules, read_overrides
    from grader.course.roster_file import read_students
    from grader.course.rules import LateRule

    if late is not None and due is None:
        raise UsageError("--late counts from a time: name it with --due")
    return Rules(
        roster=None if roster is None else read_students(roster),
        late=None if due is None else LateRule.parse(due, late),
        overrides={} if overrides is None else read_overrides(overrides),
    )


def read_graded(results: tuple[Path, ...], rules: "Rules") -> "Batch":
    """Read result files and return their grades by the rules.

    Raises:
        UsageError: a file is not as it should be, or there is no verdict in them.
    """
    from grader.course.grades import graded, read_results

    read = read_results(results)
    if not read.verdicts:
        raise UsageError("there is no verdict in the results")
    return graded(read, rules)
