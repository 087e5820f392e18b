"""`/v1/people`: the roster for staff, and changes of it for instructors."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Body, Depends, Path, Query
from pydantic import BaseModel, ConfigDict, Field

from grader.course.csv_rows import decode
from grader.course.roster_file import read_roster
from grader.service.api.auth import ContextOf, Staff
from grader.service.api.problem_details import existing_one, responses
from grader.service.service import AppContext
from grader.service.store import people, roster
from grader.service.store.people import Person, Role
from grader.service.store.roster import Imported, Profile

router = APIRouter(prefix="/v1/people", tags=["people"])

IMPORT_PATH = "/v1/people/import"
MAX_ROSTER = 4 << 20
"""Bytes of a roster."""

_STAFF = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
_ONE = (*_STAFF, HTTPStatus.NOT_FOUND)
_INVITE_DAYS = 14


class PersonChange(BaseModel):
    """Changes to a person; fields that are null stay."""

    model_config = ConfigDict(extra="forbid", strict=True)

    role: Role | None = None
    disabled: bool | None = None


class InviteInfo(BaseModel):
    """A link by which a person signs in once."""

    path: str = Field(description="Below the server's address; shown only here.")
    days: int = Field(description="For how long it is valid.")


def existing(
    person_id: Annotated[str, Path(pattern=r"^[0-9a-f-]{36}$", description="A person's id.")],
    _staff: Staff,
    service: ContextOf,
) -> Person:
    """Return a person.

    Raises:
        ProblemError: there is none.
    """
    with service.database.read() as connection:
        return existing_one(people.find_by_id(connection, person_id), "person")


Existing = Annotated[Person, Depends(existing)]
_Filter = Annotated[str | None, Query(max_length=200, pattern=r"^[^\x00]*$")]


@router.get("", responses=responses(*_STAFF))
def listed(
    _staff: Staff, service: ContextOf, role: Role | None = None, section: _Filter = None
) -> list[Profile]:
    """List the people, by name."""
    with service.database.read() as connection:
        return roster.listed(connection, role=role, section=section)


@router.post("/import", responses=responses(*_STAFF, HTTPStatus.CONFLICT))
def import_people(
    staff: Staff,
    service: ContextOf,
    table: Annotated[bytes, Body(media_type="text/csv", min_length=1, description="A roster.")],
) -> Imported:
    """Add the people of a roster and change those who are there; all of it, or nothing."""
    return import_roster(service, table, staff)


def import_roster(service: AppContext, table: bytes, staff: Person) -> Imported:
    """Import a roster in one transaction.

    Raises:
        UsageError: something in it is not as it should be.
    """
    found = read_roster(decode(table, "roster"), "roster")
    with service.database.write() as connection:
        return roster.import_people(connection, found, actor=staff.id)


@router.patch("/{person_id}", responses=responses(*_ONE, HTTPStatus.CONFLICT))
def change(whom: Existing, wanted: PersonChange, staff: Staff, service: ContextOf) -> Profile:
    """Change a person's role, or whether they are disabled."""
    with service.database.write() as connection:
        if wanted.role is not None:
            roster.set_role(connection, whom, wanted.role, actor=staff.id)
        if wanted.disabled is not None:
            roster.set_disabled(connection, whom, disabled=wanted.disabled, actor=staff.id)
        return roster.get(connection, whom.id)


@router.post("/{person_id}/invite", responses=responses(*_ONE))
def invite(whom: Existing, staff: Staff, service: ContextOf) -> InviteInfo:
    """Make a link by which a person signs in once; their last link ends."""
    with service.database.write() as connection:
        secret = roster.make_invite(connection, whom, _INVITE_DAYS, actor=staff.id)
    return InviteInfo(path=f"/invite?key={secret}", days=_INVITE_DAYS)
