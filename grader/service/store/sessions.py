"""Browser sessions. Only the hash of a cookie's secret is stored.

The CSRF token is derived from that secret: a page can ask for it again after a reload, and nothing
more has to be stored.
"""

import hmac
import secrets
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, and_, delete, insert, select

from grader.service.store import people
from grader.service.store.ids import now
from grader.service.store.people import Person, digest
from grader.service.store.tables import person, session

LIFETIME: Final = 12 * 60 * 60
"""Seconds until a person has to sign in again."""

_MOST: Final = 20  # of one person
_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class BrowserSession:
    """The session of a person's browser."""

    person: Person
    csrf: str  # what each request that changes something must send


@dataclass(frozen=True, slots=True)
class OpenedSession:
    """The two secrets of a new session: sent to the browser, not stored."""

    cookie: str
    csrf: str


def open_session(connection: Connection, owner: Person, until: int | None = None) -> OpenedSession:
    """Open a session; of too many sessions the oldest ends.

    Args:
        connection: of a transaction that writes.
        owner: who comes in.
        until: when what they came in by is over, in microseconds; so is the session then.
    """
    longest = now() + LIFETIME * 1_000_000
    people.hold(connection, owner.id)  # or two sign-ins at once would end each other's session
    own = and_(session.c.person_id == owner.id, session.c.expires_at > now())
    newest = select(session.c.hash).where(own).order_by(session.c.created_at.desc())
    connection.execute(delete(session).where(own, session.c.hash.not_in(newest.limit(_MOST - 1))))
    cookie = secrets.token_urlsafe(_BYTES)
    connection.execute(
        insert(session).values(
            hash=digest(cookie),
            person_id=owner.id,
            created_at=now(),
            expires_at=longest if until is None else min(longest, until),
        )
    )
    return OpenedSession(cookie, csrf_of(cookie))


def find(connection: Connection, cookie: str) -> BrowserSession | None:
    """Return the session of a cookie; None if there is none, or it has expired."""
    chosen = select(*people.COLUMNS).join(session, session.c.person_id == person.c.id)
    own = (session.c.hash == digest(cookie), session.c.expires_at > now())
    row = connection.execute(chosen.where(*own, person.c.disabled_at.is_(None))).one_or_none()
    return BrowserSession(Person(*row), csrf_of(cookie)) if row else None


def csrf_of(cookie: str) -> str:
    """Return the CSRF token of a session: a MAC under its secret.

    It reveals nothing of the secret, so it may stand in a form. It cannot be made without the
    cookie, which scripts cannot read.
    """
    return hmac.new(cookie.encode(), b"etude csrf", "sha256").hexdigest()


def is_csrf(sent: str, expected: str) -> bool:
    """Return whether a CSRF token is right, in constant time."""
    return hmac.compare_digest(digest(sent), digest(expected))


def forget_expired(connection: Connection) -> None:
    """Delete expired sessions."""
    connection.execute(delete(session).where(session.c.expires_at <= now()))


def close_session(connection: Connection, cookie: str) -> None:
    """Sign out."""
    connection.execute(delete(session).where(session.c.hash == digest(cookie)))
