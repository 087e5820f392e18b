"""`/livez`, `/readyz` and `/metrics`: for whoever runs the server, not for those who use it."""

from http import HTTPStatus

from fastapi import APIRouter, Response

from grader.service import health
from grader.service.api.auth import ContextOf
from grader.service.api.problem_details import ProblemError
from grader.service.metrics import MEDIA_TYPE

router = APIRouter(include_in_schema=False)


@router.get("/livez")
def livez() -> Response:
    """Say that the server lives."""
    return _response(*health.live())


@router.get("/readyz")
def readyz(service: ContextOf) -> Response:
    """Say whether it can take submissions in and have them graded."""
    return _response(*health.ready(service.health))


@router.get("/metrics")
def metrics(service: ContextOf) -> Response:
    """Return what Prometheus collects, unless it has a port of its own.

    Raises:
        ProblemError: it has.
    """
    if service.settings.health_port is not None:
        raise ProblemError(HTTPStatus.NOT_FOUND, "Not Found.")
    return _response(HTTPStatus.OK, MEDIA_TYPE, service.meter.exposition())


def _response(status: HTTPStatus, media_type: str, body: bytes) -> Response:
    return Response(body, status, media_type=media_type, headers={"Cache-Control": "no-store"})
