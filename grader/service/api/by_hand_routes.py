"""The work of staff by hand: comments on submissions, points, excuses, extensions."""

from http import HTTPStatus

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import Connection

from grader.course.schedule import moment
from grader.service.api.auth import ContextOf, Staff, Teacher
from grader.service.api.list_pages import Moment
from grader.service.api.people_routes import Existing
from grader.service.api.problem_details import existing_one, responses
from grader.service.api.submission_routes import Own
from grader.service.store import by_hand, schedules

router = APIRouter(prefix="/v1", tags=["people"])

_NOT_THEIRS = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
_REFUSED = (*_NOT_THEIRS, HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT)


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class CommentInfo(BaseModel):
    """A comment of staff on a submission, or on a line of it."""

    line: int | None
    text: str
    by: str = Field(description="The name that others read.")
    at: Moment


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


def comments_on(connection: Connection, submission_id: str) -> list[CommentInfo]:
    """Return the comments on a submission, the oldest first."""
    found = by_hand.comments(connection, submission_id)
    return [CommentInfo(line=each.line, text=each.text, by=each.by, at=each.at) for each in found]


@router.get(
    "/submissions/{submission_id}/comments",
    responses=responses(HTTPStatus.UNAUTHORIZED, HTTPStatus.NOT_FOUND),
)
def comments(submitted: Own, service: ContextOf) -> list[CommentInfo]:
    """Return what staff said on a submission."""
    with service.database.read() as connection:
        return comments_on(connection, submitted.id)


@router.post(
    "/submissions/{submission_id}/comments",
    status_code=HTTPStatus.CREATED,
    responses=responses(*_REFUSED),
)
def say(teacher: Teacher, submitted: Own, new: NewComment, service: ContextOf) -> list[CommentInfo]:
    """Comment on a submission or on a line of it; its student reads that."""
    with service.database.write() as connection:
        by_hand.say(connection, submitted, new.text, new.line, actor=teacher.id)
        return comments_on(connection, submitted.id)


@router.post(
    "/people/{person_id}/overrides/{exercise}",
    status_code=HTTPStatus.NO_CONTENT,
    responses=responses(*_REFUSED),
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
    responses=responses(*_REFUSED),
)
def extend(
    whom: Existing, exercise: str, new: NewExtension, staff: Staff, service: ContextOf
) -> None:
    """Give a person a due date of their own, for an exercise."""
    existing_one(service.catalog.find(exercise), "exercise")
    due = moment(new.due)
    with service.database.write() as connection:
        schedules.extend(connection, whom, exercise, due, actor=staff.id)
