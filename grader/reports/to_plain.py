"""Plain sentences without marks, colours or columns: for screen readers, mail and logs."""

from collections.abc import Iterator

from grader.definitions.wording import shorten
from grader.grading.results.verdict import TestResult, ValueSummary
from grader.reports.document import document, plain_lines
from grader.reports.number_cells import format_matrices
from grader.reports.phrases import (
    VERBOSE_HINT,
    counted_points_note,
    failure_reason,
    failures_in_full,
    group_hidden_failures,
    has_own_message,
    merge_group,
    outcome_counts,
    output_beside_values,
    points_text,
    printed_output,
    shows_both_values,
    skipped_files_notes,
    strip_controls,
    submission_name,
    summary,
    test_label,
    to_one_line,
    worst_values,
)
from grader.reports.report import Batch, Report

_MAX_VALUE_LENGTH = 200  # longest value, in characters
_MAX_ROWS = 4  # most rows of two matrices


def render_report(report: Report) -> str:
    """Return one submission: the summary, the help, then test by test."""
    verdict = report.verdict
    if verdict is None:
        return f"{to_one_line(report.exercise)}: {report.outcome}. {to_one_line(report.message)}\n"
    lines = [to_one_line(verdict.title), summary(verdict), *plain_lines(*document(verdict))]
    lines += _output_lines(verdict.output, "Your code printed while it was loaded:")
    if not verdict.message:
        failures = failures_in_full(verdict, verbose=report.verbose)
        numbers = {test.id: str(number) for number, test in enumerate(verdict.tests, 1)}
        for row in group_hidden_failures(verdict.tests):
            test = merge_group(row)
            numbering = f"Test{'s' * (len(row) > 1)} {', '.join(numbers[each.id] for each in row)}"
            earned = points_text(test.points, test.max_points)
            sentence = f" {to_one_line(test.message)}" if has_own_message(test) else ""
            head = f"{numbering} of {len(verdict.tests)}, {test.outcome}, {earned}"
            lines.append(f"{head}: {test_label(test)}.{sentence}")
            if test in failures:
                lines += _values(test, verbose=report.verbose)
                lines += _output_lines(output_beside_values(test), "Your code printed:")
            elif test.points < test.max_points:
                lines += _output_lines(printed_output(test), "Your code printed:")
    return "\n".join(lines) + "\n"


def render_batch(batch: Batch) -> str:
    """Return a sentence for each submission, and the number of each outcome."""
    lines = [f"{outcome_counts(batch)}."]
    for report in batch:
        verdict = report.verdict
        earned = f", {points_text(verdict.score, verdict.max_score)}" if verdict is not None else ""
        reason = " ".join(filter(None, (counted_points_note(report), failure_reason(report))))
        end = f" {reason}" if reason else ""
        lines.append(f"{submission_name(report)}: {report.outcome}{earned}.{end}")
    return "\n".join([*lines, *skipped_files_notes(batch)]) + "\n"


def _values(test: TestResult, *, verbose: bool) -> Iterator[str]:
    """Yield the details of a failure, one per line."""
    for name, value in test.inputs:
        yield from _value(f"Input {name}", value, verbose=verbose)
    expected, got = test.expected, test.got
    if shows_both_values(test):
        return
    if expected is not None and got is not None and expected.rows and got.rows:
        rows = expected.rows or (), got.rows or ()
        clear, coarse = format_matrices(rows, worst_values(test))
        expected_texts, own_texts = (clear or coarse)[0]
        yield f"  Expected is {expected.summary}, yours is {got.summary}."
        row_count = max(map(len, rows))
        numbers = range(row_count)
        if not verbose and row_count > _MAX_ROWS:
            numbers = range(test.worst[0], test.worst[0] + 1) if test.worst else range(0)
            row_number = "One" if test.worst else "None"
            yield f"  {row_number} of {row_count} rows is shown ({VERBOSE_HINT})."
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
    text = (
        strip_controls(value.text)
        if verbose
        else shorten(strip_controls(value.text), _MAX_VALUE_LENGTH, f"... ({VERBOSE_HINT})")
    )
    lines = text.splitlines() or [""]
    if value.rows is not None:
        lines = [to_one_line(text)]
    if len(lines) == 1:
        yield f"  {name}, {value.summary}: {lines[0]}"
        return
    yield f"  {name}, {value.summary}:"
    yield from (f"    {line}" for line in lines)


def _output_lines(output: str, head: str) -> Iterator[str]:
    if output.strip():
        yield head
        yield from (f"  {line}" for line in strip_controls(output).splitlines())
