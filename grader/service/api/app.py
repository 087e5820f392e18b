"""The application: every route, and what holds for all of them."""

from fastapi import FastAPI

from grader import __version__
from grader.service.api import (
    exercises,
    gradebook,
    lti,
    operations,
    regrades,
    sessions,
    staff_data,
    submissions,
)
from grader.service.api.describing import DescribedApp
from grader.service.api.guards import BodyCap, CarefulHeaders
from grader.service.api.intake import Intake
from grader.service.api.pressure import Rates, Streams
from grader.service.api.problems import handle_problems
from grader.service.api.site import Site
from grader.service.api.watching import Watcher
from grader.service.logs import Logged
from grader.service.lti.keys import PlatformKeys
from grader.service.metrics import Metered
from grader.service.service import Parts
from grader.service.staff import doors, regrading, telling
from grader.service.staff import pages as staff


def create_app(parts: Parts) -> FastAPI:
    """Make the application of a running service."""
    app = DescribedApp(
        title="Etude",
        version=__version__,
        description="Hand in solutions of NumPy exercises and see what they came to.",
        openapi_url="/v1/openapi.json",
        docs_url=None,  # its page loads scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,  # it would lead to the host that a request names
    )
    app.state.parts = parts
    app.state.intake = Intake(parts)
    app.state.rates = Rates(parts.settings.per_minute)
    app.state.streams = Streams(parts.settings.max_streams)
    app.state.watcher = Watcher(parts.database)
    app.state.platform_keys = PlatformKeys()
    handle_problems(app, app.methods_of)
    for router in (submissions.router, exercises.router, sessions.router, operations.router):
        app.include_router(router)
    for router in (staff_data.router, gradebook.router, regrades.router):
        app.include_router(router)
    for pages in (doors.router, staff.router, staff.inside, regrading.router, telling.router):
        app.include_router(pages)
    app.include_router(lti.router)
    if parts.settings.site is not None:
        app.mount("/", Site(parts.settings.site), name="site")
    roomy = {gradebook.CANVAS_PATH: gradebook.MAX_EXPORT}
    settings = parts.settings
    app.add_middleware(
        BodyCap, most=settings.max_body, roomy=roomy, seconds=settings.client_seconds
    )
    app.add_middleware(CarefulHeaders, https=parts.settings.is_https)
    app.add_middleware(Metered, meter=parts.meter)
    app.add_middleware(Logged)
    return app
