"""The path of a grading request to its verdict: a stored one, or a new one from the pool.

The process may die at any point: no effect happens twice, and unpublished submissions still wait.
Each result is written in a transaction of its own, in a thread.

Each process is watched by one layer, which tries three times. The pool tries a job again whose
worker died or failed, and `GradingProcess` one whose grading process died. After that it is a
fault, which parks the submission and is not tried again. What ends without a verdict or a fault,
as a host that died or lost its database, is left to `queue_worker`. Only a transaction is tried
again here.
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
from grader.grading.jobs import Job
from grader.grading.results.verdict import Verdict
from grader.grading.submissions.file_kinds import is_notebook_json
from grader.grading.submissions.submission import Submission
from grader.grading.workers.grading_process import GradingProcess

_NO_EXERCISE: Final = "there is no such exercise any more"
# The table of grading runs has the fault, which may quote the program's output.
_COULD_NOT_BE_GRADED: Final = "it could not be graded; its grading runs say why"
# Tries of a transaction that conflicts with another one.
_MAX_TRIES: Final = 3
_CONFLICTS: Final = frozenset({"40001", "40P01"})  # PostgreSQL: serialization failure, deadlock

# Errors caused by the result's own values, which would occur again on every try.
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
    lock_key: str = ""  # sort key within one transaction, to avoid deadlocks
    exercise_hash: str = ""  # the exercise's digest, or "" for the loaded version
    # Completed after grading, with the error if there is no verdict.
    future: Future[None] = field(default_factory=Future)


def make_submission_request(submission: StoredSubmission) -> GradingRequest:
    """Return the request to grade a waiting submission."""
    return GradingRequest(
        submission.exercise,
        submission.source_hash,
        lambda connection, stored: verdicts.publish_if_waiting(connection, submission, stored),
        lambda connection, reason: submissions.park_submission(connection, submission.id, reason),
        lock_key=submission.person_id,
    )


WriteResult: TypeAlias = Callable[[Connection], StoredVerdict | None]
"""Writes a job's effects in a transaction; returns the verdict to publish, or None."""


class Publisher:
    """A writer of results, which notifies those who requested them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._thread = ThreadPoolExecutor(1, "publish")

    def enqueue(self, requests: Sequence[GradingRequest], write: WriteResult) -> None:
        """Queue a result to be written soon."""
        self._thread.submit(self._write_result, requests, write)

    def _write_result(self, requests: Sequence[GradingRequest], write: WriteResult) -> None:
        try:
            self._publish_result(requests, write)
        except _BAD_DATA as error:
            self._give_up(requests, error)
        except Exception as error:  # noqa: BLE001  passed on to those who requested
            complete_requests(requests, error)
        else:
            complete_requests(requests, None)

    def _publish_result(self, requests: Sequence[GradingRequest], write: WriteResult) -> None:
        """Write a result in one transaction, and publish it for all who requested it."""
        for tries in range(1, _MAX_TRIES + 1):
            try:
                with self._database.write() as connection:
                    verdict = write(connection)
                    if verdict is not None:
                        # Sorted, to avoid deadlocks.
                        for request in sorted(requests, key=lambda request: request.lock_key):
                            request.publish(connection, verdict)
            except OperationalError as error:
                if tries == _MAX_TRIES or getattr(error.orig, "sqlstate", None) not in _CONFLICTS:
                    raise
            else:
                return

    def _give_up(self, requests: Sequence[GradingRequest], error: Exception) -> None:
        """Leave a result that can never be written to staff, or it would be graded forever."""
        _log.error("a verdict cannot be written", exc_info=error)
        reason = f"its verdict cannot be written ({type(error).__name__})"
        try:
            with self._database.write() as connection:
                for request in requests:
                    request.give_up(connection, reason)
        except Exception as second_error:  # noqa: BLE001  passed on to those who requested
            complete_requests(requests, second_error)
        else:
            complete_requests(requests, None)


def complete_requests(requests: Sequence[GradingRequest], error: Exception | None) -> None:
    """Complete each request's future."""
    for request in requests:
        if error is None:
            request.future.set_result(None)
        else:
            request.future.set_exception(error)


