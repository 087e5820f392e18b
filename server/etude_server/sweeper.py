"""A thread that queues lost jobs again, and deletes expired sessions and old diagnostics.

Any number of servers and workers may run it on one database; only one at a time makes changes.
"""

import threading
from typing import Final, Self

import structlog
from procrastinate.exceptions import ConnectorException
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from etude_server.job_queue import JobQueue
from etude_server.store import people, verdicts
from etude_server.store.database import Database, describe_cause
from etude_server.store.ids import DAY_MICROSECONDS, now

_SWEEP_SECONDS: Final = 30.0  # seconds between two sweeps
_MAX_DELETED: Final = 5_000  # SQLite has one writer, which blocks others

_log = structlog.get_logger(__name__)
_TRY_SWEEP_LOCK: Final = text("SELECT pg_try_advisory_xact_lock(hashtext('etude sweep'))")


class Sweeper:
    """A thread that sweeps every `_SWEEP_SECONDS`, and once at the start; a context manager."""

    def __init__(
        self, database: Database, keep_days: int, job_queue: JobQueue | None = None
    ) -> None:
        self._database = database
        self._keep_days = keep_days
        self._job_queue = job_queue
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
        """Delete expired rows, queue lost jobs again, and return their number."""
        with self._database.write() as connection:
            if not self._database.is_sqlite and not connection.execute(_TRY_SWEEP_LOCK).scalar():
                return 0
            people.delete_expired_sessions(connection)
            before = now() - self._keep_days * DAY_MICROSECONDS
            deleted_count = verdicts.delete_old_grading_runs(connection, before, _MAX_DELETED)
        if deleted_count:
            _log.info("old grading runs deleted", count=deleted_count)
        lost_count = self._job_queue.requeue_lost_jobs() if self._job_queue is not None else 0
        if lost_count:
            _log.warning("lost jobs found", count=lost_count)
        return lost_count

    def _run(self) -> None:
        while not self._stopping.wait(_SWEEP_SECONDS):
            try:
                self.sweep()
            except (SQLAlchemyError, ConnectorException) as error:
                _log.warning("the sweep failed", error=describe_cause(error))
