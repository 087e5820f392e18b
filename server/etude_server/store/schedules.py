"""Schedules of exercises, from a course's file, and people's extensions."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, delete, insert, select

from etude_server.store import events, unsent_scores
from etude_server.store.ids import now
from etude_server.store.submissions import Submitted
from etude_server.store.tables import (
    SHOWN,
    extension,
    lti_line,
    person,
    schedule,
    submission,
)
from grader.course.schedule import Window


@dataclass(frozen=True, slots=True)
class Extension:
    """A person's own due date."""

    exercise: str
    person: str  # their id in the roster
    shown: str  # the name that others read
    due_at: int  # microseconds since 1970


_DAY = 24 * 60 * 60 * 1_000_000  # microseconds


def store(connection: Connection, windows: Mapping[str, Window], *, actor: str) -> bool:
    """Replace all schedules; return whether anything changed."""
    rows = {
        name: {
            "exercise": name,
            "opens_at": microseconds(each.opens),
            "due_at": microseconds(each.due),
            "late": each.late,
            "attempts": each.attempts,
            "hold_hidden": each.hold_hidden,
        }
        for name, each in windows.items()
    }
    before = {row["exercise"]: dict(row) for row in connection.execute(select(schedule)).mappings()}
    changed = [name for name in before.keys() | rows if before.get(name) != rows.get(name)]
    if not changed:
        return False
    connection.execute(delete(schedule))
    if rows:
        connection.execute(insert(schedule), list(rows.values()))
    for name in sorted(changed):
        events.append(connection, actor, events.SCHEDULE_CHANGED, name, rows.get(name, {}))
    lines = select(lti_line.c.person_id, lti_line.c.exercise).distinct()
    lines = lines.where(lti_line.c.exercise.in_(changed))
    for person_id, exercise in connection.execute(lines).all():
        unsent_scores.note(connection, person_id, exercise)
    return True


def microseconds(moment: dt.datetime | None) -> int | None:
    """Return a time as the store has it."""
    return None if moment is None else int(moment.timestamp() * 1_000_000)


def extensions(connection: Connection) -> list[Extension]:
    """Return all extensions, by exercise and the person's id."""
    columns = extension.c.exercise, person.c.name, SHOWN, extension.c.due_at
    chosen = select(*columns).join(person, person.c.id == extension.c.person_id)
    chosen = chosen.order_by(extension.c.exercise, person.c.name)
    return [Extension(*row) for row in connection.execute(chosen)]


def attempts_before(connection: Connection, submitted: Submitted) -> list[int]:
    """Return when the same exercise was submitted, within the day before, the oldest first."""
    own = submission.c.person_id == submitted.person_id, submission.c.exercise == submitted.exercise
    recent = submission.c.received_at > now() - _DAY
    chosen = select(submission.c.received_at).where(*own, recent, submission.c.id != submitted.id)
    return list(connection.execute(chosen.order_by(submission.c.received_at)).scalars())
