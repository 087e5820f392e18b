"""Everything that the store holds of a person, for them to have, or to be erased.

A name is in `person` alone, so that the log of events and all numbers stay as they are.
"""

import json
from collections.abc import Iterator
from typing import Any, Final

from sqlalchemy import Connection, Select, delete, exists, or_, select, update

from etude_server.store import events, people, verdicts
from etude_server.store.database import unlocked
from etude_server.store.ids import now
from etude_server.store.people import Person
from etude_server.store.roster import keeping_an_instructor
from etude_server.store.tables import (
    attempt,
    comment,
    event,
    extension,
    grade,
    invite,
    lti_line,
    lti_person,
    mistake,
    outbox,
    override,
    person,
    session,
    source,
    submission,
    token,
    verdict,
    waiting,
)
from grader.errors import UsageError

_OF_PERSON: Final = (submission, grade, mistake, token, session, invite, override, extension)
_OF_PLATFORM: Final = (lti_person, lti_line)
_SECRET: Final = frozenset({"hash"})  # of a token, a session or an invite
_GONE: Final = "erased"
_YEAR: Final = 365 * 24 * 60 * 60 * 1_000_000  # microseconds
_TEXTS: Final[dict[str, Any]] = {  # what a test's result quotes of a program or its output
    "message": "",
    "output": "",
    "inputs": [],
    "expected": None,
    "got": None,
}


def export(connection: Connection, whom: Person) -> dict[str, Any]:
    """Return everything that is stored of a person, as JSON; no secret is among it."""
    own = select(submission.c.id).where(submission.c.person_id == whom.id)
    acts = or_(event.c.actor == whom.id, event.c.subject == whom.id, event.c.subject.in_(own))
    found: dict[str, Select[Any]] = {
        "person": select(person).where(person.c.id == whom.id),
        **{
            each.name: select(*(column for column in each.c if column.name not in _SECRET)).where(
                each.c.person_id == whom.id
            )
            for each in (*_OF_PERSON, *_OF_PLATFORM)
        },
        "source": select(source).where(source.c.hash.in_(_sources(whom))),
        "verdict": select(verdict).where(verdict.c.source_hash.in_(_sources(whom))),
        "comment": select(comment).where(
            or_(comment.c.submission_id.in_(own), comment.c.by == whom.id)
        ),
        "event": select(event).where(acts).order_by(event.c.seq),
    }
    return {
        name: [
            {key: json.loads(value) if key in {"body", "data"} else value for key, value in row}
            for row in (each.items() for each in connection.execute(chosen).mappings())
        ]
        for name, chosen in found.items()
    }


def _sources(whom: Person) -> Select[Any]:
    return select(submission.c.source_hash).where(submission.c.person_id == whom.id)


def erase(connection: Connection, whom: Person, *, actor: str) -> None:
    """Erase who a person is, what they wrote and what was written about them.

    What stays has no name: that somebody submitted at some time, the outcomes and points, and the
    log. Code that others submitted, too, stays as theirs.

    Raises:
        UsageError: something of theirs is being graded, or no instructor would be left; the
            transaction is to be undone.
    """
    # The table first, as whatever publishes a verdict locks it before a person.
    with unlocked(connection, "verdict"):
        _erase(connection, whom)
    events.append(connection, actor, events.PERSON_ERASED, whom.id, {})


def _erase(connection: Connection, whom: Person) -> None:
    people.hold(connection, whom.id)
    own = select(submission.c.id).where(submission.c.person_id == whom.id)
    pending = waiting.c.submission_id.in_(own), waiting.c.parked.is_(False)
    if connection.execute(select(waiting).where(*pending)).first():
        raise UsageError(f"a submission of {whom.name} is not graded yet: try again after that")
    with keeping_an_instructor(connection):
        values = {
            "name": f"{people.ERASED}{whom.id}",
            "display_name": "",
            "login": "",
            "section": "",
        }
        change = update(person).where(person.c.id == whom.id)
        connection.execute(change.values(disabled_at=now(), **values))
    # A client chose the key: it may be another submission's id, but has no space.
    keys = update(submission).where(submission.c.person_id == whom.id)
    connection.execute(keys.values(idempotency_key=f"{_GONE} " + submission.c.id))
    lines = select(lti_line.c.id).where(lti_line.c.person_id == whom.id)
    connection.execute(delete(outbox).where(outbox.c.subject.in_(lines)))
    for table in (token, session, invite, extension, *_OF_PLATFORM):
        connection.execute(delete(table).where(table.c.person_id == whom.id))
    connection.execute(update(comment).where(comment.c.submission_id.in_(own)).values(text=_GONE))
    connection.execute(update(override).where(override.c.person_id == whom.id).values(reason=_GONE))
    _erase_code(connection, whom)


def _erase_code(connection: Connection, whom: Person) -> None:
    """Erase the texts that no one else submitted, and what they printed."""
    other = submission.alias()
    shared = exists().where(
        other.c.source_hash == submission.c.source_hash, other.c.person_id != whom.id
    )
    hashes = list(connection.execute(_sources(whom).where(~shared).distinct()).scalars())
    connection.execute(update(source).where(source.c.hash.in_(hashes)).values(text=""))
    connection.execute(delete(attempt).where(attempt.c.source_hash.in_(hashes)))
    theirs = select(verdict).where(verdict.c.source_hash.in_(hashes))
    for row in connection.execute(theirs).mappings().all():
        key = (column == row[column.name] for column in verdict.primary_key)
        body = json.loads(row["body"])
        tests = [{**each, **_TEXTS} for each in body["tests"]]
        body |= {"message": "", "output": "", "example": None, "notes": [], "tests": tests}
        body[verdicts.IS_ERASED] = True
        connection.execute(update(verdict).where(*key).values(body=json.dumps(body)))


def inactive(connection: Connection, years: float) -> Iterator[Person]:
    """Yield the students who were added, and last submitted, so many years ago or longer."""
    since = now() - int(years * _YEAR)
    recent = exists().where(submission.c.person_id == person.c.id, submission.c.received_at > since)
    old = (person.c.role == "student", person.c.created_at <= since, ~recent)
    chosen = select(*people.COLUMNS).where(*old, ~person.c.name.startswith(people.ERASED))
    for row in connection.execute(chosen.order_by(person.c.name)).all():
        yield Person(*row)
