"""The FastAPI application: routes, middleware and error handlers."""

from functools import partial
from http import HTTPStatus
from typing import Final

from fastapi import FastAPI, HTTPException

from grader import __version__
from grader.service.api import (
    by_hand_routes,
    exercise_routes,
    gradebook_routes,
    health_routes,
    lti_routes,
    oidc_routes,
    people_routes,
    regrade_routes,
    session_routes,
    staff_routes,
    submission_routes,
)
from grader.service.api.event_streams import Watcher
from grader.service.api.middleware import BodyCap, CarefulHeaders
from grader.service.api.openapi import DescribedApp
from grader.service.api.problem_details import handle_problems
from grader.service.api.rate_limits import Rates, Streams
from grader.service.api.site_routes import Site
from grader.service.logs import Logged
from grader.service.lti.keys import PlatformKeys
from grader.service.metrics import Metered
from grader.service.service import AppContext
from grader.service.staff import (
    by_hand_pages,
    gradebook_pages,
    login,
    people_pages,
    regrade_pages,
    unsent_grades,
)
from grader.service.staff import submission_pages as staff

_METHODS: Final = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]


async def nowhere() -> None:
    """Answer what no route of the API takes: else the site would, with a page.

    Raises:
        HTTPException: 404, or 405 where another method is taken.
    """
    raise HTTPException(HTTPStatus.NOT_FOUND)


def create_app(context: AppContext) -> FastAPI:
    """Return the application of a running service."""
    app = DescribedApp(
        title="Etude",
        version=__version__,
        description="Submit solutions of NumPy exercises and see what they came to.",
        openapi_url="/v1/openapi.json",
        docs_url=None,  # its page loads scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,  # it would lead to the host that a request names
    )
    app.state.context = context
    app.state.rates = Rates(context.settings.per_minute)
    app.state.streams = Streams(context.settings.max_streams)
    app.state.watcher = Watcher(context.database)
    app.state.platform_keys = PlatformKeys()
    handle_problems(app, app.methods_of)
    for router in (
        submission_routes.router,
        exercise_routes.router,
        session_routes.router,
        health_routes.router,
        staff_routes.router,
        gradebook_routes.router,
        regrade_routes.router,
        people_routes.router,
        by_hand_routes.router,
        login.router,
        staff.router,
        staff.inside,
        regrade_pages.router,
        unsent_grades.router,
        people_pages.router,
        people_pages.inside,
        by_hand_pages.router,
        by_hand_pages.of_person,
        gradebook_pages.router,
        lti_routes.router,
        oidc_routes.router,
    ):
        app.include_router(router)
    app.add_api_route("/v1/{rest:path}", nowhere, methods=_METHODS, include_in_schema=False)
    if context.settings.site is not None:
        frames = partial(lti_routes.frame_origins, context.database)
        has_single_sign_on = context.settings.oidc is not None
        site = Site(context.settings.site, frames, has_single_sign_on=has_single_sign_on)
        app.mount("/", site, name="site")
    roomy = {
        gradebook_routes.CANVAS_PATH: gradebook_routes.MAX_EXPORT,
        gradebook_pages.CANVAS_PATH: gradebook_routes.MAX_EXPORT,
        people_routes.IMPORT_PATH: people_routes.MAX_ROSTER,
        people_pages.IMPORT_PATH: people_routes.MAX_ROSTER,
    }
    settings = context.settings
    app.add_middleware(
        BodyCap, most=settings.max_body, roomy=roomy, seconds=settings.client_seconds
    )
    app.add_middleware(CarefulHeaders, https=context.settings.is_https)
    app.add_middleware(Metered, meter=context.meter)
    app.add_middleware(Logged)
    return app
