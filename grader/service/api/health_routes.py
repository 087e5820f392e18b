"""`/livez`, `/readyz` and `/metrics`: health checks and metrics for operators."""

from http import HTTPStatus

from fastapi import APIRouter, Response

from grader.service import health
from grader.service.api.auth import ContextOf
from grader.service.api.problem_details import ProblemError
from grader.service.metrics import MEDIA_TYPE

router = APIRouter(include_in_schema=False)


@router.get("/livez")
def livez() -> Response:
    """Return that the server is alive."""
    return _response(*health.live())


@router.get("/readyz")
def readyz(service: ContextOf) -> Response:
    """Return whether submissions can be accepted and graded."""
    return _response(*health.ready(service.health))


@router.get("/metrics")
def metrics(service: ContextOf) -> Response:
    """Return the metrics for Prometheus, unless they have a port of their own.

    Raises:
        ProblemError: it has.
    """
    if service.settings.health_port is not None:
        raise ProblemError(HTTPStatus.NOT_FOUND, "Not Found.")
    return _response(HTTPStatus.OK, MEDIA_TYPE, service.meter.exposition())


def _response(status: HTTPStatus, media_type: str, body: bytes) -> Response:
    return Response(body, status, media_type=media_type, headers={"Cache-Control": "no-store"})
