"""A Canvas gradebook export with an assignment's column filled in.

Canvas can import such a file again. Everything else stays as exported, byte for byte where CSV
allows it. A grade never lands in a wrong row: if a student is ambiguous or missing in the
gradebook, nothing is written.
"""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Final, TypeAlias

from grader.definitions.wording import join_first
from grader.errors import UsageError
from grader.reports.report import Batch
from grader.student_names import find_lost_zeros, login_key

IDENTITIES: Final = ("SIS Login ID", "SIS User ID", "ID", "Student", "Integration ID")
"""The gradebook columns that can identify students."""

_STUDENT_COLUMNS: Final = {*IDENTITIES, "LastName", "FirstName", "Root Account", "Section"}
_COMPUTED_COLUMNS: Final = (
    "Current Score", "Current Points", "Current Grade", "Final Score", "Final Points",
    "Final Grade", "Override Score", "Override Grade", "Override Status",
)  # fmt: skip
_EXCUSED: Final = "EX"
_KEPT_CELLS: Final = {_EXCUSED, "N/A"}  # cells that stay as they are: excused, or not assigned
_TEST_STUDENT: Final = {"Student, Test", "Test Student"}
_MAX_DIGITS: Final = 12  # most digits of an assignment's points

NameOption: TypeAlias = Callable[[str], str]
"""Returns the name that the caller's users know a parameter by, for errors."""

Scores = Mapping[str, tuple[float, int] | None]
"""Earned and possible points of each student; None if excused."""


@dataclass(frozen=True, slots=True)
class FilledGradebook:
    """A gradebook with the grades filled in."""

    text: str
    column: str
    graded: int  # number of cells filled
    left_alone: tuple[str, ...]  # students who are excused or not assigned
    without_result: tuple[str, ...]  # students of the gradebook without a result
    unknown: tuple[str, ...]  # students with a result who are not in the gradebook


def name_flag(parameter: str) -> str:
    """Return the name of a parameter on the command line."""
    return f"--{parameter.replace('_', '-')}"


def sum_scores(
    batch: Batch, exercises: Sequence[str] = (), *, name_option: NameOption = name_flag
) -> dict[str, tuple[float, int] | None]:
    """Sum up each student's points; None for a student excused from every exercise.

    A missing submission counts as zero points. For an exercise from which a student is excused,
    they get the same share of its points as in the others, since Canvas has the same maximum for
    all. A student without a grade in one exercise, for example after a grader fault, gets no score
    at all.

    Args:
        batch: One report per student and exercise.
        exercises: The ids to sum up; optional if there is only one.

    Raises:
        UsageError: There are several exercises and none is named, or no result has a named one.
    """
    judged_exercises = sorted({report.exercise for report in batch if report.points is not None})
    counting = _exercises_that_count(judged_exercises, exercises, name_option)
    by_name = {(report.student or "", report.exercise): report for report in batch}
    possible_points = {
        name: max(each.max_points for each in batch if each.exercise == name) for name in counting
    }
    sums: dict[str, tuple[float, int] | None] = {}
    for student in dict.fromkeys(student for student, name in by_name if name in counting):
        points, possible, excused_exercises = 0.0, 0, list[str]()
        for name in counting:
            report = by_name.get((student, name))
            if report is None:
                possible += possible_points[name]
            elif report.is_excused:
                excused_exercises.append(name)
            elif report.points is None or (report.verdict and report.verdict.sandbox == "none"):
                # Nothing was judged, or the points come from a run without a sandbox.
                break
            else:
                # Each report counts with its own maximum, because an exercise's points may have
                # changed.
                points, possible = points + report.points, possible + report.max_points
        else:
            total = possible + sum(possible_points[name] for name in excused_exercises)
            part = points * total / possible if excused_exercises and possible else points
            sums[student] = None if len(excused_exercises) == len(counting) else (part, total)
    return sums


