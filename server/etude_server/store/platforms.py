"""Registered learning platforms, and the people who come from them."""

import hashlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from typing import Final
from urllib.parse import urlsplit

from sqlalchemy import Connection, Row, delete, insert, select, update

from etude_server.store import events, people
from etude_server.store.database import insert_if_absent
from etude_server.store.ids import make_id, now
from etude_server.store.people import Person, Role
from etude_server.store.tables import (
    event,
    lti_deployment,
    lti_nonce,
    lti_person,
    lti_platform,
    person,
)
from grader.errors import UsageError

_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost"})
_MAX_NAME_LENGTH: Final = 200
_MAX_ADDRESS_LENGTH: Final = 1000
_MAX_ID_LENGTH: Final = 255  # longest id of a person or deployment in LTI


@dataclass(frozen=True, slots=True)
class PlatformRegistration:
    """A platform as staff registered it; requests go only to these addresses."""

    issuer: str
    client_id: str
    auth_url: str
    token_url: str
    jwks_url: str
    # An address on the host of the line items.
    grades_url: str


@dataclass(frozen=True, slots=True)
class Platform(PlatformRegistration):
    """A registered platform."""

    id: str
    # The only course that is admitted; None before the first launch.
    context: str | None
    # The address of the course's list of members.
    members_url: str
    deployments: frozenset[str]

    @property
    def origins(self) -> frozenset[str]:
        """Scheme, host and port of every registered address."""
        addresses = (self.issuer, self.auth_url, self.token_url, self.jwks_url, self.grades_url)
        return frozenset(filter(None, map(parse_origin, addresses)))


def parse_origin(address: str) -> str:
    """Return scheme, host and port of an address, or "" if requests to it are not allowed."""
    try:
        parts = urlsplit(address)
        port = parts.port or {"https": 443, "http": 80}.get(parts.scheme)
    except ValueError:
        return ""
    host = parts.hostname or ""
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and host in _LOOPBACK)
    is_plain = address.isascii() and address.isprintable() and " " not in address
    if not host or not is_safe or not is_plain or "@" in parts.netloc or "\\" in address:
        return ""
    return f"{parts.scheme}://{host}:{port}"


def register_platform(
    connection: Connection,
    registration: PlatformRegistration,
    deployments: Iterable[str],
    *,
    actor: str,
) -> Platform:
    """Register a platform, or change its addresses and add deployments.

    Raises:
        UsageError: An address is not HTTPS, or a value is missing or too long.
    """
    for name in (registration.issuer, registration.client_id):
        if not 0 < len(name) <= _MAX_NAME_LENGTH or not name.isprintable():
            raise UsageError(f"an issuer and a client id have 1 to {_MAX_NAME_LENGTH} characters")
    for address in (
        registration.auth_url,
        registration.token_url,
        registration.jwks_url,
        registration.grades_url,
    ):
        if not parse_origin(address) or len(address) > _MAX_ADDRESS_LENGTH:
            raise UsageError(
                f"{address[:_MAX_NAME_LENGTH]!r} is not an address that begins with https://"
            )
    existing = find_platform(connection, registration.issuer, registration.client_id)
    platform_id = existing.id if existing else make_id()
    registered = asdict(registration)
    if existing:
        condition = lti_platform.c.id == platform_id
        connection.execute(update(lti_platform).where(condition).values(registered))
    else:
        values = {"id": platform_id, "created_at": now(), **registered}
        connection.execute(insert(lti_platform).values(values))
    for deployment in deployments:
        if not 0 < len(deployment) <= _MAX_ID_LENGTH:
            raise UsageError(f"a deployment's id has 1 to {_MAX_ID_LENGTH} characters")
        values = {"platform_id": platform_id, "deployment": deployment}
        insert_if_absent(connection, lti_deployment, values)
    events.append_event(connection, actor, events.PLATFORM_REGISTERED, platform_id, registered)
    return get_platform(connection, platform_id)


def list_platforms(connection: Connection) -> list[Platform]:
    """Return all platforms, the oldest first."""
    rows = connection.execute(select(lti_platform).order_by(lti_platform.c.id)).all()
    return [_make_platform(connection, row) for row in rows]


