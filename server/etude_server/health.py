"""Health checks: liveness, readiness, and a self-test of grading."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from http import HTTPStatus
from itertools import islice
from typing import Final

import structlog
import uvicorn
from sqlalchemy import delete, false
from sqlalchemy.exc import SQLAlchemyError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from etude_server.catalog import Catalog
from etude_server.metrics import MEDIA_TYPE, Meter
from etude_server.store.database import Database, describe_cause
from etude_server.store.migrate import is_current
from etude_server.store.tables import session
from grader.definitions.exercise import Exercise
from grader.errors import EtudeError, SandboxFault, UsageError
from grader.grading.jobs import Job
from grader.grading.results.verdict import Outcome
from grader.grading.submissions.submission import Submission
from grader.grading.workers.grading_process import GradingProcess

OK: Final = "ok"

_log = structlog.get_logger(__name__)

# A write that takes all locks of a real one, but changes nothing.
_DELETE_NOTHING: Final = delete(session).where(false())
_STARTING: Final = "the self-test is still running"
# Exercises tried until one passes.
_MAX_TESTED_EXERCISES: Final = 3
_NO_STORE: Final = {"Cache-Control": "no-store"}


class SelfTest:
    """A test of this host: a model solution, graded with its hidden tests in the real sandbox.

    An author may break one exercise, which should not stop the grading of others. So the host is
    well if one of a few exercises passes. A server without a grading process grades nothing, and
    is always well.
    """

    def __init__(self, grading_process: GradingProcess | None, catalog: Catalog) -> None:
        self._result = Future[str]()
        tested_exercises = list(islice(catalog.exercises.values(), _MAX_TESTED_EXERCISES))
        if grading_process is None or not tested_exercises:
            self._result.set_result(OK)
        else:
            threading.Thread(
                target=self._run, args=(grading_process, tested_exercises), daemon=True
            ).start()

    def _run(self, grading_process: GradingProcess, exercises: list[Exercise]) -> None:
        reasons: list[str] = []
        for exercise in exercises:
            job = Job(exercise, Submission.from_program(exercise, exercise.solution))
            future = grading_process.grade(job)
            fault = future.exception()
            if fault is None and future.result().outcome is Outcome.PASSED:
                self._result.set_result(OK)
                return
            failure = f"the model answer of {exercise.id} does not pass"
            reasons.append(str(fault) if isinstance(fault, EtudeError) else failure)
            _log.warning("a self-test failed", exercise=exercise.id, reason=reasons[-1])
            # The other exercises would fail in the same way.
            if isinstance(fault, SandboxFault):
                break
        self._result.set_result(reasons[0])

    @property
    def state(self) -> str:
        """The result of the self-test so far."""
        return self.wait() if self._result.done() else _STARTING

    def wait(self) -> str:
        """Wait for the end of the self-test, and return its result."""
        return self._result.result()


@dataclass(frozen=True, slots=True)
class Health:
    """The readiness checks of a process."""

    database: Database
    self_test: SelfTest
    # Returns the current problem with grading, or None.
    unavailable_reason: Callable[[], str | None]

    def run_checks(self) -> dict[str, str]:
        """Check everything needed to accept and grade; each result is "ok" or the problem."""
        return {
            **check_store(self.database),
            "sandbox": self.self_test.state,
            "grading": self.unavailable_reason() or OK,
        }


def check_store(database: Database) -> dict[str, str]:
    """Check that a store can be read and written, and has the tables of this version."""
    try:
        with database.read() as connection:
            try:
                migrations = OK if is_current(connection) else "a migration is missing"
            except UsageError as error:
                migrations = str(error)
        if migrations == OK:
            with database.write() as connection:
                connection.execute(_DELETE_NOTHING)
    except (SQLAlchemyError, UsageError) as error:
        # Both messages may contain the address, so only the cause is reported.
        return {"database": f"unreachable: {describe_cause(error)}", "migrations": "unknown"}
    return {"database": OK, "migrations": migrations}


def make_health_routes(health: Health, meter: Meter) -> list[Route]:
    """Return the routes of `/livez`, `/readyz` and `/metrics`."""

    def answer_livez(_request: Request) -> Response:
        return JSONResponse({"status": OK}, headers=_NO_STORE)

    def answer_readyz(_request: Request) -> Response:
        checks = health.run_checks()
        if set(checks.values()) == {OK}:
            return JSONResponse({"status": OK, "checks": checks}, headers=_NO_STORE)
        body = {"status": "not ready", "checks": checks}
        return JSONResponse(body, HTTPStatus.SERVICE_UNAVAILABLE, _NO_STORE)

    def answer_metrics(_request: Request) -> Response:
        return Response(meter.render(), media_type=MEDIA_TYPE, headers=_NO_STORE)

    return [
        Route("/livez", answer_livez),
        Route("/readyz", answer_readyz),
        Route("/metrics", answer_metrics),
    ]


@contextlib.contextmanager
def serve_health(host: str, port: int, health: Health, meter: Meter) -> Iterator[int]:
    """Serve the health routes on a separate port, any free one for 0; yield the port.

    Raises:
        UsageError: The port cannot be opened.
    """
    try:
        listener = socket.create_server((host, port))
    except OSError as error:
        raise UsageError(f"cannot listen on port {port}: {error.strerror}") from None
    app = Starlette(routes=make_health_routes(health, meter))
    server = uvicorn.Server(
        uvicorn.Config(app, log_config=None, access_log=False, server_header=False)
    )
    thread = threading.Thread(target=server.run, args=([listener],), name="health", daemon=True)
    thread.start()
    try:
        yield int(listener.getsockname()[1])
    finally:
        server.should_exit = True
        thread.join()
