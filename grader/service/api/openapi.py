"""The OpenAPI description, with every status that an operation can answer."""

import json
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI
from starlette.routing import compile_path

from grader.reports.to_json import verdict_schema_text
from grader.service.api.problem_details import ProblemBody, responses

_FRAMEWORK_S: Final = ("HTTPValidationError", "ValidationError")  # we answer with problems instead


VERDICT: Final[dict[str, Any]] = {
    "description": "The verdict.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/verdict"}}},
}
"""The response of a verdict, whose schema is that of every verdict of Etude."""


class DescribedApp(FastAPI):
    """An application whose OpenAPI includes the errors common to all routes."""

    def openapi(self) -> dict[str, Any]:
        """Return the OpenAPI description."""
        if self.openapi_schema is not None:
            return self.openapi_schema
        description = super().openapi()
        schemas = description.setdefault("components", {}).setdefault("schemas", {})
        for name in _FRAMEWORK_S:
            schemas.pop(name, None)
        schemas["Problem"] = ProblemBody.model_json_schema()
        types = verdict_schema_text().replace("#/$defs/", "#/components/schemas/")
        schemas |= json.loads(types)["$defs"]
        (failed,) = responses(HTTPStatus.SERVICE_UNAVAILABLE).values()
        for operations in description["paths"].values():
            for operation in operations.values():
                known = operation["responses"]
                general = [HTTPStatus.UNPROCESSABLE_ENTITY] if "422" in known else []
                if "requestBody" in operation:
                    general += [HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_TIMEOUT]
                    general.append(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
                known.update({str(status): each for status, each in responses(*general).items()})
                known["5XX"] = {
                    **failed,
                    "description": "The service failed, or its database is away.",
                }
        return description

    def methods_of(self, path: str) -> set[str]:
        """Return the methods that a described path allows; none if it is not described."""
        paths: dict[str, dict[str, Any]] = self.openapi()["paths"]
        found = paths.get(path) or next(
            (paths[each] for each in paths if compile_path(each)[0].fullmatch(path)), {}
        )
        return set(map(str.upper, found))
