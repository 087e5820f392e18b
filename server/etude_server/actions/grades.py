"""Points, excuses and due dates that staff gives, and comments on submissions."""

import datetime as dt
from typing import Any, Final

from sqlalchemy import Connection, insert

from etude_server.store import events, people, schedules, tables, unsent_scores
from etude_server.store.database import upsert
from etude_server.store.ids import new_id, now
from etude_server.store.people import Person
from etude_server.store.submissions import StoredSubmission
from grader.definitions.exercise import Exercise
from grader.errors import UsageError

_LAST_LINE: Final = 100_000
MAX_TEXT_LENGTH: Final = 10_000
"""Characters of a comment, or of the reason for points."""


def need_text(text: str, what: str, longest: int = MAX_TEXT_LENGTH) -> str:
    """Return a text without the space around it; raise `UsageError` if it is none, or too long."""
    text = text.strip()
    if not text or len(text) > longest or "\0" in text:
        raise UsageError(f"write {what}, of at most {longest} characters")
    return text


def override(
    connection: Connection,
    whom: Person,
    exercise: Exercise,
    points: float | None,
    reason: str,
    *,
    excused: bool = False,
    actor: str,
) -> None:
    """Give points or an excuse instead of the verdict's; neither of them takes back what was given.

    Raises:
        UsageError: There is no reason, points and an excuse are given, or more points than the
            exercise has.
    """
    most = exercise.max_points
    if points is not None and (excused or not 0 <= points <= most):
        raise UsageError(
            f"give points from 0 to {most}, the maximum of {exercise.id}, or an excuse"
        )
    people.lock_present_person(connection, whom.id)  # before any row of theirs, as an erasure does
    name = str(exercise.id)
    values = {"person_id": whom.id, "exercise": name, "points": points, "excused": excused}
    reason = need_text(reason, "a reason")
    row = {"id": new_id(), **values, "reason": reason, "by": actor, "at": now()}
    connection.execute(insert(tables.override).values(row))
    data = {"override": row["id"], "exercise": name, "points": points, "excused": excused}
    events.append(connection, actor, events.OVERRIDDEN, whom.id, data)
    unsent_scores.queue_grade(connection, whom.id, name)


def extend(
    connection: Connection, whom: Person, exercise: str, due: dt.datetime, *, actor: str
) -> None:
    """Give a person a due date of their own."""
    people.lock_present_person(connection, whom.id)  # before any row of theirs, as an erasure does
    row: dict[str, Any] = {"exercise": exercise, "due_at": schedules.microseconds(due)}
    upsert(connection, tables.extension, {"person_id": whom.id, **row, "from_file": False})
    events.append(connection, actor, events.EXTENDED, whom.id, row)
    unsent_scores.queue_grade(connection, whom.id, exercise)


def comment(
    connection: Connection, submitted: StoredSubmission, text: str, line: int | None, *, actor: str
) -> None:
    """Comment on a submission, or on a line of it; raise `UsageError` if that cannot be."""
    if line is not None and not 1 <= line <= _LAST_LINE:
        raise UsageError(f"a line is a number from 1 to {_LAST_LINE}")
    people.lock_present_person(connection, submitted.person_id)
    row = {
        "id": new_id(),
        "submission_id": submitted.id,
        "line": line,
        "text": need_text(text, "a comment"),
        "by": actor,
        "at": now(),
    }
    connection.execute(insert(tables.comment).values(row))
    data = {"comment": row["id"], "line": line}
    events.append(connection, actor, events.COMMENTED, submitted.id, data)
