"""The roster: people imported, listed, changed, invited and disabled by staff."""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Final

from sqlalchemy import Connection, delete, insert, select, update

from etude_server.store import events, people
from etude_server.store.ids import now
from etude_server.store.people import Person, Role, digest, new_secret
from etude_server.store.tables import invite, person, session
from grader.course.roster_file import RosterRow
from grader.errors import UsageError
from grader.reports.canvas_csv import login_key

_DAY: Final = 24 * 60 * 60 * 1_000_000  # microseconds


@dataclass(frozen=True, slots=True)
class Imported:
    """The number of people that an import concerned."""

    added: int
    changed: int
    unchanged: int


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


def import_people(connection: Connection, roster: Sequence[RosterRow], *, actor: str) -> Imported:
    """Add the people of a roster, and change those who are there already.

    Who is not on it stays as they are; somebody disabled stays disabled.

    Raises:
        UsageError: somebody else has a login, or no instructor would be left; the transaction is
            to be undone.
    """
    # In the order in which others lock several people, lest two transactions wait for each other.
    everyone = select(person.c.id).order_by(person.c.id)
    connection.execute(everyone.with_for_update(key_share=True))
    with keeping_an_instructor(connection):
        logins = {row.name: row.login for row in roster if row.login is not None}
        taken: dict[str, str] = {}
        for each in listed(connection):
            if logins.get(each.name, each.login) != each.login:
                _set(connection, each.id, login="")  # two people may exchange theirs
            elif each.login:
                taken[each.login] = each.name
        for row in roster:
            if row.login and taken.setdefault(row.login, row.name) != row.name:
                raise UsageError(f"{row.where}: {taken[row.login]!r} has the login {row.login!r}")
        done = [_import(connection, row, actor) for row in roster]
    return Imported(*(done.count(each) for each in ("added", "changed", "unchanged")))


def _import(connection: Connection, row: RosterRow, actor: str) -> str:
    """Add or change a person; return which."""
    found = people.find_person(connection, row.name)
    role = people.role(row.role or "student")
    known = found or people.add_person(connection, row.name, role, actor=actor)
    before = get(connection, known.id)
    new = {
        name: value
        for name in ("display_name", "login", "section")
        if (value := getattr(row, name)) is not None and value != getattr(before, name)
    }
    if new:
        _set(connection, known.id, **new)
    if row.role and _set_role(connection, known, role, actor):
        new["role"] = row.role
    if found is None:
        return "added"
    if new:
        data = {"changed": sorted(new)}  # not what it is now: names are in one table
        events.append(connection, actor, events.PERSON_CHANGED, known.id, data)
    return "changed" if new else "unchanged"


@contextlib.contextmanager
def keeping_an_instructor(connection: Connection) -> Iterator[None]:
    """Raise `UsageError` if what is done leaves no instructor; it is to be undone then."""
    able = (person.c.role == "instructor", person.c.disabled_at.is_(None))
    chosen = select(person.c.id).where(*able).with_for_update()
    before = connection.execute(chosen).first()
    yield
    if before and not connection.execute(chosen).first():
        raise UsageError("this would leave no instructor: make somebody else one first")


def set_role(connection: Connection, whom: Person, role: Role, *, actor: str) -> None:
    """Give a person another role, if an instructor is left then."""
    with keeping_an_instructor(connection):
        _set_role(connection, whom, role, actor)


def _set_role(connection: Connection, whom: Person, role: Role, actor: str) -> bool:
    if role == whom.role:
        return False
    _set(connection, whom.id, role=role)
    data = {"before": whom.role, "role": role}
    events.append(connection, actor, events.ROLE_CHANGED, whom.id, data)
    return True


def set_disabled(connection: Connection, whom: Person, *, disabled: bool, actor: str) -> None:
    """Sign a person out and let them in no more, or let them in again.

    An instructor must be left then.
    """
    with keeping_an_instructor(connection):
        people.hold(connection, whom.id)
        _set(connection, whom.id, disabled_at=now() if disabled else None)
    if disabled:
        for table in (session, invite):
            connection.execute(delete(table).where(table.c.person_id == whom.id))
    kind = events.PERSON_DISABLED if disabled else events.PERSON_ENABLED
    events.append(connection, actor, kind, whom.id, {})


def _set(connection: Connection, person_id: str, **values: object) -> None:
    connection.execute(update(person).where(person.c.id == person_id).values(values))


def make_invite(connection: Connection, whom: Person, days: int, *, actor: str) -> str:
    """Return the secret of a link by which a person signs in once; the last one ends."""
    secret, ends = new_secret(), now() + days * _DAY
    connection.execute(delete(invite).where(invite.c.person_id == whom.id))
    values = {"hash": digest(secret), "person_id": whom.id, "expires_at": ends}
    connection.execute(insert(invite).values(values))
    events.append(connection, actor, events.PERSON_INVITED, whom.id, {"expires_at": ends})
    return secret


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
