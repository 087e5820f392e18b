"""Brings grading requests to their verdicts: stored ones, or new ones from the pool.

The process that does this may die at any point: nothing that counts is done twice, and what is not
published still waits.
"""

import os
import socket
import threading
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection

from grader import __version__
from grader.errors import EtudeError, SandboxFault
from grader.grading.results.jobs import Job
from grader.grading.results.submission import Submission
from grader.service.catalog import Catalog
from grader.service.executors.queue import JobQueue
from grader.service.grading_pool import GradingPool
from grader.service.metrics import Meter
from grader.service.publishing import GradingRequest, NewVerdict, Publisher, notify
from grader.service.store import submissions, verdicts
from grader.service.store.database import Database
from grader.service.store.ids import now
from grader.service.store.verdicts import GradingRun, VerdictKey

if TYPE_CHECKING:
    from concurrent.futures import Future

    from grader.grading.results.verdict import Verdict

_UNKNOWN: Final = "there is no such exercise any more"
_GIVEN_UP: Final = "it could not be graded; its attempts say why"  # which may quote what it printed


class Grading:
    """Grades what is requested; of identical code in hand only one.

    Args:
        database: the store.
        catalog: the exercises.
        pool: where verdicts are made.
        meter: counts what was graded.
        queue: the job queue, on PostgreSQL, for regrades that begin here.
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
        """The name of this process, for the diagnostics."""
        return f"{socket.gethostname()}:{os.getpid()}"

    def begin(self, request: GradingRequest) -> None:
        """Begin to grade; the request is notified when its verdict is published."""
        exercise = self.catalog.find(request.exercise)
        if exercise is None:
            self._publisher.put([request], lambda c: request.give_up(c, _UNKNOWN))
            return
        key = VerdictKey(exercise.digest, request.source_hash, __version__)
        try:
            with self.database.read() as connection:
                kept = verdicts.find(connection, key)
                text = "" if kept else submissions.text_of(connection, request.source_hash)
            if kept is not None:
                self._publisher.put([request], kept)
                return
            source = Submission.from_bytes(Path(f"{exercise.id}.py"), text.encode())
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

    def _settle(self, key: VerdictKey, started: int, finished: "Future[Verdict]") -> None:
        """Publish the result of a job."""
        run = GradingRun(self.worker, started, now())
        with self._lock:
            requests = self._in_hand.pop(key)
        fault = finished.exception()
        if isinstance(fault, SandboxFault):  # of this host: the submission is as it was
            notify(requests, fault)
        elif isinstance(fault, EtudeError):
            self.meter.fault()
            message = str(fault)

            def give_up(connection: Connection) -> None:
                """Store a fault, which is no verdict: after three tries staff has to look."""
                verdicts.note_fault(connection, key.exercise_hash, key.source_hash, run, message)
                for request in requests:
                    request.give_up(connection, _GIVEN_UP)

            self._publisher.put(requests, give_up)
        elif fault is not None:
            notify(requests, RuntimeError(f"the grading pool failed: {type(fault).__name__}"))
        else:
            made = finished.result()
            self.meter.graded(made.outcome.value, (run.ended_at - started) / 1e6)
            self._publisher.put(requests, NewVerdict(made, run))
