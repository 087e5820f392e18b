"""A gradebook that Canvas exported, with an assignment's column filled.

Canvas takes such a file back. It goes by what it exported, so that the rest stays as it is, byte
for byte where CSV allows. A grade never lands in a wrong row: a student who cannot be told apart,
or is not in the gradebook, stops it all before anything is written.
"""

import csv
import io
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from grader.definitions.wording import few
from grader.errors import UsageError
from grader.reports.report import Batch

IDENTITIES: Final = ("SIS Login ID", "SIS User ID", "ID", "Student", "Integration ID")
"""The columns of a gradebook that can tell students apart."""

_ABOUT_STUDENT: Final = {*IDENTITIES, "LastName", "FirstName", "Root Account", "Section"}
_COMPUTED: Final = (
    "Current Score", "Current Points", "Current Grade", "Final Score", "Final Points",
    "Final Grade", "Override Score", "Override Grade", "Override Status",
)  # fmt: skip
_EXCUSED: Final = "EX"
_LEFT_ALONE: Final = {_EXCUSED, "N/A"}  # the other is not assigned
_TEST_STUDENT: Final = {"Student, Test", "Test Student"}
_MAX_DIGITS: Final = 12  # of an assignment's points
_ASCII_LOWER: Final = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)

Scores = Mapping[str, tuple[float, int] | None]
"""The points of each student, and the points that were possible; None for the excused."""


@dataclass(frozen=True, slots=True)
class FilledGradebook:
    """A gradebook with grades in it."""

    text: str
    column: str
    graded: int  # cells that were filled
    left_alone: tuple[str, ...]  # students who are excused, or to whom it is not assigned
    without_result: tuple[str, ...]  # students of the gradebook with no result
    unknown: tuple[str, ...]  # students with a result who are not in the gradebook


def sum_scores(batch: Batch, exercises: Sequence[str] = ()) -> dict[str, tuple[float, int] | None]:
    """Sum up what each student earned; None for one who is excused from all.

    Of several exercises, one that a student did not submit counts nothing. For one that a student
    is excused from they get the share of the points that they earned in the others, since Canvas
    has the same points for all. Who has no grade in one of them, as after a grader fault or without
    a sandbox, gets no score at all.

    Args:
        batch: One report of each student and exercise.
        exercises: The ids that count; may be left out if there is only one.

    Raises:
        UsageError: There are several exercises and none was named, or one is in no result.
    """
    judged_exercises = sorted({each.exercise for each in batch if each.points is not None})
    counting = _exercises_that_count(judged_exercises, exercises)
    by_name = {(each.student or "", each.exercise): each for each in batch}
    most = {
        name: max(each.max_points for each in batch if each.exercise == name) for name in counting
    }
    sums: dict[str, tuple[float, int] | None] = {}
    for student in dict.fromkeys(student for student, name in by_name if name in counting):
        points, possible, excused_exercises = 0.0, 0, list[str]()
        for name in counting:
            report = by_name.get((student, name))
            if report is None:
                possible += most[name]
            elif report.is_excused:
                excused_exercises.append(name)
            elif report.points is None or (report.verdict and report.verdict.sandbox == "none"):
                break  # nothing was judged, or no sandbox stands behind the points
            else:
                # Each of the points that it was graded with: another version may have had others.
                points, possible = points + report.points, possible + report.max_points
        else:
            whole = possible + sum(most[name] for name in excused_exercises)
            part = points * whole / possible if excused_exercises and possible else points
            sums[student] = None if len(excused_exercises) == len(counting) else (part, whole)
    return sums


def _exercises_that_count(judged_exercises: Sequence[str], names: Sequence[str]) -> list[str]:
    missing = [name for name in names if name not in judged_exercises]
    if missing:
        raise UsageError(f"there is no verdict on {', '.join(missing)} in the results")
    if not judged_exercises:
        raise UsageError("there is no verdict in the results")
    if not names and len(judged_exercises) > 1:
        raise UsageError(
            f"the results are about {', '.join(judged_exercises)}; "
            "say with --exercise which of them count"
        )
    return list(dict.fromkeys(names)) or list(judged_exercises)