def get_platform(connection: Connection, platform_id: str) -> Platform:
    """Return the platform with an id that another row refers to."""
    query = select(lti_platform).where(lti_platform.c.id == platform_id)
    return _make_platform(connection, connection.execute(query).one())


def find_platform(
    connection: Connection, issuer: str, client_id: str | None = None
) -> Platform | None:
    """Return a platform, or None; without a client id the issuer must be unique."""
    if not issuer.isprintable() or not (client_id or "").isprintable():
        # Some databases would refuse such a value.
        return None
    query = select(lti_platform).where(lti_platform.c.issuer == issuer)
    if client_id is not None:
        query = query.where(lti_platform.c.client_id == client_id)
    rows = connection.execute(query.limit(2)).all()
    return _make_platform(connection, rows[0]) if len(rows) == 1 else None


def _make_platform(connection: Connection, row: Row[tuple[object, ...]]) -> Platform:
    condition = lti_deployment.c.platform_id == row.id
    deployments = connection.execute(select(lti_deployment.c.deployment).where(condition)).scalars()
    stored = {field.name: getattr(row, field.name) for field in fields(Platform)[:-1]}
    return Platform(**stored, deployments=frozenset(deployments))


def bind_course(connection: Connection, platform: Platform, context: str) -> bool:
    """Admit a platform's first course; return whether this is that course."""
    if platform.context is None and context:
        condition = (lti_platform.c.id == platform.id, lti_platform.c.context.is_(None))
        if connection.execute(
            update(lti_platform).where(*condition).values(context=context)
        ).rowcount:
            data = {"context": context}
            events.append_event(connection, platform.issuer, events.COURSE_BOUND, platform.id, data)
    return get_platform(connection, platform.id).context in {None, context}


def set_course(connection: Connection, platform: Platform, **values: str) -> None:
    """Set a platform's course, or the address of its list of members."""
    condition = lti_platform.c.id == platform.id
    connection.execute(update(lti_platform).where(condition).values(values))


def use_nonce(connection: Connection, nonce: str, seconds: int) -> bool:
    """Use a nonce; return False if it was used within this many seconds."""
    connection.execute(delete(lti_nonce).where(lti_nonce.c.expires_at <= now()))
    values = {"hash": people.hash_secret(nonce), "expires_at": now() + seconds * 1_000_000}
    return insert_if_absent(connection, lti_nonce, values)


def admit_person(connection: Connection, issuer: str, sub: str, role: Role) -> Person:
    """Return a platform's person in the role of this visit, added at the first visit.

    A role that staff has set stays. A platform cannot claim our names: its people never become
    people who exist already.
    """
    # One at a time, because two simultaneous first launches would both add the person.
    condition = select(lti_platform.c.id).where(lti_platform.c.issuer == issuer)
    connection.execute(condition.order_by(lti_platform.c.id).with_for_update(key_share=True))
    same_person = (lti_person.c.issuer == issuer, lti_person.c.sub == sub)
    person_id = connection.execute(select(lti_person.c.person_id).where(*same_person)).scalar()
    if person_id is not None:
        known_person = people.get_person(connection, person_id)
        is_set_by_staff = (event.c.kind == events.ROLE_CHANGED, event.c.actor != issuer)
        query = select(event.c.seq).where(event.c.subject == person_id, *is_set_by_staff).limit(1)
        if known_person.role == role or connection.execute(query).first() is not None:
            return known_person
        connection.execute(update(person).where(person.c.id == known_person.id).values(role=role))
        data = {"before": known_person.role, "role": role}
        events.append_event(connection, issuer, events.ROLE_CHANGED, known_person.id, data)
        return replace(known_person, role=role)
    name = f"{sub}@{urlsplit(issuer).hostname or issuer}"
    is_valid_name = (
        name.isprintable() and len(name) <= _MAX_NAME_LENGTH and not people.is_erased_name(name)
    )
    if not is_valid_name or people.find_person_by_name(connection, name) is not None:
        name = f"lti:{hashlib.sha256(f'{issuer} {sub}'.encode()).hexdigest()}"
    new_person = people.add_person(connection, name, role, actor=issuer)
    connection.execute(insert(lti_person).values(issuer=issuer, sub=sub, person_id=new_person.id))
    return new_person
