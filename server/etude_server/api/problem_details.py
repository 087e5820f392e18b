"""Error responses by RFC 9457, `application/problem+json`, and their OpenAPI description."""

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final, TypeVar

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import exc
from starlette.exceptions import HTTPException
from starlette.routing import compile_path

from etude_server.store.database import describe_cause
from grader.errors import SandboxFault, UsageError
from grader.reports.to_json import verdict_schema_text
from grader.sandbox.printable import printable

_log = structlog.get_logger(__name__)

_MAX_SHOWN_ERRORS: Final = 5  # most errors named in one response
_MAX_NAME_LENGTH: Final = 80  # most characters of a field's name
_MEDIA_TYPE: Final = "application/problem+json"
# Replaced by our own problem responses.
_FRAMEWORK_SCHEMAS: Final = ("HTTPValidationError", "ValidationError")
# Headers that these problems always include.
_REQUIRED_HEADERS: Final = {
    HTTPStatus.UNAUTHORIZED: "WWW-Authenticate",
    HTTPStatus.TOO_MANY_REQUESTS: "Retry-After",
}

_Entity = TypeVar("_Entity")


class ProblemBody(BaseModel):
    """The error of a request."""

    model_config = ConfigDict(title="Problem")

    type: str = Field("about:blank", description="A URI that names the kind of problem.")
    title: str = Field(description="The HTTP status in words.")
    status: int = Field(description="The HTTP status.")
    detail: str = Field(description="One sentence about this request.")


class ProblemError(Exception):
    """An exception that becomes a problem response with a status, a sentence and headers."""

    def __init__(
        self, status: HTTPStatus, detail: str, headers: dict[str, str] | None = None
    ) -> None:
        self.status = status
        self.detail = detail
        self.headers = headers
        super().__init__(detail)


def require_existing(entity: _Entity | None, kind: str) -> _Entity:
    """Return an object that was looked up by id, or raise a 404 if it is None."""
    if entity is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, f"There is no {kind} of that id.")
    return entity


def problem_responses(*statuses: HTTPStatus) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI responses for problems with these statuses."""
    schema = {"schema": {"$ref": "#/components/schemas/Problem"}}
    return {
        int(status): {
            "description": status.phrase,
            "content": {_MEDIA_TYPE: schema},
            **(describe_headers(_REQUIRED_HEADERS[status]) if status in _REQUIRED_HEADERS else {}),
        }
        for status in statuses
    }


def describe_headers(*names: str) -> dict[str, Any]:
    """Return the OpenAPI description of headers that a response always has."""
    return {"headers": {name: {"required": True, "schema": {"type": "string"}} for name in names}}


def make_problem_response(
    status: HTTPStatus, detail: str, headers: dict[str, str] | None = None
) -> JSONResponse:
    """Return a problem as a response."""
    body = ProblemBody(type="about:blank", title=status.phrase, status=int(status), detail=detail)
    return JSONResponse(body.model_dump(), int(status), headers, _MEDIA_TYPE)


async def _answer_error(request: Request, error: Exception) -> JSONResponse:
    """Answer any error as a problem, without internal details."""
    if isinstance(error, HTTPException | RequestValidationError):
        # The router checks single routes instead of all methods of a path.
        methods = request.app.allowed_methods(request.scope["path"])
        if methods and request.method not in methods:
            allow = ", ".join(sorted(methods))
            detail = f"This takes {allow}."
            return make_problem_response(HTTPStatus.METHOD_NOT_ALLOWED, detail, {"Allow": allow})
    problem = find_problem(error)
    return make_problem_response(problem.status, problem.detail, problem.headers)


def find_problem(error: Exception) -> ProblemError:
    """Return the problem that an error is for the person who made a request."""
    headers: dict[str, str] | None = None
    match error:
        case ProblemError():
            return error
        case HTTPException():
            status, detail = HTTPStatus(error.status_code), f"{error.detail}."
            headers = dict(error.headers or {})
        case RequestValidationError():
            errors = error.errors()
            sentences = list(map(_make_field_sentence, errors[:_MAX_SHOWN_ERRORS]))
            if len(errors) > _MAX_SHOWN_ERRORS:
                sentences.append(f"and {len(errors) - _MAX_SHOWN_ERRORS} more")
            status, detail = HTTPStatus.UNPROCESSABLE_ENTITY, "; ".join(sentences) + "."
        case UsageError():  # the sentence of the command line
            sentence = str(error)
            status, detail = HTTPStatus.CONFLICT, f"{sentence[:1].upper()}{sentence[1:]}."
        case SandboxFault():
            status = HTTPStatus.SERVICE_UNAVAILABLE
            detail = "Nothing can be graded here at the moment."
        case exc.OperationalError() | exc.TimeoutError():
            # A TimeoutError means that all connections are in use.
            _log.warning("the database is unreachable", error=describe_cause(error))
            status, headers = HTTPStatus.SERVICE_UNAVAILABLE, {"Retry-After": "5"}
            detail = "The database is unreachable; try again, with the same Idempotency-Key."
        case _:
            status = HTTPStatus.INTERNAL_SERVER_ERROR
            detail = "The service failed; staff can see why."
    return ProblemError(status, detail, headers)


def _make_field_sentence(error: Mapping[str, Any]) -> str:
    """Describe an invalid field without its value, which may be a submission."""
    part, *path = map(str, error["loc"])
    # The client chose the name of an unknown field.
    name = ".".join(path) or part
    return f"{printable(name)[:_MAX_NAME_LENGTH]}: {error['msg']}"


HANDLERS: Final[dict[Any, Any]] = dict.fromkeys(
    (
        *(ProblemError, HTTPException, RequestValidationError, UsageError),
        *(SandboxFault, exc.OperationalError, exc.TimeoutError, Exception),
    ),
    _answer_error,
)
"""The application's error handlers."""


class DescribedApp(FastAPI):
    """An application whose OpenAPI includes the errors common to all routes."""

    def openapi(self) -> dict[str, Any]:
        """Return the OpenAPI description."""
        if self.openapi_schema is not None:
            return self.openapi_schema
        description = super().openapi()
        schemas = description.setdefault("components", {}).setdefault("schemas", {})
        for name in _FRAMEWORK_SCHEMAS:
            schemas.pop(name, None)
        schemas["Problem"] = ProblemBody.model_json_schema()
        types = verdict_schema_text().replace("#/$defs/", "#/components/schemas/")
        schemas |= json.loads(types)["$defs"]
        (failure_response,) = problem_responses(HTTPStatus.SERVICE_UNAVAILABLE).values()
        failure_response["description"] = "The service failed, or its database is unreachable."
        for operations in description["paths"].values():
            for operation in operations.values():
                responses = operation["responses"]
                statuses = [HTTPStatus.UNPROCESSABLE_ENTITY] if "422" in responses else []
                if "requestBody" in operation:
                    statuses += [HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_ENTITY_TOO_LARGE]
                responses.update(
                    {
                        str(status): response
                        for status, response in problem_responses(*statuses).items()
                    }
                )
                responses["5XX"] = failure_response
        return description

    def allowed_methods(self, path: str) -> set[str]:
        """Return the methods of a described path, or an empty set."""
        paths: dict[str, dict[str, Any]] = self.openapi()["paths"]
        operations = paths.get(path) or next(
            (paths[pattern] for pattern in paths if compile_path(pattern)[0].fullmatch(path)), {}
        )
        return set(map(str.upper, operations))
