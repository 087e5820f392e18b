"""`/v1/people`: the roster; and the work of staff by hand: comments, points, extensions."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Body, Depends, Path, Query
from pydantic import BaseModel, ConfigDict, Field

from etude_server.api.auth import STAFF_ONLY, ContextOf, Staff, Teacher
from etude_server.api.problem_details import existing_one, responses
from etude_server.api.submission_routes import Own
from etude_server.store import by_hand, people, roster, schedules
from etude_server.store.by_hand import Comment
from etude_server.store.ids import Moment
from etude_server.store.people import Person, Role
from etude_server.store.roster import Imported, Profile
from grader.course.csv_rows import decode
from grader.course.roster_file import read_roster
from grader.course.schedule import moment

router = APIRouter(prefix="/v1", tags=["people"])

IMPORT_PATH = "/v1/people/import"
MAX_ROSTER = 4 << 20
"""Bytes of a roster."""

_ONE = responses(*STAFF_ONLY, HTTPStatus.NOT_FOUND)
_CHANGES = responses(*STAFF_ONLY, HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT)
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


class CommentInfo(BaseModel):
    """A comment of staff on a submission, or on a line of it."""

    line: int | None
    text: str
    by: str = Field(description="The name that others read.")
    at: Moment


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class NewComment(_Strict):
    """A comment on a submission."""

    text: str = Field(max_length=10_000)
    line: int | None = Field(None, ge=1, le=100_000, description="Which line it is on, if one.")


class NewOverride(_Strict):
    """Points or an excuse that counts instead of the verdict; neither takes back what was given."""

    points: float | None = Field(None, ge=0, le=1_000_000)
    excused: bool = False
    reason: str = Field(max_length=10_000)


class NewExtension(_Strict):
    """A due date of a person's own."""

    due: str = Field(max_length=100, description="With its zone: 2026-12-01T18:00+01:00.")


def existing(
    person_id: Annotated[str, Path(pattern=r"^[0-9a-f-]{36}$", description="A person's id.")],
    _staff: Staff,
    service: ContextOf,
) -> Person:
    """Return a person who was not erased, or answer 404."""
    with service.database.read() as connection:
        person = people.find_by_id(connection, person_id)
    return existing_one(None if person and people.is_erased(person.name) else person, "person")


Existing = Annotated[Person, Depends(existing)]
_Filter = Annotated[str | None, Query(max_length=200, pattern=r"^[^\x00]*$")]


@router.get("/people", responses=responses(*STAFF_ONLY))
def listed(
    _staff: Staff, service: ContextOf, role: Role | None = None, section: _Filter = None
) -> list[Profile]:
    """List the people, by name."""
    with service.database.read() as connection:
        return roster.listed(connection, role=role, section=section)


@router.post("/people/import", responses=responses(*STAFF_ONLY, HTTPStatus.CONFLICT))
def import_people(
    staff: Staff,
    service: ContextOf,
    table: Annotated[bytes, Body(media_type="text/csv", min_length=1, description="A roster.")],
) -> Imported:
    """Add the people of a roster and change those who are there; all of it, or nothing."""
    found = read_roster(decode(table, "roster"), "roster")
    with service.database.write() as connection:
        return roster.import_people(connection, found, actor=staff.id)


@router.patch("/people/{person_id}", responses=_CHANGES)
def change(whom: Existing, wanted: PersonChange, staff: Staff, service: ContextOf) -> Profile:
    """Change a person's role, or whether they are disabled."""
    with service.database.write() as connection:
        if wanted.role is not None:
            roster.set_role(connection, whom, wanted.role, actor=staff.id)
        if wanted.disabled is not None:
            roster.set_disabled(connection, whom, disabled=wanted.disabled, actor=staff.id)
        return roster.get(connection, whom.id)


@router.post("/people/{person_id}/invite", responses=_ONE)
def invite(whom: Existing, staff: Staff, service: ContextOf) -> InviteInfo:
    """Make a link by which a person signs in once; their last link ends."""
    with service.database.write() as connection:
        secret = roster.make_invite(connection, whom, _INVITE_DAYS, actor=staff.id)
    return InviteInfo(path=f"/invite?key={secret}", days=_INVITE_DAYS)


@router.get(
    "/submissions/{submission_id}/comments",
    responses=responses(HTTPStatus.UNAUTHORIZED, HTTPStatus.NOT_FOUND),
    response_model=list[CommentInfo],
)
def comments(submitted: Own, service: ContextOf) -> list[Comment]:
    """Return what staff said on a submission."""
    with service.database.read() as connection:
        return by_hand.comments(connection, submitted.id)


@router.post(
    "/submissions/{submission_id}/comments",
    status_code=HTTPStatus.CREATED,
    responses=_CHANGES,
    response_model=list[CommentInfo],
)
def say(teacher: Teacher, submitted: Own, new: NewComment, service: ContextOf) -> list[Comment]:
    """Comment on a submission or on a line of it; its student reads that."""
    with service.database.write() as connection:
        by_hand.say(connection, submitted, new.text, new.line, actor=teacher.id)
        return by_hand.comments(connection, submitted.id)


@router.post(
    "/people/{person_id}/overrides/{exercise}",
    status_code=HTTPStatus.NO_CONTENT,
    responses=_CHANGES,
)
def give(whom: Existing, exercise: str, new: NewOverride, staff: Staff, service: ContextOf) -> None:
    """Give a person points or an excuse in an exercise."""
    definition = existing_one(service.catalog.find(exercise), "exercise")
    points, reason, excused = new.points, new.reason, new.excused
    with service.database.write() as connection:
        by_hand.give(connection, whom, definition, points, reason, excused=excused, actor=staff.id)


@router.post(
    "/people/{person_id}/extensions/{exercise}",
    status_code=HTTPStatus.NO_CONTENT,
    responses=_CHANGES,
)
def extend(
    whom: Existing, exercise: str, new: NewExtension, staff: Staff, service: ContextOf
) -> None:
    """Give a person a due date of their own, for an exercise."""
    existing_one(service.catalog.find(exercise), "exercise")
    due = moment(new.due)
    with service.database.write() as connection:
        schedules.extend(connection, whom, exercise, due, actor=staff.id)
