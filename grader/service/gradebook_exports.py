"""The gradebook as a table, and as files for other systems."""

import csv
import io
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection

from grader.reports import to_moodle
from grader.reports.canvas_csv import published
from grader.reports.to_csv import safe_cell
from grader.service import gradebook_data
from grader.service.store import grades, roster
from grader.service.store.grades import Grade
from grader.service.store.personal_data import is_erased
from grader.service.store.roster import Profile

_EXCUSED: Final = "excused"


@dataclass(frozen=True, slots=True)
class GradebookTable:
    """A row for each student, and a column for each exercise that has a grade."""

    exercises: tuple[str, ...]
    rows: tuple[tuple[Profile, dict[str, Grade]], ...]  # by id; grades by exercise

    def cut(self, section: str | None, most: int) -> "GradebookTable":
        """Return the first rows, of one section if it is given."""
        kept = [row for row in self.rows if section is None or row[0].section == section]
        return GradebookTable(self.exercises, tuple(kept[:most]))


def table(connection: Connection) -> GradebookTable:
    """Return the grades of all students but the erased; disabled ones need a grade for a row."""
    found: dict[str, dict[str, Grade]] = {}
    for each in grades.of_students(connection):
        found.setdefault(each.person, {})[each.exercise] = each
    exercises = dict.fromkeys(sorted(name for row in found.values() for name in row))
    rows = [
        (who, found.get(who.name, {}))
        for who in roster.listed(connection, role="student")
        if who.disabled_at is None or (who.name in found and not is_erased(who.name))
    ]
    return GradebookTable(tuple(exercises), tuple(rows))


def matrix_csv(connection: Connection) -> str:
    """Return the table as a CSV that is safe to open in a spreadsheet."""
    made = table(connection)
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["student", "name", "section", *made.exercises])
    for who, row in made.rows:
        cells = [_cell(row.get(name)) for name in made.exercises]
        about = (who.name, who.display_name, who.section)
        writer.writerow([*map(safe_cell, about), *cells])
    return text.getvalue()


def _cell(grade: Grade | None) -> str:
    if grade is None:
        return ""
    return _EXCUSED if grade.points is None else f"{grade.points:.10g}"


def moodle_csv(connection: Connection) -> str:
    """Return the table that Moodle imports: a user name, and the points of each exercise."""
    return to_moodle.many(published(gradebook_data.records(connection)))
