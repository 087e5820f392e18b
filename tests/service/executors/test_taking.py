"""Jobs that leave the queue on PostgreSQL, with their verdicts."""

import asyncio
import os
from collections.abc import Iterable, Iterator

import psycopg
import pytest
from procrastinate.connector import Notify
from procrastinate.jobs import Job, Status
from procrastinate.testing import InMemoryConnector
from sqlalchemy import text

from benchmarks.postgres import PostgresServer
from grader.service.executors import queue
from grader.service.executors.prefetch import Takings
from grader.service.store.database import Database

_REGISTER = text("SELECT worker_id FROM procrastinate_register_worker_v1()")
_STATES = text("SELECT status::text, worker_id FROM procrastinate_jobs ORDER BY id")
_RING = '{"type": "job_inserted", "job_id": 0}'
_LOUD = text(
    "SELECT tgname FROM pg_trigger WHERE tgrelid = 'procrastinate_jobs'::regclass "
    "AND NOT tgisinternal AND tgenabled <> 'D' ORDER BY tgname"
)


@pytest.fixture
def url(postgres: PostgresServer) -> Iterator[str]:
    """A database on PostgreSQL with our tables."""
    name = f"taking_{os.urandom(8).hex()}"
    yield postgres.make(name, "etude_template")
    postgres.drop(name)


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    """The same, with the queue's tables."""
    with Database(url) as opened:
        queue.prepare(opened)
        yield opened


def _defer(database: Database, *names: str, lock: str | None = None) -> None:
    jobs = [{"submission_id": name} for name in names]
    with database.write() as connection:
        queue.defer(connection, queue.INTERACTIVE, queue.GRADE, jobs, lock=lock)


def _take(database: Database, worker_id: int, most: int) -> list[str]:
    with database.read() as connection:
        jobs = queue.take(connection, queue.INTERACTIVE, worker_id, most)
    return [str(job.task_kwargs["submission_id"]) for job in jobs]


def _worker(database: Database) -> int:
    with database.write() as connection:
        return int(connection.execute(_REGISTER).scalar_one())


def _states(database: Database) -> list[tuple[str, int | None]]:
    with database.read() as connection:
        return [(row.status, row.worker_id) for row in connection.execute(_STATES)]


def test_jobs_are_taken_several_at_once(database: Database) -> None:
    """The first ones first, at most so many, each by one worker; another lane's are left alone."""
    with database.write() as connection:
        queue.defer(connection, queue.REGRADE, "regrade", [{"regrade": "r"}])
    _defer(database, "a", "b", "c")
    first, second = _worker(database), _worker(database)
    assert _take(database, first, 2) == ["a", "b"]
    assert _take(database, second, 5) == ["c"]
    assert _take(database, second, 5) == []
    assert _states(database) == [
        ("todo", None),
        ("doing", first),
        ("doing", first),
        ("doing", second),
    ]


@pytest.mark.slow
def test_of_jobs_with_one_lock_one_is_taken(database: Database) -> None:
    """What may have killed its worker runs by itself, also if a worker takes several."""
    _defer(database, "a", "b", lock="suspects")
    _defer(database, "c")
    assert _take(database, _worker(database), 5) == ["a", "c"]


def test_jobs_that_were_not_begun_are_left_to_others(database: Database) -> None:
    """They wait again, as if nobody had taken them; what another worker has stays its own."""
    _defer(database, "a", "b")
    first, second = _worker(database), _worker(database)
    _take(database, first, 1)
    _take(database, second, 1)
    with database.write() as connection:
        ids = connection.execute(text("SELECT id FROM procrastinate_jobs")).scalars().all()
        queue.put_back(connection, ids, first)
    assert _states(database) == [("todo", None), ("doing", second)]


def test_a_ring_reaches_those_who_listen(database: Database, url: str) -> None:
    """On the channel of Procrastinate's workers, in the form that they read."""
    bell = queue.Queue(database)
    bell.start()
    try:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute('LISTEN "procrastinate_queue_v1#interactive"')
            bell.ring()
            [heard] = connection.notifies(timeout=60, stop_after=1)
    finally:
        bell.stop()
    assert '"job_inserted"' in heard.payload


def test_an_old_queue_becomes_quiet(database: Database) -> None:
    """Triggers that a database has from before are switched off at the next start."""
    with database.read() as connection:
        wanted = connection.execute(_LOUD).scalars().all()
    with database.write() as connection:
        connection.execute(text("ALTER TABLE procrastinate_jobs ENABLE TRIGGER USER"))
    queue.prepare(database)
    with database.read() as connection:
        assert connection.execute(_LOUD).scalars().all() == wanted
    assert "procrastinate_jobs_notify_queue_job_inserted_v1" not in wanted


class _Bell(InMemoryConnector):
    """A connector at which a test rings itself."""

    ring: Notify

    async def listen_notify(self, on_notification: Notify, channels: Iterable[str]) -> None:
        assert channels
        self.ring = on_notification


async def _ring(bell: _Bell) -> None:
    await bell.ring(channel="any", payload=_RING)


async def _heard(*, channel: str, notification: object) -> None:
    """Do what Procrastinate's worker does with a ring while it fetches: nothing that lasts."""
    assert channel
    assert notification


def _job(number: int) -> Job:
    return Job(id=number, queue="q", lock=None, queueing_lock=None, task_name="t", task_kwargs={})


def test_a_ring_while_nothing_was_found_is_heard() -> None:
    """A job that is told of while the queue is looked at is taken at once, not at the next look."""

    async def run() -> list[int | None]:
        connector, found = _Bell(), [[], [_job(1)], [], []]
        loop = asyncio.get_running_loop()

        def take(_worker: int, _most: int) -> list[Job]:
            if len(found) == 4:
                asyncio.run_coroutine_threadsafe(_ring(connector), loop).result()
            return found.pop(0)

        takings = Takings(connector, take, 8, lambda: 8)
        await takings.listen_for_jobs(on_notification=_heard)
        jobs = [await takings.fetch_job(None, 1), await takings.fetch_job(None, 1)]
        return [job.id if job is not None else None for job in jobs]

    assert asyncio.run(run()) == [1, None]


def test_more_are_taken_when_half_are_done() -> None:
    """Until then nobody asks the database; and those that were left over are known."""

    async def run() -> tuple[list[int], list[int]]:
        asked: list[int] = []
        numbers = iter(range(100))

        def take(_worker: int, most: int) -> list[Job]:
            asked.append(most)
            return [_job(next(numbers)) for _ in range(most)]

        takings = Takings(InMemoryConnector(), take, 8, lambda: 4)
        jobs = [await takings.fetch_job(None, 1) for _ in range(4)]
        waiting = asyncio.create_task(takings.fetch_job(None, 1))
        for job in jobs[:2]:
            await asyncio.sleep(0)
            assert asked == [4]
            assert job is not None
            await takings.finish_job(job, Status.SUCCEEDED, delete_job=True)
        assert (await waiting) is not None
        takings.close()
        return asked, takings.left()

    asked, left = asyncio.run(run())
    assert asked == [4, 2]
    assert left == [5]
