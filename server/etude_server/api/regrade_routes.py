"""`/v1/regrades`: grade stored submissions again, for instructors."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Response
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from etude_server.actions import regrades as regrade_actions
from etude_server.actions.regrades import Preview
from etude_server.api.auth import (
    STAFF_ONLY,
    CurrentService,
    InstructorOrReader,
    require_instructor_or_reader,
)
from etude_server.api.list_pages import After, Limit, Page
from etude_server.api.problem_details import (
    ProblemError,
    describe_headers,
    problem_responses,
    require_existing,
)
from etude_server.grading import GradingService
from etude_server.store import regrades
from etude_server.store.regrades import Regrade, RegradeChange

router = APIRouter(
    prefix="/v1/regrades",
    tags=["regrades"],
    dependencies=[Depends(require_instructor_or_reader)],
    responses=problem_responses(*STAFF_ONLY),
)
_NOT_FOUND = problem_responses(HTTPStatus.NOT_FOUND)
_CONFLICT = problem_responses(HTTPStatus.CONFLICT)
_ACCEPTED = {**_CONFLICT, 202: describe_headers("Location")}


def _accept_whole_float(value: object) -> object:
    """Accept 40.0 as 40, as JSON does; the strict model then refuses `true` and `"40"`."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


class RegradeRequest(BaseModel):
    """The exercise and version to grade again."""

    model_config = ConfigDict(extra="forbid", strict=True)

    exercise: str = Field(description="The exercise's id.", max_length=200)
    from_hash: str = Field(
        "",
        description="The version whose verdicts are replaced, or its first characters; may be left "
        "out if there is only one.",
        pattern="^[0-9a-f]{0,64}$",
    )


class PreviewRequest(RegradeRequest):
    """A preview to make, and the size of its sample."""

    sample: Annotated[int, BeforeValidator(_accept_whole_float)] = Field(
        40, ge=1, le=200, description="The number of distinct sources to try."
    )


Reason = Annotated[
    str,
    Field(
        description="The reason, which is kept.",
        min_length=1,
        max_length=2000,
        pattern=r"^[^\x00]*[^\s\x00][^\x00]*$",
    ),
]


class UndoRequest(BaseModel):
    """An undo to run, and its reason."""

    model_config = ConfigDict(extra="forbid", strict=True)

    reason: Reason


class NewRegrade(RegradeRequest):
    """A regrade to begin, and its reason."""

    reason: Reason
    allow_lower: bool = Field(
        False, description="Also publish verdicts that are worse than before."
    )


def require_grading(service: CurrentService) -> GradingService:
    """Return the grading of this server, or raise if it grades nothing."""
    if service.grading is None:
        detail = "This server does not grade by itself: use `etude regrade`."
        raise ProblemError(HTTPStatus.CONFLICT, detail)
    return service.grading


RegradeId = Annotated[str, Path(pattern=r"^[0-9a-f-]{36}$", description="A regrade's id.")]
LocalGrading = Annotated[GradingService, Depends(require_grading)]


def require_regrade(regrade_id: RegradeId, service: CurrentService) -> Regrade:
    """Return a regrade, or answer 404."""
    with service.database.read() as connection:
        return require_existing(regrades.find_regrade(connection, regrade_id), "regrade")


ExistingRegrade = Annotated[Regrade, Depends(require_regrade)]


@router.post("/preview", responses=_CONFLICT)
def preview_regrade(body: PreviewRequest, grading: LocalGrading) -> Preview:
    """Preview, on a sample, what a regrade would change; nothing is published."""
    plan = regrade_actions.plan_regrade(grading, body.exercise, body.from_hash)
    return regrade_actions.preview_regrade(grading, plan, sample=body.sample)


@router.post("", status_code=HTTPStatus.ACCEPTED, responses=_ACCEPTED)
def start_regrade(
    body: NewRegrade, person: InstructorOrReader, service: CurrentService, response: Response
) -> Regrade:
    """Begin a regrade, or wake the one like it that has not ended; submissions go first."""
    plan = regrade_actions.plan_regrade(service, body.exercise, body.from_hash)
    regrade = regrade_actions.start_regrade(
        service, plan, by=person.id, reason=body.reason, allow_lower=body.allow_lower
    )
    response.headers["Location"] = f"/v1/regrades/{regrade.id}"
    return regrade


@router.get("")
def list_regrades(service: CurrentService, after: After = None, limit: Limit = 50) -> Page[Regrade]:
    """List regrades, the newest first."""
    with service.database.read() as connection:
        rows = regrades.list_regrades(connection, before=after, limit=limit + 1)
    return Page.make(rows, limit, lambda last: last.id)


@router.get("/{regrade_id}", responses=_NOT_FOUND)
def show_regrade(regrade: ExistingRegrade) -> Regrade:
    """Return a regrade and its progress."""
    return regrade


@router.get("/{regrade_id}/changes", responses=_NOT_FOUND)
def list_changes(
    regrade: ExistingRegrade,
    service: CurrentService,
    after: Annotated[int, Query(ge=0, le=2**53, description="`next` of the page before.")] = 0,
    limit: Limit = 200,
) -> Page[RegradeChange]:
    """List what a regrade has changed, and what it left as it was, in order."""
    with service.database.read() as connection:
        rows = list(regrades.iterate_changes(connection, regrade.id, after=after, limit=limit + 1))
    return Page.make(rows, limit, lambda last: str(last.event))


@router.post(
    "/{regrade_id}/undo", status_code=HTTPStatus.ACCEPTED, responses={**_NOT_FOUND, **_ACCEPTED}
)
def undo_regrade(
    regrade: ExistingRegrade,
    body: UndoRequest,
    person: InstructorOrReader,
    service: CurrentService,
    response: Response,
) -> Regrade:
    """Begin to publish again the verdicts that a regrade replaced, as a regrade of its own."""
    new_regrade = regrade_actions.undo_regrade(
        service, regrade.id, by=person.id, reason=body.reason
    )
    response.headers["Location"] = f"/v1/regrades/{new_regrade.id}"
    return new_regrade


@router.delete("/{regrade_id}", responses=_NOT_FOUND | _CONFLICT)
def cancel_regrade(
    regrade: ExistingRegrade, person: InstructorOrReader, service: CurrentService
) -> Regrade:
    """Cancel a regrade; what it published stays."""
    if not regrade_actions.end_regrade(service, regrade.id, "cancelled", actor=person.id):
        raise ProblemError(HTTPStatus.CONFLICT, "It has ended already.")
    return require_regrade(regrade.id, service)
