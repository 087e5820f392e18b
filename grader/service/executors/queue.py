"""The queue on PostgreSQL: Procrastinate's tables in the store's own database.

A job is told in the transaction of its submission, so neither is ever without the other. It is a
doorbell all the same: what is pending is said by the store alone.
"""

import contextlib
import json
import threading
from collections.abc import Sequence
from typing import Any, Final, Literal, TypeAlias, cast, get_args

from procrastinate import App, PsycopgConnector
from procrastinate.jobs import Job
from procrastinate.schema import SchemaManager
from psycopg import AsyncConnection, OperationalError
from psycopg_pool import AsyncConnectionPool
from sqlalchemy import Connection, text
from sqlalchemy.exc import SQLAlchemyError

from grader.service.store.database import Database, has_hung_up

Lane: TypeAlias = Literal["interactive", "regrade"]


def lane(name: str) -> Lane:
    """Return a lane by its name.

    Raises:
        ValueError: there is none.
    """
    for each in get_args(Lane):
        if each == name:
            return cast("Lane", each)
    raise ValueError(name)


INTERACTIVE: Final[Lane] = "interactive"
REGRADE: Final[Lane] = "regrade"

GRADE: Final = "grade"
"""The task that grades one submission: `submission_id`."""

_CONNECT_SECONDS: Final = 5  # then the database is away

_RING_SECONDS: Final = 0.05  # at least between two rings, each of which wakes all who wait

_MANY: Final = 1_000  # jobs after which the planner's statistics are worthless

_DEFER: Final = text(
    "SELECT procrastinate_defer_jobs_v1(ARRAY(SELECT ROW(:lane, :task, 0, :lock, NULL, each::jsonb,"
    " NULL)::procrastinate_job_to_defer_v1 FROM unnest(CAST(:arguments AS text[])) AS each))"
)

# A notification within a transaction makes its commit wait for the flush of all others that have
# one: `Queue` rings behind it. Of a job's history, which is gone with it, nobody asks: the store
# has its own. And no job is periodic, so that there is no period that it would be taken from.
_NEEDLESS: Final = (
    "procrastinate_jobs_notify_queue_job_inserted_v1",
    "procrastinate_trigger_status_events_insert_v1",
    "procrastinate_trigger_status_events_update_v1",
    "procrastinate_trigger_delete_jobs_v1",
)
_ARE_LOUD: Final = text(
    "SELECT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = 'procrastinate_jobs'::regclass "
    "AND tgname = ANY(:needless) AND tgenabled <> 'D')"
)
_QUIET: Final = text(
    "ALTER TABLE procrastinate_jobs "
    + ", ".join(f"DISABLE TRIGGER {trigger}" for trigger in _NEEDLESS)
)
_RING: Final = text("SELECT pg_notify(:channel, :message)")
_CHANNEL: Final = "procrastinate_queue_v1#"
_MESSAGE: Final = json.dumps(
    {"type": "job_inserted", "job_id": 0}
)  # of which only the type is read

# Procrastinate's own function, as often as it finds something. It waits for no disk: who takes a
# job again that was done before finds nothing to do.
_TAKE: Final = text("""
    WITH RECURSIVE taken(job, rest, is_local) AS (
        SELECT procrastinate_fetch_job_v2(ARRAY[:lane]::varchar[], :worker),
            CAST(:most AS integer) - 1, set_config('synchronous_commit', 'off', true)
        UNION ALL
        SELECT procrastinate_fetch_job_v2(ARRAY[:lane]::varchar[], :worker), rest - 1, is_local
            FROM taken WHERE rest > 0 AND (job).id IS NOT NULL
    )
    SELECT (job).* FROM taken WHERE (job).id IS NOT NULL
""")
_FINISH: Final = text("DELETE FROM procrastinate_jobs WHERE id = ANY(:ids)")
_PUT_BACK: Final = text(
    "UPDATE procrastinate_jobs SET status = 'todo', worker_id = NULL "
    "WHERE id = ANY(:ids) AND status = 'doing' AND (worker_id IS NULL OR worker_id = :worker)"
)
_WITHOUT_A_JOB: Final = text(
    "SELECT submission_id FROM waiting WHERE NOT parked AND submission_id NOT IN "
    "(SELECT args->>'submission_id' FROM procrastinate_jobs WHERE task_name = :task) "
    "ORDER BY submission_id LIMIT 10000"
)


def defer(
    connection: Connection,
    lane: Lane,
    task: str,
    arguments: Sequence[object],
    *,
    lock: str | None = None,
) -> None:
    """Put jobs into the queue, in the caller's transaction.

    Args:
        connection: of a transaction on PostgreSQL.
        lane: which class of workers takes them.
        task: its name.
        arguments: of each job, as JSON values.
        lock: of jobs with the same one, one runs at a time.
    """
    values = [json.dumps(each) for each in arguments]
    connection.execute(_DEFER, {"lane": lane, "task": task, "arguments": values, "lock": lock})
    if len(values) >= _MANY:
        connection.execute(text("ANALYZE procrastinate_jobs"))


