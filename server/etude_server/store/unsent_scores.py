"""Grades to send to learning platforms: the outbox's rows of kind "lti.score".

Each person's line item has one row. A new grade replaces the row's content, so that the newest is
sent. One sender at a time claims a row, so that no message overtakes another.
"""

import json
from collections.abc import Collection
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, bindparam, select, update

from etude_server.store import events, grades, people, windows
from etude_server.store.database import insert_if_absent
from etude_server.store.ids import make_id, now
from etude_server.store.tables import PUBLIC_NAME, lti_line, lti_platform, outbox, person

SCORE_KIND: Final = "lti.score"
# Microseconds after which a silent sender counts as dead.
_LEASE_MICROSECONDS: Final = 120_000_000
_ERROR_LENGTH: Final = 500  # characters kept
_UNTRIED: Final[dict[str, object]] = {"tries": 0, "parked": False, "last_error": ""}

# Built once, as in `verdicts`, because every published verdict runs it.
_SELECT_LINE_ITEMS: Final = select(lti_line.c.id).where(
    lti_line.c.person_id == bindparam("person_id"), lti_line.c.exercise == bindparam("exercise")
)


@dataclass(frozen=True, slots=True)
class LineItem:
    """The line item for a person's grade in an exercise."""

    person_id: str
    exercise: str
    platform_id: str
    sub: str  # the person's id on the platform
    address: str


@dataclass(frozen=True, slots=True)
class ScoreToSend:
    """A grade to send, and its line item."""

    id: str
    line_item: LineItem
    body: str  # the outbox's JSON text
    tries: int  # number of tries, including this one

    @property
    def grade(self) -> dict[str, Any]:
        """The grade as JSON: score, max_score, passed, at."""
        grade: dict[str, Any] = json.loads(self.body)
        return grade


@dataclass(frozen=True, slots=True)
class UnsentGrade:
    """A grade that a platform does not have yet, as staff sees it."""

    id: str
    person: str
    exercise: str
    issuer: str
    tries: int
    parked: bool
    last_error: str
    public_name: str  # the name that others see
    at: int  # when the grade was earned, in microseconds since 1970


def store_line_item(connection: Connection, line_item: LineItem) -> None:
    """Store the line item of a person's grades in an exercise, and queue the current grade."""
    # As `verdicts.publish_verdict` does: otherwise a grade of this moment might miss the line.
    people.lock_present_person(connection, line_item.person_id)
    values = asdict(line_item)
    if not insert_if_absent(connection, lti_line, {"id": make_id(), **values}):
        keys = ("person_id", "exercise", "address")
        is_same = (lti_line.c[name] == values[name] for name in keys)
        connection.execute(update(lti_line).where(*is_same).values(values))
    queue_grade(connection, line_item.person_id, line_item.exercise)


def queue_grade(connection: Connection, person_id: str, exercise: str) -> None:
    """Queue a grade for sending, in the transaction that changed it."""
    parameters = {"person_id": person_id, "exercise": exercise}
    line_item_ids = connection.execute(_SELECT_LINE_ITEMS, parameters).scalars().all()
    if not line_item_ids:
        return
    grade = grades.find_grade(connection, person_id, exercise)
    # An excuse is not a score.
    if grade is None or grade.points is None:
        return
    points = int(grade.points) if grade.points == int(grade.points) else grade.points
    score = {"score": points, "max_score": grade.max_score, "passed": grade.passed}
    not_before = windows.held_until(windows.find_window(connection, person_id, exercise))
    for line_item_id in line_item_ids:
        new_row = {
            "id": make_id(),
            "kind": SCORE_KIND,
            "subject": line_item_id,
            "body": "{}",
            "created_at": now(),
            "due_at": max(now(), not_before),
            "sent_at": None,
            **_UNTRIED,
        }
        insert_if_absent(connection, outbox, new_row)
        conditions = (outbox.c.kind == SCORE_KIND, outbox.c.subject == line_item_id)
        row = connection.execute(select(outbox).where(*conditions).with_for_update()).one()
        earlier_score = json.loads(row.body)
        # A platform accepts only newer scores.
        at = max(now(), earlier_score.pop("at", 0) + 1)
        if earlier_score == score and not row.parked:
            continue
        body = json.dumps({**score, "at": at}, sort_keys=True)
        values: dict[str, object] = {"body": body, "sent_at": None}
        # A row that waits already keeps its pause, or the sender that claimed it.
        if row.sent_at is not None or row.parked:
            values |= {"due_at": max(now(), not_before), **_UNTRIED}
        connection.execute(update(outbox).where(outbox.c.id == row.id).values(values))