class GradingService:
    """A grader of requests; of identical code that is being graded, only one copy.

    The job queue, on PostgreSQL, is for regrades that begin here.
    """

    def __init__(
        self,
        database: Database,
        catalog: Catalog,
        process: GradingProcess,
        meter: Meter | None = None,
        regrade_queue: JobQueue | None = None,
    ) -> None:
        self.database = database
        self.catalog = catalog
        self.process = process
        self.meter = meter or Meter()
        self.regrade_queue = regrade_queue
        self._lock = threading.Lock()
        self._in_flight: dict[VerdictKey, list[GradingRequest]] = {}
        self._publisher = Publisher(database)

    @cached_property
    def worker_name(self) -> str:
        """The name of this process in the diagnostics."""
        return f"{socket.gethostname()}:{os.getpid()}"

    def start(self, request: GradingRequest) -> Future[None]:
        """Begin to grade, and return the request's future."""
        # Cancelling the future does not cancel the grading.
        request.future.set_running_or_notify_cancel()
        self._find_or_grade(request)
        return request.future

    def _find_or_grade(self, request: GradingRequest) -> None:
        exercise = self.catalog.find(request.exercise)
        if exercise is None and not request.exercise_hash:
            self._publisher.enqueue([request], lambda c: request.give_up(c, _NO_EXERCISE))
            return
        loaded_hash = exercise.digest if exercise is not None else ""
        exercise_hash = request.exercise_hash or loaded_hash
        key = VerdictKey(exercise_hash, request.source_hash, __version__)
        try:
            with self.database.read() as connection:
                if exercise_hash == loaded_hash:
                    stored_verdict = verdicts.find_verdict(connection, key)
                else:
                    # Older versions are not graded again; their last verdict is published.
                    stored_verdict = verdicts.find_latest_verdict(
                        connection, exercise_hash, request.source_hash
                    )
                is_final = stored_verdict is not None and (
                    exercise_hash != loaded_hash or verdicts.IS_ERASED not in stored_verdict.body
                )
                text = "" if is_final else submissions.read_source(connection, request.source_hash)
            # A text means that another person submitted an erased program again.
            if stored_verdict is not None and not text:
                self._publisher.enqueue([request], lambda _: stored_verdict)
                return
            if exercise is None or exercise_hash != loaded_hash:
                reason = f"{request.exercise} is not version {exercise_hash[:12]} here"
                complete_requests([request], UsageError(reason))
                return
            data = text.encode()
            suffix = "ipynb" if is_notebook_json(data) else "py"
            submission = Submission.from_bytes(Path(f"{exercise.id}.{suffix}"), data)
            source = submission.part_for(exercise)
        except Exception as error:  # noqa: BLE001  passed on with the request
            complete_requests([request], error)
            return
        with self._lock:
            if key in self._in_flight:
                self._in_flight[key].append(request)
                return
            self._in_flight[key] = [request]
        started_at = now()
        self.process.grade(Job(exercise, source)).add_done_callback(
            lambda finished: self._finish_job(key, started_at, finished)
        )

    def _finish_job(self, key: VerdictKey, started_at: int, job_future: Future[Verdict]) -> None:
        """Publish the result of a job."""
        run = GradingRun(self.worker_name, started_at, now())
        with self._lock:
            requests = self._in_flight.pop(key)
        fault = job_future.exception()
        # The fault is this host's, so the submission stays unchanged.
        if isinstance(fault, SandboxFault):
            complete_requests(requests, fault)
        elif isinstance(fault, EtudeError):
            self.meter.count_fault()
            message = str(fault)

            def give_up(connection: Connection) -> None:
                """Record the fault and park the submissions: the pool tried them several times."""
                verdicts.record_fault(connection, key.exercise_hash, key.source_hash, run, message)
                for request in requests:
                    request.give_up(connection, _COULD_NOT_BE_GRADED)

            self._publisher.enqueue(requests, give_up)
        elif fault is not None:
            error = RuntimeError(f"the grading process failed: {type(fault).__name__}")
            complete_requests(requests, error)
        else:
            verdict = job_future.result()
            self.meter.count_verdict(verdict.outcome.value, (run.ended_at - started_at) / 1e6)
            self._publisher.enqueue(requests, lambda c: verdicts.store_verdict(c, verdict, run))
