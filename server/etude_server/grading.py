"""The path of a grading request to its verdict: a stored one, or a new one from the pool.

The process may die at any point: no effect happens twice, and unpublished submissions still wait.
Results are written in a thread, where those that are ready share a transaction.
"""

import os
import socket
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final, TypeAlias

import structlog
from sqlalchemy import Connection
from sqlalchemy.exc import DataError, IntegrityError, OperationalError

from etude_server.catalog import Catalog
from etude_server.job_queue import JobQueue
from etude_server.metrics import Meter
from etude_server.store import submissions, verdicts
from etude_server.store.database import Database
from etude_server.store.ids import now
from etude_server.store.submissions import StoredSubmission
from etude_server.store.verdicts import GradingRun, StoredVerdict, VerdictKey
from grader import __version__
from grader.errors import EtudeError, SandboxFault, UsageError
from grader.grading.results.jobs import Job
from grader.grading.results.verdict import Verdict
from grader.grading.submissions.file_kinds import NOTEBOOK, file_kind
from grader.grading.submissions.submission import Submission
from grader.grading.workers.grading_pool import GradingPool

_UNKNOWN: Final = "there is no such exercise any more"
# Attempts may quote the program's output.
_GIVEN_UP: Final = "it could not be graded; its attempts say why"
_MAX_RESULTS: Final = 64  # most results in one transaction
# Tries of a transaction that conflicts with another one.
_TRIES: Final = 3
_CONFLICTS: Final = frozenset({"40001", "40P01"})  # PostgreSQL: serialization failure, deadlock

# Errors caused by the result's own values, which would occur again on every attempt.
_BAD_DATA: Final = (DataError, IntegrityError, ValueError, TypeError, LookupError, ArithmeticError)

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class GradingRequest:
    """A request for the verdict on a source."""

    exercise: str
    source_hash: str
    # Called in the transaction that stores the verdict.
    publish: Callable[[Connection, StoredVerdict], object]
    give_up: Callable[[Connection, str], None]  # called in a transaction, with the reason
    order: str = ""  # sort key within one transaction, to avoid deadlocks
    version: str = ""  # the exercise's digest, or "" for the loaded version
    # Completed after the attempt, with the error if there is no verdict.
    done: Future[None] = field(default_factory=Future)


def for_submission(submitted: StoredSubmission) -> GradingRequest:
    """Return the request to grade a waiting submission."""
    return GradingRequest(
        submitted.exercise,
        submitted.source_hash,
        lambda connection, stored: verdicts.publish_if_waiting(connection, submitted, stored),
        lambda connection, reason: submissions.park_submission(connection, submitted.id, reason),
        order=submitted.person_id,
    )


Write: TypeAlias = Callable[[Connection], StoredVerdict | None]
"""Writes a job's effects in a transaction; returns the verdict to publish, or None."""

_Ready: TypeAlias = tuple[Sequence[GradingRequest], Write]


class Publisher:
    """Writes results, and notifies those who requested them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._ready: list[_Ready] = []
        self._thread = ThreadPoolExecutor(1, "publish")

    def put(self, requests: Sequence[GradingRequest], write: Write) -> None:
        """Queue a result to be written soon."""
        with self._lock:
            self._ready.append((requests, write))
        self._thread.submit(self._write_ready)

    def _write_ready(self) -> None:
        with self._lock:
            batch, self._ready = self._ready[:_MAX_RESULTS], self._ready[_MAX_RESULTS:]
        if batch:  # an earlier call may have written everything
            self._write(batch)

    def _write(self, batch: Sequence[_Ready]) -> None:
        """Write results in one transaction, or one by one if one of them cannot be written."""
        requests = [request for some, _ in batch for request in some]
        for tries in range(1, _TRIES + 1):
            try:
                with self._database.write() as connection:
                    _publish(connection, batch)
            except OperationalError as error:
                if tries == _TRIES or getattr(error.orig, "sqlstate", None) not in _CONFLICTS:
                    notify(requests, error)
                    return
            except Exception as error:  # noqa: BLE001  passed on to those who requested
                if len(batch) > 1:
                    for result in batch:
                        self._write([result])
                elif isinstance(error, _BAD_DATA):
                    self._give_up(requests, error)
                else:
                    notify(requests, error)
                return
            else:
                notify(requests, None)
                return

    def _give_up(self, requests: Sequence[GradingRequest], error: Exception) -> None:
        """Leave a result that can never be written to staff, or it would be graded forever."""
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


def _publish(connection: Connection, batch: Sequence[_Ready]) -> None:
    stored: list[tuple[GradingRequest, StoredVerdict]] = []
    # Sorted, to avoid deadlocks.
    for requests, write in sorted(batch, key=lambda result: result[0][0].source_hash):
        verdict = write(connection)
        if verdict is not None:
            stored += [(request, verdict) for request in requests]
    for request, verdict in sorted(stored, key=lambda each: each[0].order):
        request.publish(connection, verdict)


def notify(requests: Sequence[GradingRequest], error: Exception | None) -> None:
    """Complete each request's future."""
    for request in requests:
        if error is None:
            request.done.set_result(None)
        else:
            request.done.set_exception(error)


