"""Feedback pages: one per student, with all their exercises."""

from dataclasses import replace
from pathlib import Path

from grader.errors import UsageError
from grader.grading.submissions.zips import is_ignored
from grader.reports.phrases import FAULT_FOR_LEARNERS
from grader.reports.report import Batch, Report
from grader.reports.to_html import render_student
from grader.whole_files import write_whole


def write_pages(batch: Batch, folder: Path) -> int:
    """Write `<student>.html` for each student of a batch, and return the number of pages.

    Raises:
        UsageError: A student's name cannot be a file name, or the folder cannot be created.
    """
    of_students: dict[str, list[Report]] = {}
    for report in batch:
        page_report = replace(report, message=FAULT_FOR_LEARNERS) if report.is_fault else report
        of_students.setdefault(report.student or "", []).append(page_report)
    for student in of_students:
        if "/" in student or "\0" in student or is_ignored(student) or not student:
            raise UsageError(f"{student!r} cannot be the name of a page")
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder} cannot be made: {error.strerror}") from None
    titles = {str(verdict.exercise): verdict.title for verdict in batch.verdicts}
    for student, reports in of_students.items():
        write_whole(
            folder / f"{student}.html", render_student(student, Batch(tuple(reports)), titles)
        )
    return len(of_students)
