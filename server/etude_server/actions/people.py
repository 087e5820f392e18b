"""Staff actions on people: import, change, invite, erase."""

import contextlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, delete, exists, insert, select, update

from etude_server.store import events, people, personal_data, verdicts
from etude_server.store.database import allow_changes
from etude_server.store.ids import DAY_MICROSECONDS, now
from etude_server.store.people import Person, Role, hash_secret, make_secret
from etude_server.store.tables import (
    comment,
    extension,
    grading_run,
    invite,
    lti_line,
    lti_person,
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
from grader.course.roster_file import RosterRow
from grader.errors import UsageError

INVITE_DAYS: Final = 14
"""The default number of days for which an invite is valid."""

_ERASED_TEXT: Final = "erased"
# Fields of a test's result that quote a program or its output.
_ERASED_TEST_FIELDS: Final[dict[str, Any]] = {
    "message": "",
    "output": "",
    "inputs": [],
    "expected": None,
    "got": None,
}


@dataclass(frozen=True, slots=True)
class ImportCounts:
    """The number of people that an import concerned."""

    added: int
    changed: int
    unchanged: int


def import_people(connection: Connection, rows: Sequence[RosterRow], *, actor: str) -> ImportCounts:
    """Add the people of a roster, and update those who exist already.

    People who are not on the roster stay unchanged, and disabled people stay disabled.

    Raises:
        UsageError: A login belongs to someone else, or no instructor would be left; the caller must
            roll back the transaction.
    """
    # All people are locked in one order everywhere, to avoid deadlocks.
    person_ids = select(person.c.id).order_by(person.c.id)
    connection.execute(person_ids.with_for_update(key_share=True))
    with _require_remaining_instructor(connection):
        logins = {row.name: row.login for row in rows if row.login is not None}
        name_by_login: dict[str, str] = {}
        for existing in people.list_people(connection):
            if logins.get(existing.name, existing.login) != existing.login:
                # Cleared first, because two people may exchange their logins.
                _update_person(connection, existing.id, login="")
            elif existing.login:
                name_by_login[existing.login] = existing.name
        for row in rows:
            if row.login and name_by_login.setdefault(row.login, row.name) != row.name:
                raise UsageError(
                    f"{row.where}: {name_by_login[row.login]!r} has the login {row.login!r}"
                )
        results = [_import_row(connection, row, actor) for row in rows]
    return ImportCounts(*(results.count(kind) for kind in ("added", "changed", "unchanged")))


def _import_row(connection: Connection, row: RosterRow, actor: str) -> str:
    """Add or change a person; return the kind of change."""
    if people.is_erased_name(row.name):
        raise UsageError(f"{row.where}: {row.name!r} is the name of a person who was erased")
    existing = people.find_person_by_name(connection, row.name)
    role = people.parse_role(row.role or "student")
    imported_person = existing or people.add_person(connection, row.name, role, actor=actor)
    changes = {
        name: value
        for name in ("display_name", "login", "section")
        if (value := getattr(row, name)) is not None and value != getattr(imported_person, name)
    }
    if changes:
        _update_person(connection, imported_person.id, **changes)
    if row.role and _set_role(connection, imported_person, role, actor):
        changes["role"] = row.role
    if existing is None:
        return "added"
    if changes:
        # Only the names of fields: a person's data stay in one table.
        data = {"changed": sorted(changes)}
        events.append_event(connection, actor, events.PERSON_CHANGED, imported_person.id, data)
    return "changed" if changes else "unchanged"


@contextlib.contextmanager
def _require_remaining_instructor(connection: Connection) -> Iterator[None]:
    """Raise `UsageError` if the block leaves no instructor; the caller must roll back."""
    active_instructors = (person.c.role == "instructor", person.c.disabled_at.is_(None))
    query = select(person.c.id).where(*active_instructors).with_for_update()
    before = connection.execute(query).first()
    yield
    if before and not connection.execute(query).first():
        raise UsageError("this would leave no instructor: make someone else one first")


def change_person(
    connection: Connection,
    target_person: Person,
    *,
    role: Role | None = None,
    disabled: bool | None = None,
    actor: str,
) -> None:
    """Change a person's role, or sign them out and lock them out, or admit them again.

    Raises:
        UsageError: No instructor would be left; the caller must roll back the transaction.
    """
    with _require_remaining_instructor(connection):
        people.lock_present_person(connection, target_person.id)
        if role is not None:
            _set_role(connection, target_person, role, actor)
        if disabled is not None:
            _update_person(connection, target_person.id, disabled_at=now() if disabled else None)
            kind = events.PERSON_DISABLED if disabled else events.PERSON_ENABLED
            events.append_event(connection, actor, kind, target_person.id, {})
    if disabled:
        for table in (session, invite):
            connection.execute(delete(table).where(table.c.person_id == target_person.id))


def _set_role(connection: Connection, target_person: Person, role: Role, actor: str) -> bool:
    if role == target_person.role:
        return False
    _update_person(connection, target_person.id, role=role)
    data = {"before": target_person.role, "role": role}
    events.append_event(connection, actor, events.ROLE_CHANGED, target_person.id, data)
    return True


def _update_person(connection: Connection, person_id: str, **values: object) -> None:
    connection.execute(update(person).where(person.c.id == person_id).values(values))


def make_invite(connection: Connection, target_person: Person, days: int, *, actor: str) -> str:
    """Return the secret of a link by which a person signs in once; earlier links end."""
    people.lock_present_person(connection, target_person.id)
    secret, expires_at = make_secret(), now() + days * DAY_MICROSECONDS
    connection.execute(delete(invite).where(invite.c.person_id == target_person.id))
    values = {"hash": hash_secret(secret), "person_id": target_person.id, "expires_at": expires_at}
    connection.execute(insert(invite).values(values))
    events.append_event(
        connection, actor, events.PERSON_INVITED, target_person.id, {"expires_at": expires_at}
    )
    return secret


def erase_person(connection: Connection, target_person: Person, *, actor: str) -> None:
    """Erase a person's identity, what they wrote, and what others wrote about them.

    The fact and time of each submission, outcomes, points and the log stay, without a name. Code
    that others have submitted as well also stays.

    Raises:
        UsageError: A submission of theirs is being graded, or no instructor would be left; the
            caller must roll back the transaction.
    """
    with allow_changes(connection, "verdict"):
        _erase_data(connection, target_person)
    events.append_event(connection, actor, events.PERSON_ERASED, target_person.id, {})


def _erase_data(connection: Connection, target_person: Person) -> None:
    # Sources are locked first, because publishing a verdict locks its source before the person.
    source_hashes = select(source.c.hash).where(
        source.c.hash.in_(personal_data.select_source_hashes(target_person))
    )
    connection.execute(source_hashes.order_by(source.c.hash).with_for_update(key_share=True))
    people.lock_present_person(connection, target_person.id)
    submission_ids = select(submission.c.id).where(submission.c.person_id == target_person.id)
    is_pending = waiting.c.submission_id.in_(submission_ids), waiting.c.parked.is_(False)
    if connection.execute(select(waiting).where(*is_pending)).first():
        raise UsageError(
            f"a submission of {target_person.name} is not graded yet: try again after that"
        )
    with _require_remaining_instructor(connection):
        values = {
            "name": f"{people.ERASED_PREFIX}{target_person.id}",
            "display_name": "",
            "login": "",
            "section": "",
        }
        change = update(person).where(person.c.id == target_person.id)
        connection.execute(change.values(disabled_at=now(), **values))
    # A client may choose another submission's id as its key, but ids contain no space.
    new_keys = update(submission).where(submission.c.person_id == target_person.id)
    connection.execute(new_keys.values(idempotency_key=f"{_ERASED_TEXT} " + submission.c.id))
    line_item_ids = select(lti_line.c.id).where(lti_line.c.person_id == target_person.id)
    connection.execute(delete(outbox).where(outbox.c.subject.in_(line_item_ids)))
    for table in (token, session, invite, extension, lti_person, lti_line):
        connection.execute(delete(table).where(table.c.person_id == target_person.id))
    connection.execute(
        update(comment).where(comment.c.submission_id.in_(submission_ids)).values(text=_ERASED_TEXT)
    )
    connection.execute(
        update(override).where(override.c.person_id == target_person.id).values(reason=_ERASED_TEXT)
    )
    _erase_code(connection, target_person)


def _erase_code(connection: Connection, target_person: Person) -> None:
    """Erase the texts that no one else submitted, together with their output."""
    same_code = submission.alias()
    is_shared = exists().where(
        same_code.c.source_hash == submission.c.source_hash,
        same_code.c.person_id != target_person.id,
    )
    own_hashes = personal_data.select_source_hashes(target_person).where(~is_shared).distinct()
    hashes = list(connection.execute(own_hashes).scalars())
    connection.execute(update(source).where(source.c.hash.in_(hashes)).values(text=""))
    connection.execute(delete(grading_run).where(grading_run.c.source_hash.in_(hashes)))
    own_verdicts = select(verdict).where(verdict.c.source_hash.in_(hashes))
    for row in connection.execute(own_verdicts).mappings().all():
        key = (column == row[column.name] for column in verdict.primary_key)
        body = json.loads(row["body"])
        tests = [{**test, **_ERASED_TEST_FIELDS} for test in body["tests"]]
        # The ids stay for statistics, but the sentence may quote the program.
        diagnosis = body.get("diagnosis") and {**body["diagnosis"], "feedback": ""}
        body |= {"message": "", "output": "", "example": None, "notes": [], "shapes": []}
        body |= {"diagnosis": diagnosis, "tests": tests}
        body[verdicts.IS_ERASED] = True
        connection.execute(update(verdict).where(*key).values(body=json.dumps(body)))
