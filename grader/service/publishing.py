"""Writes results of grading to the store, in a thread: those that are ready share a transaction."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

import structlog
from sqlalchemy import Connection
from sqlalchemy.exc import DataError, IntegrityError, OperationalError

from grader.grading.results.verdict import Verdict
from grader.service.store import submissions, verdicts
from grader.service.store.database import Database, is_conflict
from grader.service.store.submissions import Submitted
from grader.service.store.verdicts import GradingRun, StoredVerdict

_MOST: Final = 64  # results in one transaction
_TRIES: Final = 3  # of a transaction that the database undid for the sake of another

# What a result's own values cause: the next attempt would fail alike.
_ITS_OWN: Final = (DataError, IntegrityError, ValueError, TypeError, LookupError, ArithmeticError)

_log = structlog.get_logger(__name__)

Notify: TypeAlias = Callable[[Exception | None], None]
"""Completion callback: called once, from any thread, with the error or None."""


@dataclass(frozen=True, slots=True)
class GradingRequest:
    """A request for the verdict on a source.

    Attributes:
        exercise: its id.
        source_hash: the source.
        publish: called with the verdict, in the transaction that stores it.
        give_up: called with the reason why there is none, in a transaction.
        notify: called when the attempt is over.
        order: of requests in one transaction, lest two processes wait for each other.
    """

    exercise: str
    source_hash: str
    publish: Callable[[Connection, StoredVerdict], object]
    give_up: Callable[[Connection, str], object]
    notify: Notify
    order: str = ""


def for_submission(submitted: Submitted, notify: Notify) -> GradingRequest:
    """Return the request to grade a submission that waits."""
    return GradingRequest(
        submitted.exercise,
        submitted.source_hash,
        lambda connection, kept: verdicts.publish_waiting(connection, submitted, kept),
        lambda connection, reason: submissions.mark_for_review(connection, submitted.id, reason),
        notify,
        order=submitted.person_id,
    )


@dataclass(frozen=True, slots=True)
class NewVerdict:
    """A verdict that is not stored yet."""

    verdict: Verdict
    run: GradingRun


Result: TypeAlias = NewVerdict | StoredVerdict | Callable[[Connection], object]
"""The result of grading requests: a new verdict, a stored one, or another write."""


class Publisher:
    """Writes results, and notifies those who requested them.

    Args:
        database: the store.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._ready: list[tuple[Sequence[GradingRequest], Result]] = []
        self._thread = ThreadPoolExecutor(1, "publish")

    def put(self, requests: Sequence[GradingRequest], result: Result) -> None:
        """Write a result soon."""
        with self._lock:
            self._ready.append((requests, result))
        self._thread.submit(self._write_ready)

    def _write_ready(self) -> None:
        with self._lock:
            batch, self._ready = self._ready[:_MOST], self._ready[_MOST:]
        if batch:  # or an earlier call has written it
            self._write(batch)

    def _write(self, batch: Sequence[tuple[Sequence[GradingRequest], Result]]) -> None:
        """Write results together, or one by one where one of them cannot be written."""
        requests = [request for some, _ in batch for request in some]
        try:
            self._commit(partial(_write, batch=batch))
        except Exception as error:  # noqa: BLE001  passed on to those who requested
            if len(batch) > 1 and not isinstance(error, OperationalError):
                for each in batch:
                    self._write([each])
            elif isinstance(error, _ITS_OWN):
                self._give_up(requests, error)
            else:
                notify(requests, error)
        else:
            notify(requests, None)

    def _commit(self, write: Callable[[Connection], None]) -> None:
        for tries in range(1, _TRIES + 1):
            try:
                with self._database.write() as connection:
                    write(connection)
            except OperationalError as error:
                if tries == _TRIES or not is_conflict(error):
                    raise
            else:
                return

    def _give_up(self, requests: Sequence[GradingRequest], error: Exception) -> None:
        """Leave to staff what can never be written as it is: it would be graded for ever."""
        _log.error("a verdict cannot be written", exc_info=error)
        reason = f"its verdict cannot be written ({type(error).__name__})"
        try:
            with self._database.write() as connection:
                for request in requests:
                    request.give_up(connection, reason)
        except Exception as again:  # noqa: BLE001  passed on to those who requested
            notify(requests, again)
        else:
            notify(requests, None)


def notify(requests: Sequence[GradingRequest], error: Exception | None) -> None:
    """Call each request's completion callback; log the errors of callbacks."""
    for request in requests:
        try:
            request.notify(error)
        except Exception:  # noqa: BLE001  it is logged
            _log.exception("a completion callback failed")


def _write(
    connection: Connection, batch: Sequence[tuple[Sequence[GradingRequest], Result]]
) -> None:
    stored: list[tuple[GradingRequest, StoredVerdict]] = []
    # In one order, lest two processes wait for each other.
    for requests, result in sorted(batch, key=lambda each: each[0][0].source_hash):
        if isinstance(result, NewVerdict):
            result = verdicts.keep(connection, result.verdict, result.run)  # noqa: PLW2901  stored
        if isinstance(result, StoredVerdict):
            stored += [(request, result) for request in requests]
        else:
            result(connection)
    for request, kept in sorted(stored, key=lambda each: each[0].order):
        request.publish(connection, kept)
