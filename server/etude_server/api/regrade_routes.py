"""`/v1/regrades`: grade stored submissions again, for instructors."""

from dataclasses import asdict
from http import HTTPStatus
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Query, Response
from pydantic import AliasPath, BaseModel, BeforeValidator, ConfigDict, Field

from etude_server import regrading
from etude_server.api.auth import STAFF_ONLY, ContextOf, Staff, current_staff
from etude_server.api.list_pages import After, Limit, Moment, Page
from etude_server.api.problem_details import ProblemError, existing_one, responses, with_headers
from etude_server.regrading import BESIDE_SUBMISSIONS, Preview, Regrader
from etude_server.service import AppContext
from etude_server.store import regrades
from etude_server.store.regrades import Mark, Regrade, RegradeChange

router = APIRouter(
    prefix="/v1/regrades",
    tags=["regrades"],
    dependencies=[Depends(current_staff)],
    responses=responses(*STAFF_ONLY),
)
_GONE = responses(HTTPStatus.NOT_FOUND)
_REFUSED = responses(HTTPStatus.CONFLICT)


def _whole(value: object) -> object:
    """Take 40.0 for 40, as JSON does; a strict model takes neither `true` nor `"40"`."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


class WantedRegrade(BaseModel):
    """The exercise and version to grade again."""

    model_config = ConfigDict(extra="forbid", strict=True)

    exercise: str = Field(description="The exercise's id.", max_length=200)
    from_hash: str = Field(
        "",
        description="The version whose verdicts are replaced, or its first characters; may be left "
        "out if there is only one.",
        pattern="^[0-9a-f]{0,64}$",
    )


class WantedPreview(WantedRegrade):
    """A preview to make, and the size of its sample."""

    sample: Annotated[int, BeforeValidator(_whole)] = Field(
        40, ge=1, le=200, description="How many distinct sources are tried."
    )


Reason = Annotated[
    str,
    Field(
        description="Why; kept for good.",
        min_length=1,
        max_length=2000,
        pattern=r"^[^\x00]*[^\s\x00][^\x00]*$",
    ),
]


class NewUndo(BaseModel):
    """An undo to run, and its reason."""

    model_config = ConfigDict(extra="forbid", strict=True)

    reason: Reason


class NewRegrade(WantedRegrade):
    """A regrade to begin, and its reason."""

    reason: Reason
    allow_lower: bool = Field(False, description="Publish also what is worse than it was.")


class ChangeInfo(BaseModel):
    """A submission whose verdict changes."""

    submission: str = Field(validation_alias="submission_id")
    person: str
    display_name: str = Field(validation_alias="shown")
    before: Mark
    after: Mark
    effect: Literal["same", "raised", "lowered"]
    held: bool = Field(description="It would have been lowered, and was left as it is.")
    event: int = Field(description="Its number in the log; 0 in a preview.")


class PreviewInfo(BaseModel):
    """The changes that a regrade would make."""

    exercise: str = Field(validation_alias=AliasPath("plan", "exercise", "id"))
    from_hash: str = Field(validation_alias=AliasPath("plan", "from_hash"))
    to_hash: str = Field(validation_alias=AliasPath("plan", "exercise", "digest"))
    sources: int = Field(description="Distinct ones.")
    submissions: int
    tried: int = Field(description="Of the sources, for what follows.")
    submissions_tried: int
    changes: list[ChangeInfo]
    faults: int = Field(description="Of the sources tried: could not be graded.")
    ungraded: int = Field(description="Sources that the run has still to grade.")
    seconds: float | None = Field(description="How long that takes; null if unknown.")


class RegradeInfo(BaseModel):
    """A regrade and its progress."""

    id: str
    exercise: str
    from_hash: str
    to_hash: str
    by: str = Field(description="An id of a person, or a user of the command line.")
    by_name: str
    reason: str
    allow_lower: bool
    state: Literal["running", "finished", "cancelled"]
    created_at: Moment
    ended_at: Moment | None
    done: int = Field(description="Of the sources.")
    sources: int


async def regrader(service: ContextOf) -> Regrader:
    """Return the service's regrader; raise if this server grades nothing."""
    if service.regrader is None:
        detail = "This server does not grade by itself: use `etude regrade`."
        raise ProblemError(HTTPStatus.CONFLICT, detail)
    return service.regrader


