"""The work of staff by hand: points and excuses, and comments on submissions."""

from dataclasses import dataclass

from sqlalchemy import Connection, insert, select

from etude_server.store import events, people, unsent_scores
from etude_server.store.ids import new_id, now
from etude_server.store.people import Person
from etude_server.store.submissions import COLUMNS, Submitted
from etude_server.store.tables import comment, override, shown_actor, submission
from grader.definitions.exercise import Exercise
from grader.errors import UsageError

_LONGEST = 10_000  # characters of a reason or a comment


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment of staff on a submission."""

    line: int | None
    text: str
    by: str  # the name that others read
    at: int  # microseconds since 1970


def give(
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
        UsageError: there is no reason, points and an excuse are given, or more points than the
            exercise has.
    """
    most = exercise.max_points
    if points is not None and (excused or not 0 <= points <= most):
        raise UsageError(
            f"give points from 0 to {most}, the maximum of {exercise.id}, or an excuse"
        )
    people.hold(connection, whom.id)  # before any row of theirs, as `personal_data.erase` does
    name = str(exercise.id)
    values = {"person_id": whom.id, "exercise": name, "points": points, "excused": excused}
    row = {"id": new_id(), **values, "reason": _said(reason, "a reason"), "by": actor, "at": now()}
    connection.execute(insert(override).values(row))
    data = {"override": row["id"], "exercise": name, "points": points, "excused": excused}
    events.append(connection, actor, events.OVERRIDDEN, whom.id, data)
    unsent_scores.note(connection, whom.id, name)


def say(connection: Connection, on: Submitted, text: str, line: int | None, *, actor: str) -> None:
    """Comment on a submission, or on a line of it; raise `UsageError` if that cannot be."""
    said = {"line": line, "text": _said(text, "a comment"), "by": actor, "at": now()}
    row = {"id": new_id(), "submission_id": on.id, **said}
    connection.execute(insert(comment).values(row))
    data = {"comment": row["id"], "line": line}
    events.append(connection, actor, events.COMMENTED, on.id, data)


def comments(connection: Connection, submission_id: str) -> list[Comment]:
    """Return the comments on a submission, the oldest first."""
    columns = (comment.c.line, comment.c.text, shown_actor(comment.c.by), comment.c.at)
    chosen = select(*columns).where(comment.c.submission_id == submission_id)
    return [Comment(*row) for row in connection.execute(chosen.order_by(comment.c.id))]


def commented(connection: Connection, person_id: str, exercise: str) -> list[Submitted]:
    """Return a person's submissions of an exercise that have comments, the newest first."""
    chosen = (
        select(*COLUMNS)
        .where(submission.c.person_id == person_id, submission.c.exercise == exercise)
        .where(submission.c.id.in_(select(comment.c.submission_id)))
        .order_by(submission.c.id.desc())
    )
    return [Submitted(*row) for row in connection.execute(chosen)]


def _said(text: str, what: str) -> str:
    text = text.strip()
    if not text or len(text) > _LONGEST or "\0" in text:
        raise UsageError(f"write {what}, of at most {_LONGEST} characters")
    return text
