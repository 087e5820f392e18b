"""Published grades, of a person or of all students."""

from dataclasses import dataclass

from sqlalchemy import Connection, case, func, select, tuple_

from grader.authoring.statistics import Sums
from grader.service.store.tables import SHOWN, grade, person, share


@dataclass(frozen=True, slots=True)
class Grade:
    """The best published verdict of a person in an exercise."""

    person: str  # their name
    exercise: str
    submission_id: str
    score: int
    max_score: int
    passed: bool
    xp: int
    shown: str  # the person's name that others read
    section: str


_COLUMNS = (
    person.c.name,
    grade.c.exercise,
    grade.c.submission_id,
    grade.c.score,
    grade.c.max_score,
    grade.c.passed,
    grade.c.xp,
    SHOWN,
    person.c.section,
)


def of_person(connection: Connection, person_id: str) -> list[Grade]:
    """Return a person's grades, by exercise."""
    chosen = select(*_COLUMNS).join(person, person.c.id == grade.c.person_id)
    chosen = chosen.where(grade.c.person_id == person_id).order_by(grade.c.exercise)
    return [Grade(*row) for row in connection.execute(chosen)]


def of_students(
    connection: Connection,
    exercise: str | None = None,
    *,
    after: tuple[str, str] | None = None,
    most: int | None = None,
) -> list[Grade]:
    """Return students' grades, by name and exercise. Staff that tries an exercise has none here.

    Args:
        connection: of a transaction.
        exercise: only of this one.
        after: only those behind this name and exercise.
        most: how many.
    """
    chosen = select(*_COLUMNS).join(person, person.c.id == grade.c.person_id)
    chosen = chosen.where(person.c.role == "student")
    if exercise is not None:
        chosen = chosen.where(grade.c.exercise == exercise)
    if after is not None:
        chosen = chosen.where(person.c.name >= after[0])  # which an index finds
        chosen = chosen.where(tuple_(person.c.name, grade.c.exercise) > tuple_(*after))
    chosen = chosen.order_by(person.c.name, grade.c.exercise).limit(most)
    return [Grade(*row) for row in connection.execute(chosen)]


def added_up(connection: Connection, exercise: str | None = None) -> dict[str, Sums]:
    """Return the sums of students' grades, by exercise; of one exercise if it is given."""
    earned = share(grade.c.score, grade.c.max_score)
    everything = (
        select(grade.c.person_id, func.sum(earned).label("earned"))
        .join(person, person.c.id == grade.c.person_id)
        .where(person.c.role == "student")
        .group_by(grade.c.person_id)
        .subquery()
    )
    others = everything.c.earned - earned
    chosen = (
        select(
            grade.c.exercise,
            func.count(),
            func.sum(case((grade.c.passed, 1), else_=0)),
            func.sum(earned),
            func.sum(others),
            func.sum(others * others),
            func.sum(case((grade.c.passed, others), else_=0.0)),
        )
        .join(everything, everything.c.person_id == grade.c.person_id)
        .group_by(grade.c.exercise)
    )
    if exercise is not None:
        chosen = chosen.where(grade.c.exercise == exercise)
    return {name: Sums(*sums) for name, *sums in connection.execute(chosen)}