def _exercises_that_count(
    judged_exercises: Sequence[str], names: Sequence[str], name_option: NameOption
) -> list[str]:
    missing = [name for name in names if name not in judged_exercises]
    if missing:
        raise UsageError(f"there is no verdict on {', '.join(missing)} in the results")
    if not judged_exercises:
        raise UsageError("there is no verdict in the results")
    if not names and len(judged_exercises) > 1:
        raise UsageError(
            f"the results are about {', '.join(judged_exercises)}; "
            f"say with {name_option('exercise')} which of them count"
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
    name_option: NameOption = name_flag,
) -> FilledGradebook:
    """Fill one column of a gradebook.

    Args:
        scores: By the student's value in the column `identity`; surrounding space and the case of
            ASCII letters do not matter.
        column: The assignment's heading, with or without the number that Canvas appends.
        identity: The heading of the column that identifies students.
        scale: True to convert to the assignment's points if they differ from the exercise's.
        skip_unknown: True to leave out students who are not in the gradebook.

    Raises:
        UsageError: The text is not a Canvas export, the column cannot be filled, or a student
            cannot be identified.
    """
    first_line = export.partition("\n")[0]
    delimiter = ";" if first_line.count(";") > first_line.count(",") else ","
    lines = io.StringIO(export.removeprefix("\ufeff"), newline="")
    try:
        rows = list(csv.reader(lines, delimiter=delimiter))
    except csv.Error as error:
        raise UsageError(f"this is not a gradebook as Canvas exports it: {error}") from None
    book = _Gradebook.from_rows(rows, column, identity, name_option)
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
            f"column that has these names with {name_option('match')}, or leave them out with "
            f"{name_option('skip_unknown')}"
        )
    for name, (_, possible) in ((name, score) for name, score in scores.items() if score):
        if book.points is not None and book.points != possible and not scale:
            raise UsageError(
                f"the assignment has {book.points} points in Canvas and {possible} here, as for "
                f"{name!r}; {name_option('scale')} converts them"
            )
    by_key = _scores_by_key(scores)
    graded, left_alone, without = 0, list[str](), list[str]()
    for key, row in rows_by_key.items():
        name = row[book.identity].strip()
        if row[book.column].strip().upper() in _KEPT_CELLS:
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
    """The rows of an export, with the positions of the columns needed."""

    rows: list[list[str]]
    column: int
    identity: int
    points: Decimal | None  # the assignment's points, if the export has them
    comma: bool  # True if numbers have a decimal comma

    @classmethod
    def from_rows(
        cls, rows: list[list[str]], column: str, identity: str, name_option: NameOption
    ) -> "_Gradebook":
        header = rows[0] if rows else []
        if "ID" not in header or not {"Student", "LastName"} & set(header[:1]):
            raise UsageError(
                "this is not a gradebook as Canvas exports it: no columns Student and ID"
            )
        for row in rows[1:]:
            row.extend([""] * (len(header) - len(row)))
        if identity not in header:
            columns = [name for name in IDENTITIES if name in header]
            raise UsageError(
                f"the gradebook has no column {identity!r}; {name_option('match')} "
                f"{_list_names(columns)}"
            )
        places = [at for at, name in enumerate(header) if name == column]
        if not places:
            places = [  # headings without the number in parentheses that Canvas appends
                at
                for at, name in enumerate(header)
                for title, _, number in [name.rpartition(" (")]
                if title == column and number.removesuffix(")").isdigit()
            ]
        if len(places) > 1:
            headings = _list_names([header[at] for at in places])
            raise UsageError(f"several columns are called {column!r}: {headings}; add the number")
        if not places:
            other_headings = [name for name in header if not _is_about_student(name)]
            raise UsageError(
                f"the gradebook has no column {column!r}; it has {_list_names(other_headings)}"
            )
        at = places[0]
        if _is_about_student(header[at]):
            raise UsageError(f"{column!r} is not a column of an assignment")
        possible = next((row[at] for row in rows[1:] if _is_points(row)), "")
        if "read only" in possible:
            raise UsageError(f"Canvas computes the column {header[at]!r}; it cannot be filled")
        digits = possible.strip().replace(",", ".")
        is_number = len(digits) <= _MAX_DIGITS and digits.replace(".", "", 1).isdecimal()
        points = Decimal(digits) if is_number else None
        return cls(rows, at, header.index(identity), points, "," in possible)

    def students(self) -> dict[str, list[str]]:
        """Return the row of each student, by their identity."""
        by_key: dict[str, list[str]] = {}
        for row in self.rows[1:]:
            if not row or _is_points(row) or row[0].strip() in _TEST_STUDENT:
                continue
            cells = [cell.strip() for cell in row]
            if all(not cell or cell.startswith(("Muted", "Manual")) for cell in cells):
                # This row tells how grades are posted; Canvas skips it, too.
                continue
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
        """Format a score as Canvas does, with at most two decimals."""
        if score is None:
            return _EXCUSED
        earned, possible = Decimal(str(score[0])), score[1]
        points = self.points if self.points is not None else Decimal(possible)
        exact = earned if points == possible else earned * points / (possible or 1)
        text = f"{exact.quantize(Decimal('0.01'), ROUND_HALF_UP):.2f}".rstrip("0").rstrip(".")
        return text.replace(".", ",") if self.comma else text


def _is_about_student(name: str) -> bool:
    return name in _STUDENT_COLUMNS or any(part in name for part in _COMPUTED_COLUMNS)


def _is_points(row: Sequence[str]) -> bool:
    return bool(row) and row[0].strip() == "Points Possible"


def _scores_by_key(scores: Scores) -> dict[str, tuple[float, int] | None]:
    by_key: dict[str, tuple[float, int] | None] = {}
    for name, score in scores.items():
        if _key(name) in by_key:
            raise UsageError(f"the results have {name!r} twice, written differently")
        by_key[_key(name)] = score
    return by_key


def _key(name: str) -> str:
    return login_key(name.strip())


def _list_names(names: Sequence[str]) -> str:
    return join_first([f"'{name}'" for name in names], 5)
