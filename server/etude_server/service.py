"""The service as a whole: its parts, started in the only safe order."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from etude_server import logs
from etude_server.catalog import Catalog
from etude_server.grading import GradingService
from etude_server.health import Health, SelfTest, serve_health
from etude_server.job_queue import JobQueue
from etude_server.local_executor import LocalExecutor, Regrader
from etude_server.lti.sender import ScoreSender
from etude_server.metrics import Meter
from etude_server.settings import Settings
from etude_server.signed_tokens import PublicKeys
from etude_server.staff_reader import StaffReader
from etude_server.store.database import Database
from etude_server.store.migrate import upgrade_when_reachable
from etude_server.sweeper import Sweeper
from grader.errors import UsageError
from grader.grading.workers.grading_process import GradingProcess


@dataclass(frozen=True, slots=True)
class Service:
    """The parts of a running service."""

    settings: Settings
    catalog: Catalog
    database: Database
    # None if workers on other hosts do all grading.
    grading_process: GradingProcess | None
    # Has submissions graded: in a thread of this process, or by workers elsewhere.
    executor: LocalExecutor | JobQueue
    # Has regrades graded; on PostgreSQL the same object as the executor.
    regrade_queue: Regrader | JobQueue
    grading: GradingService | None  # grades previews; None without a grading process
    meter: Meter
    health: Health
    staff_reader: StaffReader
    public_keys: PublicKeys


@contextlib.contextmanager
def open_service(settings: Settings) -> Iterator[Service]:
    """Start the parts; the grading process first, before an address with a password is used."""
    with contextlib.ExitStack() as stack:
        catalog = Catalog.load(*settings.exercises)
        grading_process = None
        if settings.workers:
            grading_process = stack.enter_context(
                GradingProcess(settings.workers, stack.enter_context(logs.capture_grader_stderr()))
            )
        database = stack.enter_context(Database(settings.database_url))
        stack.enter_context(database.lock_for_server())
        upgrade_when_reachable(database)
        catalog.store_schedule(database, *settings.exercises)
        meter = Meter()
        meter.register_queue(database)
        job_queue = None if database.is_sqlite else JobQueue(database)
        grading = (
            None
            if grading_process is None
            else GradingService(database, catalog, grading_process, meter, job_queue)
        )
        executor: LocalExecutor | JobQueue
        regrade_queue: Regrader | JobQueue
        if job_queue is not None:
            executor = regrade_queue = stack.enter_context(job_queue)
        elif grading is not None:
            executor = stack.enter_context(LocalExecutor(grading))
            regrade_queue = stack.enter_context(Regrader(grading))
        else:
            raise UsageError("on SQLite the server grades by itself: --workers is at least 1")
        stack.enter_context(Sweeper(database, settings.keep_days, job_queue))
        stack.enter_context(ScoreSender(database))
        health = Health(
            database, SelfTest(grading_process, catalog), lambda: executor.unavailable_reason
        )
        if settings.health_port is not None:
            port = serve_health(settings.health_host, settings.health_port, health, meter)
            stack.enter_context(port)
        staff_reader = stack.enter_context(StaffReader(database))
        yield Service(
            settings,
            catalog,
            database,
            grading_process,
            executor,
            regrade_queue,
            grading,
            meter,
            health,
            staff_reader,
            PublicKeys(),
        )
