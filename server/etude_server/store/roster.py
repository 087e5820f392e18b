"""The roster: people imported, listed, changed, invited and disabled by staff."""

from dataclasses import dataclass, fields

from sqlalchemy import Connection, delete, select

from etude_server.store import people
from etude_server.store.ids import now
from etude_server.store.people import Person, Role, digest
from etude_server.store.tables import invite, person
from grader.reports.canvas_csv import login_key


@dataclass(frozen=True, slots=True)
class Profile:
    """A person, as staff sees them."""

    id: str
    name: str
    role: Role
    display_name: str
    login: str
    section: str
    disabled_at: int | None  # microseconds since 1970


_COLUMNS = tuple(person.c[each.name] for each in fields(Profile))


def invited(connection: Connection, secret: str, *, use: bool = False) -> Person | None:
    """Return whom an invite is for, and use it up if that is asked; None if it is not valid."""
    own = (invite.c.hash == digest(secret), invite.c.expires_at > now())
    chosen = select(*people.COLUMNS).join(invite, invite.c.person_id == person.c.id)
    row = connection.execute(chosen.where(*own, person.c.disabled_at.is_(None))).one_or_none()
    if use and not connection.execute(delete(invite).where(*own)).rowcount:
        return None
    return Person(*row) if row else None


def listed(
    connection: Connection, *, role: Role | None = None, section: str | None = None
) -> list[Profile]:
    """Return people by their names: all, or those of a role or section."""
    chosen = select(*_COLUMNS).order_by(person.c.name)
    if role is not None:
        chosen = chosen.where(person.c.role == role)
    if section is not None:
        chosen = chosen.where(person.c.section == section)
    return [Profile(*row) for row in connection.execute(chosen)]


def get(connection: Connection, person_id: str) -> Profile:
    """Return the profile of a person that something else refers to."""
    return Profile(*connection.execute(select(*_COLUMNS).where(person.c.id == person_id)).one())


def find_login(connection: Connection, login: str) -> Person | None:
    """Return the person of a login or an e-mail address, unless they are disabled."""
    own = (person.c.login == login_key(login), person.c.disabled_at.is_(None))
    row = connection.execute(select(*people.COLUMNS).where(*own)).one_or_none()
    return Person(*row) if row and login else None
