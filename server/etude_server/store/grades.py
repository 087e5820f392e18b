"""Published grades of one person or all students, after the late rule and manual points."""

from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import Field
from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Row,
    and_,
    bindparam,
    case,
    exists,
    func,
    select,
    true,
)

from etude_server.store.ids import to_seconds
from etude_server.store.tables import (
    IS_PUBLISHED_VERDICT,
    PUBLIC_NAME,
    extension,
    grade,
    make_actor_name,
    make_share,
    override,
    person,
    publication,
    schedule,
    submission,
    verdict,
)
from grader.course.late_rules import LateRule, Override, compute_grade
from grader.course.statistics import Sums
from grader.reports.report import NOT_SUBMITTED


@dataclass(frozen=True, slots=True)
class Grade:
    """The best published verdict of a person in an exercise, and the points that count."""

    person: Annotated[str, Field(serialization_alias="student")]  # the person's name
    exercise: str
    public_name: Annotated[
        str, Field(serialization_alias="name", description="The name that others see.")
    ]
    section: str
    submission_id: Annotated[
        str,
        Field(serialization_alias="submission", description="The submission with this verdict."),
    ] = ""
    score: int = 0
    max_score: int = 0
    passed: bool = False
    xp: int = 0
    points: Annotated[
        float | None,
        Field(description="The points after late rule and overrides; null for an excuse."),
    ] = None
    note: Annotated[str, Field(description="The reason why the points differ from the score.")] = ""


_ASSIGNED_EXERCISES = (
    select(grade.c.exercise, func.max(grade.c.max_score).label("max_score"))
    .join(person, person.c.id == grade.c.person_id)
    .where(person.c.role == "student")
    .group_by(grade.c.exercise)
    .subquery("assigned")
)
_SELECT_NOT_SUBMITTED = (
    select(
        person.c.name,
        _ASSIGNED_EXERCISES.c.exercise,
        _ASSIGNED_EXERCISES.c.max_score,
        PUBLIC_NAME,
        person.c.section,
    )
    .join(_ASSIGNED_EXERCISES, true())
    .where(
        person.c.role == "student",
        person.c.disabled_at.is_(None),
        *(
            ~exists().where(
                table.c.person_id == person.c.id, table.c.exercise == _ASSIGNED_EXERCISES.c.exercise
            )
            for table in (submission, grade, override)
        ),
    )
)
_DUE_AT = func.coalesce(extension.c.due_at, schedule.c.due_at)
_SELECT_GRADES = (
    select(
        grade,
        person.c.name,
        PUBLIC_NAME,
        person.c.section,
        submission.c.received_at,
        _DUE_AT.label("due_at"),
        schedule.c.daily_factor,
        schedule.c.grace_seconds,
        schedule.c.max_late_days,
        schedule.c.min_share,
    )
    .join(person, person.c.id == grade.c.person_id)
    .outerjoin(submission, submission.c.id == grade.c.submission_id)
    .outerjoin(schedule, schedule.c.exercise == grade.c.exercise)
    .outerjoin(
        extension,
        and_(extension.c.person_id == grade.c.person_id, extension.c.exercise == grade.c.exercise),
    )
)
_SELECT_SCORES = (
    select(submission.c.id, verdict.c.score, verdict.c.max_score, submission.c.received_at)
    .join(publication, publication.c.submission_id == submission.c.id)
    .join(verdict, IS_PUBLISHED_VERDICT)
    .where(
        submission.c.person_id == bindparam("person_id"),
        submission.c.exercise == bindparam("exercise"),
    )
)


def list_person_grades(connection: Connection, person_id: str) -> list[Grade]:
    """Return a person's grades, sorted by exercise."""
    return _select_grades(
        connection, grade.c.person_id == person_id, override.c.person_id == person_id
    )


def list_student_grades(
    connection: Connection,
    exercise: str | None = None,
    *,
    after: tuple[str, str] | None = None,
    limit: int | None = None,
) -> list[Grade]:
    """Return students' grades by name and exercise: the first `limit` after the pair `after`.

    Staff who try an exercise have no grades here. If any student has a grade in an exercise, a
    student who submitted nothing has 0 points, unless disabled.
    """
    query = select(person.c.name).where(person.c.role == "student").order_by(person.c.name)
    if after is not None:
        query = query.where(person.c.name >= after[0])
    names = connection.execute(query).scalars().all()
    positions = {name: position for position, name in enumerate(names)}  # as the database sorts
    grades: list[Grade] = []
    while names and (limit is None or len(grades) < limit):
        # Nearly every student has a grade, so one part is enough for most pages.
        size = len(names) if limit is None else limit
        part, names = names[:size], names[size:]
        students = _select_student_grades(connection, exercise, part[0], part[-1])
        grades += sorted(students, key=lambda grade: (positions[grade.person], grade.exercise))
        if after is not None:
            grades = [
                grade for grade in grades if grade.person != after[0] or grade.exercise > after[1]
            ]
    return grades[:limit]


def _select_student_grades(
    connection: Connection, exercise: str | None, first_name: str, last_name: str
) -> list[Grade]:
    """Return the grades of the students whose names are in a range, in any order."""

    def make_condition(table: FromClause) -> ColumnElement[bool]:
        is_student = and_(person.c.role == "student", person.c.name.between(first_name, last_name))
        return is_student if exercise is None else and_(is_student, table.c.exercise == exercise)

    rows = connection.execute(_SELECT_NOT_SUBMITTED.where(make_condition(_ASSIGNED_EXERCISES)))
    return _select_grades(connection, make_condition(grade), make_condition(override)) + [
        replace(_make_empty_grade(row), max_score=row.max_score, points=0.0, note=NOT_SUBMITTED)
        for row in rows
    ]


