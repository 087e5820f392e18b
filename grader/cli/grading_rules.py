"""The options that turn verdicts into grades, shared by `report` and `export`."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from grader.cli import options
from grader.course.grades import GradingRules, grade_reports, read_overrides, read_results
from grader.course.roster_file import read_students
from grader.course.schedule import Schedule, parse_zoned_time, read_schedule
from grader.course.times_file import read_times
from grader.definitions.collection import Collection
from grader.definitions.files import TRACK_FILE
from grader.definitions.wording import join_first, plural
from grader.errors import UsageError
from grader.grading.submissions.submission_time import format_utc
from grader.reports.report import Batch
from grader.sandbox.printable import printable

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = (
    options.path_option(
        "--roster", "A CSV with a column 'student': what they did not submit counts 0."
    ),
    click.option("--due", metavar="TIME", help="When work was due, as 2026-12-01T18:00+01:00."),
    click.option(
        "--late",
        metavar="SHARE/day",
        help="What is left of late work's points for each day that has begun, as 0.9/day; by "
        "default nothing is.",
    ),
    options.path_option(
        "--schedule",
        "A schedule.yaml, with due dates of exercises and students, in place of --due.",
    ),
    options.path_option(
        "--times", "A CSV with columns student, exercise, time: when work was submitted."
    ),
    options.path_option(
        "--overrides", "A CSV with columns student, exercise, points, excused, comment, by."
    ),
)


def rules_options(command: Command) -> Command:
    """Add the options `--roster` to `--overrides`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def read_rules(
    *,
    roster: Path | None,
    due: str | None,
    late: str | None,
    schedule: Path | None,
    times: Path | None,
    overrides: Path | None,
) -> GradingRules:
    """Read the files that the options name.

    Raises:
        UsageError, DefinitionError: A file or an option is invalid.
    """
    if late is not None and due is None:
        raise UsageError("--late counts from a time: name it with --due")
    if schedule is not None and due is not None:
        raise UsageError("a schedule has the due dates; leave --due out")
    dates = None if schedule is None else _schedule(schedule)
    if due is not None:
        dates = Schedule.from_options(due, late)
        try:
            parse_zoned_time(due)
        except UsageError:
            local_time = parse_zoned_time(due, needs_zone=False)
            click.echo(f"--due has no zone and is taken as {local_time}", err=True)
    return GradingRules(
        roster=None if roster is None else read_students(roster),
        schedule=dates,
        overrides={} if overrides is None else read_overrides(overrides),
        times={} if times is None else read_times(times),
    )


def _schedule(path: Path) -> Schedule:
    """Read a schedule for the collection beside it, or else for the commands' default collection.

    Its `all` also applies to exercises of other collections.
    """
    has_tracks = any(path.parent.glob(f"*/{TRACK_FILE}"))
    folders = [path.parent] if has_tracks else options.collection_folders()
    collection = Collection.load(*folders)
    return read_schedule(
        path,
        {
            str(track.definition.id): [str(exercise.id) for exercise in track.exercises]
            for track in collection.tracks
        },
    )


def read_graded(results: tuple[Path, ...], rules: GradingRules) -> Batch:
    """Read result files, apply the rules, and warn of doubtful times.

    Raises:
        UsageError: A file is invalid, or the files contain no verdict.
    """
    graded = read_results(results)
    if not graded.verdicts:
        raise UsageError("there is no verdict in the results")
    batch = grade_reports(graded, rules)
    if unknown := {student for student, _ in rules.times} - {report.student for report in batch}:
        click.echo(f"--times is also about {printable(join_first(sorted(unknown), 5))}", err=True)
    if rules.schedule is not None:
        marked = [report for report in batch if report.time is not None and report.time.is_late]
        if marked:
            click.echo(
                f"{plural(len(marked), 'late submission')} without a time: counted as 1 day late; "
                "for their days give --times",
                err=True,
            )
        for report in batch:
            if report.time and report.time.at and report.time.at > time.time():
                owner = f"{report.student}'s {report.exercise}"
                click.echo(
                    f"{printable(owner)} comes from the future: {format_utc(report.time.at)}",
                    err=True,
                )
    return batch
