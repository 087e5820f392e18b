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
from etude_server.store.ids import new_id, now
from etude_server.store.tables import PUBLIC_NAME, lti_line, lti_platform, outbox, person

KIND: Final = "lti.score"
# Microseconds after which a silent sender counts as dead.
_LEASE: Final = 120_000_000
_ERROR_LENGTH: Final = 500  # characters kept
_FRESH: Final[dict[str, object]] = {"tries": 0, "parked": False, "last_error": ""}

# Built once, as in `verdicts`, because every published verdict runs it.
_LINES: Final = select(lti_line.c.id).where(
    lti_line.c.person_id == bindparam("person"), lti_line.c.exercise == bindparam("of")
)


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """The line item for a person's grade in an exercise."""

    person_id: str
    exercise: str
    platform_id: str
    sub: str  # the person's id on the platform
    line_item: str


@dataclass(frozen=True, slots=True)
class ScoreToSend:
    """A grade to send, and its line item."""

    id: str
    line: ScoreLine
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


def store_line(connection: Connection, line: ScoreLine) -> None:
    """Store the line item of a person's grades in an exercise, and queue the current grade."""
    # As `verdicts.publish_verdict` does: otherwise a grade of this moment might miss the line.
    people.lock_present_person(connection, line.person_id)
    values = asdict(line)
    if not insert_if_absent(connection, lti_line, {"id": new_id(), **values}):
        same = (lti_line.c[name] == values[name] for name in ("person_id", "exercise", "line_item"))
        connection.execute(update(lti_line).where(*same).values(values))
    queue_grade(connection, line.person_id, line.exercise)


def queue_grade(connection: Connection, person_id: str, exercise: str) -> None:
    """Queue a grade for sending, in the transaction that changed it."""
    parameters = {"person": person_id, "of": exercise}
    lines = connection.execute(_LINES, parameters).scalars().all()
    if not lines:
        return
    grade = grades.find_grade(connection, person_id, exercise)
    # An excuse is not a score.
    if grade is None or grade.points is None:
        return
    points = int(grade.points) if grade.points == int(grade.points) else grade.points
    score = {"score": points, "max_score": grade.max_score, "passed": grade.passed}
    window = windows.window(connection, person_id, exercise)
    not_before = (window.due_at or 0) if window.is_holding else 0
    for line_id in lines:
        empty = {
            "id": new_id(),
            "kind": KIND,
            "subject": line_id,
            "body": "{}",
            "created_at": now(),
            "due_at": max(now(), not_before),
            "sent_at": None,
            **_FRESH,
        }
        insert_if_absent(connection, outbox, empty)
        mine = (outbox.c.kind == KIND, outbox.c.subject == line_id)
        row = connection.execute(select(outbox).where(*mine).with_for_update()).one()
        before = json.loads(row.body)
        # A platform accepts only newer scores.
        at = max(now(), before.pop("at", 0) + 1)
        if before == score and not row.parked:
            continue
        body = json.dumps({**score, "at": at}, sort_keys=True)
        values: dict[str, object] = {"body": body, "sent_at": None}
        # A waiting row keeps its pause or its sender.
        if row.sent_at is not None or row.parked:
            values |= {"due_at": max(now(), not_before), **_FRESH}
        connection.execute(update(outbox).where(outbox.c.id == row.id).values(values))


def is_any_due(connection: Connection) -> bool:
    """Return whether there may be a grade to claim."""
    return connection.execute(select(outbox.c.id).where(*_due()).limit(1)).first() is not None


def claim(connection: Connection, without: Collection[str] = ()) -> ScoreToSend | None:
    """Claim the next due grade, so that no other sender does.

    `without` lists the ids of platforms to skip for now.
    """
    columns = [lti_line.c[field.name] for field in fields(ScoreLine)]
    query = select(outbox.c.id, outbox.c.body, outbox.c.tries, *columns)
    query = query.join_from(outbox, lti_line, lti_line.c.id == outbox.c.subject)
    query = query.where(*_due(), lti_line.c.platform_id.not_in(without))
    query = query.order_by(outbox.c.due_at, outbox.c.id).limit(1)
    row = connection.execute(query.with_for_update(skip_locked=True, of=outbox)).first()
    if row is None:
        return None
    name, body, tries, *line = row
    values = {"due_at": now() + _LEASE, "tries": tries + 1}
    connection.execute(update(outbox).where(outbox.c.id == name).values(values))
    return ScoreToSend(name, ScoreLine(*line), body, tries + 1)


def _due() -> tuple[ColumnElement[bool], ...]:
    return (
        outbox.c.kind == KIND,
        outbox.c.sent_at.is_(None),
        outbox.c.parked.is_(False),
        outbox.c.due_at <= now(),
    )


def record_sent(connection: Connection, telling: ScoreToSend) -> None:
    """Record that a grade was sent; if it has changed in the meantime, the new one is sent next."""
    condition = outbox.c.id == telling.id
    done = update(outbox).where(condition, outbox.c.body == telling.body)
    if not connection.execute(done.values(sent_at=now(), last_error="")).rowcount:
        connection.execute(update(outbox).where(condition).values(due_at=now(), tries=0))


def record_failure(connection: Connection, telling: ScoreToSend, why: str, seconds: float) -> None:
    """Record a failure, and schedule the next try after a pause."""
    values = {"due_at": now() + int(seconds * 1e6), "last_error": why[:_ERROR_LENGTH]}
    connection.execute(update(outbox).where(outbox.c.id == telling.id).values(values))


def mark_for_review(connection: Connection, telling: ScoreToSend, why: str) -> None:
    """Leave a grade that a platform will never accept to staff; a newer grade is tried again."""
    conditions = (outbox.c.id == telling.id, outbox.c.body == telling.body)
    values = {"parked": True, "last_error": why[:_ERROR_LENGTH]}
    if not connection.execute(update(outbox).where(*conditions).values(values)).rowcount:
        record_failure(connection, telling, why, 0)
        return
    data = {"person": telling.line.person_id, "exercise": telling.line.exercise, "why": why}
    events.append(connection, events.GRADER, events.SCORE_PARKED, telling.id, data)


def unsent(connection: Connection) -> list[UnsentGrade]:
    """Return the grades that platforms do not have yet, those waiting for staff first."""
    state = (outbox.c.tries, outbox.c.parked, outbox.c.last_error)
    which = (outbox.c.id, person.c.name, lti_line.c.exercise, lti_platform.c.issuer)
    query = (
        select(*which, *state, PUBLIC_NAME, outbox.c.body)
        .join_from(outbox, lti_line, lti_line.c.id == outbox.c.subject)
        .join(person, person.c.id == lti_line.c.person_id)
        .join(lti_platform, lti_platform.c.id == lti_line.c.platform_id)
        .where(outbox.c.kind == KIND, outbox.c.sent_at.is_(None))
        .order_by(outbox.c.parked.desc(), outbox.c.id)
    )
    rows = connection.execute(query).all()
    return [UnsentGrade(*row[:-1], json.loads(row.body)["at"]) for row in rows]
