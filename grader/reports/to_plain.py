"""Sentences without marks, colours or columns: for screen readers, mail and logs."""

from collections import Counter
from collections.abc import Iterator

from grader.grading.results.verdict import TestResult, ValueSummary
from grader.reports.document import document, plain_lines
from grader.reports.formats import Renderer
from grader.reports.number_cells import written
from grader.reports.phrases import (
    ALL,
    both_at,
    clean,
    count,
    cut,
    failure_reason,
    grade_of,
    in_rows,
    is_shown,
    left_out,
    line,
    merge_row,
    name_of,
    opened,
    output_beside,
    output_of,
    points,
    shows_both_values,
    submission_name,
    summary,
)
from grader.reports.report import Batch, Report

_LONGEST_VALUE = 200  # characters of a value
_ROWS = 4  # of two matrices


def one(report: Report) -> str:
    """Return one submission: the sum first, then what helps, then test by test."""
    verdict = report.verdict
    if verdict is None:
        return f"{line(report.exercise)}: {report.outcome}. {line(report.message)}\n"
    lines = [line(verdict.title), summary(verdict), *plain_lines(*document(verdict))]
    lines += _printed(verdict.output, "Your code printed while it was loaded:")
    if not verdict.message:
        failures = opened(verdict, verbose=report.verbose)
        numbers = {test.id: str(number) for number, test in enumerate(verdict.tests, 1)}
        for row in in_rows(verdict.tests):
            test = merge_row(row)
            which = f"Test{'s' * (len(row) > 1)} {', '.join(numbers[each.id] for each in row)}"
            earned = points(test.points, test.max_points)
            sentence = f" {line(test.message)}" if is_shown(test) else ""
            head = f"{which} of {len(verdict.tests)}, {test.outcome}, {earned}"
            lines.append(f"{head}: {name_of(test)}.{sentence}")
            if test in failures:
                lines += _values(test, verbose=report.verbose)
                lines += _printed(output_beside(test), "Your code printed:")
            elif test.points < test.max_points:
                lines += _printed(output_of(test), "Your code printed:")
    return "\n".join(lines) + "\n"


def many(batch: Batch) -> str:
    """Return a sentence for each submission, and how many there are of each kind."""
    outcomes = Counter(report.outcome for report in batch)
    sums = ", ".join(f"{number} {outcome}" for outcome, number in outcomes.most_common())
    lines = [f"{count(batch.submissions, 'submission')}: {sums or 'nothing to do'}."]
    for report in batch:
        verdict = report.verdict
        earned = f", {points(verdict.score, verdict.max_score)}" if verdict is not None else ""
        reason = " ".join(filter(None, (grade_of(report), failure_reason(report))))
        end = f" {reason}" if reason else ""
        lines.append(f"{submission_name(report)}: {report.outcome}{earned}.{end}")
    return "\n".join([*lines, *left_out(batch)]) + "\n"


def _values(test: TestResult, *, verbose: bool) -> Iterator[str]:
    """Return the details of a failure, one in each line."""
    for name, value in test.inputs:
        yield from _value(f"Input {name}", value, verbose=verbose)
    expected, got = test.expected, test.got
    if shows_both_values(test):
        return
    if expected is not None and got is not None and expected.rows and got.rows:
        rows = expected.rows or (), got.rows or ()
        clear, coarse = written(rows, both_at(test))
        expected_texts, own_texts = (clear or coarse)[0]
        yield f"  Expected is {expected.summary}, yours is {got.summary}."
        most = max(map(len, rows))
        numbers = range(most)
        if not verbose and most > _ROWS:
            numbers = range(test.worst[0], test.worst[0] + 1) if test.worst else range(0)
            yield f"  {'One' if test.worst else 'None'} of {most} rows is shown ({ALL})."
        for number in numbers:
            of_row = "" if expected.is_vector and got.is_vector else f"Row {number}, "
            for name, texts in (("expected", expected_texts), ("yours", own_texts)):
                if number < len(texts):
                    label = f"{of_row}{name}"
                    yield f"  {label[0].upper()}{label[1:]}: {', '.join(texts[number])}."
        return
    for name, each in (("Expected", expected), ("Yours", got)):
        if each is not None:
            yield from _value(name, each, verbose=verbose)


def _value(name: str, value: ValueSummary, *, verbose: bool) -> Iterator[str]:
    text = clean(value.text) if verbose else cut(clean(value.text), _LONGEST_VALUE, f"... ({ALL})")
    lines = text.splitlines() or [""]
    if value.rows is not None:
        lines = [line(text)]
    if len(lines) == 1:
        yield f"  {name}, {value.summary}: {lines[0]}"
        return
    yield f"  {name}, {value.summary}:"
    yield from (f"    {each}" for each in lines)


def _printed(output: str, head: str) -> Iterator[str]:
    if output.strip():
        yield head
        yield from (f"  {each}" for each in clean(output).splitlines())


RENDERERS = {"plain": Renderer(many, one)}
