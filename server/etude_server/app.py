"""The FastAPI application: routes, middleware, error handlers, and health checks."""

from functools import partial
from http import HTTPStatus
from typing import Final

from fastapi import APIRouter, FastAPI, HTTPException, Request, Response

from etude_server import health, lti_routes
from etude_server.api import (
    auth,
    exercise_routes,
    gradebook_routes,
    people_routes,
    regrade_routes,
    submission_routes,
)
from etude_server.api.auth import ContextOf
from etude_server.api.event_streams import Watcher
from etude_server.api.middleware import BodyCap, CarefulHeaders, Recorded
from etude_server.api.problem_details import HANDLERS, DescribedApp, ProblemError
from etude_server.api.rate_limits import Rates, Streams
from etude_server.api.site_routes import Site
from etude_server.lti.keys import PlatformKeys
from etude_server.service import AppContext
from etude_server.staff import (
    gradebook_pages,
    login,
    people_pages,
    regrade_pages,
    submission_pages,
)
from grader import __version__

_METHODS: Final = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

probes = APIRouter(include_in_schema=False)


@probes.get("/livez")
@probes.get("/readyz")
@probes.get("/metrics")
def probe(request: Request, service: ContextOf) -> Response:
    """Answer a health check, or with the metrics, unless they have a port of their own."""
    path = request.scope["path"]
    found = health.respond(path, service.health, service.meter)
    if found is None or (path == "/metrics" and service.settings.health_port is not None):
        raise ProblemError(HTTPStatus.NOT_FOUND, "Not Found.")
    status, media_type, body = found
    return Response(body, status, media_type=media_type, headers={"Cache-Control": "no-store"})


async def nowhere() -> None:
    """Answer 404 or 405 to what no route of the API takes: else the site would, with a page."""
    raise HTTPException(HTTPStatus.NOT_FOUND)


def create_app(context: AppContext) -> FastAPI:
    """Return the application of a running service."""
    settings = context.settings
    app = DescribedApp(
        title="Etude",
        version=__version__,
        description="Submit solutions of NumPy exercises and see what they came to.",
        openapi_url="/v1/openapi.json",
        docs_url=None,  # its page loads scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,  # it would lead to the host that a request names
        exception_handlers=HANDLERS,
    )
    app.state.context = context
    app.state.rates = Rates(settings.per_minute)
    app.state.streams = Streams(settings.max_streams)
    app.state.watcher = Watcher(context.database)
    app.state.platform_keys = PlatformKeys()
    for router in (
        *(submission_routes.router, exercise_routes.router, auth.router, probes),
        *(gradebook_routes.router, regrade_routes.router, people_routes.router, login.router),
        *(submission_pages.router, submission_pages.inside, regrade_pages.router),
        *(people_pages.router, people_pages.inside, gradebook_pages.router, lti_routes.router),
    ):
        app.include_router(router)
    app.add_api_route("/v1/{rest:path}", nowhere, methods=_METHODS, include_in_schema=False)
    if settings.site is not None:
        frames = partial(lti_routes.frame_origins, context.database)
        site = Site(settings.site, frames, has_single_sign_on=settings.oidc is not None)
        app.mount("/", site, name="site")
    roomy = {
        gradebook_routes.CANVAS_PATH: gradebook_routes.MAX_EXPORT,
        gradebook_pages.CANVAS_PATH: gradebook_routes.MAX_EXPORT,
        people_routes.IMPORT_PATH: people_routes.MAX_ROSTER,
        people_pages.IMPORT_PATH: people_routes.MAX_ROSTER,
    }
    app.add_middleware(
        BodyCap, most=settings.max_body, roomy=roomy, seconds=settings.client_seconds
    )
    app.add_middleware(CarefulHeaders, https=settings.is_https)
    app.add_middleware(Recorded, meter=context.meter)
    return app
