"""Published grades of one person or all students, after the late rule and manual points."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Row,
    Select,
    and_,
    bindparam,
    case,
    exists,
    func,
    select,
    true,
    tuple_,
    union,
)

from etude_server.store.tables import (
    PUBLIC_NAME,
    SAME_KEY,
    actor_name,
    extension,
    grade,
    override,
    person,
    publication,
    schedule,
    share,
    submission,
    verdict,
)
from grader.course.late_rules import LateRule, Override, compute_grade
from grader.course.statistics import Sums
from grader.reports.report import NOT_SUBMITTED


@dataclass(frozen=True, slots=True)
class Grade:
    """The best published verdict of a person in an exercise."""

    person: str  # the person's name
    exercise: str
    submission_id: str
    score: int
    max_score: int
    passed: bool
    xp: int
    public_name: str  # the name that others see
    section: str
    points: float | None  # after late rule and overrides; None if excused
    note: str  # the reason for a difference between points and score


_COLUMNS = (
    person.c.id,
    person.c.name,
    grade.c.exercise,
    grade.c.submission_id,
    grade.c.score,
    grade.c.max_score,
    grade.c.passed,
    grade.c.xp,
    PUBLIC_NAME,
    person.c.section,
)
_ASSIGNED = (
    select(grade.c.exercise, func.max(grade.c.max_score).label("most"))
    .join(person, person.c.id == grade.c.person_id)
    .where(person.c.role == "student")
    .group_by(grade.c.exercise)
    .subquery("assigned")
)
_NOTHING = (
    select(person.c.name, _ASSIGNED.c.exercise, _ASSIGNED.c.most, PUBLIC_NAME, person.c.section)
    .join(_ASSIGNED, true())
    .where(
        person.c.role == "student",
        person.c.disabled_at.is_(None),
        *(
            ~exists().where(
                table.c.person_id == person.c.id, table.c.exercise == _ASSIGNED.c.exercise
            )
            for table in (submission, grade, override)
        ),
    )
)
_DUE = func.coalesce(extension.c.due_at, schedule.c.due_at)
_WITH_DUE = (
    select(
        *_COLUMNS,
        submission.c.received_at,
        _DUE.label("due_at"),
        schedule.c.late,
        schedule.c.grace,
        schedule.c.late_days,
        schedule.c.at_least,
    )
    .join(person, person.c.id == grade.c.person_id)
    .outerjoin(submission, submission.c.id == grade.c.submission_id)
    .outerjoin(schedule, schedule.c.exercise == grade.c.exercise)
    .outerjoin(
        extension,
        and_(extension.c.person_id == grade.c.person_id, extension.c.exercise == grade.c.exercise),
    )
)
_ALL = (
    select(submission.c.id, verdict.c.score, verdict.c.max_score, submission.c.received_at)
    .join(publication, publication.c.submission_id == submission.c.id)
    .join(verdict, SAME_KEY)
    .where(submission.c.person_id == bindparam("person"), submission.c.exercise == bindparam("of"))
)


def person_grades(connection: Connection, person_id: str) -> list[Grade]:
    """Return a person's grades, sorted by exercise."""
    return _select_grades(
        connection, grade.c.person_id == person_id, override.c.person_id == person_id
    )


def student_grades(
    connection: Connection,
    exercise: str | None = None,
    *,
    after: tuple[str, str] | None = None,
    most: int | None = None,
) -> list[Grade]:
    """Return students' grades by name and exercise: the first `most` after the pair `after`.

    Staff who try an exercise have no grades here. If any student has a grade in an exercise, a
    student who submitted nothing has 0 points, unless disabled.
    """

    def on(table: FromClause, until: tuple[str, str] | None = None) -> ColumnElement[bool]:
        """Return the condition for a table's rows, up to a name and an exercise."""
        key = tuple_(person.c.name, table.c.exercise)
        conditions = [person.c.role == "student"]
        if exercise is not None:
            conditions.append(table.c.exercise == exercise)
        if after is not None:
            conditions += [person.c.name >= after[0], key > tuple_(*after)]  # an index finds names
        if until is not None:
            conditions.append(key <= tuple_(*until))
        return and_(*conditions)

    keys = [] if most is None else _first_keys(connection, on, most)
    if most is not None and not keys:
        return []
    last = keys[-1] if keys else None
    students = _select_grades(connection, on(grade, last), on(override, last))
    rows = connection.execute(_NOTHING.where(on(_ASSIGNED, last)))
    students += [
        Grade(name, of, "", 0, points, False, 0, public_name, section, 0.0, NOT_SUBMITTED)
        for name, of, points, public_name, section in rows
    ]
    # The database's sort order, which `after` uses.
    places = {key: place for place, key in enumerate(keys)}
    if keys:
        return sorted(students, key=lambda student: places[student.person, student.exercise])
    return sorted(students, key=lambda student: (student.person, student.exercise))


