"""Markdown for a comment, a wiki or a job summary.

Whatever a submission may have worded is escaped: it makes no link, no picture, no HTML, no mention.
An author's feedback stays Markdown.
"""

import re
from collections.abc import Iterator

from grader.grading.results.verdict import Outcome
from grader.reports.document import Block, Code, Details, Sentence, document
from grader.reports.failing_test import DetailLines, value_lines
from grader.reports.formats import Renderer
from grader.reports.phrases import (
    clean,
    grade_of,
    in_rows,
    is_shown,
    left_out,
    line,
    merge_row,
    name_of,
    opened,
    output_of,
    summary,
)
from grader.reports.report import Batch, Report

_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~$&!])")
_LINKED = re.compile(r"@(?=\w)|(?<=:)(?=//)|(?<=www)(?=\.)", re.IGNORECASE)
_WIDTH = 76  # columns of values
_MOST_VALUE_LINES = 9  # lines of values that a comment has room for
_HEADING = "# Results"
_MARK = {Outcome.PASSED: "\u2705", Outcome.NOT_RUN: "\u2796"}
_FAILED_MARK = "\u274c"


def one(report: Report) -> str:
    """Return one submission: sum, help, tests, and short values of the first that failed."""
    lines = [*_section(report)]
    for test in opened(report.verdict) if report.verdict is not None else ():
        values = value_lines(test, DetailLines(_WIDTH, coloured=False))
        if 0 < len(values) <= _MOST_VALUE_LINES:
            text = "\n".join(str(each).rstrip() for each in values)
            lines.append(f"\n{escaped(name_of(test))}:\n\n{fenced(text)}")
    return "\n".join(lines) + "\n"


def many(batch: Batch) -> str:
    """Return a table of all submissions, and a section for each that did not pass."""
    has_notes = any(report.grade is not None and report.grade.note for report in batch)
    lines = [
        f"{_HEADING}\n",
        f"| | Student | Exercise | Outcome | Points |{' Note |' * has_notes}",
        f"|---|---|---|---|---:|{'---|' * has_notes}",
    ]
    for report in batch:
        verdict = report.verdict
        mark = "\u26a0\ufe0f" if verdict is None else _MARK.get(verdict.outcome, _FAILED_MARK)
        earned = "" if report.points is None else f"{report.points:.10g}/{report.max_points}"
        names = f"{escaped(report.student or '')} | {escaped(report.exercise)}"
        note = f" {escaped(report.grade.note) if report.grade else ''} |" * has_notes
        lines.append(f"| {mark} | {names} | {report.outcome} | {earned} |{note}")
    lines += [f"\n{sentence}" for sentence in left_out(batch)]
    for report in batch:
        if report.outcome != Outcome.PASSED:
            lines += ["", *_section(report)]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Return text on one line that Markdown shows as it is."""
    plain = _SPECIAL.sub(r"\\\1", line(text))
    return _LINKED.sub(lambda match: f"{match[0]}<!-- -->", plain)


def fenced(text: str, language: str = "text") -> str:
    """Return text as a block of code, whatever back quotes are in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{clean(text).rstrip()}\n{fence}"


def _section(report: Report) -> Iterator[str]:
    verdict = report.verdict
    title = report.exercise if verdict is None else verdict.title
    student = f"{escaped(report.student)}: " if report.student else ""
    yield f"## {student}{escaped(title)}\n"
    if grade := grade_of(report):
        yield f"{escaped(grade)}\n"
    if verdict is None:
        yield f"**{report.outcome.capitalize()}.** {escaped(report.message)}"
        return
    yield f"**{summary(verdict)}**"
    for section in document(verdict):
        yield from map(_block, section.blocks)
    if not verdict.message:
        yield "\n| | Test | Points | |\n|---|---|---:|---|"
        for test in map(merge_row, in_rows(verdict.tests)):
            mark, name = _MARK.get(test.outcome, _FAILED_MARK), escaped(name_of(test))
            usual = test.outcome in (Outcome.PASSED, Outcome.FAILED)
            unusual = "" if usual else f"{test.outcome.capitalize()}. "
            remark = f"{unusual}{escaped(test.message) if is_shown(test) else ''}".rstrip()
            yield f"| {mark} | {name} | {test.points}/{test.max_points} | {remark} |"
        for test in verdict.tests:
            if test.outcome is not Outcome.PASSED:
                yield from _printed(output_of(test), f"Printed in: {name_of(test)}")
    yield from _printed(verdict.output, "Printed while the code was loaded")


def _block(block: Block) -> str:
    match block:
        case Sentence(role="warning", text=text):
            return f"\n**{text}**"
        case Sentence(role="diagnosis", markdown=feedback):
            return "\n" + "\n".join(f"> {each}".rstrip() for each in feedback.splitlines())
        case Sentence(role="hint", text=text):
            return f">\n> {text}"
        case Sentence(text=text):
            return f"\n{escaped(text)}"
        case Code(lines=lines):
            return "\n" + fenced("\n".join(lines), "python")
        case Details(test=test):
            values = value_lines(test, DetailLines(_WIDTH, coloured=False))
            return "\n" + fenced("\n".join(str(each).rstrip() for each in values)) if values else ""


def _printed(output: str, head: str) -> Iterator[str]:
    if output.strip():
        yield f"\n{escaped(head)}:\n\n{fenced(output)}"


RENDERERS = {"markdown": Renderer(many, one)}
