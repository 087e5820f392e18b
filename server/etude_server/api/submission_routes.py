"""`/v1/submissions`: submit, and read the state and the verdict; for staff, search and release."""

import asyncio
import contextlib
import json
import math
import time
import uuid
from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Header, Path, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from etude_server.actions import submissions as submission_actions
from etude_server.api.auth import CurrentService, InstructorOrReader, SignedIn
from etude_server.api.list_pages import NO_NUL_PATTERN, After, Filter, Limit, Page
from etude_server.api.problem_details import (
    ProblemError,
    describe_headers,
    problem_responses,
    require_existing,
)
from etude_server.api.rate_limits import make_retry_later_error
from etude_server.api.submission_windows import (
    is_result_withheld,
    remove_hidden_tests,
    require_open_window,
)
from etude_server.service import Service
from etude_server.store import submissions, verdicts
from etude_server.store.ids import Moment, now
from etude_server.store.people import Person
from etude_server.store.submissions import KeyReusedError, State, StoredSubmission, SubmissionEntry
from etude_server.store.verdicts import StoredVerdict
from grader.sandbox.limits import MAX_SOURCE_BYTES

router = APIRouter(
    prefix="/v1/submissions",
    tags=["submissions"],
    responses=problem_responses(HTTPStatus.UNAUTHORIZED),
)

MAX_STREAM_SECONDS: Final = 60.0
"""The longest event stream; the next one must authenticate again."""

_POLL_SECONDS: Final = 0.2  # pause between two polls for a submission that is next
# Added for each submission ahead, so that a long queue costs few queries.
_POLL_SECONDS_PER_POSITION: Final = 0.02
_MAX_POLL_SECONDS: Final = 2.0  # a stopping server waits so long for its streams
# The schema is that of every verdict of Etude.
_VERDICT_RESPONSE: Final[dict[str, Any]] = {
    "description": "The verdict.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/verdict"}}},
}


class NewSubmission(BaseModel):
    """A submission to grade."""

    model_config = ConfigDict(extra="forbid", strict=True)

    exercise: str = Field(description="The exercise's id.", max_length=200)
    source: str = Field(
        description="The program's text.", max_length=MAX_SOURCE_BYTES, pattern=NO_NUL_PATTERN
    )


class SubmissionState(BaseModel):
    """The state of a submission."""

    id: str
    exercise: str
    source_hash: str = Field(description="SHA-256 of the text.")
    received_at: Moment
    state: State = Field(
        description="Pending: not graded yet. Parked: it could not be graded, so staff will look."
    )
    position: int | None = Field(
        description="The number of submissions before it, while it is pending; "
        f"{submissions.MAX_QUEUE_POSITION} stands for so many or more."
    )
    outcome: str | None = Field(description="The verdict's outcome, once it is graded.")
    score: int | None
    max_score: int | None


SubmissionId = Annotated[str, Path(pattern=r"^[0-9a-f-]{36}$", description="A submission's id.")]
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=200,
        pattern=r"^[\x21-\x7e]+$",
        description="Repeating a request with the same key does not create a second submission.",
    ),
]


def require_submission(submission_id: SubmissionId, service: CurrentService) -> StoredSubmission:
    """Return a submission, or answer 404."""
    with service.database.read() as connection:
        return require_existing(
            submissions.find_submission(connection, submission_id), "submission"
        )


ExistingSubmission = Annotated[StoredSubmission, Depends(require_submission)]


def require_own_submission(person: SignedIn, submission: ExistingSubmission) -> StoredSubmission:
    """Return a submission, or answer 404; a student may see only their own."""
    is_hidden = person.role == "student" and submission.person_id != person.id
    return require_existing(None if is_hidden else submission, "submission")


OwnSubmission = Annotated[StoredSubmission, Depends(require_own_submission)]


async def limit_streams(
    person: SignedIn, _submitted: OwnSubmission, request: Request
) -> AsyncIterator[None]:
    """Count an event stream while it is open."""
    with request.app.state.streams.count_stream(person.id):
        yield


@router.post(
    "",
    status_code=HTTPStatus.ACCEPTED,
    responses={
        **problem_responses(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
        **problem_responses(HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.LOCKED),
        202: describe_headers("Location"),
    },
)
async def submit(
    body: NewSubmission,
    person: SignedIn,
    service: CurrentService,
    request: Request,
    *,
    response: Response,
    key: IdempotencyKey = None,
) -> SubmissionState:
    """Accept a submission; it is graded in its turn."""
    require_existing(service.catalog.find(body.exercise), "exercise")
    request.app.state.rates.count_submission(person.id)
    try:
        state = await run_in_threadpool(
            _accept_submission, service, person, body, key or uuid.uuid4().hex
        )
    except KeyReusedError:
        detail = "This Idempotency-Key came before with another exercise or source."
        raise ProblemError(HTTPStatus.CONFLICT, detail) from None
    response.headers["Location"] = f"/v1/submissions/{state.id}"
    return state


@router.get("/{submission_id}", responses=problem_responses(HTTPStatus.NOT_FOUND))
def show_state(
    submission: OwnSubmission, person: SignedIn, service: CurrentService
) -> SubmissionState:
    """Return the state of a submission."""
    return _read_state(service, submission, person)


@router.get(
    "/{submission_id}/verdict",
    responses={**problem_responses(HTTPStatus.NOT_FOUND), 200: _VERDICT_RESPONSE},
    response_model=None,
)
def show_verdict(
    submission: OwnSubmission, person: SignedIn, service: CurrentService
) -> dict[str, Any]:
    """Return the published verdict, as `etude/verdict/v1`.

    Where the course holds back results of hidden tests until an exercise is due, it is without
    them until then.
    """
    with service.database.read() as connection:
        stored = _find_visible_verdict(connection, submission, person)
    if stored is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, "It is not graded yet.", {"Retry-After": "1"})
    return dict(stored.body)