def find_grade(connection: Connection, person_id: str, exercise: str) -> Grade | None:
    """Return a person's grade in an exercise, or None."""
    grades = _select_grades(
        connection,
        and_(grade.c.person_id == person_id, grade.c.exercise == exercise),
        and_(override.c.person_id == person_id, override.c.exercise == exercise),
    )
    return grades[0] if grades else None


def _select_grades(
    connection: Connection,
    grade_condition: ColumnElement[bool],
    override_condition: ColumnElement[bool],
) -> list[Grade]:
    """Return grades by name and exercise, and overrides where nothing was submitted.

    A person's other verdicts are read only if the best one is late.
    """
    overrides: dict[tuple[str, str], tuple[Grade, Override]] = {}  # the last override counts
    columns = (
        override,
        person.c.name,
        PUBLIC_NAME,
        person.c.section,
        make_actor_name(override.c.by).label("giver"),
    )
    query = (
        select(*columns).join(person, person.c.id == override.c.person_id).where(override_condition)
    )
    for row in connection.execute(query.order_by(override.c.id)):
        staff_override = Override(row.points, row.excused, row.reason, row.giver)
        overrides[row.person_id, row.exercise] = (_make_empty_grade(row), staff_override)
    grades: list[Grade] = []
    for row in connection.execute(_SELECT_GRADES.where(grade_condition)).all():
        rule = _make_late_rule(row)
        best_grade = replace(
            _make_empty_grade(row),
            submission_id=row.submission_id,
            score=row.score,
            max_score=row.max_score,
            passed=row.passed,
            xp=row.xp,
        )
        days = rule.count_late_days(to_seconds(row.received_at))
        if days:
            best_grade, days = _find_best_after_lateness(
                connection, row.person_id, best_grade, rule
            )
        _, by_staff = overrides.pop((row.person_id, row.exercise), (None, None))
        grades.append(_apply_rules(best_grade, days, rule, by_staff))
    for empty_grade, staff_override in overrides.values():
        max_score_query = select(func.max(grade.c.max_score)).where(
            grade.c.exercise == empty_grade.exercise
        )
        max_score = connection.scalar(max_score_query) or 0
        grades.append(
            _apply_rules(replace(empty_grade, max_score=max_score), 0, LateRule(), staff_override)
        )
    return sorted(grades, key=lambda listed: (listed.person, listed.exercise))


def _make_empty_grade(row: Row[*tuple[Any, ...]]) -> Grade:
    """Return the grade of a person who submitted nothing to an exercise."""
    return Grade(
        person=row.name, exercise=row.exercise, public_name=row.public_name, section=row.section
    )


def _make_late_rule(row: Row[Any]) -> LateRule:
    return LateRule(
        to_seconds(row.due_at),
        # An extension may be for an exercise without a schedule.
        row.daily_factor or 0.0,
        row.grace_seconds or 0.0,
        row.max_late_days,
        row.min_share or 0.0,
    )


def _apply_rules(best: Grade, days: int, rule: LateRule, staff_override: Override | None) -> Grade:
    points = compute_grade(
        best.score, best.max_score, rule=rule, days=days, override=staff_override
    )
    return replace(best, points=points.points, note=points.note)


def _find_best_after_lateness(
    connection: Connection, person_id: str, best_grade: Grade, rule: LateRule
) -> tuple[Grade, int]:
    """Return the grade with the most points after the late penalty, and its days late."""
    parameters = {"person_id": person_id, "exercise": best_grade.exercise}
    candidates: list[tuple[float, int, str, int, int]] = []
    for row in connection.execute(_SELECT_SCORES, parameters):
        days = rule.count_late_days(to_seconds(row.received_at))
        counting_share = row.score / max(row.max_score, 1) * rule.compute_share(days)
        candidates.append((counting_share, -days, row.id, row.score, row.max_score))
    _, negative_days, submission_id, score, max_score = max(candidates)
    best_grade = replace(best_grade, submission_id=submission_id, score=score, max_score=max_score)
    return best_grade, -negative_days


def summarize_grades(
    connection: Connection, exercise: str | None = None
) -> dict[str, tuple[float, Sums]]:
    """Return the mean share of the points and the sums by exercise, or of one exercise."""
    points = make_share(grade.c.score, grade.c.max_score)
    totals = (
        select(grade.c.person_id, func.sum(points).label("points"))
        .join(person, person.c.id == grade.c.person_id)
        .where(person.c.role == "student")
        .group_by(grade.c.person_id)
        .subquery()
    )
    rest_points = totals.c.points - points
    query = (
        select(
            grade.c.exercise,
            func.sum(points),
            func.count(),
            func.sum(case((grade.c.passed, 1), else_=0)),
            func.sum(rest_points),
            func.sum(rest_points * rest_points),
            func.sum(case((grade.c.passed, rest_points), else_=0.0)),
        )
        .join(totals, totals.c.person_id == grade.c.person_id)
        .group_by(grade.c.exercise)
    )
    if exercise is not None:
        query = query.where(grade.c.exercise == exercise)
    return {
        name: (score / students, Sums(students, *sums))
        for name, score, students, *sums in connection.execute(query)
    }
