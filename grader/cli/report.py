"""`etude report`: grades and feedback from result files."""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli import options
from grader.errors import UsageError
from grader.sandbox.printable import printable

if TYPE_CHECKING:
    from grader.reports.deliver import RequestedFormat
    from grader.reports.report import HiddenTests


@click.command("report", short_help="Grades and feedback, from result files.")
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path))
@options.report_option
@options.hidden_tests_option
@click.option(
    "--roster", type=click.Path(path_type=Path), metavar="FILE",
    help="A CSV with a column 'student': what they did not hand in counts 0.",
)  # fmt: skip
@click.option("--due", metavar="TIME", help="When work was due, as 2026-12-01T18:00.")
@click.option(
    "--late", metavar="SHARE/day",
    help="What is left of late work's points for each day that has begun, as 0.9/day; by default "
    "nothing is.",
)  # fmt: skip
@click.option(
    "--overrides", type=click.Path(path_type=Path), metavar="FILE",
    help="A CSV with columns student, exercise, points, excused, comment, by.",
)  # fmt: skip
@click.option(
    "--feedback", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
    help="Write a page for each student into this folder.",
)  # fmt: skip
def command(
    results: tuple[Path, ...],
    *,
    formats: "tuple[RequestedFormat, ...]",
    hidden_tests: "HiddenTests",
    roster: Path | None,
    due: str | None,
    late: str | None,
    overrides: Path | None,
    feedback: Path | None,
) -> None:
    """Report what RESULTS hold: files that `etude grade --output` wrote, in one run or in several.

    Of several results of a student for an exercise the last one counts. When work was handed in is
    when its file was last changed before it was graded.

    \b
    Examples:
      etude report results.jsonl --format gradebook=grades.csv
      etude report results.jsonl --roster roster.csv --due 2026-12-01T18:00 --late 0.9/day
      etude report week-*.jsonl --overrides overrides.csv --feedback feedback/
    """
    options.prefer_own_output()
    from grader.course.feedback_pages import write_pages
    from grader.course.grades import (
        LateRule,
        Rules,
        graded,
        read_overrides,
        read_results,
        read_roster,
        unlisted,
    )

    if late is not None and due is None:
        raise UsageError("--late counts from a time: name it with --due")
    delivery = options.delivery(formats)
    rules_given = {"--roster": roster, "--due": due, "--overrides": overrides}
    if rule := next((name for name, value in rules_given.items() if value is not None), ""):
        plain = [each.name for each in delivery.formats if each.verdicts_only]
        if plain:
            raise UsageError(f"--format {plain[0]} has verdicts and no grades; leave {rule} out")
    students = None if roster is None else read_roster(roster)
    rules = Rules(
        roster=students,
        late=None if due is None else LateRule.parse(due, late),
        overrides={} if overrides is None else read_overrides(overrides),
    )
    read = read_results(results)
    if not read.verdicts:
        raise UsageError("there is no verdict in the results")
    narrow = [each.name for each in delivery.formats if each.one_student]
    if narrow and len({each.student for each in read}) > 1:
        raise UsageError(f"--format {narrow[0]} shows one student, and there are more")
    batch = dataclasses.replace(graded(read, rules), hidden_tests=hidden_tests)
    options.deliver(delivery, batch)
    if feedback is not None:
        count = write_pages(batch, feedback)
        click.echo(f"{count} pages in {printable(str(feedback))}", err=True)
    if students is not None and (names := unlisted(read, students)):
        click.echo(f"not on the roster: {printable(names)}", err=True)
