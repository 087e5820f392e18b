"""A table that Moodle imports: a row for each student, a column with the points of each exercise.

It has no comments: where Moodle imports comments without grades, it removes the grades.
"""

import csv
import io

from grader.reports.formats import Renderer
from grader.reports.report import Batch
from grader.reports.to_csv import safe_cell


def many(batch: Batch) -> str:
    """Return the table. A cell is empty where nothing was judged, or the student is excused."""
    exercises = batch.graded_exercises
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["username", *exercises])
    for student, reports in batch.by_student.items():
        points = [reports[name].points if name in reports else None for name in exercises]
        cells = ["" if each is None else f"{each:.10g}" for each in points]
        writer.writerow([safe_cell(student), *cells])
    return text.getvalue()


RENDERER = Renderer(many)
