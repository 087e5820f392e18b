"""A worker on any host, which takes jobs from the queue on PostgreSQL and grades them.

Its grading processes start before it reads the database's address.
"""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import structlog
from procrastinate import App, RetryStrategy
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job, Status
from psycopg import Error as PsycopgError
from sqlalchemy.exc import SQLAlchemyError

from etude_server import logs
from etude_server.actions import regrades as regrade_actions
from etude_server.catalog import Catalog
from etude_server.grading import GradingService, make_submission_request
from etude_server.health import OK, Health, SelfTest, serve_health
from etude_server.job_queue import GRADE_TASK, REGRADE_TASK, JobQueue, Lane, make_procrastinate_app
from etude_server.metrics import Meter
from etude_server.store import regrades, submissions, verdicts
from etude_server.store.database import Database, describe_cause
from etude_server.store.ids import now
from etude_server.store.migrate import upgrade_store
from etude_server.sweeper import Sweeper
from grader.errors import SandboxFault, UsageError
from grader.grading.workers.grading_process import DRAIN_SECONDS, GradingProcess

_POLL_SECONDS: Final = 0.5
# Missed heartbeats after which a worker counts as dead.
_HEARTBEATS_UNTIL_DEAD: Final = 5
_OTHER_THREADS: Final = 4  # threads beside one for each job
_RECONNECT_SECONDS: Final = 1.0  # pause while the database is unreachable
# Delay of a source that this host cannot grade, so that others take it.
_WRONG_VERSION_PAUSE: Final = 5.0

# Attempts at a job that fails or whose host dies. What happens inside a host is tried again there.
_MAX_ATTEMPTS: Final = 3

_DATABASE_ERRORS: Final = (ConnectorException, SQLAlchemyError, PsycopgError, OSError)

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """The settings of a worker."""

    exercises: tuple[Path, ...]
    lane: Lane
    workers: int
    health_host: str = "127.0.0.1"
    health_port: int | None = None  # None for no health port
    keep_days: int = 90  # days for which diagnostics of single runs are kept
    # Seconds without a heartbeat after which others take over a worker's jobs.
    dead_after: float = 10.0


def run_worker(settings: WorkerSettings, address: Callable[[], str]) -> None:
    """Grade jobs of the queue until SIGTERM or SIGINT, then finish those in progress.

    Args:
        address: Returns the database's address; called once the grading processes run.

    Raises:
        UsageError, DefinitionError: The settings or the exercises are invalid.
        SandboxFault: This host cannot grade.
    """
    logs.configure_logs()
    catalog = Catalog.load(*settings.exercises)
    meter = Meter()
    with contextlib.ExitStack() as stack:
        grading_process = stack.enter_context(
            GradingProcess(settings.workers, stack.enter_context(logs.capture_grader_stderr()))
        )
        self_test = SelfTest(grading_process, catalog)
        database = stack.enter_context(Database(address()))
        if database.is_sqlite:
            raise UsageError("workers need PostgreSQL; on SQLite `etude serve` grades by itself")
        if self_test.wait() != OK:
            raise SandboxFault(f"the self-test failed: {self_test.state}")
        meter.register_queue(database)
        worker = _QueueWorker(settings, GradingService(database, catalog, grading_process, meter))
        health = Health(database, self_test, lambda: worker.unavailable_reason)
        if settings.health_port is not None:
            port = serve_health(settings.health_host, settings.health_port, health, meter)
            stack.enter_context(port)
        catalog.reload_on_hangup()
        asyncio.run(worker.run())