def is_score_due(connection: Connection) -> bool:
    """Return whether there may be a grade to claim."""
    return (
        connection.execute(select(outbox.c.id).where(*_due_conditions()).limit(1)).first()
        is not None
    )


def claim_next_score(
    connection: Connection, except_platforms: Collection[str] = ()
) -> ScoreToSend | None:
    """Claim the next due grade, so that no other sender does.

    `except_platforms` lists the ids of platforms to skip for now.
    """
    columns = [lti_line.c[field.name] for field in fields(LineItem)]
    query = select(outbox.c.id, outbox.c.body, outbox.c.tries, *columns)
    query = query.join_from(outbox, lti_line, lti_line.c.id == outbox.c.subject)
    query = query.where(*_due_conditions(), lti_line.c.platform_id.not_in(except_platforms))
    query = query.order_by(outbox.c.due_at, outbox.c.id).limit(1)
    row = connection.execute(query.with_for_update(skip_locked=True, of=outbox)).first()
    if row is None:
        return None
    score_id, body, tries, *line_item = row
    values = {"due_at": now() + _LEASE_MICROSECONDS, "tries": tries + 1}
    connection.execute(update(outbox).where(outbox.c.id == score_id).values(values))
    return ScoreToSend(score_id, LineItem(*line_item), body, tries + 1)


def _due_conditions() -> tuple[ColumnElement[bool], ...]:
    return (
        outbox.c.kind == SCORE_KIND,
        outbox.c.sent_at.is_(None),
        outbox.c.parked.is_(False),
        outbox.c.due_at <= now(),
    )


def record_sent(connection: Connection, score: ScoreToSend) -> None:
    """Record that a grade was sent; if it has changed in the meantime, the new one is sent next."""
    condition = outbox.c.id == score.id
    sent_update = update(outbox).where(condition, outbox.c.body == score.body)
    if not connection.execute(sent_update.values(sent_at=now(), last_error="")).rowcount:
        connection.execute(update(outbox).where(condition).values(due_at=now(), tries=0))


def record_failure(connection: Connection, score: ScoreToSend, reason: str, seconds: float) -> None:
    """Record a failure, and schedule the next try after a pause."""
    values = {"due_at": now() + int(seconds * 1e6), "last_error": reason[:_ERROR_LENGTH]}
    connection.execute(update(outbox).where(outbox.c.id == score.id).values(values))


def park_score(connection: Connection, score: ScoreToSend, reason: str) -> None:
    """Leave a grade that a platform will never accept to staff; a newer grade is tried again."""
    conditions = (outbox.c.id == score.id, outbox.c.body == score.body)
    values = {"parked": True, "last_error": reason[:_ERROR_LENGTH]}
    if not connection.execute(update(outbox).where(*conditions).values(values)).rowcount:
        record_failure(connection, score, reason, 0)
        return
    data = {
        "person": score.line_item.person_id,
        "exercise": score.line_item.exercise,
        "why": reason,
    }
    events.append_event(connection, events.GRADER, events.SCORE_PARKED, score.id, data)


def list_unsent_grades(connection: Connection) -> list[UnsentGrade]:
    """Return the grades that platforms do not have yet, those waiting for staff first."""
    state_columns = (outbox.c.tries, outbox.c.parked, outbox.c.last_error)
    columns = (outbox.c.id, person.c.name, lti_line.c.exercise, lti_platform.c.issuer)
    query = (
        select(*columns, *state_columns, PUBLIC_NAME, outbox.c.body)
        .join_from(outbox, lti_line, lti_line.c.id == outbox.c.subject)
        .join(person, person.c.id == lti_line.c.person_id)
        .join(lti_platform, lti_platform.c.id == lti_line.c.platform_id)
        .where(outbox.c.kind == SCORE_KIND, outbox.c.sent_at.is_(None))
        .order_by(outbox.c.parked.desc(), outbox.c.id)
    )
    rows = connection.execute(query).all()
    return [UnsentGrade(*row[:-1], json.loads(row.body)["at"]) for row in rows]
