"""The people of a course, from a spreadsheet."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from grader.course.csv_rows import parse_rows, read_text
from grader.errors import UsageError
from grader.student_names import login_key, name_key

ROLES: Final = ("student", "instructor", "assistant", "grader")
_IDS: Final = ("student", "id", "login", "email", "e-mail", "alias")
_MAX_FIELD_LENGTH: Final = 200  # longest value of a column, in characters


@dataclass(frozen=True, slots=True)
class RosterRow:
    """A line of a roster; None stands for a missing column."""

    where: str  # file and line
    name: str
    display_name: str | None
    login: str | None
    section: str | None
    role: str | None  # also None if the cell is empty


def read_roster(text: str, name: str) -> list[RosterRow]:
    """Read a roster: a CSV with the column id, and optionally name, email or login, role, section.

    Args:
        name: The file's name, for errors.

    Raises:
        UsageError: A line is invalid, or repeats a person.
    """
    roster: list[RosterRow] = []
    line_of: dict[tuple[str, str], int] = {}
    for number, row in parse_rows(text, name, ("id",)):
        where = f"{name}:{number}"
        for column, value in row.items():
            if len(value) > _MAX_FIELD_LENGTH or not value.isprintable():
                raise UsageError(
                    f"{where}: {column} has at most {_MAX_FIELD_LENGTH} characters, all printable"
                )
        if not row["id"]:
            raise UsageError(f"{where} has nothing in the column 'id'")
        logins = [login_key(row[key]) for key in ("email", "e-mail", "login") if key in row]
        login = max(logins) if logins else None  # empty only if there is no other
        for kind, value in (("id", row["id"]), ("login", login or "")):
            if value and line_of.setdefault((kind, value), number) != number:
                line = line_of[kind, value]
                raise UsageError(f"{where} has the {kind} {value!r} again, as line {line} does")
        role = row.get("role", "").lower()
        if role and role not in ROLES:
            roles = ", ".join(ROLES)
            raise UsageError(f"{where}: there is no role {role!r}; the roles are {roles}")
        roster.append(
            RosterRow(where, row["id"], row.get("name"), login, row.get("section"), role or None)
        )
    if not roster:
        raise UsageError(f"{name} names nobody")
    return roster


def read_students(path: Path) -> tuple[str, ...]:
    """Read a course's students: a CSV with a column `student`, the names of their folders.

    Raises:
        UsageError: The file cannot be read, lacks the column, or repeats a student.
    """
    return tuple(row["student"] for _, row in _read_student_rows(path))


def read_names(path: Path) -> dict[str, str]:
    """Read the platform's names of students, from `id`, `name`, `login`, `email` and `alias`.

    Canvas writes `lovelaceada` for Ada Lovelace, so a name is recognized in either word order.

    Returns:
        The student for each id and name in the form of `name_key`; "" for an ambiguous name.

    Raises:
        UsageError: The file cannot be read, repeats a student, or gives two students one id.
    """
    ids: dict[str, str] = {}
    students_of: dict[str, set[str]] = {}
    for number, row in _read_student_rows(path):
        student, words = row["student"], row.get("name", "").split()
        cells = ((column, cell) for column in _IDS for cell in row.get(column, "").split(";"))
        for column, value in cells:
            key = name_key(value)
            if ids.setdefault(key, student) != student and key:
                raise UsageError(
                    f"{path}:{number}: the {column} {value.strip()!r} stands for {ids[key]!r} "
                    "already"
                )
            students_of.setdefault(key, set()).add(student)
        for first in range(len(words)):
            students_of.setdefault(name_key("".join(words[first:] + words[:first])), set()).add(
                student
            )
    return {
        key: min(students) if len(students) == 1 else ""
        for key, students in students_of.items()
        if key
    }


def list_student_ids(path: Path) -> dict[str, str]:
    """Read the column `id` of a roster, by student."""
    return {row["student"]: row.get("id", "") for _, row in _read_student_rows(path)}


def _read_student_rows(path: Path) -> list[tuple[int, dict[str, str]]]:
    lines: dict[str, int] = {}
    table = list(parse_rows(read_text(path), str(path), ("student",)))
    for number, row in table:
        name = row["student"]
        if not name:
            raise UsageError(f"{path}:{number} has no name in the column 'student'")
        if lines.setdefault(name, number) != number:
            raise UsageError(f"{path}:{number} names {name!r} again, as line {lines[name]} does")
    if not table:
        raise UsageError(f"{path} has no students")
    return table
