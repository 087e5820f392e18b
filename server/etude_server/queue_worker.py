"""A worker on any host: takes jobs from the queue on PostgreSQL and grades them here.

Its grading processes run before it reads the database's address.
"""

import asyncio
import contextlib
import os
import signal
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
from etude_server.actions import regrades as actions
from etude_server.catalog import Catalog
from etude_server.grading import Grading, GradingRequest, for_submission
from etude_server.health import OK, Health, SelfTest, health_port
from etude_server.job_queue import GRADE_TASK, REGRADE_TASK, JobQueue, Lane, make_app
from etude_server.metrics import Meter
from etude_server.store import regrades, submissions, verdicts
from etude_server.store.database import Database, error_cause
from etude_server.store.ids import now
from etude_server.store.migrate import upgrade
from etude_server.store.regrades import Regrade
from etude_server.sweeper import SECONDS, Sweeper
from grader.errors import SandboxFault, UsageError
from grader.grading.workers.grading_pool import DRAIN_SECONDS, GradingPool

_POLL_SECONDS: Final = 0.5
_BEATS: Final = 5  # that a worker has to miss to be taken for dead
_AGAIN_SECONDS: Final = 1.0  # after the database was away
_OTHERS_SECONDS: Final = 5.0  # for which a source that cannot be graded here is left to others

_AWAY: Final = (ConnectorException, SQLAlchemyError, PsycopgError, OSError)

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """The settings of a worker."""

    exercises: Path
    lane: Lane
    workers: int
    health_host: str = "127.0.0.1"
    health_port: int | None = None  # no port of its own without
    keep_days: int = 90  # how long diagnostics of single runs are kept
    dead_after: float = 10.0  # after so long without a sign of life others do a worker's jobs


def run_worker(settings: WorkerSettings, address: Callable[[], str]) -> None:
    """Grade jobs of the queue until SIGTERM or SIGINT, then finish those in hand.

    Args:
        address: Reads the database's address; called once the grading processes run.

    Raises:
        UsageError, DefinitionError: The settings or the exercises are not valid.
        SandboxFault: Nothing can be graded on this host.
    """
    logs.configure()
    catalog = Catalog.load(settings.exercises)
    meter = Meter()
    with contextlib.ExitStack() as stack:
        pool = stack.enter_context(
            GradingPool(settings.workers, stack.enter_context(logs.grader_stderr()))
        )
        self_test = SelfTest(pool, catalog)
        database = stack.enter_context(Database(address()))
        if database.is_sqlite:
            raise UsageError("workers need PostgreSQL; on SQLite `etude serve` grades by itself")
        if self_test.wait() != OK:
            raise SandboxFault(f"the self-test failed: {self_test.state}")
        meter.watch(database)
        worker = _QueueWorker(settings, Grading(database, catalog, pool, meter))
        health = Health(database, self_test, lambda: worker.trouble)
        if settings.health_port is not None:
            port = health_port(settings.health_host, settings.health_port, health, meter)
            stack.enter_context(port)
        catalog.reload_on_hangup()
        asyncio.run(worker.run())


