"""The people of a course, from a spreadsheet."""

from dataclasses import dataclass
from typing import Final

from grader.course.csv_rows import rows
from grader.errors import UsageError
from grader.reports.canvas_csv import login_key

ROLES: Final = ("student", "instructor", "assistant", "grader")
_LONGEST: Final = 200  # characters, of each column


@dataclass(frozen=True, slots=True)
class RosterRow:
    """A line of a roster; None is a column that it does not have."""

    where: str  # file and line
    name: str
    display_name: str | None
    login: str | None
    section: str | None
    role: str | None  # also None if it is left empty


def read_roster(text: str, name: str) -> list[RosterRow]:
    """Read a roster: a CSV with the column id, and with name, email or login, role, section.

    Args:
        text: of the file.
        name: of the file, for errors.

    Raises:
        UsageError: a line is not as it should be, or names somebody again.
    """
    found: list[RosterRow] = []
    known: dict[tuple[str, str], int] = {}
    for number, row in rows(text, name, ("id",)):
        if not any(row.values()):  # as spreadsheets end
            continue
        where = f"{name}:{number}"
        for column, value in row.items():
            if len(value) > _LONGEST or not value.isprintable():
                raise UsageError(f"{where}: {column} has at most 200 characters, all printable")
        if not row["id"]:
            raise UsageError(f"{where} has nothing in the column 'id'")
        logins = [login_key(row[each]) for each in ("email", "e-mail", "login") if each in row]
        login = max(logins) if logins else None  # an empty one only if there is no other
        for kind, value in (("id", row["id"]), ("login", login or "")):
            if value and known.setdefault((kind, value), number) != number:
                line = known[kind, value]
                raise UsageError(f"{where} has the {kind} {value!r} again, as line {line} does")
        wanted = row.get("role", "").lower()
        if wanted and wanted not in ROLES:
            told = ", ".join(ROLES)
            raise UsageError(f"{where}: there is no role {wanted!r}; the roles are {told}")
        found.append(
            RosterRow(where, row["id"], row.get("name"), login, row.get("section"), wanted or None)
        )
    if not found:
        raise UsageError(f"{name} names nobody")
    return found
