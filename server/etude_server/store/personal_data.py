"""All stored data of a person, for export and erasure.

Names are only in `person`, so that the event log and all numbers stay unchanged.
"""

import json
from collections.abc import Iterator
from typing import Any, Final

from sqlalchemy import Connection, Select, exists, or_, select

from etude_server.store import people
from etude_server.store.ids import DAY, now
from etude_server.store.people import Person
from etude_server.store.tables import (
    comment,
    event,
    extension,
    grade,
    invite,
    lti_line,
    lti_person,
    mistake,
    override,
    person,
    session,
    source,
    submission,
    token,
    verdict,
)

_OF_PERSON: Final = (submission, grade, mistake, token, session, invite, override, extension)
_OF_PLATFORM: Final = (lti_person, lti_line)
# Column of a token, session or invite.
_SECRET: Final = frozenset({"hash"})


def export(connection: Connection, whom: Person) -> dict[str, Any]:
    """Return everything stored about a person as JSON types, without secrets."""
    submission_ids = select(submission.c.id).where(submission.c.person_id == whom.id)
    acts = or_(
        event.c.actor == whom.id, event.c.subject == whom.id, event.c.subject.in_(submission_ids)
    )
    queries: dict[str, Select[Any]] = {
        "person": select(person).where(person.c.id == whom.id),
        **{
            each.name: select(*(column for column in each.c if column.name not in _SECRET)).where(
                each.c.person_id == whom.id
            )
            for each in (*_OF_PERSON, *_OF_PLATFORM)
        },
        "source": select(source).where(source.c.hash.in_(sources(whom))),
        "verdict": select(verdict).where(verdict.c.source_hash.in_(sources(whom))),
        "comment": select(comment).where(
            or_(comment.c.submission_id.in_(submission_ids), comment.c.by == whom.id)
        ),
        "event": select(event).where(acts).order_by(event.c.seq),
    }
    return {
        name: [
            {key: json.loads(value) if key in {"body", "data"} else value for key, value in row}
            for row in (each.items() for each in connection.execute(query).mappings())
        ]
        for name, query in queries.items()
    }


def sources(whom: Person) -> Select[Any]:
    """Return the SQL for the hashes of a person's sources."""
    return select(submission.c.source_hash).where(submission.c.person_id == whom.id)


def inactive(connection: Connection, years: float) -> Iterator[Person]:
    """Yield the students who were added, and last submitted, at least so many years ago."""
    since = now() - int(years * 365 * DAY)
    recent = exists().where(submission.c.person_id == person.c.id, submission.c.received_at > since)
    old = (person.c.role == "student", person.c.created_at <= since, ~recent)
    query = select(*people.COLUMNS).where(*old, ~person.c.name.startswith(people.ERASED))
    for row in connection.execute(query.order_by(person.c.name)).all():
        yield Person(*row)
