"""A table that Moodle imports: a row for each student, a column with the points of each exercise.

It has no comments: where Moodle imports comments without grades, it removes the grades.
"""

import csv
import io

from grader.reports.formats import Renderer
from grader.reports.report import Batch, Report
from grader.reports.to_csv import safe_cell


def one(report: Report) -> str:
    """Return a table of one row."""
    return many(Batch((report,)))


def many(batch: Batch) -> str:
    """Return the table. A cell is empty where nothing was judged, or the student is excused."""
    exercises = list(dict.fromkeys(each.exercise for each in batch if each.verdict or each.grade))
    students: dict[str, dict[str, Report]] = {}
    for report in batch:
        students.setdefault(report.student or "", {})[report.exercise] = report
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["username", *exercises])
    for student, reports in students.items():
        points = [reports[name].points if name in reports else None for name in exercises]
        cells = ["" if each is None else f"{each:.10g}" for each in points]
        writer.writerow([safe_cell(student), *cells])
    return text.getvalue()


RENDERER = Renderer("moodle", one, many)
