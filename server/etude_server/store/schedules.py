"""Schedules of exercises, from a course's file, and people's extensions."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, delete, insert, select

from etude_server.store import events, unsent_scores
from etude_server.store.ids import DAY_MICROSECONDS, now, to_microseconds
from etude_server.store.submissions import StoredSubmission
from etude_server.store.tables import PUBLIC_NAME, extension, lti_line, person, schedule, submission
from grader.course.schedule import Schedule, Window
from grader.grading.submissions.submission_time import ALL


@dataclass(frozen=True, slots=True)
class Extension:
    """A person's own due date."""

    exercise: str
    person: str  # the person's id in the roster
    public_name: str  # the name that others see
    due_at: int  # microseconds since 1970


def store_schedule(connection: Connection, windows: Mapping[str, Window], *, actor: str) -> bool:
    """Replace all schedules; return whether anything changed."""
    rows = {name: _make_row(name, window) for name, window in windows.items()}
    earlier_rows = {
        row["exercise"]: dict(row) for row in connection.execute(select(schedule)).mappings()
    }
    changed = [
        name for name in earlier_rows.keys() | rows if earlier_rows.get(name) != rows.get(name)
    ]
    if not changed:
        return False
    connection.execute(delete(schedule))
    if rows:
        connection.execute(insert(schedule), list(rows.values()))
    for name in sorted(changed):
        events.append_event(connection, actor, events.SCHEDULE_CHANGED, name, rows.get(name, {}))
    graded_pairs = select(lti_line.c.person_id, lti_line.c.exercise).distinct()
    graded_pairs = graded_pairs.where(lti_line.c.exercise.in_(changed))
    for person_id, exercise in connection.execute(graded_pairs).all():
        unsent_scores.queue_grade(connection, person_id, exercise)
    return True


def _make_row(exercise: str, window: Window) -> dict[str, Any]:
    """Return the row of a window in the table of schedules."""
    settings = asdict(window)
    opens, due = (to_microseconds(settings.pop(name)) for name in ("opens", "due"))
    return {"exercise": exercise, "opens_at": opens, "due_at": due, **settings}


def store_extensions(connection: Connection, course_schedule: Schedule, *, actor: str) -> list[str]:
    """Replace the extensions from a file; those by staff stay, and take precedence.

    Returns:
        The students of the file who are not in the store.
    """
    students = {name for name, _ in course_schedule.extensions}
    query = select(person.c.name, person.c.id).where(person.c.name.in_(students))
    ids: dict[str, str] = {row.name: row.id for row in connection.execute(query)}
    new_due_dates: dict[tuple[str, str], int | None] = {}
    for name, target in course_schedule.extensions:
        windows = course_schedule.windows
        dated_exercises = [exercise for exercise in windows if windows[exercise].due is not None]
        for exercise in dated_exercises if target == ALL else [target]:
            due = course_schedule.find_extension(name, exercise)
            if name in ids:
                new_due_dates[ids[name], exercise] = to_microseconds(due)
    stored = {(row.person_id, row.exercise): row for row in connection.execute(select(extension))}
    earlier_due_dates = {key: row.due_at for key, row in stored.items() if row.from_file}
    for key in sorted(earlier_due_dates.keys() | new_due_dates.keys()):
        if earlier_due_dates.get(key) == new_due_dates.get(key) or (
            key in stored and key not in earlier_due_dates
        ):
            continue
        columns = {"person_id": key[0], "exercise": key[1]}
        connection.execute(delete(extension).filter_by(**columns))
        if key in new_due_dates:
            row = {**columns, "due_at": new_due_dates[key], "from_file": True}
            connection.execute(insert(extension).values(row))
        data = {"exercise": key[1], "due_at": new_due_dates.get(key)}
        events.append_event(connection, actor, events.EXTENDED, key[0], data)
        unsent_scores.queue_grade(connection, *key)
    return sorted(students - ids.keys())


def list_extensions(connection: Connection) -> list[Extension]:
    """Return all extensions, sorted by exercise and the person's id."""
    columns = extension.c.exercise, person.c.name, PUBLIC_NAME, extension.c.due_at
    query = select(*columns).join(person, person.c.id == extension.c.person_id)
    query = query.order_by(extension.c.exercise, person.c.name)
    return [Extension(*row) for row in connection.execute(query)]


def list_recent_submission_times(
    connection: Connection, stored_submission: StoredSubmission
) -> list[int]:
    """Return the times of a person's earlier submissions of the previous day, the oldest first."""
    conditions = (
        submission.c.person_id == stored_submission.person_id,
        submission.c.exercise == stored_submission.exercise,
    )
    is_recent = submission.c.received_at > now() - DAY_MICROSECONDS
    query = select(submission.c.received_at).where(
        *conditions, is_recent, submission.c.id != stored_submission.id
    )
    return list(connection.execute(query.order_by(submission.c.received_at)).scalars())