def _first_keys(
    connection: Connection, on: Callable[..., ColumnElement[bool]], most: int
) -> list[tuple[str, str]]:
    """Return the first names and exercises that have a verdict, manual points, or nothing."""

    def first(*parts: Select[Any]) -> list[tuple[str, str]]:
        query = union(*parts).order_by("name", "exercise").limit(most)
        return [(name, of) for name, of in connection.execute(query)]

    parts = [
        select(person.c.name, table.c.exercise)
        .join(person, person.c.id == table.c.person_id)
        .where(on(table))
        for table in (grade, override)
    ]
    keys = first(*parts)
    # With enough keys, no student after them is considered.
    last = keys[-1] if len(keys) == most else None
    nothing = _NOTHING.with_only_columns(person.c.name, _ASSIGNED.c.exercise)
    return first(*parts, nothing.where(on(_ASSIGNED, last)))


def find_grade(connection: Connection, person_id: str, exercise: str) -> Grade | None:
    """Return a person's grade in an exercise, or None."""
    grades = _select_grades(
        connection,
        and_(grade.c.person_id == person_id, grade.c.exercise == exercise),
        and_(override.c.person_id == person_id, override.c.exercise == exercise),
    )
    return grades[0] if grades else None


def _select_grades(
    connection: Connection, of_grade: ColumnElement[bool], of_override: ColumnElement[bool]
) -> list[Grade]:
    """Return grades by name and exercise, and overrides where nothing was submitted.

    A person's other verdicts are read only if the best one is late.
    """
    overrides: dict[tuple[str, str], tuple[Grade, Override]] = {}  # the last override counts
    columns = (override, person.c.name, PUBLIC_NAME, person.c.section, actor_name(override.c.by))
    query = select(*columns).join(person, person.c.id == override.c.person_id).where(of_override)
    for row in connection.execute(query.order_by(override.c.id)):
        name, public_name, section, giver = row[len(override.columns) :]
        nothing = Grade(name, row.exercise, "", 0, 0, False, 0, public_name, section, None, "")
        hand = Override(row.points, row.excused, row.reason, giver)
        overrides[row.person_id, row.exercise] = (nothing, hand)
    listed: list[Grade] = []
    for row in connection.execute(_WITH_DUE.where(of_grade)).all():
        person_id, *values = row[: len(_COLUMNS)]
        values += [None, ""]
        best, rule = Grade(*values), _rule(row)
        days = rule.days_late(_seconds(row.received_at))
        if days:
            best, days = _best(connection, person_id, best, rule)
        _, by_staff = overrides.pop((person_id, best.exercise), (None, None))
        listed.append(_by_rules(best, days, rule, by_staff))
    for nothing, hand in overrides.values():
        largest = select(func.max(grade.c.max_score)).where(grade.c.exercise == nothing.exercise)
        most = connection.scalar(largest) or 0
        listed.append(_by_rules(replace(nothing, max_score=most), 0, LateRule(), hand))
    return sorted(listed, key=lambda each: (each.person, each.exercise))


def _seconds(microseconds: int | None) -> float | None:
    return None if microseconds is None else microseconds / 1_000_000


def _rule(row: Row[Any]) -> LateRule:
    # An extension may be for an exercise without a schedule.
    rest = row.late or 0.0, row.grace or 0.0, row.late_days, row.at_least or 0.0
    return LateRule(_seconds(row.due_at), *rest)


def _by_rules(best: Grade, days: int, rule: LateRule, hand: Override | None) -> Grade:
    points = compute_grade(best.score, best.max_score, rule=rule, days=days, override=hand)
    return replace(best, points=points.points, note=points.note)


def _best(connection: Connection, person_id: str, best: Grade, rule: LateRule) -> tuple[Grade, int]:
    """Return the grade with the most points after the late penalty, and its days late."""
    parameters = {"person": person_id, "of": best.exercise}
    candidates = [
        (part * rule.share(days), -days, name, score, most)
        for name, score, most, at in connection.execute(_ALL, parameters)
        for part, days in [(score / max(most, 1), rule.days_late(_seconds(at)))]
    ]
    _, days, name, score, most = max(candidates)
    return replace(best, submission_id=name, score=score, max_score=most), -days


def sum_grades(connection: Connection, exercise: str | None = None) -> dict[str, Sums]:
    """Return the sums of students' grades by exercise, or of one exercise."""
    points = share(grade.c.score, grade.c.max_score)
    everything = (
        select(grade.c.person_id, func.sum(points).label("points"))
        .join(person, person.c.id == grade.c.person_id)
        .where(person.c.role == "student")
        .group_by(grade.c.person_id)
        .subquery()
    )
    others = everything.c.points - points
    query = (
        select(
            grade.c.exercise,
            func.count(),
            func.sum(case((grade.c.passed, 1), else_=0)),
            func.sum(points),
            func.sum(others),
            func.sum(others * others),
            func.sum(case((grade.c.passed, others), else_=0.0)),
        )
        .join(everything, everything.c.person_id == grade.c.person_id)
        .group_by(grade.c.exercise)
    )
    if exercise is not None:
        query = query.where(grade.c.exercise == exercise)
    return {name: Sums(*sums) for name, *sums in connection.execute(query)}
