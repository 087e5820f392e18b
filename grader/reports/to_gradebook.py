"""A gradebook: a row for each student, a column for each exercise, and the sums."""

import csv
import io
from collections.abc import Mapping

from grader.reports.formats import Renderer
from grader.reports.report import Batch
from grader.reports.to_csv import safe_cell


def many(batch: Batch, about: Mapping[str, tuple[str, str]] | None = None) -> str:
    """Return the gradebook, with what is known about each student: their name and section.

    A cell is empty where nothing was judged. `of` is the sum of the points that count: those of an
    exercise that a student is excused from, or that was not judged, do not.
    """
    exercises = batch.graded_exercises
    headings = () if about is None else ("name", "section")
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["student", *headings, *exercises, "total", "of"])
    for student, reports in batch.by_student.items():
        judged = [each for each in reports.values() if each.points is not None]
        total = sum(each.points or 0 for each in judged)
        of = sum(each.max_points for each in judged)
        cells = []
        for name in exercises:
            report = reports.get(name)
            if report is not None and report.grade is not None and report.grade.is_excused:
                cells.append("excused")
            elif report is None or report.points is None:
                cells.append("")
            else:
                cells.append(f"{report.points:.10g}")
        names = () if about is None else about[student]
        writer.writerow([*map(safe_cell, (student, *names)), *cells, f"{total:.10g}", of])
    return text.getvalue()


RENDERER = Renderer(many)