def fill(
    export: str,
    scores: Scores,
    *,
    column: str,
    identity: str = IDENTITIES[0],
    scale: bool = False,
    skip_unknown: bool = False,
) -> FilledGradebook:
    """Fill a column of a gradebook.

    Args:
        scores: By what `identity` calls a student; space around it and the case of ASCII letters
            do not matter.
        column: The assignment's heading, with or without the number that Canvas adds.
        identity: The heading of the column that tells students apart.
        scale: Convert to the points of the assignment where it has others than the exercise.
        skip_unknown: Leave students out who are not in the gradebook.

    Raises:
        UsageError: It is no such export, the column cannot be filled, or students are not to be
            told apart.
    """
    first_line = export.partition("\n")[0]
    delimiter = ";" if first_line.count(";") > first_line.count(",") else ","
    lines = io.StringIO(export.removeprefix("\ufeff"), newline="")
    try:
        rows = list(csv.reader(lines, delimiter=delimiter))
    except csv.Error as error:
        raise UsageError(f"this is no gradebook as Canvas exports it: {error}") from None
    book = _Gradebook.from_rows(rows, column, identity)
    rows_by_key = book.students()
    unknown = tuple(name for name in scores if _key(name) not in rows_by_key)
    if lost_zeros := find_lost_zeros(map(_key, unknown), rows_by_key):
        raise UsageError(
            f"the results are about {lost_zeros[0]!r} and the gradebook about {lost_zeros[1]!r}: "
            "a spreadsheet took leading zeros away; export the gradebook again, and do not save it "
            "there"
        )
    if unknown and not skip_unknown:
        raise UsageError(
            f"not in the column {identity!r} of the gradebook: {_list_names(unknown)}; name the "
            f"column that has these names with --match, or leave them out with --skip-unknown"
        )
    for name, (_, possible) in ((name, score) for name, score in scores.items() if score):
        if book.points is not None and book.points != possible and not scale:
            raise UsageError(
                f"the assignment has {book.points} points in Canvas and {possible} here, as for "
                f"{name!r}; --scale converts them"
            )
    by_key = _scores_by_key(scores)
    graded, left_alone, without = 0, list[str](), list[str]()
    for key, row in rows_by_key.items():
        name = row[book.identity].strip()
        if row[book.column].strip().upper() in _LEFT_ALONE:
            left_alone.append(name)
        elif key in by_key:
            row[book.column] = book.cell(by_key[key])
            graded += 1
        else:
            without.append(name)
    text = io.StringIO()
    if export.startswith("\ufeff"):
        text.write("\ufeff")
    end = "\r\n" if "\r\n" in export else "\n"
    csv.writer(text, delimiter=delimiter, lineterminator=end).writerows(rows)
    heading = rows[0][book.column]
    return FilledGradebook(
        text.getvalue(), heading, graded, tuple(left_alone), tuple(without), unknown
    )


