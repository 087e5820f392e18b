"""`/v1/submissions` for instructors: search submissions, and release parked ones."""

from dataclasses import asdict
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from grader.service.api.auth import ContextOf, Staff
from grader.service.api.list_pages import After, Limit, Moment, Page
from grader.service.api.problem_details import ProblemError, existing_one, responses
from grader.service.api.submission_routes import Id
from grader.service.store import submission_search, submissions
from grader.service.store.submission_search import State

router = APIRouter(prefix="/v1/submissions", tags=["submissions"])

_TEXT = r"^[^\x00]*$"  # PostgreSQL has no NUL
_STAFF = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)


class EntryInfo(BaseModel):
    """A submission and its verdict."""

    id: str
    person: str
    exercise: str
    source_hash: str = Field(description="SHA-256 of the text.")
    received_at: Moment
    state: State
    outcome: str | None = Field(description="Of the verdict, once it is graded.")
    score: int | None
    max_score: int | None
    shown: str = Field(description="The person's name to be shown.")


@router.get("", responses=responses(*_STAFF))
def listed(
    _person: Staff,
    service: ContextOf,
    *,
    exercise: Annotated[str | None, Query(max_length=200, pattern=_TEXT)] = None,
    person: Annotated[
        str | None, Query(max_length=200, pattern=_TEXT, description="A name.")
    ] = None,
    state: State | None = None,
    after: After = None,
    limit: Limit = 50,
) -> Page[EntryInfo]:
    """List submissions, the newest first."""
    with service.database.read() as connection:
        found = submission_search.listed(
            connection,
            exercise=exercise,
            person_name=person,
            state=state,
            before=after,
            most=limit + 1,
        )
    shown = found[:limit]
    follows = shown[-1].id if len(found) > limit else None
    return Page(items=[EntryInfo(**asdict(each)) for each in shown], next=follows)


@router.post(
    "/{submission_id}/release",
    status_code=HTTPStatus.NO_CONTENT,
    responses=responses(*_STAFF, HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
)
def release(submission_id: Id, person: Staff, service: ContextOf) -> None:
    """Queue a parked submission again."""
    with service.database.write() as connection:
        existing_one(submissions.find(connection, submission_id), "submission")
        is_released = submissions.release(connection, submission_id, actor=person.id)
    if not is_released:
        raise ProblemError(HTTPStatus.CONFLICT, "It is not parked.")
    service.executor.notify([submission_id])