@router.get(
    "/{submission_id}/events",
    response_class=EventSourceResponse,
    dependencies=[Depends(limit_streams)],
    responses=problem_responses(HTTPStatus.NOT_FOUND, HTTPStatus.TOO_MANY_REQUESTS),
)
async def stream_states(
    submission: OwnSubmission,
    person: SignedIn,
    service: CurrentService,
    request: Request,
    state: Annotated[SubmissionState, Depends(show_state)],
) -> AsyncIterator[ServerSentEvent]:
    """Stream a submission's state, and each change of it, until it is graded or parked.

    A stream ends after a minute in any case; a client may then open another one.
    """
    end_time = time.monotonic() + MAX_STREAM_SECONDS
    last_state: SubmissionState | None = None
    while True:
        if state != last_state:
            yield ServerSentEvent(data=json.loads(state.model_dump_json()), event="state")
        if state.state != "pending" or time.monotonic() > end_time or request.app.state.is_ending():
            return
        last_state = state
        pause = _POLL_SECONDS + _POLL_SECONDS_PER_POSITION * (state.position or 0)
        await asyncio.sleep(min(pause, _MAX_POLL_SECONDS))
        # While the database is unreachable, nothing changes.
        with contextlib.suppress(SQLAlchemyError):
            state = await run_in_threadpool(_read_state, service, submission, person)


@router.get("", responses=problem_responses(HTTPStatus.FORBIDDEN))
def list_submissions(
    _person: InstructorOrReader,
    service: CurrentService,
    *,
    exercise: Filter = None,
    person: Annotated[Filter, Query(description="A name.")] = None,
    state: State | None = None,
    after: After = None,
    limit: Limit = 50,
) -> Page[SubmissionEntry]:
    """List submissions, the newest first."""
    with service.database.read() as connection:
        rows = submissions.list_submissions(
            connection,
            exercise=exercise,
            person_name=person,
            state=state,
            before=after,
            limit=limit + 1,
        )
    return Page.make(rows, limit, lambda last: last.id)


@router.post(
    "/{submission_id}/release",
    status_code=HTTPStatus.NO_CONTENT,
    responses=problem_responses(HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT),
)
def release_submission(
    person: InstructorOrReader, submission: ExistingSubmission, service: CurrentService
) -> None:
    """Queue a parked submission again."""
    with service.database.write() as connection:
        is_released = submission_actions.release_submission(
            connection, submission.id, actor=person.id
        )
    if not is_released:
        raise ProblemError(HTTPStatus.CONFLICT, "It is not parked.")
    service.executor.notify([submission.id])


def _accept_submission(
    service: Service, person: Person, body: NewSubmission, key: str
) -> SubmissionState:
    """Store a submission in one transaction, then notify the executor."""
    max_age = service.settings.queue_seconds
    with service.database.write() as connection:
        oldest_time = submissions.find_oldest_waiting_time(connection)
        age = -math.inf if oldest_time is None else (now() - oldest_time) / 1_000_000
        if max_age and age > max_age:
            detail = (
                f"The oldest submission has waited {age:.0f} s; "
                "come back when the queue is shorter."
            )
            raise make_retry_later_error(detail, max_age / 4)
        accepted = submissions.accept_submission(
            connection, person, body.exercise, body.source, key=key
        )
        if accepted.is_new:
            require_open_window(connection, person, accepted.submission)
    if accepted.is_new:
        service.executor.notify([accepted.submission.id])
    return _read_state(service, accepted.submission, person)


def _find_visible_verdict(
    connection: Connection, submission: StoredSubmission, person: Person
) -> StoredVerdict | None:
    """Return the published verdict as a person may see it, or None."""
    stored = verdicts.find_published_verdict(connection, submission.id)
    if stored is None or not is_result_withheld(connection, person, submission.exercise):
        return stored
    return remove_hidden_tests(stored)


def _read_state(service: Service, submission: StoredSubmission, person: Person) -> SubmissionState:
    # Read in this order, so that a verdict published in between is found.
    with service.database.read() as connection:
        position = submissions.find_queue_position(connection, submission.id)
        stored = _find_visible_verdict(connection, submission, person) if position is None else None
    return SubmissionState(
        id=submission.id,
        exercise=submission.exercise,
        source_hash=submission.source_hash,
        received_at=submission.received_at,
        state="graded" if stored else "parked" if position is None else "pending",
        position=position,
        outcome=stored.outcome if stored else None,
        score=stored.score if stored else None,
        max_score=stored.max_score if stored else None,
    )