@dataclass(frozen=True, slots=True)
class _Gradebook:
    """The rows of an export, and where in them is what is needed."""

    rows: list[list[str]]
    column: int
    identity: int
    points: Decimal | None  # the assignment's points, if the export says them
    comma: bool  # numbers have a decimal comma

    @classmethod
    def from_rows(cls, rows: list[list[str]], column: str, identity: str) -> "_Gradebook":
        header = rows[0] if rows else []
        if "ID" not in header or not {"Student", "LastName"} & set(header[:1]):
            raise UsageError("this is no gradebook as Canvas exports it: no columns Student and ID")
        for row in rows[1:]:
            row.extend([""] * (len(header) - len(row)))
        if identity not in header:
            columns = [name for name in IDENTITIES if name in header]
            raise UsageError(
                f"the gradebook has no column {identity!r}; --match {_list_names(columns)}"
            )
        places = [at for at, name in enumerate(header) if name == column]
        if not places:
            places = [  # without the number in parentheses that Canvas adds
                at
                for at, name in enumerate(header)
                for title, _, number in [name.rpartition(" (")]
                if title == column and number.removesuffix(")").isdigit()
            ]
        if len(places) > 1:
            named = _list_names([header[at] for at in places])
            raise UsageError(f"several columns are called {column!r}: {named}; add the number")
        if not places:
            others = [name for name in header if not _is_about_student(name)]
            raise UsageError(
                f"the gradebook has no column {column!r}; it has {_list_names(others)}"
            )
        at = places[0]
        if _is_about_student(header[at]):
            raise UsageError(f"{column!r} is no column of an assignment")
        possible = next((row[at] for row in rows[1:] if _is_points(row)), "")
        if "read only" in possible:
            raise UsageError(f"Canvas computes the column {header[at]!r}; it cannot be filled")
        digits = possible.strip().replace(",", ".")
        is_number = len(digits) <= _MAX_DIGITS and digits.replace(".", "", 1).isdecimal()
        points = Decimal(digits) if is_number else None
        return cls(rows, at, header.index(identity), points, "," in possible)

    def students(self) -> dict[str, list[str]]:
        """Return the row of each student, by what tells them apart."""
        by_key: dict[str, list[str]] = {}
        for row in self.rows[1:]:
            if not row or _is_points(row) or row[0].strip() in _TEST_STUDENT:
                continue
            cells = [cell.strip() for cell in row]
            if all(not cell or cell.startswith(("Muted", "Manual")) for cell in cells):
                continue  # says how grades are posted; Canvas passes over it, too
            key = _key(row[self.identity])
            if not key:
                continue
            if key in by_key:
                heading = self.rows[0][self.identity]
                raise UsageError(
                    f"two students of the gradebook have {row[self.identity]!r} as {heading!r}"
                )
            by_key[key] = row
        return by_key

    def cell(self, score: tuple[float, int] | None) -> str:
        """Write a score as Canvas does, with at most two digits after the point."""
        if score is None:
            return _EXCUSED
        earned, possible = Decimal(str(score[0])), score[1]
        points = self.points if self.points is not None else Decimal(possible)
        exact = earned if points == possible else earned * points / (possible or 1)
        text = f"{exact.quantize(Decimal('0.01'), ROUND_HALF_UP):.2f}".rstrip("0").rstrip(".")
        return text.replace(".", ",") if self.comma else text


def _is_about_student(name: str) -> bool:
    return name in _ABOUT_STUDENT or any(part in name for part in _COMPUTED)


def _is_points(row: Sequence[str]) -> bool:
    return bool(row) and row[0].strip() == "Points Possible"


def _scores_by_key(scores: Scores) -> dict[str, tuple[float, int] | None]:
    by_key: dict[str, tuple[float, int] | None] = {}
    for name, score in scores.items():
        if _key(name) in by_key:
            raise UsageError(f"the results have {name!r} twice, written differently")
        by_key[_key(name)] = score
    return by_key


def login_key(login: str) -> str:
    """Return a login as it is compared: only the case of ASCII letters does not count.

    Unicode's folding or normalisation would join two people: it makes an s of U+017F and a K of
    the Kelvin sign.
    """
    return login.translate(_ASCII_LOWER)


def _key(name: str) -> str:
    return login_key(name.strip())


def find_lost_zeros(names: Iterable[str], others: Iterable[str]) -> tuple[str, str] | None:
    """Return the first number with another that it equals but for leading zeros, if any."""
    numbers = {each.lstrip("0"): each for each in others if each.isdecimal()}
    pairs = ((name, numbers.get(name.lstrip("0"), name)) for name in names if name.isdecimal())
    return next((pair for pair in pairs if pair[0] != pair[1]), None)


def _list_names(names: Sequence[str]) -> str:
    return few([f"'{name}'" for name in names], 5)