class _QueueWorker:
    def __init__(self, settings: WorkerSettings, grading: GradingService) -> None:
        self._settings = settings
        self._grading = grading
        self._stopping = asyncio.Event()
        self._is_working = False
        # More jobs than workers, so that the pool stays busy while others are fetched or published.
        self._max_jobs = 2 * settings.workers + 2

    @property
    def unavailable_reason(self) -> str | None:
        """The reason why nothing is being graded, or None."""
        if self._grading.process.unavailable_reason is not None:
            return self._grading.process.unavailable_reason
        return None if self._is_working else "the worker is not at the queue"

    async def run(self) -> None:
        """Work until a signal; reconnect after the database was unreachable.

        Raises:
            SandboxFault: This host can no longer grade.
        """
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(self._max_jobs + _OTHER_THREADS, "jobs"))
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stopping.set)
        close_task = asyncio.create_task(self._close_pool())
        try:
            while not self._stopping.is_set():
                try:
                    await self._serve_queue()
                except _DATABASE_ERRORS as error:
                    _log.warning("the database is unreachable", error=describe_cause(error))
                if self._grading.process.unavailable_reason is not None:
                    raise SandboxFault(self._grading.process.unavailable_reason)
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._stopping.wait(), _RECONNECT_SECONDS)
        finally:
            close_task.cancel()

    async def _close_pool(self) -> None:
        """Wait briefly for work in progress; the queue retries the rest."""
        await self._stopping.wait()
        await asyncio.sleep(DRAIN_SECONDS)
        await asyncio.to_thread(self._grading.process.close)

    async def _serve_queue(self) -> None:
        """Work until told to stop, or until the database or the sandbox fails."""
        database = self._grading.database
        await asyncio.to_thread(upgrade_store, database)
        job_queue = JobQueue(database)
        with contextlib.ExitStack() as stack:
            stack.callback(job_queue.stop)
            await asyncio.to_thread(job_queue.start)
            sweeper = Sweeper(database, self._settings.keep_days, job_queue)
            await asyncio.to_thread(stack.enter_context, sweeper)
            app = make_procrastinate_app(database)
            retry = RetryStrategy(max_attempts=_MAX_ATTEMPTS, wait=1)
            app.task(name=GRADE_TASK, retry=retry)(self._grade_submission)
            app.task(name=REGRADE_TASK, retry=retry)(partial(self._regrade_source, job_queue))
            async with app.open_async():
                await self._run_jobs(app)

    async def _run_jobs(self, app: App) -> None:
        """Run Procrastinate's worker until a signal, or until this host can no longer grade."""
        worker_task = asyncio.create_task(
            app.run_worker_async(
                queues=[self._settings.lane],
                name=f"etude-{os.getpid()}",
                concurrency=self._max_jobs,
                fetch_job_polling_interval=_POLL_SECONDS,
                delete_jobs="always",
                install_signal_handlers=False,
                update_heartbeat_interval=self._settings.dead_after / _HEARTBEATS_UNTIL_DEAD,
                stalled_worker_timeout=self._settings.dead_after,
            )
        )
        background_tasks = [
            asyncio.create_task(self._stopping.wait()),
            asyncio.create_task(self._retry_stalled(app)),
        ]
        self._is_working = True
        _log.info("ready", lane=self._settings.lane, workers=self._settings.workers)
        try:
            await asyncio.wait(
                {worker_task, *background_tasks}, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            self._is_working = False
            for task in (*background_tasks, worker_task):
                task.cancel()  # lets the jobs in progress finish
            outcomes = await asyncio.gather(*background_tasks, worker_task, return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                raise outcome

    def _grade_submission(self, submission_id: str) -> None:
        """Grade a submission if it still waits; raise an error, so that the queue tries again."""
        with self._grading.database.read() as connection:
            submission = submissions.find_waiting(connection, submission_id)
        if submission is not None:
            self._grading.start(make_submission_request(submission)).result()

    def _regrade_source(self, job_queue: JobQueue, regrade_id: str, source_hash: str) -> None:
        """Regrade a source, or leave it to hosts with the right version of the exercise."""
        with self._grading.database.read() as connection:
            regrade = regrades.find_regrade(connection, regrade_id)
        if regrade is None or regrade.state != "running":
            return
        try:
            self._grading.start(regrade_actions.make_source_request(regrade, source_hash)).result()
        except UsageError as error:
            _log.warning("a regrade is of another version", regrade=regrade.id, reason=str(error))
            job_queue.defer_source(regrade_id, source_hash)
            time.sleep(_WRONG_VERSION_PAUSE)
        else:
            regrade_actions.end_regrade(self._grading, regrade.id, "finished", actor=regrade.by)

    async def _retry_stalled(self, app: App) -> None:
        """Give the jobs of dead workers to others; end when this host can no longer grade."""
        manager, seconds = app.job_manager, self._settings.dead_after
        while self._grading.process.unavailable_reason is None:
            for job in await manager.get_stalled_jobs(seconds_since_heartbeat=seconds):
                _log.warning("a worker died", task=job.task_name, attempts=job.attempts + 1)
                # ConnectorException: another worker was faster.
                with contextlib.suppress(ConnectorException):
                    if job.attempts + 1 < _MAX_ATTEMPTS:
                        # One suspect at a time on all hosts, so that a job that kills its worker
                        # affects no other.
                        await manager.retry_job(job, lock=f"{job.task_name} suspects")
                    else:
                        await manager.finish_job(job, Status.FAILED, delete_job=True)
                        await asyncio.to_thread(self._give_up, job)
            await asyncio.sleep(seconds / _HEARTBEATS_UNTIL_DEAD)

    def _give_up(self, job: Job) -> None:
        """Leave a job that has killed three workers to staff."""
        arguments, reason = job.task_kwargs, "its workers died"
        with self._grading.database.write() as connection:
            if job.task_name == GRADE_TASK:
                submissions.park_submission(connection, str(arguments["submission_id"]), reason)
            elif regrade := regrades.find_regrade(connection, str(arguments["regrade_id"])):
                grading_run = verdicts.GradingRun(self._grading.worker_name, now(), now())
                source_hash = str(arguments["source_hash"])
                verdicts.record_fault(connection, regrade.to_hash, source_hash, grading_run, reason)
