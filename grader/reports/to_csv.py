"""A table with a row for each submission, safe to open in a spreadsheet."""

import csv
import io

from grader.reports.deliver import Renderer
from grader.reports.phrases import line, why
from grader.reports.report import Batch, Report

_COLUMNS = (
    "student", "file", "exercise", "outcome", "score", "max_score", "xp", "passed", "tests",
    "diagnosis", "message", "sandbox", "exercise_hash", "submission_hash", "grader_version",
)  # fmt: skip

_OF_GRADES = ("grade", "max_grade", "note")
_FORMULA = ("=", "+", "-", "@", "|", "%", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def one(report: Report) -> str:
    """Return a table of one row."""
    return many(Batch((report,)))


def many(batch: Batch) -> str:
    """Return the table. Where there is no verdict, score and points are empty, not zero."""
    text = io.StringIO()
    writer = csv.writer(text)
    has_grades = any(report.grade is not None for report in batch)
    writer.writerow((*_COLUMNS, *_OF_GRADES) if has_grades else _COLUMNS)
    for report in batch:
        row = (*_row(report), *_grade(report)) if has_grades else _row(report)
        writer.writerow([safe_cell(value) for value in row])
    return text.getvalue()


def _row(report: Report) -> tuple[str | int | None, ...]:
    verdict = report.verdict
    head = (report.student, report.file)
    if verdict is None:
        empty = (None,) * 6
        rest = (None,) * 4
        return (*head, report.exercise, report.outcome, *empty, report.message, *rest)
    return (
        *head,
        verdict.exercise,
        report.outcome,
        verdict.score,
        verdict.max_score,
        verdict.xp,
        sum(test.outcome == "passed" for test in verdict.tests),
        len(verdict.tests),
        None if verdict.diagnosis is None else " ".join(verdict.diagnosis.ids),
        why(report),
        verdict.sandbox,
        verdict.exercise_hash,
        verdict.submission_hash,
        verdict.grader_version,
    )


def _grade(report: Report) -> tuple[str | None, ...]:
    if report.grade is None:
        return (None, None, None)
    points = None if report.grade.points is None else f"{report.grade.points:.10g}"
    return points, str(report.grade.max_points), report.grade.note


def safe_cell(value: str | int | None) -> str | int | None:
    """Keep a spreadsheet from taking text for a formula: an apostrophe marks it as text."""
    if not isinstance(value, str):
        return value
    text = line(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


RENDERER = Renderer("csv", one, many)
