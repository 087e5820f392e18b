"""The event log: everything that happened, in order, never changed."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, insert, select

from etude_server.store.ids import now
from etude_server.store.tables import event, make_actor_name

GRADER: Final = "grader"
"""The actor of events that no person caused."""

SUBMITTED: Final = "submission.accepted"
PUBLISHED: Final = "verdict.published"
HELD: Final = "verdict.held"
PARKED: Final = "submission.parked"
RELEASED: Final = "submission.released"
PERSON_ADDED: Final = "person.added"
TOKEN_MADE: Final = "token.made"  # noqa: S105  a kind of event
TOKEN_REVOKED: Final = "token.revoked"  # noqa: S105  a kind of event
REGRADE_BEGUN: Final = "regrade.begun"
REGRADE_ENDED: Final = "regrade.ended"
ROLE_CHANGED: Final = "person.role"
PERSON_CHANGED: Final = "person.changed"
PERSON_DISABLED: Final = "person.disabled"
PERSON_ENABLED: Final = "person.enabled"
PERSON_INVITED: Final = "person.invited"
PERSON_ERASED: Final = "person.erased"
SCHEDULE_CHANGED: Final = "schedule.changed"
EXTENDED: Final = "person.extended"
OVERRIDDEN: Final = "grade.overridden"
COMMENTED: Final = "submission.commented"
PLATFORM_REGISTERED: Final = "platform.registered"
COURSE_BOUND: Final = "platform.course"
SCORES_RETRIED: Final = "scores.retried"
SCORE_PARKED: Final = "score.parked"
KEY_MADE: Final = "lti.key.made"
KEY_RETIRED: Final = "lti.key.retired"

_INSERT_EVENT: Final = insert(event).returning(event.c.seq)


def append_event(
    connection: Connection, actor: str, kind: str, subject: str, data: Mapping[str, Any]
) -> int:
    """Append an event of one of this module's kinds, and return its number.

    The actor is a person's id, `GRADER`, or the user of the command line, never a person's name:
    names are in one table, so that they can be erased. The data never contain a submission's text.
    """
    row = {
        "at": now(),
        "actor": actor,
        "kind": kind,
        "subject": subject,
        "data": json.dumps(dict(data), sort_keys=True),
    }
    return int(connection.execute(_INSERT_EVENT, row).scalar_one())


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """An event of the log."""

    at: int  # microseconds since 1970
    actor: str  # the actor's public name
    kind: str
    data: Mapping[str, Any]


def list_events(connection: Connection, subject: str) -> list[LoggedEvent]:
    """Return the events of a subject, in order."""
    columns = (event.c.at, make_actor_name(event.c.actor), event.c.kind, event.c.data)
    query = select(*columns).where(event.c.subject == subject).order_by(event.c.seq)
    return [
        LoggedEvent(at, actor, kind, json.loads(data))
        for at, actor, kind, data in connection.execute(query)
    ]
