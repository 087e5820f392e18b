"""`etude report`: grades and feedback from result files."""

import dataclasses
from pathlib import Path
from typing import Any

import click

from grader.cli import options
from grader.cli.grading_rules import read_graded, read_rules, rules_options
from grader.course.feedback_pages import write_pages
from grader.course.grades import name_unlisted_students
from grader.errors import UsageError
from grader.reports.formats import RequestedFormat
from grader.reports.report import HiddenTests
from grader.sandbox.printable import printable


@click.command("report")
@click.argument("results", nargs=-1, required=True, type=options.PATH)
@options.report_option
@options.hidden_tests_option
@rules_options
@options.path_option(
    "--feedback", "Write a page for each student into this folder.", options.FOLDER
)
def command(
    results: tuple[Path, ...],
    *,
    formats: tuple[RequestedFormat, ...],
    hidden_tests: HiddenTests,
    feedback: Path | None,
    **rule_options: Any,
) -> None:
    """Report what RESULTS hold: files that `etude grade --output` wrote, in one run or in several.

    Of several results of a student for an exercise the last one counts. Where the time of a
    submission comes from is in --format csv=FILE; --times FILE says it.

    \b
    Examples:
      etude report results.jsonl --format gradebook=grades.csv
      etude report results.jsonl --roster roster.csv --due 2026-12-01T18:00+01:00 --late 0.9/day
      etude report results.jsonl --roster roster.csv --schedule my-course/schedule.yaml
      etude report week-*.jsonl --overrides overrides.csv --feedback feedback/
    """
    rules = read_rules(**rule_options)
    delivery = options.parse_delivery(formats)
    for request in delivery.files:
        inputs = (value for value in rule_options.values() if isinstance(value, Path))
        options.refuse_input_as_output(request.file, (*results, *inputs))
    if rule := next((f"--{name}" for name, value in rule_options.items() if value is not None), ""):
        plain = [format_.name for format_ in delivery.formats if format_.verdicts_only]
        if plain:
            raise UsageError(f"--format {plain[0]} has verdicts and no grades; leave {rule} out")
    batch = read_graded(results, rules)
    narrow = [format_.name for format_ in delivery.formats if format_.one_student]
    if narrow and len({report.student for report in batch}) > 1:
        raise UsageError(f"--format {narrow[0]} shows one student, and there are more")
    batch = dataclasses.replace(batch, hidden_tests=hidden_tests)
    options.deliver(delivery, batch)
    if feedback is not None:
        count = write_pages(batch, feedback)
        click.echo(f"{count} pages in {printable(str(feedback))}", err=True)
    if rules.roster is not None and (names := name_unlisted_students(batch, rules.roster)):
        click.echo(f"not on the roster: {printable(names)}", err=True)
