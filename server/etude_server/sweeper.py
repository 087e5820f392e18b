"""A thread that requeues lost submissions, and deletes expired sessions and old diagnostics.

Any number of servers and workers may run it on one database; only one at a time makes changes.
"""

import threading
from typing import Final, Self

import structlog
from procrastinate.exceptions import ConnectorException
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from etude_server.job_queue import JobQueue
from etude_server.store import people, submissions, verdicts
from etude_server.store.database import Database, describe_cause
from etude_server.store.ids import DAY_MICROSECONDS, now

SWEEP_SECONDS: Final = 30.0
"""Seconds between two sweeps."""

_MAX_DELETED: Final = 5_000  # SQLite has one writer, which blocks others

_log = structlog.get_logger(__name__)
_TRY_SWEEP_LOCK: Final = text("SELECT pg_try_advisory_xact_lock(hashtext('etude sweep'))")


class Sweeper:
    """Sweeps every `SWEEP_SECONDS` in a thread, and once at the start; a context manager.

    Only the first sweep checks all submissions: one transaction both accepts and queues a
    submission, so only manual changes can lose one. Jobs on PostgreSQL may get lost at any time.
    """

    def __init__(
        self, database: Database, keep_days: int, job_queue: JobQueue | None = None
    ) -> None:
        self._database = database
        self._keep_days = keep_days
        self._job_queue = job_queue
        self._is_first = True
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sweeper", daemon=True)

    def __enter__(self) -> Self:
        self.sweep()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._thread.join()

    def sweep(self) -> int:
        """Requeue lost submissions, delete expired rows, and return the number requeued."""
        lost_count = 0
        with self._database.write() as connection:
            if not self._database.is_sqlite and not connection.execute(_TRY_SWEEP_LOCK).scalar():
                return 0
            if self._is_first:
                lost_count = len(submissions.requeue_lost_submissions(connection))
            people.delete_expired_sessions(connection)
            before = now() - self._keep_days * DAY_MICROSECONDS
            deleted_count = verdicts.delete_old_grading_runs(connection, before, _MAX_DELETED)
        if self._job_queue is not None:
            lost_count = max(lost_count, self._job_queue.requeue_lost_jobs())
        self._is_first = False
        if lost_count:
            _log.warning("lost submissions found", count=lost_count)
        if deleted_count:
            _log.info("old grading runs deleted", count=deleted_count)
        return lost_count

    def _run(self) -> None:
        while not self._stopping.wait(SWEEP_SECONDS):
            try:
                self.sweep()
            except (SQLAlchemyError, ConnectorException) as error:
                _log.warning("the sweep failed", error=describe_cause(error))
