"""A worker on any host: takes jobs from the queue on PostgreSQL and has them graded here.

Its grading processes run before it reads the database's address.
"""

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

import structlog
from procrastinate import App, JobContext, RetryStrategy
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job, Status
from psycopg import Error as PsycopgError
from psycopg_pool import PoolTimeout
from sqlalchemy.exc import SQLAlchemyError

from grader.errors import SandboxFault, UsageError
from grader.service import grader_stderr, logs, regrade_jobs, regrading
from grader.service.catalog import Catalog
from grader.service.executors import queue
from grader.service.executors.prefetch import Takings, id_of
from grader.service.executors.queue import Lane
from grader.service.grading import Grading
from grader.service.grading_pool import DRAIN_SECONDS, Desk
from grader.service.health import OK, Health, HealthPort, SelfTest
from grader.service.metrics import Meter
from grader.service.publishing import Done, Wish
from grader.service.regrade_jobs import Chunk
from grader.service.store import submissions, verdicts
from grader.service.store.database import Database
from grader.service.store.migrate import upgrade
from grader.service.sweeper import SECONDS, Sweeper

_POLL_SECONDS: Final = 0.5
_BEATS: Final = 5  # that a worker has to miss to be taken for dead
_AGAIN_SECONDS: Final = 1.0  # after the database was away
_OTHERS_SECONDS: Final = 5.0  # for which jobs that cannot be done here are left to others

# Jobs in hand for each grading process: several are taken, and published, at once. But no more than
# last for a while, since those that one worker has are not there for another that has none.
_MOST_AHEAD: Final = 16
_LEAST_AHEAD: Final = 2
_AHEAD_SECONDS: Final = 0.4
_CHUNKS: Final = 2  # in hand at once: while one comes to its end the other keeps the desk busy

# Those whose worker died run one at a time anywhere, so that one that kills takes no other along.
_SUSPECTS: Final = "suspects"

_AWAY: Final = (ConnectorException, SQLAlchemyError, PsycopgError, PoolTimeout, OSError)

_Over: TypeAlias = asyncio.Future[Exception | None]

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """What a worker is told."""

    exercises: Path
    lane: Lane
    workers: int
    health_host: str = "127.0.0.1"
    health_port: int | None = None  # no port of its own without
    keep_days: int = 90  # how long diagnostics of single runs are kept
    dead_seconds: float = 10.0  # after so long without a sign of life others do a worker's jobs


def run_worker(settings: WorkerSettings, address: Callable[[], str]) -> None:
    """Grade what the queue brings until SIGTERM or SIGINT, then finish what is in hand.

    Args:
        settings: what to grade, and how much at once.
        address: reads the database's address; called once the grading processes run.

    Raises:
        UsageError, DefinitionError: the settings or the exercises are not valid.
        SandboxFault: nothing can be graded on this host.
    """
    logs.configure()
    catalog = Catalog.load(settings.exercises)
    meter = Meter()
    with contextlib.ExitStack() as stack:
        desk = stack.enter_context(
            Desk(settings.workers, stack.enter_context(grader_stderr.logged()))
        )
        self_test = SelfTest(desk, catalog)
        database = stack.enter_context(Database(address()))
        if database.is_sqlite:
            raise UsageError("workers need PostgreSQL; on SQLite `etude serve` grades by itself")
        if self_test.wait() != OK:
            raise SandboxFault(f"the self-test failed: {self_test.said}")
        meter.watch(database)
        worker = _Worker(settings, Grading(database, catalog, desk, meter))
        health = Health(database, self_test, lambda: worker.trouble)
        if settings.health_port is not None:
            port = HealthPort(settings.health_host, settings.health_port, health, meter)
            stack.enter_context(port)
        asyncio.run(worker.run())


