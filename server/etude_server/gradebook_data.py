"""The gradebook as a table and as files for other systems, and statistics of exercises."""

import csv
import io
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection

from etude_server.store import grades, people, submissions, verdicts
from etude_server.store.grades import Grade
from etude_server.store.people import Person, is_erased_name
from etude_server.store.submissions import StuckStudent
from grader.course.statistics import ExerciseStatistics, MistakeCounts, derive_statistics
from grader.reports import to_tables
from grader.reports.report import Batch, CourseGrade, Report
from grader.reports.to_tables import safe_cell

MIN_STUCK_FAILURES: Final = 3
"""Number of failed submissions without a pass after which a student may need help."""

# The columns of the grades as a CSV, and the attribute of `Grade` in each.
_CSV_COLUMNS: Final = {
    "student": "person",
    "exercise": "exercise",
    "submission": "submission_id",
    "score": "score",
    "max_score": "max_score",
    "passed": "passed",
    "xp": "xp",
    "name": "public_name",
    "section": "section",
    "points": "points",
    "note": "note",
}


@dataclass(frozen=True, slots=True)
class ExerciseNumbers:
    """Statistics of the submissions to an exercise."""

    statistics: ExerciseStatistics
    stuck: tuple[StuckStudent, ...]  # those with the most failures first


def make_csv(connection: Connection, exercise: str | None = None) -> str:
    """Return the grades as CSV that is safe to open in a spreadsheet."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(_CSV_COLUMNS)
    for row in grades.list_student_grades(connection, exercise):
        writer.writerow([safe_cell(getattr(row, name)) for name in _CSV_COLUMNS.values()])
    return text.getvalue()


def make_batch(connection: Connection) -> Batch:
    """Return all students' grades as the reports of a course.

    Erased students are left out, because no other system has rows with their new names.
    """
    all_grades = [
        grade
        for grade in grades.list_student_grades(connection)
        if not is_erased_name(grade.person)
    ]
    return Batch(
        tuple(
            Report(
                grade.exercise,
                "",
                "",
                student=grade.person,
                grade=CourseGrade(None, 0, is_excused=True)
                if grade.points is None
                else CourseGrade(grade.points, grade.max_score),
            )
            for grade in sorted(all_grades, key=lambda grade: (grade.exercise, grade.person))
        )
    )


def compute_statistics(
    connection: Connection, exercise: str | None = None
) -> list[ExerciseNumbers]:
    """Return the statistics of all exercises or of one, the hardest first.

    A student counts as passed after one pass, with the best score. A mistake counts once per
    student, even if they passed later. The database computes the sums, so that no row per student
    is read.
    """
    mistakes = verdicts.count_mistakes(connection, exercise)
    stuck = submissions.find_stuck_students(connection, MIN_STUCK_FAILURES, exercise)
    by_exercise = {
        name: (mean_score, sums, mistakes.get(name, MistakeCounts()))
        for name, (mean_score, sums) in grades.summarize_grades(connection, exercise).items()
    }
    return [
        ExerciseNumbers(statistics, tuple(stuck.get(statistics.exercise, ())))
        for statistics in derive_statistics(by_exercise)
    ]


@dataclass(frozen=True, slots=True)
class GradebookTable:
    """One row per student, and one column per exercise with a grade."""

    exercises: tuple[str, ...]
    rows: tuple[tuple[Person, dict[str, Grade]], ...]  # sorted by id, with grades by exercise


def make_table(connection: Connection) -> GradebookTable:
    """Return the grades of all students except erased ones, and disabled ones without a grade."""
    grades_by_person: dict[str, dict[str, Grade]] = {}
    for grade in grades.list_student_grades(connection):
        grades_by_person.setdefault(grade.person, {})[grade.exercise] = grade
    exercises = dict.fromkeys(sorted(name for row in grades_by_person.values() for name in row))
    rows = [
        (student, grades_by_person.get(student.name, {}))
        for student in people.list_people(connection, role="student")
        if student.disabled_at is None
        or (student.name in grades_by_person and not is_erased_name(student.name))
    ]
    return GradebookTable(tuple(exercises), tuple(rows))


def make_matrix_csv(connection: Connection) -> str:
    """Return the gradebook of `etude report`, with the students' names and sections."""
    name_and_section = {
        person.name: (person.display_name, person.section)
        for person in people.list_people(connection)
    }
    return to_tables.gradebook(make_batch(connection), name_and_section)


def make_moodle_csv(connection: Connection) -> str:
    """Return the table that Moodle imports: a user name and the points of each exercise."""
    return to_tables.moodle(make_batch(connection))
