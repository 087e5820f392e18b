"""People, their roles, tokens and browser sessions.

Only the hash of a token or session cookie is stored. A CSRF token is derived from the cookie's
secret, so that a page can request it again after a reload, and nothing more is stored.
"""

import hashlib
import hmac
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, Literal, TypeAlias, get_args

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    bindparam,
    delete,
    insert,
    or_,
    select,
    update,
)

from etude_server.store import events
from etude_server.store.ids import make_id, now
from etude_server.store.tables import invite, person, session, token
from grader.errors import UsageError
from grader.student_names import login_key

Role: TypeAlias = Literal["student", "instructor", "assistant", "grader"]
ROLES: Final[tuple[Role, ...]] = get_args(Role)

_SCANNABLE_PREFIX: Final = "etude_"  # lets scanners recognize leaked secrets
_SECRET_BYTES: Final = 32
_MAX_SESSIONS: Final = 20  # sessions of one person

ERASED_PREFIX: Final = "erased-"
"""The prefix of an erased person's name."""

SESSION_SECONDS: Final = 12 * 60 * 60
"""Seconds after which a person must sign in again."""


@dataclass(frozen=True, slots=True)
class Person:
    """A person who uses the service."""

    id: str
    name: str  # the unique name in the roster
    role: Role
    display_name: str = ""
    login: str = ""
    section: str = ""
    disabled_at: int | None = None  # microseconds since 1970

    @property
    def public_name(self) -> str:
        """The name that others see."""
        return self.display_name or self.name

    @property
    def is_staff(self) -> bool:
        """True if the person may see and comment on everyone's work."""
        return self.role in {"instructor", "assistant"}


PERSON_COLUMNS: Final = tuple(person.c[field.name] for field in fields(Person))
"""The columns for the fields of `Person`."""

# Built once, because every request runs it.
_SELECT_TOKEN_OWNER: Final = (
    select(*PERSON_COLUMNS)
    .join(token)
    .where(
        token.c.hash == bindparam("hash"),
        token.c.revoked_at.is_(None),
        person.c.disabled_at.is_(None),
        or_(token.c.expires_at.is_(None), token.c.expires_at > bindparam("now")),
    )
)


def is_erased_name(name: str) -> bool:
    """Return whether a name belongs to an erased person."""
    return name.startswith(ERASED_PREFIX)


def parse_role(name: str) -> Role:
    """Return the role with this name, or raise `UsageError`."""
    for role in ROLES:
        if role == name:
            return role
    raise UsageError(f"there is no role {name!r}; the roles are {', '.join(ROLES)}")


def hash_secret(secret: str) -> str:
    """Return the hash of one of our secrets; they are random, so a plain hash suffices."""
    return hashlib.sha256(secret.encode()).hexdigest()


def make_secret() -> str:
    """Return a new secret by which a person can sign in."""
    return _SCANNABLE_PREFIX + secrets.token_urlsafe(_SECRET_BYTES)


def add_person(connection: Connection, name: str, role: Role, *, actor: str) -> Person:
    """Add a person, or return the existing one with this name.

    Raises:
        UsageError: The name exists with another role, or is invalid.
    """
    if not name.strip() or len(name) > 200 or not name.isprintable():  # noqa: PLR2004  the column's
        raise UsageError("a name has 1 to 200 printable characters")
    if is_erased_name(name):
        raise UsageError(
            f"a name that begins with {ERASED_PREFIX!r} is that of a person who was erased"
        )
    existing = find_person_by_name(connection, name)
    if existing is not None:
        if existing.role != role:
            raise UsageError(f"{name} is there already, as {existing.role}")
        return existing
    new_person = Person(make_id(), name, role)
    values = {"id": new_person.id, "name": name, "role": role, "created_at": now()}
    connection.execute(insert(person).values(values))
    events.append_event(connection, actor, events.PERSON_ADDED, new_person.id, {"role": role})
    return new_person


def find_person_by_name(connection: Connection, name: str) -> Person | None:
    """Return the person with this name, or None."""
    return _fetch_person(connection, select(*PERSON_COLUMNS).where(person.c.name == name))


