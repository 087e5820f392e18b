"""`/v1/people`: the roster; and the work of staff by hand: comments, points, extensions."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Body, Depends, Path
from pydantic import BaseModel, ConfigDict, Field

from etude_server.actions import grades
from etude_server.actions import people as people_actions
from etude_server.actions import submissions as submission_actions
from etude_server.actions.grades import MAX_TEXT_LENGTH
from etude_server.actions.people import INVITE_DAYS, ImportCounts
from etude_server.api.auth import STAFF_ONLY, CurrentService, InstructorOrReader, StaffMember
from etude_server.api.list_pages import Filter
from etude_server.api.problem_details import problem_responses, require_existing
from etude_server.api.submission_routes import OwnSubmission
from etude_server.service import Service
from etude_server.store import people, submissions
from etude_server.store.people import Person, Role
from etude_server.store.submissions import Comment
from grader.course.csv_rows import decode_text
from grader.course.roster_file import read_roster
from grader.course.schedule import parse_zoned_time

router = APIRouter(prefix="/v1", tags=["people"])

IMPORT_PATH = "/v1/people/import"
MAX_ROSTER_BYTES = 4 << 20
"""Largest roster, in bytes."""

_PERSON_PROBLEMS = problem_responses(*STAFF_ONLY, HTTPStatus.NOT_FOUND)
_CHANGE_PROBLEMS = problem_responses(*STAFF_ONLY, HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT)


class PersonChange(BaseModel):
    """Changes to a person; fields that are null stay."""

    model_config = ConfigDict(extra="forbid", strict=True)

    role: Role | None = None
    disabled: bool | None = None


class InviteInfo(BaseModel):
    """A link by which a person signs in once."""

    path: str = Field(description="The link, below the server's address; shown only once.")
    days: int = Field(description="The days for which it is valid.")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class NewComment(_Strict):
    """A comment on a submission."""

    text: str = Field(max_length=MAX_TEXT_LENGTH)
    line: int | None = Field(
        None, ge=1, le=100_000, description="The line of the comment, if it is on one."
    )


class NewOverride(_Strict):
    """Points or an excuse that counts instead of the verdict; neither takes back what was given."""

    points: float | None = Field(None, ge=0, le=1_000_000)
    excused: bool = False
    reason: str = Field(max_length=MAX_TEXT_LENGTH)


class NewExtension(_Strict):
    """A due date of a person's own."""

    due: str = Field(max_length=100, description="A time with its zone: 2026-12-01T18:00+01:00.")


def require_existing_person(service: Service, person_id: str) -> Person:
    """Return a person who was not erased, or answer 404."""
    with service.database.read() as connection:
        person = people.find_person_by_id(connection, person_id)
    return require_existing(
        None if person and people.is_erased_name(person.name) else person, "person"
    )


def require_person_in_path(
    person_id: Annotated[str, Path(pattern=r"^[0-9a-f-]{36}$", description="A person's id.")],
    _staff: InstructorOrReader,
    service: CurrentService,
) -> Person:
    """Return a person, or answer 404."""
    return require_existing_person(service, person_id)


ExistingPerson = Annotated[Person, Depends(require_person_in_path)]


@router.get("/people", responses=problem_responses(*STAFF_ONLY))
def list_people(
    _staff: InstructorOrReader,
    service: CurrentService,
    role: Role | None = None,
    section: Filter = None,
) -> list[Person]:
    """List the people, by name."""
    with service.database.read() as connection:
        return people.list_people(connection, role=role, section=section)


@router.post("/people/import", responses=problem_responses(*STAFF_ONLY, HTTPStatus.CONFLICT))
def import_people(
    staff: InstructorOrReader,
    service: CurrentService,
    roster: Annotated[bytes, Body(media_type="text/csv", min_length=1, description="A roster.")],
) -> ImportCounts:
    """Add the people of a roster and change those who are there; all of it, or nothing."""
    rows = read_roster(decode_text(roster, "roster"), "roster")
    with service.database.write() as connection:
        return people_actions.import_people(connection, rows, actor=staff.id)


@router.patch("/people/{person_id}", responses=_CHANGE_PROBLEMS)
def change_person(
    target_person: ExistingPerson,
    body: PersonChange,
    staff: InstructorOrReader,
    service: CurrentService,
) -> Person:
    """Change a person's role, or whether they are disabled."""
    with service.database.write() as connection:
        people_actions.change_person(
            connection, target_person, role=body.role, disabled=body.disabled, actor=staff.id
        )
        return people.get_person(connection, target_person.id)


@router.post("/people/{person_id}/invite", responses=_PERSON_PROBLEMS)
def make_invite(
    target_person: ExistingPerson, staff: InstructorOrReader, service: CurrentService
) -> InviteInfo:
    """Make a link by which a person signs in once; their last link ends."""
    with service.database.write() as connection:
        secret = people_actions.make_invite(connection, target_person, INVITE_DAYS, actor=staff.id)
    return InviteInfo(path=f"/invite?key={secret}", days=INVITE_DAYS)


@router.get(
    "/submissions/{submission_id}/comments",
    responses=problem_responses(HTTPStatus.UNAUTHORIZED, HTTPStatus.NOT_FOUND),
)
def show_comments(submission: OwnSubmission, service: CurrentService) -> list[Comment]:
    """Return what staff said on a submission."""
    with service.database.read() as connection:
        return submissions.list_comments(connection, submission.id)


@router.post(
    "/submissions/{submission_id}/comments",
    status_code=HTTPStatus.CREATED,
    responses=_CHANGE_PROBLEMS,
)
def add_comment(
    staff: StaffMember, submission: OwnSubmission, body: NewComment, service: CurrentService
) -> list[Comment]:
    """Comment on a submission or on a line of it; its student reads that."""
    with service.database.write() as connection:
        submission_actions.add_comment(connection, submission, body.text, body.line, actor=staff.id)
        return submissions.list_comments(connection, submission.id)


@router.post(
    "/people/{person_id}/overrides/{exercise}",
    status_code=HTTPStatus.NO_CONTENT,
    responses=_CHANGE_PROBLEMS,
)
def override_points(
    target_person: ExistingPerson,
    exercise: str,
    body: NewOverride,
    staff: InstructorOrReader,
    service: CurrentService,
) -> None:
    """Give a person points or an excuse in an exercise."""
    definition = require_existing(service.catalog.find(exercise), "exercise")
    with service.database.write() as connection:
        grades.override_points(
            connection, target_person, definition, body.points, body.reason,
            excused=body.excused, actor=staff.id,
        )  # fmt: skip


@router.post(
    "/people/{person_id}/extensions/{exercise}",
    status_code=HTTPStatus.NO_CONTENT,
    responses=_CHANGE_PROBLEMS,
)
def extend_due_date(
    target_person: ExistingPerson,
    exercise: str,
    body: NewExtension,
    staff: InstructorOrReader,
    service: CurrentService,
) -> None:
    """Give a person a due date of their own, for an exercise."""
    require_existing(service.catalog.find(exercise), "exercise")
    due = parse_zoned_time(body.due)
    with service.database.write() as connection:
        grades.extend_due_date(connection, target_person, exercise, due, actor=staff.id)
