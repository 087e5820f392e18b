"""All stored data of a person, for export and erasure.

Names are only in `person`, so that the event log and all numbers stay unchanged.
"""

import json
from collections.abc import Iterator
from typing import Any, Final

from sqlalchemy import Connection, Select, exists, or_, select

from etude_server.store import people
from etude_server.store.ids import DAY_MICROSECONDS, now
from etude_server.store.people import Person
from etude_server.store.tables import (
    comment,
    event,
    extension,
    grade,
    invite,
    lti_line,
    lti_person,
    override,
    person,
    session,
    source,
    submission,
    token,
    verdict,
)

_PERSON_TABLES: Final = (submission, grade, token, session, invite, override, extension)
_PLATFORM_TABLES: Final = (lti_person, lti_line)
# Column of a token, session or invite.
_SECRET_COLUMNS: Final = frozenset({"hash"})


def export_person(connection: Connection, owner: Person) -> dict[str, Any]:
    """Return everything stored about a person as JSON types, without secrets."""
    submission_ids = select(submission.c.id).where(submission.c.person_id == owner.id)
    is_event_of_person = or_(
        event.c.actor == owner.id, event.c.subject == owner.id, event.c.subject.in_(submission_ids)
    )
    queries: dict[str, Select[Any]] = {
        "person": select(person).where(person.c.id == owner.id),
        **{
            table.name: select(
                *(column for column in table.c if column.name not in _SECRET_COLUMNS)
            ).where(table.c.person_id == owner.id)
            for table in (*_PERSON_TABLES, *_PLATFORM_TABLES)
        },
        "source": select(source).where(source.c.hash.in_(select_source_hashes(owner))),
        "verdict": select(verdict).where(verdict.c.source_hash.in_(select_source_hashes(owner))),
        "comment": select(comment).where(
            or_(comment.c.submission_id.in_(submission_ids), comment.c.by == owner.id)
        ),
        "event": select(event).where(is_event_of_person).order_by(event.c.seq),
    }
    return {
        name: [
            {key: json.loads(value) if key in {"body", "data"} else value for key, value in row}
            for row in (table.items() for table in connection.execute(query).mappings())
        ]
        for name, query in queries.items()
    }


def select_source_hashes(owner: Person) -> Select[Any]:
    """Return the SQL for the hashes of a person's sources."""
    return select(submission.c.source_hash).where(submission.c.person_id == owner.id)


def find_inactive_students(connection: Connection, years: float) -> Iterator[Person]:
    """Yield the students who were added, and last submitted, at least so many years ago."""
    since = now() - int(years * 365 * DAY_MICROSECONDS)
    is_active = exists().where(
        submission.c.person_id == person.c.id, submission.c.received_at > since
    )
    conditions = (person.c.role == "student", person.c.created_at <= since, ~is_active)
    query = select(*people.PERSON_COLUMNS).where(
        *conditions, ~person.c.name.startswith(people.ERASED_PREFIX)
    )
    for row in connection.execute(query.order_by(person.c.name)).all():
        yield Person(*row)
