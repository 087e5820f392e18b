"""Writes down what came of gradings, in a thread: what is ready at once shares a transaction.

A commit waits for the disk as long for one verdict as for many, and most of what a statement costs
stands around it. So while there is a line at the desk, and the next verdict is near, those that are
ready wait for a few more; where nobody waits behind them they are written at once.
"""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, TypeAlias

import structlog
from sqlalchemy import Connection
from sqlalchemy.exc import DataError, IntegrityError, OperationalError

from grader.grading.results.verdict import Verdict
from grader.service.executors import queue
from grader.service.grading_pool import Desk
from grader.service.store import submissions, verdicts
from grader.service.store.database import Database, is_conflict
from grader.service.store.submissions import Submitted
from grader.service.store.verdicts import Kept, Run

_ENOUGH: Final = 8  # that need not wait for more
_MOST: Final = 64  # in one transaction
_COMPANY_SECONDS: Final = 0.2  # at most, for which one waits for others
_TRIES: Final = 3  # of a transaction that met another one crosswise

# What a result's own values cause: written another time it would end alike.
_ITS_OWN: Final = (DataError, IntegrityError, ValueError, TypeError, LookupError, ArithmeticError)

_log = structlog.get_logger(__name__)

Done: TypeAlias = Callable[[Exception | None], None]
"""Called once, from any thread, when a try is over; with what kept it from a verdict."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A submission that someone wants graded."""

    submitted: Submitted
    done: Done
    job: int | None = None  # of the queue on PostgreSQL, which it leaves with its verdict


@dataclass(frozen=True, slots=True)
class Made:
    """A new verdict."""

    verdict: Verdict
    run: Run


Result: TypeAlias = Made | Kept | Callable[[Connection], object]
"""What came of a wish: a verdict, new or known, or what else is to be written."""


class Publisher:
    """Publishes, and tells those whose wish it was.

    Args:
        database: the store.
        desk: says whether there is a line.
    """

    def __init__(self, database: Database, desk: Desk) -> None:
        self._database = database
        self._desk = desk
        self._changed = threading.Condition()  # guards all of the following
        self._ready: list[tuple[Sequence[Wish], Result]] = []
        self._is_writing = False
        self._thread = ThreadPoolExecutor(1, "publish")

    def put(self, wishes: Sequence[Wish], result: Result) -> None:
        """Have a result written down, soon."""
        with self._changed:
            self._ready.append((wishes, result))
            if not self._is_writing:
                self._is_writing = True
                self._thread.submit(self._write_all)
            elif self._is_due():
                self._changed.notify()

    def _write_all(self) -> None:
        while batch := self._next():
            self._write(batch)

    def _next(self) -> list[tuple[Sequence[Wish], Result]]:
        """Return what is to be written now; nothing if there is nothing to write."""
        with self._changed:
            if self._ready:
                self._changed.wait_for(self._is_due, _COMPANY_SECONDS)
            batch, self._ready = self._ready[:_MOST], self._ready[_MOST:]
            self._is_writing = bool(batch)
            return batch

    def _is_due(self) -> bool:
        return len(self._ready) >= _ENOUGH or self._desk.in_hand <= self._desk.workers

    def _write(self, batch: Sequence[tuple[Sequence[Wish], Result]]) -> None:
        """Write together; what cannot be written takes no other along."""
        try:
            self._commit(batch)
        except Exception as error:  # noqa: BLE001  passed on, to whoever decides what comes next
            if len(batch) > 1 and not isinstance(error, OperationalError):  # which is nobody's own
                for each in batch:
                    self._write([each])
            elif isinstance(error, _ITS_OWN):
                self._set_aside(batch[0][0], error)
            else:
                _tell(batch, error)
        else:
            _tell(batch, None)

    def _commit(self, batch: Sequence[tuple[Sequence[Wish], Result]]) -> None:
        """Write in one transaction, once more if the database undid it for the sake of another."""
        for tries in range(1, _TRIES + 1):
            try:
                with self._database.write() as connection:
                    _write(connection, batch)
            except OperationalError as error:
                if tries == _TRIES or not is_conflict(error):
                    raise
            else:
                return

    def _set_aside(self, wishes: Sequence[Wish], error: Exception) -> None:
        """Leave to staff what can never be written as it is, or it would be graded for ever."""
        _log.error("a verdict cannot be written", exc_info=error)
        reason = f"its verdict cannot be written ({type(error).__name__})"
        try:
            with self._database.write() as connection:
                for wish in wishes:
                    submissions.park(connection, wish.submitted.id, reason)
                _finish(connection, wishes)
        except Exception as again:  # noqa: BLE001  passed on, as above
            tell(wishes, again)
        else:
            tell(wishes, None)


def tell(wishes: Sequence[Wish], error: Exception | None) -> None:
    """Say that a try is over; whoever cannot be told keeps no other from it."""
    for wish in wishes:
        try:
            wish.done(error)
        except Exception:  # noqa: BLE001  it is logged
            _log.exception("the end of a try could not be told")


def _tell(batch: Sequence[tuple[Sequence[Wish], Result]], error: Exception | None) -> None:
    for wishes, _ in batch:
        tell(wishes, error)


def _write(connection: Connection, batch: Sequence[tuple[Sequence[Wish], Result]]) -> None:
    made = [(result.verdict, result.run) for _, result in batch if isinstance(result, Made)]
    new = iter(verdicts.keep_all(connection, made))
    wanted: list[tuple[Submitted, Kept]] = []
    for wishes, result in batch:
        if isinstance(result, Made | Kept):
            kept = next(new) if isinstance(result, Made) else result
            wanted += [(wish.submitted, kept) for wish in wishes]
        else:
            result(connection)
    verdicts.publish_all_waiting(connection, wanted)
    _finish(connection, [wish for wishes, _ in batch for wish in wishes])


def _finish(connection: Connection, wishes: Sequence[Wish]) -> None:
    """Take the jobs of wishes out of the queue."""
    jobs = [wish.job for wish in wishes if wish.job is not None]
    if jobs:
        queue.finish(connection, jobs)
