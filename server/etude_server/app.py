"""The FastAPI application: routes, middleware, error handlers and health checks."""

from functools import partial
from http import HTTPStatus
from typing import Final

from fastapi import FastAPI, HTTPException

from etude_server import health, lti_routes
from etude_server.api import (
    auth,
    exercise_routes,
    gradebook_routes,
    people_routes,
    regrade_routes,
    submission_routes,
)
from etude_server.api.middleware import BodyLimit, RequestLog, SecurityHeaders
from etude_server.api.problem_details import HANDLERS, DescribedApp
from etude_server.api.rate_limits import OpenStreams, SubmissionRates
from etude_server.api.site_routes import Site
from etude_server.service import Service
from etude_server.staff import gradebook_pages, login, people_pages, regrade_pages, submission_pages
from grader import __version__

_METHODS: Final = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]


async def answer_unknown_route() -> None:
    """Answer 404 or 405 under the API's paths, where the site would answer with a page."""
    raise HTTPException(HTTPStatus.NOT_FOUND)


def create_app(service: Service) -> FastAPI:
    """Return the application of a running service."""
    settings = service.settings
    app = DescribedApp(
        title="Etude",
        version=__version__,
        description="Submit solutions of NumPy exercises and read their verdicts.",
        openapi_url="/v1/openapi.json",
        docs_url=None,  # the page of FastAPI loads scripts from another host
        redoc_url=None,
        redirect_slashes=False,  # the redirect would use the request's own host
        exception_handlers=HANDLERS,
    )
    app.state.service = service
    app.state.rates = SubmissionRates(settings.per_minute)
    app.state.streams = OpenStreams()
    app.state.is_ending = lambda: False  # returns True when event streams must end soon
    for routed in (
        *(submission_routes, exercise_routes, auth, gradebook_routes, regrade_routes),
        *(people_routes, login, submission_pages, regrade_pages, people_pages, gradebook_pages),
        lti_routes,
    ):
        app.include_router(routed.router)
    for pages in (submission_pages, people_pages):
        app.include_router(pages.staff_router)
    app.router.routes += [
        route
        for route in health.make_health_routes(service.health, service.meter)
        if settings.health_port is None or route.path != "/metrics"
    ]
    app.add_api_route(
        "/v1/{rest:path}", answer_unknown_route, methods=_METHODS, include_in_schema=False
    )
    if settings.site is not None:
        frames = partial(lti_routes.find_frame_origins, service.database)
        site = Site(settings.site, frames, has_single_sign_on=settings.oidc is not None)
        app.mount("/", site, name="site")
    larger_limits = {
        gradebook_routes.CANVAS_PATH: gradebook_routes.MAX_EXPORT_BYTES,
        gradebook_pages.CANVAS_PATH: gradebook_routes.MAX_EXPORT_BYTES,
        people_routes.IMPORT_PATH: people_routes.MAX_ROSTER_BYTES,
        people_pages.IMPORT_PATH: people_routes.MAX_ROSTER_BYTES,
    }
    app.add_middleware(BodyLimit, max_bytes=settings.max_body, larger_limits=larger_limits)
    app.add_middleware(SecurityHeaders, https=settings.is_https)
    app.add_middleware(RequestLog, meter=service.meter)
    return app