def take(connection: Connection, lane: Lane, worker_id: int, most: int) -> list[Job]:
    """Take jobs for a worker, the first ones first.

    Args:
        connection: to PostgreSQL, without a transaction.
        lane: which jobs.
        worker_id: Procrastinate's.
        most: how many, from 1.
    """
    asked = {"lane": lane, "worker": worker_id, "most": most}
    return [Job.from_row(dict(row)) for row in connection.execute(_TAKE, asked).mappings()]


def finish(connection: Connection, job_ids: Sequence[int]) -> None:
    """Take jobs out of the queue that are done."""
    connection.execute(_FINISH, {"ids": sorted(job_ids)})


def put_back(connection: Connection, job_ids: Sequence[int], worker_id: int) -> None:
    """Leave jobs to others that a worker took and did not begin."""
    connection.execute(_PUT_BACK, {"ids": sorted(job_ids), "worker": worker_id})


class Queue:
    """The doorbell of a server whose workers run elsewhere."""

    trouble: str | None = None  # of workers elsewhere the metrics tell: the age of the oldest job

    def __init__(self, database: Database) -> None:
        self._database = database
        self._bell = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._ring, name="bell", daemon=True)

    def enqueue(self, connection: Connection, submission_ids: Sequence[str]) -> None:
        """Put submissions into the queue, in the transaction that takes them in."""
        defer(connection, INTERACTIVE, GRADE, [{"submission_id": each} for each in submission_ids])

    def ring(self) -> None:
        """Wake workers that wait; they look now and then also without it."""
        self._bell.set()

    def start(self) -> None:
        """Make the tables; workers are started by themselves."""
        prepare(self._database)
        self._thread.start()

    def stop(self) -> None:
        """Ring no more; workers go on."""
        self._stopping.set()
        self._bell.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _ring(self) -> None:
        """Ring behind the transactions, once for all that were committed meanwhile."""
        wanted = {"channel": f"{_CHANNEL}{INTERACTIVE}", "message": _MESSAGE}
        while not self._stopping.is_set():
            self._bell.wait()
            self._bell.clear()
            # Without it workers find out by themselves.
            with contextlib.suppress(SQLAlchemyError), self._database.read() as connection:
                connection.execute(_RING, wanted)
            self._stopping.wait(_RING_SECONDS)


def defer_lost(connection: Connection) -> int:
    """Queue what waits and has no job, and return how many: the net below the queue."""
    lost = connection.execute(_WITHOUT_A_JOB, {"task": GRADE}).scalars().all()
    if lost:
        defer(connection, INTERACTIVE, GRADE, [{"submission_id": each} for each in lost])
    return len(lost)


def prepare(database: Database) -> None:
    """Make the queue's tables where they are missing."""
    with database.write() as connection:
        # Two servers that start at once would both find nothing, and both make it.
        connection.execute(text("SELECT pg_advisory_xact_lock(hashtext('etude queue'))"))
        if connection.execute(text("SELECT to_regclass('procrastinate_jobs')")).scalar() is None:
            connection.exec_driver_sql(SchemaManager.get_schema().replace("%", "%%"))
        if connection.execute(_ARE_LOUD, {"needless": list(_NEEDLESS)}).scalar():
            connection.execute(_QUIET)


def open_app(database: Database) -> App:
    """Return Procrastinate's application on the store's database; it is not opened yet."""
    address = database.url.set(drivername="postgresql").render_as_string(hide_password=False)
    connector = PsycopgConnector(
        conninfo=address,
        pool_factory=_pool,
        min_size=1,
        max_size=4,
        timeout=_CONNECT_SECONDS,
        configure=_configure,
        kwargs={"connect_timeout": _CONNECT_SECONDS},
    )
    return App(connector=connector)


def _pool(**given: Any) -> AsyncConnectionPool:  # noqa: ANN401  as Procrastinate gives them
    return AsyncConnectionPool(**{**given, "check": _refuse_the_dead})


async def _configure(connection: AsyncConnection) -> None:
    """Let each statement be a transaction, and wait for no disk, as in `take`."""
    await connection.set_autocommit(True)
    await connection.execute("SET synchronous_commit = off")


async def _refuse_the_dead(connection: AsyncConnection) -> None:
    """Have a connection replaced that the server hung up on, without asking it.

    Raises:
        OperationalError: it did.
    """
    if has_hung_up(connection.fileno()):
        raise OperationalError("the server has hung up")