class _Worker:
    def __init__(self, settings: WorkerSettings, grading: Grading) -> None:
        self._settings = settings
        self._grading = grading
        self._stopping = asyncio.Event()
        self._is_working = False
        self._begun: dict[int, _Over] = {}  # by the job's id

    @property
    def trouble(self) -> str | None:
        """Why nothing is graded at the moment, if that is so."""
        if self._grading.desk.trouble is not None:
            return self._grading.desk.trouble
        return None if self._is_working else "the worker is not at the queue"

    async def run(self) -> None:
        """Work until a signal; come back after the database was away.

        Raises:
            SandboxFault: nothing can be graded on this host any more.
        """
        loop = asyncio.get_running_loop()
        # As many as there are connections to the store: each begins to grade one submission.
        loop.set_default_executor(ThreadPoolExecutor(8, "store"))
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stopping.set)
        closing = asyncio.create_task(self._close_desk())
        try:
            await self._work_again_and_again()
        finally:
            closing.cancel()

    async def _close_desk(self) -> None:
        """Wait a little for what is in hand when told to stop; the queue brings the rest again."""
        await self._stopping.wait()
        await asyncio.sleep(DRAIN_SECONDS)
        await asyncio.to_thread(self._grading.desk.close)

    async def _work_again_and_again(self) -> None:
        while not self._stopping.is_set():
            try:
                await self._work()
            except _AWAY as error:
                _log.warning("the database is away", error=type(error).__name__)
            finally:
                self._is_working = False
            if self._grading.desk.trouble is not None:
                raise SandboxFault(self._grading.desk.trouble)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), _AGAIN_SECONDS)

    async def _work(self) -> None:
        """Work until told to stop, or until the database or the sandbox goes away."""
        await asyncio.to_thread(self._prepare)
        app = queue.open_app(self._grading.database)
        again = RetryStrategy(max_attempts=verdicts.MOST_FAULTS, wait=1)
        app.task(name=queue.GRADE, retry=again, pass_context=True)(self._grade)
        app.task(name=regrade_jobs.TASK, retry=again)(self._grade_again)
        if self._settings.lane == queue.INTERACTIVE:
            async with self._taking_several(app) as most, app.open_async():
                await self._run_beside(app, most, is_rung_for=True)
        else:
            async with app.open_async():
                await self._run_beside(app, _CHUNKS, is_rung_for=False)

    async def _run_beside(self, app: App, most: int, *, is_rung_for: bool) -> None:
        """Run Procrastinate's worker and what belongs to it until one of them ends."""
        working = asyncio.create_task(
            app.run_worker_async(
                queues=[self._settings.lane],
                name=f"etude-{os.getpid()}",
                concurrency=most,
                listen_notify=is_rung_for,
                fetch_job_polling_interval=_POLL_SECONDS,
                delete_jobs="always",
                install_signal_handlers=False,
                update_heartbeat_interval=self._settings.dead_seconds / _BEATS,
                stalled_worker_timeout=self._settings.dead_seconds,
            )
        )
        beside = [
            asyncio.create_task(self._stopping.wait()),
            asyncio.create_task(self._find_dead(app)),
            asyncio.create_task(self._sweep()),
        ]
        self._is_working = True
        try:
            await asyncio.wait({working, *beside}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._is_working = False
            if isinstance(app.job_manager, Takings):
                app.job_manager.close()
            for task in (*beside, working):
                task.cancel()  # which lets the jobs in hand come to their end
            results = await asyncio.gather(*beside, working, return_exceptions=True)
        for result in results:
            if isinstance(result, Exception):
                raise result

    @contextlib.asynccontextmanager
    async def _taking_several(self, app: App) -> AsyncIterator[int]:
        """Have submissions taken several at once, and give how many are in hand at most."""
        loop = asyncio.get_running_loop()
        workers = self._settings.workers
        takings = Takings(app.connector, partial(self._take, loop), workers, self._ahead)
        app.job_manager = takings
        try:
            yield _MOST_AHEAD * workers
        finally:
            self._begun.clear()
            if left := takings.left():
                await asyncio.to_thread(self._leave, left, takings.worker_id)

    def _ahead(self) -> int:
        """Return how many jobs to have in hand."""
        workers, enough = self._settings.workers, _AHEAD_SECONDS / self._grading.desk.pace
        return round(min(max(_LEAST_AHEAD * workers, enough), _MOST_AHEAD * workers))

    def _take(self, loop: asyncio.AbstractEventLoop, worker_id: int, most: int) -> list[Job]:
        """Take jobs, and begin to grade those whose submissions wait; the others are done."""
        with self._grading.database.read() as connection:
            jobs = queue.take(connection, self._settings.lane, worker_id, most)
            if not jobs:
                return []
            named = {id_of(job): str(job.task_kwargs["submission_id"]) for job in jobs}
            found = submissions.find_all_waiting(connection, sorted(set(named.values())))
            waiting = {each.id: each for each in found}
            if needless := [each for each, name in named.items() if name not in waiting]:
                queue.finish(connection, needless)
        ends: dict[int, Done] = {}
        for each in named:
            self._begun[each] = over = loop.create_future()
            ends[each] = partial(_end, loop, over)
        for each in needless:
            ends[each](None)
        self._grading.begin(
            [
                Wish(waiting[name], ends[each], each)
                for each, name in named.items()
                if name in waiting
            ]
        )
        return jobs

    def _leave(self, job_ids: Sequence[int], worker_id: int) -> None:
        with contextlib.suppress(*_AWAY), self._grading.database.read() as connection:
            queue.put_back(connection, job_ids, worker_id)

    def _prepare(self) -> None:
        upgrade(self._grading.database)
        queue.prepare(self._grading.database)

    async def _grade(self, context: JobContext, /, **_: object) -> None:
        """Wait until a submission is graded; that was begun when its job was taken."""
        error = await self._begun.pop(id_of(context.job))
        if error is not None:  # it still waits: the queue brings it again
            raise error

    async def _grade_again(self, **data: Any) -> None:  # noqa: ANN401  as a chunk has them
        """Grade a chunk of a regrade; what is left of it goes back into the queue."""
        chunk, stopping = Chunk.from_job(data), self._stopping.is_set
        if await asyncio.to_thread(regrading.do_chunk, self._grading, chunk, stopping):
            return
        await asyncio.to_thread(self._put_back, chunk)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), _OTHERS_SECONDS)

    def _put_back(self, chunk: Chunk) -> None:
        with self._grading.database.write() as connection:
            regrade_jobs.put_back(connection, chunk)

    async def _sweep(self) -> None:
        """Find what no job speaks of."""
        sweeper = Sweeper(self._grading.database, self._settings.keep_days)
        while True:
            await asyncio.to_thread(sweeper.sweep)
            await asyncio.sleep(SECONDS)

    async def _find_dead(self, app: App) -> None:
        """Give the jobs of dead workers to others; end when nothing can be graded here."""
        seconds = self._settings.dead_seconds
        while self._grading.desk.trouble is None:
            stalled = await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=seconds)
            for job in stalled:
                with contextlib.suppress(ConnectorException):  # another worker was faster
                    await self._again(app, job)
            await asyncio.sleep(seconds / _BEATS)

    async def _again(self, app: App, job: Job) -> None:
        """Queue a job again whose worker died; one that kills its workers is set aside."""
        _log.warning("a worker died", task=job.task_name, attempts=job.attempts + 1)
        if job.task_name == regrade_jobs.TASK:
            await asyncio.to_thread(self._chunk_again, job)
        elif job.attempts + 1 < verdicts.MOST_FAULTS:
            await app.job_manager.retry_job(job, lock=_SUSPECTS)
        else:
            await app.job_manager.finish_job(job, Status.FAILED, delete_job=True)
            submission_id = str(job.task_kwargs.get("submission_id", ""))
            await asyncio.to_thread(self._park, submission_id)

    def _chunk_again(self, job: Job) -> None:
        with self._grading.database.write() as connection:
            chunk = Chunk.from_job(job.task_kwargs)
            regrade_jobs.after_a_death(connection, job.id, chunk, self._grading.worker)

    def _park(self, submission_id: str) -> None:
        with self._grading.database.write() as connection:
            submissions.park(connection, submission_id, "its workers died")


def _end(loop: asyncio.AbstractEventLoop, over: _Over, error: Exception | None) -> None:
    """Tell a job that its try is over, from any thread."""
    with contextlib.suppress(RuntimeError):  # the worker has ended, and does not want to know
        loop.call_soon_threadsafe(_settle, over, error)


def _settle(over: _Over, error: Exception | None) -> None:
    if not over.done():
        over.set_result(error)