def _fetch_person(
    connection: Connection, query: Select[Any], values: Mapping[str, object] | None = None
) -> Person | None:
    row = connection.execute(query, values).one_or_none()
    return Person(*row) if row else None


def require_person_by_name(connection: Connection, name: str) -> Person:
    """Return the person with this name who was not erased, or raise `UsageError`."""
    existing = find_person_by_name(connection, name)
    if existing is None or is_erased_name(name):
        raise UsageError(f"there is no {name!r}: etude staff list")
    return existing


def find_person_by_id(connection: Connection, person_id: str) -> Person | None:
    """Return the person with this id, or None."""
    return _fetch_person(connection, select(*PERSON_COLUMNS).where(person.c.id == person_id))


def find_person_by_login(connection: Connection, login: str) -> Person | None:
    """Return the enabled person with this login or e-mail address, or None."""
    conditions = (person.c.login == login_key(login), person.c.disabled_at.is_(None))
    return _fetch_person(connection, select(*PERSON_COLUMNS).where(*conditions)) if login else None


def list_people(
    connection: Connection, *, role: Role | None = None, section: str | None = None
) -> list[Person]:
    """Return people sorted by name: all, or those with a role or section."""
    query = select(*PERSON_COLUMNS).order_by(person.c.name)
    if role is not None:
        query = query.where(person.c.role == role)
    if section is not None:
        query = query.where(person.c.section == section)
    return [Person(*row) for row in connection.execute(query)]


def find_invitee(connection: Connection, key: str) -> Person | None:
    """Return the person invited by a key, or None if the key is invalid."""
    query = select(*PERSON_COLUMNS).join(invite)
    return _fetch_person(
        connection, query.where(*_invite_conditions(key), person.c.disabled_at.is_(None))
    )


def redeem_invite(connection: Connection, key: str) -> Person | None:
    """Use up an invite and return its person, or None if it is not or no longer valid."""
    invitee = find_invitee(connection, key)
    is_deleted = connection.execute(delete(invite).where(*_invite_conditions(key))).rowcount
    return invitee if is_deleted else None


def _invite_conditions(key: str) -> tuple[ColumnElement[bool], ...]:
    return invite.c.hash == hash_secret(key), invite.c.expires_at > now()


def get_person(connection: Connection, person_id: str) -> Person:
    """Return the person with an id that another row refers to."""
    query = select(*PERSON_COLUMNS).where(person.c.id == person_id)
    return Person(*connection.execute(query).one())


def make_token(
    connection: Connection, owner: Person, label: str, *, actor: str, expires_at: int | None = None
) -> str:
    """Create a token and return it; only its hash is stored."""
    secret = make_secret()
    row = {
        "id": make_id(),
        "person_id": owner.id,
        "hash": hash_secret(secret),
        "label": label,
        "created_at": now(),
        "expires_at": expires_at,
    }
    connection.execute(insert(token).values(row))
    data = {"person": owner.id, "expires_at": expires_at}
    events.append_event(connection, actor, events.TOKEN_MADE, str(row["id"]), data)
    return secret


def list_tokens(connection: Connection, name: str) -> Sequence[Any]:
    """Return the rows of a person's tokens, the oldest first, or raise `UsageError`.

    A row has id, label, expires_at and revoked_at.
    """
    owner = require_person_by_name(connection, name)
    columns = (token.c.id, token.c.label, token.c.expires_at, token.c.revoked_at)
    query = select(*columns).where(token.c.person_id == owner.id).order_by(token.c.id)
    return connection.execute(query).all()


def lock_person(connection: Connection, person_id: str) -> str:
    """Lock a person, so that one transaction at a time changes their data; return the name."""
    query = select(person.c.name).where(person.c.id == person_id)
    return str(connection.execute(query.with_for_update(key_share=True)).scalar_one())


def lock_present_person(connection: Connection, person_id: str) -> None:
    """Lock a person as `lock_person` does.

    Raises:
        UsageError: The person has been erased in the meantime.
    """
    if is_erased_name(lock_person(connection, person_id)):
        raise UsageError("this person was erased")