Id = Annotated[str, Path(pattern=r"^[0-9a-f-]{36}$", description="A regrade's id.")]
Here = Annotated[Regrader, Depends(regrader)]


def existing(regrade_id: Id, service: ContextOf) -> Regrade:
    """Return a regrade, or answer 404."""
    with service.database.read() as connection:
        return existing_one(regrades.find(connection, regrade_id), "regrade")


Existing = Annotated[Regrade, Depends(existing)]


@router.post("/preview", responses=_REFUSED, response_model=PreviewInfo)
def preview(wanted: WantedPreview, here: Here) -> Preview:
    """Preview, on a sample, what a regrade would change; nothing is published."""
    found = regrading.plan(here.grading, wanted.exercise, wanted.from_hash)
    return regrading.preview(
        here.grading, found, sample=wanted.sample, concurrency=BESIDE_SUBMISSIONS
    )


@router.post(
    "",
    status_code=HTTPStatus.ACCEPTED,
    responses={**_REFUSED, 202: with_headers("Location")},
)
def begin(wanted: NewRegrade, person: Staff, service: ContextOf, response: Response) -> RegradeInfo:
    """Begin a regrade, or wake the one like it that has not ended; submissions go first."""
    found = regrading.plan(service, wanted.exercise, wanted.from_hash)
    begun = regrading.begin(
        service, found, by=person.id, reason=wanted.reason, allow_lower=wanted.allow_lower
    )
    if service.regrader is not None:
        service.regrader.wake()
    response.headers["Location"] = f"/v1/regrades/{begun.id}"
    return _info(service, begun)


@router.get("")
def listed(service: ContextOf, after: After = None, limit: Limit = 50) -> Page[RegradeInfo]:
    """List regrades, the newest first."""
    with service.database.read() as connection:
        found = regrades.listed(connection, before=after, most=limit + 1)
    follows = found[limit - 1].id if len(found) > limit else None
    return Page(items=[_info(service, each) for each in found[:limit]], next=follows)


@router.get("/{regrade_id}", responses=_GONE)
def show(found: Existing, service: ContextOf) -> RegradeInfo:
    """Return a regrade and its progress."""
    return _info(service, found)


@router.get("/{regrade_id}/changes", responses=_GONE, response_model=Page[ChangeInfo])
def changes(
    found: Existing,
    service: ContextOf,
    after: Annotated[int, Query(ge=0, le=2**53, description="`next` of the page before.")] = 0,
    limit: Limit = 200,
) -> Page[RegradeChange]:
    """List what a regrade has changed, and what it left as it was, in order."""
    with service.database.read() as connection:
        told = list(regrades.changes(connection, found.id, after=after, most=limit + 1))
    follows = str(told[limit - 1].event) if len(told) > limit else None
    return Page(items=told[:limit], next=follows)


@router.post(
    "/{regrade_id}/undo",
    status_code=HTTPStatus.CREATED,
    responses={**_GONE, **_REFUSED, 201: with_headers("Location")},
)
def undo(
    found: Existing, new: NewUndo, person: Staff, service: ContextOf, response: Response
) -> RegradeInfo:
    """Publish again the verdicts that a regrade replaced, as a regrade of its own."""
    undone = regrading.undo(service, found.id, by=person.id, reason=new.reason)
    response.headers["Location"] = f"/v1/regrades/{undone.id}"
    with service.database.read() as connection:
        return _info(service, regrades.find(connection, undone.id) or undone)


@router.delete("/{regrade_id}", responses=_GONE | _REFUSED)
def cancel(found: Existing, person: Staff, service: ContextOf) -> RegradeInfo:
    """Cancel a regrade; what it published stays."""
    is_ended = regrading.end(service, found.id, "cancelled", actor=person.id)
    with service.database.read() as connection:
        now_is = regrades.find(connection, found.id)
    if not is_ended or now_is is None:
        raise ProblemError(HTTPStatus.CONFLICT, "It has ended already.")
    return _info(service, now_is)


def _info(service: AppContext, found: Regrade) -> RegradeInfo:
    with service.database.read() as connection:
        done, sources = regrades.progress(connection, found.id)
    return RegradeInfo(**asdict(found), done=done, sources=sources)
