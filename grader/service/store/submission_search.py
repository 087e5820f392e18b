"""Search of submissions for staff, page by page."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from sqlalchemy import Connection, and_, case, func, select

from grader.service.store.tables import (
    SAME_KEY,
    SHOWN,
    grade,
    person,
    publication,
    submission,
    verdict,
    waiting,
)

State: TypeAlias = Literal["pending", "parked", "graded"]


@dataclass(frozen=True, slots=True)
class FoundSubmission:
    """A submission and its verdict."""

    id: str
    person: str  # their name
    exercise: str
    source_hash: str
    received_at: int
    state: State
    outcome: str | None  # of the published verdict, like what follows
    score: int | None
    max_score: int | None
    shown: str  # the person's name that others read


@dataclass(frozen=True, slots=True)
class Stuck:
    """A student who has failed an exercise several times and never passed it."""

    person: str
    failed: int  # submissions
    submission_id: str  # the latest
    shown: str  # the name that others read


_STATE = case(
    (publication.c.submission_id.is_not(None), "graded"),
    (waiting.c.parked.is_(True), "parked"),
    else_="pending",
)


def listed(
    connection: Connection,
    *,
    exercise: str | None = None,
    person_name: str | None = None,
    state: State | None = None,
    before: str | None = None,
    most: int = 50,
) -> list[FoundSubmission]:
    """Return submissions, the newest first.

    Args:
        connection: of a transaction.
        exercise: only of this exercise.
        person_name: only of the person of this name.
        state: only where they stand so.
        before: only those older than the submission of this id.
        most: how many.
    """
    columns = submission.c
    chosen = (
        select(
            columns.id,
            person.c.name,
            columns.exercise,
            columns.source_hash,
            columns.received_at,
            _STATE,
            verdict.c.outcome,
            verdict.c.score,
            verdict.c.max_score,
            SHOWN,
        )
        .join(person, person.c.id == columns.person_id)
        .outerjoin(publication, publication.c.submission_id == columns.id)
        .outerjoin(verdict, SAME_KEY)
        .outerjoin(waiting, waiting.c.submission_id == columns.id)
    )
    if exercise is not None:
        chosen = chosen.where(submission.c.exercise == exercise)
    if person_name is not None:
        chosen = chosen.where(person.c.name == person_name)
    if state == "graded":
        chosen = chosen.where(publication.c.submission_id.is_not(None))
    elif state is not None:
        parked = waiting.c.parked.is_(state == "parked")
        chosen = chosen.where(waiting.c.submission_id.is_not(None), parked)
    if before is not None:
        chosen = chosen.where(submission.c.id < before)
    rows = connection.execute(chosen.order_by(submission.c.id.desc()).limit(most))
    return [FoundSubmission(*tuple(row)) for row in rows]


def stuck(
    connection: Connection, least: int, exercise: str | None = None
) -> dict[str, list[Stuck]]:
    """Return by exercise the students who failed it so many times and never passed.

    Those with the most failures come first.
    """
    failed, latest = func.count().label("failed"), func.max(submission.c.id).label("latest")
    own = (submission.c.person_id == grade.c.person_id, submission.c.exercise == grade.c.exercise)
    chosen = (
        select(grade.c.exercise, person.c.name, failed, latest, SHOWN.label("shown"))
        .join(person, person.c.id == grade.c.person_id)
        .join(submission, and_(*own))
        .join(publication, publication.c.submission_id == submission.c.id)
        .where(person.c.role == "student", grade.c.passed.is_(False))
        .group_by(grade.c.exercise, person.c.id)
        .having(failed >= least)
        .order_by(failed.desc(), person.c.name)
    )
    if exercise is not None:
        chosen = chosen.where(grade.c.exercise == exercise)
    found: dict[str, list[Stuck]] = {}
    for row in connection.execute(chosen):
        found.setdefault(row.exercise, []).append(Stuck(*row[1:]))
    return found
