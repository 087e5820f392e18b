"""The queue on PostgreSQL: Procrastinate's tables in the store's own database.

A job is told in the transaction of its submission, so neither is ever without the other. It is a
doorbell all the same: what is pending is said by the store alone.
"""

import json
from collections.abc import Sequence
from typing import Any, Final, Literal, TypeAlias, cast, get_args

from procrastinate import App, PsycopgConnector
from procrastinate.schema import SchemaManager
from psycopg import AsyncConnection, OperationalError
from psycopg_pool import AsyncConnectionPool
from sqlalchemy import Connection, text

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

_CONNECT_SECONDS: Final = 5.0  # then the database is away

_MANY: Final = 1_000  # jobs after which the planner's statistics are worthless

_DEFER: Final = text(
    "SELECT procrastinate_defer_jobs_v1(ARRAY(SELECT ROW(:lane, :task, 0, :lock, NULL, each::jsonb,"
    " NULL)::procrastinate_job_to_defer_v1 FROM unnest(CAST(:arguments AS text[])) AS each))"
)

# Nobody listens, and a notification makes commits wait for each other's. Of a job's history, which
# is gone with it, nobody asks either: the store has its own.
_NEEDLESS: Final = (
    "procrastinate_jobs_notify_queue_job_inserted_v1",
    "procrastinate_trigger_status_events_insert_v1",
    "procrastinate_trigger_status_events_update_v1",
)
_QUIET: Final = text(
    "ALTER TABLE procrastinate_jobs "
    + ", ".join(f"DISABLE TRIGGER {trigger}" for trigger in _NEEDLESS)
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


class Queue:
    """The doorbell of a server whose workers run elsewhere."""

    trouble: str | None = None  # of workers elsewhere the metrics tell: the age of the oldest job

    def __init__(self, database: Database) -> None:
        self._database = database

    def enqueue(self, connection: Connection, submission_ids: Sequence[str]) -> None:
        """Put submissions into the queue, in the transaction that takes them in."""
        defer(connection, INTERACTIVE, GRADE, [{"submission_id": each} for each in submission_ids])

    def ring(self) -> None:
        """Do nothing: workers look twice a second."""

    def start(self) -> None:
        """Make the tables; workers are started by themselves."""
        prepare(self._database)

    def stop(self) -> None:
        """Do nothing: workers go on."""


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
        configure=_let_commits_be,
        kwargs={"autocommit": True},  # all that Procrastinate does is one statement
    )
    return App(connector=connector)


def _pool(**given: Any) -> AsyncConnectionPool:  # noqa: ANN401  as Procrastinate gives them
    return AsyncConnectionPool(**{**given, "check": _refuse_the_dead})


async def _let_commits_be(connection: AsyncConnection) -> None:
    """Wait for no disk: who takes a job again that was done before finds nothing to do."""
    await connection.execute("SET synchronous_commit = off")


async def _refuse_the_dead(connection: AsyncConnection) -> None:
    """Have a connection replaced that the server hung up on, without asking it.

    Raises:
        OperationalError: it did.
    """
    if has_hung_up(connection.fileno()):
        raise OperationalError("the server has hung up")
