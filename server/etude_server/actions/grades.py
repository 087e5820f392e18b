"""Points, excuses and due dates that staff gives, and grades that staff sends again."""

import datetime as dt
from typing import Any, Final

from sqlalchemy import Connection, insert, update

from etude_server.store import events, people, tables, unsent_scores
from etude_server.store.database import upsert
from etude_server.store.ids import make_id, now, to_microseconds
from etude_server.store.people import Person
from grader.definitions.exercise import Exercise
from grader.errors import UsageError

MAX_TEXT_LENGTH: Final = 10_000
"""Most characters of a comment, or of the reason for points."""


def require_text(text: str, description: str, max_length: int = MAX_TEXT_LENGTH) -> str:
    """Return a text without surrounding space; raise `UsageError` if it is empty or too long."""
    text = text.strip()
    if not text or len(text) > max_length or "\0" in text:
        raise UsageError(f"write {description}, of at most {max_length} characters")
    return text


def override_points(
    connection: Connection,
    target_person: Person,
    exercise: Exercise,
    points: float | None,
    reason: str,
    *,
    excused: bool = False,
    actor: str,
) -> None:
    """Give points or an excuse in place of the verdict's points; with neither, those count.

    Raises:
        UsageError: The reason is missing, both points and an excuse are given, or the points exceed
            the exercise's.
    """
    max_points = exercise.max_points
    if points is not None and (excused or not 0 <= points <= max_points):
        raise UsageError(
            f"give points from 0 to {max_points}, the maximum of {exercise.id}, or an excuse"
        )
    # Locked before any other row of the person, in the order that an erasure uses.
    people.lock_present_person(connection, target_person.id)
    exercise_id = str(exercise.id)
    values = {
        "person_id": target_person.id,
        "exercise": exercise_id,
        "points": points,
        "excused": excused,
    }
    reason = require_text(reason, "a reason")
    row = {"id": make_id(), **values, "reason": reason, "by": actor, "at": now()}
    connection.execute(insert(tables.override).values(row))
    data = {"override": row["id"], "exercise": exercise_id, "points": points, "excused": excused}
    events.append_event(connection, actor, events.OVERRIDDEN, target_person.id, data)
    unsent_scores.queue_grade(connection, target_person.id, exercise_id)


def extend_due_date(
    connection: Connection, target_person: Person, exercise: str, due: dt.datetime, *, actor: str
) -> None:
    """Give a person their own due date."""
    # Locked before any other row of the person, in the order that an erasure uses.
    people.lock_present_person(connection, target_person.id)
    row: dict[str, Any] = {"exercise": exercise, "due_at": to_microseconds(due.timestamp())}
    upsert(connection, tables.extension, {"person_id": target_person.id, **row, "from_file": False})
    events.append_event(connection, actor, events.EXTENDED, target_person.id, row)
    unsent_scores.queue_grade(connection, target_person.id, exercise)


def retry_unsent_scores(connection: Connection, *, actor: str) -> int:
    """Retry grades that wait for staff or for their next try; return their number."""
    outbox = tables.outbox
    is_score = outbox.c.kind == unsent_scores.SCORE_KIND
    unsent = (is_score, outbox.c.sent_at.is_(None), outbox.c.last_error != "")
    values = {"parked": False, "due_at": now(), "tries": 0}
    count = connection.execute(update(outbox).where(*unsent).values(values)).rowcount
    if count:
        events.append_event(
            connection, actor, events.SCORES_RETRIED, unsent_scores.SCORE_KIND, {"count": count}
        )
    return count
