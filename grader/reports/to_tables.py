"""CSV tables that are safe in spreadsheets: of submissions, of a course, and for Moodle."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from grader.grading.submissions.submission_time import format_utc
from grader.reports.phrases import failure_reason, to_one_line
from grader.reports.report import Batch, Report

_Cell: TypeAlias = str | int | None

_COLUMNS = (
    "student", "file", "exercise", "outcome", "score", "max_score", "xp", "passed", "tests",
    "diagnosis", "message", "sandbox", "exercise_hash", "submission_hash", "grader_version",
)  # fmt: skip
_GRADE_COLUMNS = ("grade", "max_grade", "note", "submitted", "time_from")
_FORMULA = ("=", "+", "-", "@", "|", "%", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def submissions(batch: Batch) -> str:
    """Return one row per submission; score and points are empty without a verdict, not zero."""
    has_grades = any(report.grade is not None for report in batch)
    rows: list[Sequence[_Cell]] = [(*_COLUMNS, *_GRADE_COLUMNS) if has_grades else _COLUMNS]
    for report in batch:
        verdict, grade, time = report.verdict, report.grade, report.time
        row: list[_Cell] = [report.student, report.file]
        if verdict is None:
            row += [report.exercise, report.outcome, *(None,) * 6, report.message, *(None,) * 4]
        else:
            row += [
                verdict.exercise,
                report.outcome,
                verdict.score,
                verdict.max_score,
                verdict.xp,
                sum(test.outcome == "passed" for test in verdict.tests),
                len(verdict.tests),
                None if verdict.diagnosis is None else " ".join(verdict.diagnosis.ids),
                failure_reason(report),
                verdict.sandbox,
                verdict.exercise_hash,
                verdict.submission_hash,
                verdict.grader_version,
            ]
        if grade is not None:
            submitted = "late" if time and time.is_late else None
            if time is not None and time.at is not None:
                submitted = format_utc(time.at)
            source = None if time is None else time.source
            row += [_points(report), str(grade.max_points), grade.note, submitted, source]
        elif has_grades:
            row += [None] * len(_GRADE_COLUMNS)
        rows.append(row)
    return _table(rows)


def gradebook(batch: Batch, about: Mapping[str, tuple[str, str]] | None = None) -> str:
    """Return one row per student and one column per exercise, with sums.

    A cell is empty if nothing was judged. `of` is the sum of the points that count, without
    exercises that were not judged or from which the student is excused.

    Args:
        about: The name and section of each student.
    """
    exercises = batch.graded_exercises
    headings = () if about is None else ("name", "section")
    rows: list[Sequence[_Cell]] = [("student", *headings, *exercises, "total", "of")]
    for student, reports in batch.by_student.items():
        judged = [report for report in reports.values() if report.points is not None]
        total = sum(report.points or 0 for report in judged)
        possible = sum(report.max_points for report in judged)
        cells = [
            "excused" if report is not None and report.is_excused else _points(report)
            for report in map(reports.get, exercises)
        ]
        names = () if about is None else about[student]
        rows.append((student, *names, *cells, f"{total:.10g}", possible))
    return _table(rows)


def moodle(batch: Batch) -> str:
    """Return one row per student with the points of each exercise; empty without a grade.

    There are no comments: if Moodle imports comments without grades, it removes the grades.
    """
    exercises = batch.graded_exercises
    rows: list[Sequence[_Cell]] = [("username", *exercises)]
    for student, reports in batch.by_student.items():
        rows.append((student, *(_points(reports.get(name)) for name in exercises)))
    return _table(rows)


def safe_cell(value: _Cell) -> _Cell:
    """Mark text that a spreadsheet would take for a formula with a leading apostrophe."""
    if not isinstance(value, str):
        return value
    text = to_one_line(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def _points(report: Report | None) -> str:
    return "" if report is None or report.points is None else f"{report.points:.10g}"


def _table(rows: Iterable[Sequence[_Cell]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows([safe_cell(cell) for cell in row] for row in rows)
    return text.getvalue()
