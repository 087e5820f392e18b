"""The job queue on PostgreSQL: Procrastinate, with its tables in the store's database.

The store is authoritative, and a job is only a wake-up. A job is deferred after its transaction; if
a crash comes between the two, the sweeper defers it again. A job that runs twice has no effect the
second time.
"""

from collections.abc import Sequence
from typing import Any, Final, Literal, Self, TypeAlias

import structlog
from procrastinate import App, PsycopgConnector
from procrastinate.exceptions import ConnectorException
from sqlalchemy import text

from etude_server.store import regrades, submissions
from etude_server.store.database import Database, describe_cause

Lane: TypeAlias = Literal["interactive", "regrade"]

INTERACTIVE_LANE: Final[Lane] = "interactive"
REGRADE_LANE: Final[Lane] = "regrade"

GRADE_TASK: Final = "grade"
"""The name of the task that grades one submission, given `submission_id`."""

REGRADE_TASK: Final = "regrade"
"""The name of the task that regrades one source, given `regrade_id` and `source_hash`."""

_CONNECT_SECONDS: Final = 5  # then the database counts as unreachable
_MAX_BATCH: Final = 1_000  # most jobs in one statement
_MAX_REQUEUED: Final = 10_000  # most submissions requeued by one sweep

_log = structlog.get_logger(__name__)


class JobQueue:
    """The executor of a server whose workers run elsewhere; also a context manager."""

    # Always None: the metrics show the age of the oldest submission.
    unavailable_reason: str | None = None

    def __init__(self, database: Database) -> None:
        self._database = database
        self._app = make_procrastinate_app(database)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Connect, and create the queue's tables if they are missing."""
        self._app.open()
        with self._database.write() as connection:
            # Two servers that start at the same time would both create them.
            connection.execute(text("SELECT pg_advisory_xact_lock(hashtext('etude queue'))"))
            if not self._app.check_connection():
                self._app.schema_manager.apply_schema()

    def stop(self) -> None:
        """Disconnect; the workers continue."""
        self._app.close()

    def notify(self, submission_ids: Sequence[str]) -> None:
        """Defer a job for each submission; if that fails, the sweeper does it later."""
        try:
            self.defer_submissions(submission_ids)
        except ConnectorException as error:
            _log.warning("a job could not be queued", error=describe_cause(error))

    def defer_submissions(self, submission_ids: Sequence[str]) -> None:
        """Defer a job for each submission."""
        jobs = [{"submission_id": submission_id} for submission_id in submission_ids]
        self._defer_jobs(INTERACTIVE_LANE, GRADE_TASK, jobs)

    def defer_regrade(self, regrade_id: str, source_hashes: Sequence[str]) -> None:
        """Defer a job for each source, unless the regrade has queued jobs already."""
        queued_jobs = self._app.job_manager.list_jobs(task=REGRADE_TASK)
        if not any(job.task_kwargs["regrade_id"] == regrade_id for job in queued_jobs):
            jobs = [
                {"regrade_id": regrade_id, "source_hash": source_hash}
                for source_hash in source_hashes
            ]
            self._defer_jobs(REGRADE_LANE, REGRADE_TASK, jobs)

    def defer_source(self, regrade_id: str, source_hash: str) -> None:
        """Defer a job for one source, behind the others."""
        self._defer_jobs(
            REGRADE_LANE, REGRADE_TASK, [{"regrade_id": regrade_id, "source_hash": source_hash}]
        )

    def cancel_regrade(self, regrade_id: str) -> None:
        """Delete a regrade's jobs that no worker has begun."""
        manager = self._app.job_manager
        for job in manager.list_jobs(task=REGRADE_TASK, status="todo"):
            if job.task_kwargs["regrade_id"] == regrade_id and job.id is not None:
                manager.cancel_job_by_id(job.id, delete_job=True)

    def requeue_lost_jobs(self) -> int:
        """Defer jobs for open work that has none; return the number of submissions."""
        manager = self._app.job_manager
        # Counts first, because listing a hundred thousand jobs takes a second.
        counts = {queue["name"]: int(queue["jobs_count"]) for queue in manager.list_queues()}
        with self._database.read() as connection:
            waiting_count, _ = submissions.count_waiting_and_parked(connection)
            running = [] if counts.get(REGRADE_LANE) else regrades.list_running_regrades(connection)
            open_sources = {
                # Sources that failed since are left out; staff restarts the regrade for them.
                regrade.id: regrades.list_open_sources(
                    connection, regrade, since=regrade.created_at
                )
                for regrade in running
            }
        for regrade_id, source_hashes in open_sources.items():
            self.defer_regrade(regrade_id, source_hashes)
        if counts.get(INTERACTIVE_LANE, 0) >= waiting_count:
            return 0
        with self._database.read() as connection:
            waiting_submissions = submissions.list_waiting(connection, _MAX_REQUEUED)
        jobs = manager.list_jobs(task=GRADE_TASK)
        queued_ids = {job.task_kwargs["submission_id"] for job in jobs}
        waiting_ids = [submission.id for submission in waiting_submissions]
        lost_ids = [waiting_id for waiting_id in waiting_ids if waiting_id not in queued_ids]
        self.defer_submissions(lost_ids)
        return len(lost_ids)

    def _defer_jobs(self, lane: Lane, task: str, jobs: Sequence[dict[str, Any]]) -> None:
        deferrer = self._app.configure_task(task, queue=lane)
        for start in range(0, len(jobs), _MAX_BATCH):
            deferrer.batch_defer(*jobs[start : start + _MAX_BATCH])
        # So many new rows make PostgreSQL's statistics useless.
        if len(jobs) >= _MAX_BATCH:
            with self._database.write() as connection:
                connection.execute(text("ANALYZE procrastinate_jobs"))


def make_procrastinate_app(database: Database) -> App:
    """Return Procrastinate's application on the store's database, not opened yet."""
    address = database.url.set(drivername="postgresql").render_as_string(hide_password=False)
    connector = PsycopgConnector(
        conninfo=address,
        min_size=1,
        max_size=4,
        timeout=_CONNECT_SECONDS,
        kwargs={"connect_timeout": _CONNECT_SECONDS},
    )
    return App(connector=connector)
