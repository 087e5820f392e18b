"""The terminal's text, for a file as well: there without colour and 100 columns wide."""

import io
from collections import Counter
from collections.abc import Sequence

from grader.reports.deliver import Renderer
from grader.reports.lines import Paper, Surface
from grader.reports.phrases import count, grade_of, why
from grader.reports.report import Batch, Report
from grader.reports.text import SubmissionRow, print_verdict, print_verdicts
from grader.sandbox.printable import printable

_WIDTH = 100
_SHOWN = 50  # submissions that are listed one by one
_NAMED = 5  # files that were not looked at


def one(report: Report) -> str:
    """Return what a terminal shows of one submission."""
    file = io.StringIO()
    print_report(Paper(file, _WIDTH), report)
    return file.getvalue()


def many(batch: Batch) -> str:
    """Return what a terminal shows of many."""
    from rich.console import Console  # noqa: PLC0415  a check does without it

    file = io.StringIO()
    console = Console(file=file, width=_WIDTH, highlight=False, no_color=True, force_terminal=False)
    print_batch(console, batch)
    return file.getvalue()


def print_report(console: Surface, report: Report) -> None:
    """Print one submission's verdict, or why it has none."""
    if report.verdict is not None:
        print_verdict(console, report.verdict, verbose=report.verbose)
        return
    reason = f"{report.outcome}: {printable(report.message)}"
    console.print(f"{printable(report.exercise)}: {reason}", markup=False, soft_wrap=True)


def print_batch(console: Surface, batch: Batch) -> None:
    """Print a line for each submission, unless there are too many, and the sum of it all."""
    reports = batch.reports
    shown = reports if len(reports) <= _SHOWN else ()
    print_verdicts(console, [_row(report) for report in shown])
    outcomes = Counter(report.outcome for report in reports)
    summary = ", ".join(f"{number} {outcome}" for outcome, number in outcomes.most_common())
    total = count(len(reports), "submission")
    console.print(f"{total}: {summary or 'nothing to do'}", markup=False)
    noted = sum(report.grade is not None and bool(report.grade.note) for report in reports)
    if noted and not shown:
        console.print(f"{count(noted, 'grade')} with a note; --format csv=FILE has them all")
    if batch.done_before:
        console.print(f"{batch.done_before} had a verdict already", markup=False)
    if batch.not_looked_at:
        console.print(_not_looked_at(batch.not_looked_at), markup=False, soft_wrap=True)


def _not_looked_at(paths: Sequence[str]) -> str:
    shown = ", ".join(printable(path) for path in paths[:_NAMED])
    more = ", ..." if len(paths) > _NAMED else ""
    reason = "being no <student>/<exercise>.py or .ipynb, or older than one"
    return f"{len(paths)} not looked at, {reason}: {shown}{more}"


def _row(report: Report) -> SubmissionRow:
    exercise = report.file.rpartition("/")[2].removesuffix(".py") or report.exercise
    return SubmissionRow(
        printable(report.student or ""),
        printable(exercise),
        report.verdict,
        report.outcome,
        grade_of(report) or why(report),
    )


RENDERER = Renderer("text", one, many)