def revoke_token(connection: Connection, token_id: str, *, actor: str) -> bool:
    """Revoke a token and sign its owner out; return False if it was revoked already."""
    owner = select(token.c.person_id).where(token.c.id == token_id)
    person_id = connection.execute(owner).scalar_one_or_none()
    if person_id is None:
        return False
    lock_person(connection, person_id)
    change = (
        update(token)
        .where(token.c.id == token_id, token.c.revoked_at.is_(None))
        .values(revoked_at=now())
    )
    if not connection.execute(change).rowcount:
        return False
    # Anyone who had the token may have opened a session with it.
    is_valid = session.c.expires_at > now()  # the sweeper deletes expired sessions
    connection.execute(delete(session).where(session.c.person_id == person_id, is_valid))
    events.append_event(connection, actor, events.TOKEN_REVOKED, token_id, {})
    return True


def find_person_by_token(connection: Connection, secret: str) -> Person | None:
    """Return the owner of a token, or None if it is unknown, expired or revoked."""
    return _fetch_person(
        connection, _SELECT_TOKEN_OWNER, {"hash": hash_secret(secret), "now": now()}
    )


def open_session(connection: Connection, owner: Person, until: int | None = None) -> str:
    """Open a session, and return its cookie, of which only the hash is stored.

    `until`, in microseconds, limits its lifetime. If there are too many sessions, the oldest ends.
    """
    latest_end = now() + SESSION_SECONDS * 1_000_000
    # Two simultaneous sign-ins would end each other's session.
    lock_present_person(connection, owner.id)
    conditions = and_(session.c.person_id == owner.id, session.c.expires_at > now())
    newest = select(session.c.hash).where(conditions).order_by(session.c.created_at.desc())
    connection.execute(
        delete(session).where(conditions, session.c.hash.not_in(newest.limit(_MAX_SESSIONS - 1)))
    )
    cookie = secrets.token_urlsafe(_SECRET_BYTES)
    connection.execute(
        insert(session).values(
            hash=hash_secret(cookie),
            person_id=owner.id,
            created_at=now(),
            expires_at=latest_end if until is None else min(latest_end, until),
        )
    )
    return cookie


def find_person_by_session(connection: Connection, cookie: str) -> Person | None:
    """Return the person with this session cookie, or None if it is missing or expired."""
    conditions = (session.c.hash == hash_secret(cookie), session.c.expires_at > now())
    query = select(*PERSON_COLUMNS).join(session).where(*conditions, person.c.disabled_at.is_(None))
    return _fetch_person(connection, query)


def make_csrf_token(cookie: str) -> str:
    """Return a session's CSRF token: a MAC under the cookie's secret.

    It reveals nothing about the secret, so it may stand in a form, and it cannot be made without
    the cookie, which scripts cannot read.
    """
    return hmac.new(cookie.encode(), b"etude csrf", "sha256").hexdigest()


def matches_csrf_token(token: str, expected: str) -> bool:
    """Compare CSRF tokens in constant time."""
    return hmac.compare_digest(hash_secret(token), hash_secret(expected))


def delete_expired_sessions(connection: Connection) -> None:
    """Delete expired sessions."""
    connection.execute(delete(session).where(session.c.expires_at <= now()))


def close_session(connection: Connection, cookie: str) -> None:
    """Delete a session."""
    connection.execute(delete(session).where(session.c.hash == hash_secret(cookie)))


def sign_in(
    connection: Connection, secret: str, last_cookie: str | None
) -> tuple[Person, str] | None:
    """Open a session that replaces the browser's last one; return its owner and cookie.

    Returns None for an unknown token.
    """
    owner = find_person_by_token(connection, secret)
    if owner is None:
        return None
    lock_person(connection, owner.id)
    # The token may have been revoked before the lock.
    if find_person_by_token(connection, secret) is None:
        return None
    if last_cookie is not None:
        close_session(connection, last_cookie)
    expiry_query = select(token.c.expires_at).where(token.c.hash == hash_secret(secret))
    expires_at = connection.execute(expiry_query).scalar_one_or_none()
    return owner, open_session(connection, owner, expires_at)
