"""Error responses by RFC 9457: `application/problem+json`."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final, TypeVar

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy.exc import OperationalError
from starlette.exceptions import HTTPException

from grader.errors import UsageError
from grader.sandbox.printable import printable

_NAMED: Final = 5  # things that are wrong with a request
_LONGEST_NAME: Final = 80  # characters

MEDIA_TYPE: Final = "application/problem+json"

_Thing = TypeVar("_Thing")


class ProblemBody(BaseModel):
    """The error of a request."""

    model_config = ConfigDict(title="Problem")

    type: str = Field("about:blank", description="A URI that names the kind of problem.")
    title: str = Field(description="The HTTP status in words.")
    status: int = Field(description="The HTTP status.")
    detail: str = Field(description="One sentence about this very request.")


class ProblemError(Exception):
    """Ends a request with a problem response.

    Args:
        status: the HTTP status.
        detail: one sentence for the client.
        headers: to be sent along.
    """

    def __init__(
        self, status: HTTPStatus, detail: str, headers: dict[str, str] | None = None
    ) -> None:
        self.status = status
        self.detail = detail
        self.headers = headers
        super().__init__(detail)


def existing_one(found: _Thing | None, kind: str) -> _Thing:
    """Return what was looked for by its id.

    Raises:
        ProblemError: 404, it is not there.
    """
    if found is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, f"There is no {kind} of that id.")
    return found


_ALONG: Final = {
    HTTPStatus.UNAUTHORIZED: "WWW-Authenticate",
    HTTPStatus.TOO_MANY_REQUESTS: "Retry-After",
}
"""The headers that such a problem always brings."""


def responses(*statuses: HTTPStatus) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI responses of problems."""
    schema = {"schema": {"$ref": "#/components/schemas/Problem"}}
    return {
        int(status): {
            "description": status.phrase,
            "content": {MEDIA_TYPE: schema},
            **(with_headers(_ALONG[status]) if status in _ALONG else {}),
        }
        for status in statuses
    }


def with_headers(*names: str) -> dict[str, Any]:
    """Return the OpenAPI description of headers that a response always has."""
    return {"headers": {name: {"required": True, "schema": {"type": "string"}} for name in names}}


def handle_problems(app: FastAPI, methods_of: Callable[[str], set[str]]) -> None:
    """Register handlers that answer every error as a problem, without internal details.

    Args:
        app: the application.
        methods_of: says which methods a path takes; none of one that is not known.
    """

    def of_method(request: Request) -> JSONResponse | None:
        """Return a 405 if the path allows other methods: the router looks at single routes."""
        methods = methods_of(request.scope["path"])
        if not methods or request.method in methods:
            return None
        allow = {"Allow": ", ".join(sorted(methods))}
        return _answer(HTTPStatus.METHOD_NOT_ALLOWED, f"This takes {allow['Allow']}.", allow)

    @app.exception_handler(ProblemError)
    async def known(_request: Request, error: ProblemError) -> JSONResponse:
        return _answer(error.status, error.detail, error.headers)

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> JSONResponse:
        headers = dict(error.headers or {})
        status = HTTPStatus(error.status_code)
        return of_method(request) or _answer(status, f"{error.detail}.", headers)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        # Without quoting the request: it may hold a submission.
        found = error.errors()
        told = []
        for each in found[:_NAMED]:
            # A field that we do not know has any name.
            path = ".".join(map(str, each["loc"][1:])) or str(each["loc"][0])
            told.append(f"{printable(path)[:_LONGEST_NAME]}: {each['msg']}")
        if len(found) > _NAMED:
            told.append(f"and {len(found) - _NAMED} more")
        sentence = "; ".join(told) + "."
        return of_method(request) or _answer(HTTPStatus.UNPROCESSABLE_ENTITY, sentence)

    app.add_exception_handler(UsageError, _refused)
    app.add_exception_handler(OperationalError, _away)
    app.add_exception_handler(Exception, _unforeseen)


async def _refused(_request: Request, error: Exception) -> JSONResponse:
    """Answer 409 with the sentence of the command line."""
    sentence = str(error)
    return _answer(HTTPStatus.CONFLICT, f"{sentence[:1].upper()}{sentence[1:]}.")


async def _away(_request: Request, _error: Exception) -> JSONResponse:
    detail = "The database is away; try again, with the same Idempotency-Key."
    return _answer(HTTPStatus.SERVICE_UNAVAILABLE, detail, {"Retry-After": "5"})


async def _unforeseen(_request: Request, _error: Exception) -> JSONResponse:
    return _answer(HTTPStatus.INTERNAL_SERVER_ERROR, "The service failed; staff can see why.")


def _answer(status: HTTPStatus, detail: str, headers: dict[str, str] | None = None) -> JSONResponse:
    body = ProblemBody(type="about:blank", title=status.phrase, status=int(status), detail=detail)
    return JSONResponse(
        body.model_dump(), status_code=int(status), headers=headers, media_type=MEDIA_TYPE
    )
