"""Grades as they are published: of a person, or of everybody."""

from dataclasses import dataclass

from sqlalchemy import Connection, select

from grader.service.store.tables import grade, person


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


_COLUMNS = (
    person.c.name,
    grade.c.exercise,
    grade.c.submission_id,
    grade.c.score,
    grade.c.max_score,
    grade.c.passed,
    grade.c.xp,
)


def of_person(connection: Connection, person_id: str) -> list[Grade]:
    """Return a person's grades, by exercise."""
    chosen = select(*_COLUMNS).join(person, person.c.id == grade.c.person_id)
    chosen = chosen.where(grade.c.person_id == person_id).order_by(grade.c.exercise)
    return [Grade(*row) for row in connection.execute(chosen)]


def of_students(connection: Connection, exercise: str | None = None) -> list[Grade]:
    """Return all students' grades, by name and exercise; of one exercise if it is given.

    Staff that tries an exercise is not in a gradebook.
    """
    chosen = select(*_COLUMNS).join(person, person.c.id == grade.c.person_id)
    chosen = chosen.where(person.c.role == "student")
    if exercise is not None:
        chosen = chosen.where(grade.c.exercise == exercise)
    return [
        Grade(*row) for row in connection.execute(chosen.order_by(person.c.name, grade.c.exercise))
    ]
