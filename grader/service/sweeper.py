"""The net below everything: finds submissions that nobody is about to grade, and forgets old runs.

Any number of servers and workers may run it on one database; one at a time does the work.
"""

import threading
from typing import Final, Self

import structlog
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from grader.service import chunks
from grader.service.executors import queue
from grader.service.store import submissions, verdicts
from grader.service.store.database import Database
from grader.service.store.ids import now

SECONDS: Final = 30.0
"""Between two sweeps."""

_DAY: Final = 24 * 60 * 60 * 1_000_000  # microseconds
_AT_ONCE: Final = 5_000  # so that nobody waits long for SQLite's one writer

_log = structlog.get_logger(__name__)
_MINE: Final = text("SELECT pg_try_advisory_xact_lock(hashtext('etude sweep'))")


def sweep(database: Database, keep_days: int) -> int:
    """Let wait what was lost, and prune old diagnostics; return how many were lost."""
    with database.write() as connection:
        if not database.is_sqlite and not connection.execute(_MINE).scalar():
            return 0
        lost = len(submissions.sweep(connection))
        if not database.is_sqlite:
            lost = max(lost, queue.defer_lost(connection))
            chunks.enqueue_lost(connection)
        pruned = verdicts.prune_attempts(connection, now() - keep_days * _DAY, _AT_ONCE)
    if lost:
        _log.warning("lost submissions found", count=lost)
    if pruned:
        _log.info("old attempts pruned", count=pruned)
    return lost


class Sweeper:
    """Sweeps now and then, in a thread. Use as a context manager: the first sweep comes with it.

    Args:
        database: what is swept.
        keep_days: for how long diagnostics are kept.
    """

    def __init__(self, database: Database, keep_days: int) -> None:
        self._database = database
        self._keep_days = keep_days
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sweeper", daemon=True)

    def __enter__(self) -> Self:
        sweep(self._database, self._keep_days)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopping.wait(SECONDS):
            try:
                sweep(self._database, self._keep_days)
            except SQLAlchemyError as error:
                _log.warning("the sweep failed", error=type(error).__name__)
