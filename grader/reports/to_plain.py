"""Sentences without marks, colours or columns: for screen readers, mail and logs."""

from collections import Counter
from collections.abc import Iterator

from grader.grading.verdict import TestResult, Verdict
from grader.reports.formats import Renderer
from grader.reports.report import Batch, Report
from grader.reports.words import (
    NO_SANDBOX,
    clean,
    count,
    help_of,
    is_shown,
    line,
    name_of,
    output_of,
    points,
    summary,
    whose,
    why,
)


def one(report: Report) -> str:
    """Return one submission: the sum first, then what helps, then test by test."""
    return "\n".join(_lines(report)) + "\n"


def many(batch: Batch) -> str:
    """Return a sentence for each submission, and how many there are of each kind."""
    outcomes = Counter(report.outcome for report in batch)
    sums = ", ".join(f"{number} {outcome}" for outcome, number in outcomes.most_common())
    lines = [f"{count(len(batch.reports), 'submission')}: {sums or 'nothing to do'}."]
    lines += map(_sentence, batch)
    if batch.done_before:
        lines.append(f"{batch.done_before} had a verdict already.")
    if batch.not_looked_at:
        lines.append(f"{count(len(batch.not_looked_at), 'file')} not looked at.")
    return "\n".join(lines) + "\n"


def _lines(report: Report) -> Iterator[str]:
    verdict = report.verdict
    if verdict is None:
        yield f"{line(report.exercise)}: {report.outcome}. {line(report.message)}"
        return
    yield line(verdict.title)
    yield summary(verdict)
    if verdict.sandbox == "none":
        yield NO_SANDBOX
    if verdict.message:
        yield line(verdict.message)
    yield from help_of(verdict)
    yield from _printed(verdict.output, "Your code printed while it was loaded:")
    if not verdict.message:
        yield from _tests(verdict)


def _tests(verdict: Verdict) -> Iterator[str]:
    for number, test in enumerate(verdict.tests, 1):
        yield _test(test, number, len(verdict.tests))
        if test.points < test.max_points:
            yield from _printed(output_of(test), "Your code printed:")


def _test(test: TestResult, number: int, total: int) -> str:
    head = f"Test {number} of {total}, {test.outcome}, {points(test.points, test.max_points)}"
    said = f" {line(test.message)}" if is_shown(test) else ""
    return f"{head}: {name_of(test)}.{said}"


def _printed(output: str, head: str) -> Iterator[str]:
    if output.strip():
        yield head
        yield from (f"  {each}" for each in clean(output).splitlines())


def _sentence(report: Report) -> str:
    verdict = report.verdict
    earned = f", {points(verdict.score, verdict.max_score)}" if verdict is not None else ""
    reason = why(report)
    return f"{whose(report)}: {report.outcome}{earned}.{' ' if reason else ''}{reason}"


RENDERER = Renderer("plain", one, many)
