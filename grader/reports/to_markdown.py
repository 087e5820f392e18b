"""Markdown for a comment, a wiki or a job summary.

Text from a submission is escaped: it cannot make a link, an image, HTML or a mention. An author's
feedback stays Markdown.
"""

import re
from collections.abc import Iterator

from grader.grading.results.verdict import Outcome
from grader.reports.document import Code, Details, ReportBlock, Sentence, document
from grader.reports.failing_test import TextLayout, value_lines
from grader.reports.phrases import (
    counted_points_note,
    failures_in_full,
    group_hidden_failures,
    has_own_message,
    merge_group,
    printed_output,
    skipped_files_notes,
    strip_controls,
    summary,
    test_label,
    to_one_line,
)
from grader.reports.report import Batch, Report

_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~$&!])")
_LINKED = re.compile(r"@(?=\w)|(?<=:)(?=//)|(?<=www)(?=\.)", re.IGNORECASE)
_WIDTH = 76  # columns of a value
_MAX_VALUE_LINES = 9  # most lines of the values in a comment
_HEADING = "# Results"
_MARKS = {Outcome.PASSED: "\u2705", Outcome.NOT_RUN: "\u2796"}
_FAILED_MARK = "\u274c"


def render_report(report: Report) -> str:
    """Return one submission: summary, help, tests, and short values of the first failure."""
    lines = [*_section(report)]
    for test in failures_in_full(report.verdict) if report.verdict is not None else ():
        values = value_lines(test, TextLayout(_WIDTH, coloured=False))
        if 0 < len(values) <= _MAX_VALUE_LINES:
            text = "\n".join(str(value).rstrip() for value in values)
            lines.append(f"\n{escape_markdown(test_label(test))}:\n\n{as_code_block(text)}")
    return "\n".join(lines) + "\n"


def render_batch(batch: Batch) -> str:
    """Return a table of all submissions, and a section for each one that did not pass."""
    has_notes = any(report.grade is not None and report.grade.note for report in batch)
    lines = [
        f"{_HEADING}\n",
        f"| | Student | Exercise | Outcome | Points |{' Note |' * has_notes}",
        f"|---|---|---|---|---:|{'---|' * has_notes}",
    ]
    for report in batch:
        verdict = report.verdict
        mark = "\u26a0\ufe0f" if verdict is None else _MARKS.get(verdict.outcome, _FAILED_MARK)
        earned = "" if report.points is None else f"{report.points:.10g}/{report.max_points}"
        names = f"{escape_markdown(report.student or '')} | {escape_markdown(report.exercise)}"
        note = f" {escape_markdown(report.grade.note) if report.grade else ''} |" * has_notes
        lines.append(f"| {mark} | {names} | {report.outcome} | {earned} |{note}")
    lines += [f"\n{sentence}" for sentence in skipped_files_notes(batch)]
    for report in batch:
        if report.outcome != Outcome.PASSED:
            lines += ["", *_section(report)]
    return "\n".join(lines) + "\n"


def escape_markdown(text: str) -> str:
    """Return text on one line, escaped so that Markdown shows it literally."""
    plain = _SPECIAL.sub(r"\\\1", to_one_line(text))
    return _LINKED.sub(lambda match: f"{match[0]}<!-- -->", plain)


def as_code_block(text: str, language: str = "text") -> str:
    """Return text as a code block whose fence is longer than any backquotes in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{strip_controls(text).rstrip()}\n{fence}"


def _section(report: Report) -> Iterator[str]:
    verdict = report.verdict
    title = report.exercise if verdict is None else verdict.title
    student = f"{escape_markdown(report.student)}: " if report.student else ""
    yield f"## {student}{escape_markdown(title)}\n"
    if grade := counted_points_note(report):
        yield f"{escape_markdown(grade)}\n"
    if verdict is None:
        yield f"**{report.outcome.capitalize()}.** {escape_markdown(report.message)}"
        return
    yield f"**{summary(verdict)}**"
    for section in document(verdict):
        yield from map(_block, section.blocks)
    if not verdict.message:
        yield "\n| | Test | Points | |\n|---|---|---:|---|"
        for test in map(merge_group, group_hidden_failures(verdict.tests)):
            mark, name = _MARKS.get(test.outcome, _FAILED_MARK), escape_markdown(test_label(test))
            usual = test.outcome in (Outcome.PASSED, Outcome.FAILED)
            unusual = "" if usual else f"{test.outcome.capitalize()}. "
            message = escape_markdown(test.message) if has_own_message(test) else ""
            remark = f"{unusual}{message}".rstrip()
            yield f"| {mark} | {name} | {test.points}/{test.max_points} | {remark} |"
        for test in verdict.tests:
            if test.outcome is not Outcome.PASSED:
                yield from _output_block(printed_output(test), f"Printed in: {test_label(test)}")
    yield from _output_block(verdict.output, "Printed while the code was loaded")


def _block(block: ReportBlock) -> str:
    match block:
        case Sentence(role="warning", text=text):
            return f"\n**{text}**"
        case Sentence(role="diagnosis", markdown=feedback):
            return "\n" + "\n".join(f"> {line}".rstrip() for line in feedback.splitlines())
        case Sentence(role="hint", text=text):
            return f">\n> {text}"
        case Sentence(text=text):
            return f"\n{escape_markdown(text)}"
        case Code(lines=lines):
            return "\n" + as_code_block("\n".join(lines), "python")
        case Details(test=test):
            values = value_lines(test, TextLayout(_WIDTH, coloured=False))
            return (
                "\n" + as_code_block("\n".join(str(value).rstrip() for value in values))
                if values
                else ""
            )


def _output_block(output: str, head: str) -> Iterator[str]:
    if output.strip():
        yield f"\n{escape_markdown(head)}:\n\n{as_code_block(output)}"