class _QueueWorker:
    def __init__(self, settings: WorkerSettings, grading: Grading) -> None:
        self._settings = settings
        self._grading = grading
        self._stopping = asyncio.Event()
        self._is_working = False

    @property
    def trouble(self) -> str | None:
        """The reason why nothing is graded at the moment, if that is so."""
        if self._grading.pool.trouble is not None:
            return self._grading.pool.trouble
        return None if self._is_working else "the worker is not at the queue"

    async def run(self) -> None:
        """Work until a signal; come back after the database was away.

        Raises:
            SandboxFault: Nothing can be graded on this host any more.
        """
        loop = asyncio.get_running_loop()
        # No more threads than there are connections to the store.
        loop.set_default_executor(ThreadPoolExecutor(8, "store"))
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stopping.set)
        closing = asyncio.create_task(self._close_pool())
        try:
            while not self._stopping.is_set():
                try:
                    await self._work()
                except _AWAY as error:
                    _log.warning("the database is away", error=error_cause(error))
                if self._grading.pool.trouble is not None:
                    raise SandboxFault(self._grading.pool.trouble)
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._stopping.wait(), _AGAIN_SECONDS)
        finally:
            closing.cancel()

    async def _close_pool(self) -> None:
        """Wait a little for what is in hand when told to stop; the queue brings the rest again."""
        await self._stopping.wait()
        await asyncio.sleep(DRAIN_SECONDS)
        await asyncio.to_thread(self._grading.pool.close)

    async def _work(self) -> None:
        """Work until told to stop, or until the database or the sandbox goes away."""
        database = self._grading.database
        await asyncio.to_thread(upgrade, database)
        jobs = JobQueue(database)
        try:
            await asyncio.to_thread(jobs.start)
            app = make_app(database)
            again = RetryStrategy(max_attempts=verdicts.MAX_FAULTS, wait=1)
            app.task(name=GRADE_TASK, retry=again)(self._grade)
            app.task(name=REGRADE_TASK, retry=again)(partial(self._regrade, jobs))
            async with app.open_async():
                await self._run_jobs(app, jobs)
        finally:
            await asyncio.to_thread(jobs.stop)

    async def _run_jobs(self, app: App, jobs: JobQueue) -> None:
        """Run Procrastinate's worker, and what belongs to it, until one of them ends."""
        working = asyncio.create_task(
            app.run_worker_async(
                queues=[self._settings.lane],
                name=f"etude-{os.getpid()}",
                # So that the pool is busy while some are fetched and others are published.
                concurrency=2 * self._settings.workers + 2,
                fetch_job_polling_interval=_POLL_SECONDS,
                delete_jobs="always",
                install_signal_handlers=False,
                update_heartbeat_interval=self._settings.dead_after / _BEATS,
                stalled_worker_timeout=self._settings.dead_after,
            )
        )
        beside = [
            asyncio.create_task(self._stopping.wait()),
            asyncio.create_task(self._retry_stalled(app)),
            asyncio.create_task(self._sweep(jobs)),
        ]
        self._is_working = True
        _log.info("ready", lane=self._settings.lane, workers=self._settings.workers)
        try:
            await asyncio.wait({working, *beside}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._is_working = False
            for task in (*beside, working):
                task.cancel()  # which lets the jobs in hand come to their end
            outcomes = await asyncio.gather(*beside, working, return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                raise outcome

    async def _grade(self, submission_id: str) -> None:
        """Grade a submission that still waits."""

        def find() -> submissions.StoredSubmission | None:
            with self._grading.database.read() as connection:
                return submissions.find_waiting(connection, submission_id)

        submitted = await asyncio.to_thread(find)
        if submitted is not None:
            await self._finish(for_submission(submitted))

    async def _regrade(self, jobs: JobQueue, regrade_id: str, source_hash: str) -> None:
        """Grade a source of a regrade again, or leave it to hosts that have its version."""

        def find() -> Regrade | None:
            with self._grading.database.read() as connection:
                begun = regrades.find(connection, regrade_id)
                if begun is None or begun.state != "running":
                    return None
                is_open = regrades.is_source_open(connection, begun, source_hash)
                return begun if is_open else None

        begun = await asyncio.to_thread(find)
        if begun is None:
            return
        try:
            await self._finish(actions.for_source(begun, source_hash))
        except UsageError as error:
            _log.warning("a regrade is of another version", regrade=begun.id, reason=str(error))
            await asyncio.to_thread(jobs.defer_source, regrade_id, source_hash)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), _OTHERS_SECONDS)
        else:
            end = partial(actions.end, self._grading, begun.id, "finished", actor=begun.by)
            await asyncio.to_thread(end)

    async def _finish(self, request: GradingRequest) -> None:
        """Grade what is requested; raise the error with which the queue brings it again."""
        await asyncio.wrap_future(await asyncio.to_thread(self._grading.begin, request))

    async def _sweep(self, jobs: JobQueue) -> None:
        sweeper = Sweeper(self._grading.database, self._settings.keep_days, jobs)
        while True:
            await asyncio.to_thread(sweeper.sweep)
            await asyncio.sleep(SECONDS)

    async def _retry_stalled(self, app: App) -> None:
        """Give the jobs of dead workers to others; end when nothing can be graded here."""
        manager, seconds = app.job_manager, self._settings.dead_after
        while self._grading.pool.trouble is None:
            for job in await manager.get_stalled_jobs(seconds_since_heartbeat=seconds):
                _log.warning("a worker died", task=job.task_name, attempts=job.attempts + 1)
                with contextlib.suppress(ConnectorException):  # another worker was faster
                    if job.attempts + 1 < verdicts.MAX_FAULTS:
                        # One at a time anywhere: what kills its worker takes no other along.
                        await manager.retry_job(job, lock=f"{job.task_name} suspects")
                    else:
                        await manager.finish_job(job, Status.FAILED, delete_job=True)
                        await asyncio.to_thread(self._give_up, job)
            await asyncio.sleep(seconds / _BEATS)

    def _give_up(self, job: Job) -> None:
        """Leave to staff what three workers died of."""
        arguments, reason = job.task_kwargs, "its workers died"
        with self._grading.database.write() as connection:
            if job.task_name == GRADE_TASK:
                submissions.park_submission(connection, str(arguments["submission_id"]), reason)
            elif begun := regrades.find(connection, str(arguments["regrade_id"])):
                run = verdicts.GradingRun(self._grading.worker, now(), now())
                source_hash = str(arguments["source_hash"])
                verdicts.record_fault(connection, begun.to_hash, source_hash, run, reason)