class Grading:
    """Grades requests; of identical code that is being graded, only one copy.

    The job queue, on PostgreSQL, is for regrades that begin here.
    """

    def __init__(
        self,
        database: Database,
        catalog: Catalog,
        pool: GradingPool,
        meter: Meter | None = None,
        queue: JobQueue | None = None,
    ) -> None:
        self.database = database
        self.catalog = catalog
        self.pool = pool
        self.meter = meter or Meter()
        self.queue = queue
        self._lock = threading.Lock()
        self._in_hand: dict[VerdictKey, list[GradingRequest]] = {}
        self._publisher = Publisher(database)

    @cached_property
    def worker(self) -> str:
        """The name of this process in the diagnostics."""
        return f"{socket.gethostname()}:{os.getpid()}"

    def begin(self, request: GradingRequest) -> Future[None]:
        """Begin to grade, and return the request's future."""
        # Cancelling the future does not cancel the grading.
        request.done.set_running_or_notify_cancel()
        self._begin(request)
        return request.done

    def _begin(self, request: GradingRequest) -> None:
        exercise = self.catalog.find(request.exercise)
        if exercise is None and not request.version:
            self._publisher.put([request], lambda c: request.give_up(c, _UNKNOWN))
            return
        loaded = exercise.digest if exercise is not None else ""
        version = request.version or loaded
        key = VerdictKey(version, request.source_hash, __version__)
        try:
            with self.database.read() as connection:
                if version == loaded:
                    stored = verdicts.find_verdict(connection, key)
                # Older versions are not graded again; their last verdict is published.
                else:
                    stored = verdicts.find_latest_verdict(connection, version, request.source_hash)
                is_final = stored is not None and (
                    version != loaded or verdicts.IS_ERASED not in stored.body
                )
                text = "" if is_final else submissions.read_source(connection, request.source_hash)
            # A text means that another person submitted an erased program again.
            if stored is not None and not text:
                self._publisher.put([request], lambda _: stored)
                return
            if exercise is None or version != loaded:
                reason = f"{request.exercise} is not version {version[:12]} here"
                notify([request], UsageError(reason))
                return
            data = text.encode()
            suffix = "ipynb" if file_kind(data) == NOTEBOOK else "py"
            whole = Submission.from_bytes(Path(f"{exercise.id}.{suffix}"), data)
            source = whole.part_for(exercise)
        except Exception as error:  # noqa: BLE001  passed on with the request
            notify([request], error)
            return
        with self._lock:
            if key in self._in_hand:
                self._in_hand[key].append(request)
                return
            self._in_hand[key] = [request]
        started = now()
        self.pool.grade(Job(exercise, source)).add_done_callback(
            lambda finished: self._settle(key, started, finished)
        )

    def _settle(self, key: VerdictKey, started: int, finished: Future[Verdict]) -> None:
        """Publish the result of a job."""
        run = GradingRun(self.worker, started, now())
        with self._lock:
            requests = self._in_hand.pop(key)
        fault = finished.exception()
        # The fault is this host's, so the submission stays unchanged.
        if isinstance(fault, SandboxFault):
            notify(requests, fault)
        elif isinstance(fault, EtudeError):
            self.meter.count_fault()
            message = str(fault)

            def give_up(connection: Connection) -> None:
                """Store a fault, which is not a verdict; after three of them staff has to look."""
                verdicts.record_fault(connection, key.exercise_hash, key.source_hash, run, message)
                for request in requests:
                    request.give_up(connection, _GIVEN_UP)

            self._publisher.put(requests, give_up)
        elif fault is not None:
            notify(requests, RuntimeError(f"the grading pool failed: {type(fault).__name__}"))
        else:
            verdict = finished.result()
            self.meter.count_verdict(verdict.outcome.value, (run.ended_at - started) / 1e6)
            self._publisher.put(requests, lambda c: verdicts.store_verdict(c, verdict, run))
