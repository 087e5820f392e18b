"""A table with a row for each submission, safe to open in a spreadsheet."""

import csv
import io

from grader.grading.results.verdict_json import utc_text
from grader.reports.formats import Renderer
from grader.reports.phrases import failure_reason, line
from grader.reports.report import Batch, Report

_COLUMNS = (
    "student", "file", "exercise", "outcome", "score", "max_score", "xp", "passed", "tests",
    "diagnosis", "message", "sandbox", "exercise_hash", "submission_hash", "grader_version",
)  # fmt: skip

_OF_GRADES = ("grade", "max_grade", "note", "submitted", "time_from")
_FORMULA = ("=", "+", "-", "@", "|", "%", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def many(batch: Batch) -> str:
    """Return the table. Where there is no verdict, score and points are empty, not zero."""
    text = io.StringIO()
    writer = csv.writer(text)
    has_grades = any(report.grade is not None for report in batch)
    writer.writerow((*_COLUMNS, *_OF_GRADES) if has_grades else _COLUMNS)
    for report in batch:
        verdict, grade = report.verdict, report.grade
        row: list[str | int | None] = [report.student, report.file]
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
            points = None if grade.points is None else f"{grade.points:.10g}"
            row += [points, str(grade.max_points), grade.note, *_time(report)]
        elif has_grades:
            row += [None] * len(_OF_GRADES)
        writer.writerow([safe_cell(value) for value in row])
    return text.getvalue()


def _time(report: Report) -> tuple[str | None, str | None]:
    """Return the time of a submission, or a platform's mark, and its source."""
    time = report.time
    if time is None:
        return None, None
    late = "late" if time.is_late else None
    return late if time.at is None else utc_text(time.at), time.source


def safe_cell(value: str | int | None) -> str | int | None:
    """Keep a spreadsheet from taking text for a formula: an apostrophe marks it as text."""
    if not isinstance(value, str):
        return value
    text = line(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


RENDERER = Renderer(many)
