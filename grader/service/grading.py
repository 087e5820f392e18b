"""Brings pending submissions to their verdicts: looks one up, or has it made at the desk.

Whatever executes this may die at any point: nothing is done twice that counts, and what is not
published is still waiting.
"""

import os
import socket
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from sqlalchemy import Connection

from grader import __version__
from grader.errors import EtudeError, SandboxFault
from grader.grading.jobs import Job
from grader.grading.submission import Submission
from grader.service.catalog import Catalog
from grader.service.desk import Desk
from grader.service.metrics import Meter
from grader.service.store import submissions, verdicts
from grader.service.store.database import Database
from grader.service.store.ids import now
from grader.service.store.submissions import Submitted
from grader.service.store.verdicts import Kept, Key, Run

if TYPE_CHECKING:
    from concurrent.futures import Future

    from grader.grading.verdict import Verdict

_UNKNOWN: Final = "there is no such exercise any more"
_GIVEN_UP: Final = "it could not be graded; its attempts say why"  # which may quote what it printed
_PUBLISHERS: Final = 6  # each mostly waits for PostgreSQL; SQLite has one writer

Done: TypeAlias = Callable[[Exception | None], None]
"""Called once, from any thread, when a try is over; with what kept it from a verdict."""


class NotGradedError(Exception):
    """Nothing can be graded on this host; the submission is as it was."""


@dataclass(frozen=True, slots=True)
class _Wish:
    """A submission that someone wants graded."""

    submitted: Submitted
    done: Done


class Grading:
    """Grades pending submissions; of identical code in hand only one.

    Args:
        database: the store.
        catalog: the exercises.
        desk: where verdicts are made.
        meter: counts what was graded.
    """

    def __init__(
        self, database: Database, catalog: Catalog, desk: Desk, meter: Meter | None = None
    ) -> None:
        self.database = database
        self.catalog = catalog
        self.desk = desk
        self.meter = meter or Meter()
        self._lock = threading.Lock()
        self._in_hand: dict[Key, list[_Wish]] = {}
        # Not in the desk's listening thread: there each would wait for the one before it.
        self._publishers = ThreadPoolExecutor(1 if database.is_sqlite else _PUBLISHERS, "publish")

    @property
    def worker(self) -> str:
        """Who grades here, for the diagnostics."""
        return f"{socket.gethostname()}:{os.getpid()}"

    def begin(self, submitted: Submitted, done: Done) -> None:
        """Have a submission graded, and its verdict published."""
        try:
            with self.database.read() as connection:
                self._begin(connection, _Wish(submitted, done))
        except Exception as error:  # noqa: BLE001  passed on, to whoever decides what comes next
            done(error)

    def begin_waiting(self, submission_id: str, done: Done) -> None:
        """Have a submission graded if it waits; if not, there is nothing to do."""
        try:
            with self.database.read() as connection:
                submitted = submissions.find_waiting(connection, submission_id)
                if submitted is not None:
                    self._begin(connection, _Wish(submitted, done))
        except Exception as error:  # noqa: BLE001  passed on, to whoever decides what comes next
            done(error)
        else:
            if submitted is None:
                done(None)

    def _begin(self, connection: Connection, wish: _Wish) -> None:
        """Look the verdict up, or have it made; no error once anybody else knows of the wish."""
        submitted = wish.submitted
        exercise = self.catalog.find(submitted.exercise)
        if exercise is None:
            self._publish_later([wish], lambda c: submissions.park(c, submitted.id, _UNKNOWN))
            return
        key = Key(exercise.digest, submitted.source_hash, __version__)
        found = verdicts.find_or_text(connection, key)
        if isinstance(found, Kept):
            self._publish_later([wish], lambda c: verdicts.publish_waiting(c, submitted, found))
            return
        job = Job(exercise, Submission.from_bytes(Path(f"{exercise.id}.py"), found.encode()))
        with self._lock:
            if key in self._in_hand:
                self._in_hand[key].append(wish)  # the verdict that comes is also its own
                return
            self._in_hand[key] = [wish]
        started = now()
        self.desk.grade(job).add_done_callback(
            lambda finished: self._settle(key, started, finished)
        )

    def _settle(self, key: Key, started: int, finished: "Future[Verdict]") -> None:
        """Take in what the desk says of a job."""
        run = Run(self.worker, started, now())
        with self._lock:
            wishes = self._in_hand.pop(key)
        fault = finished.exception()
        if isinstance(fault, SandboxFault):
            _tell(wishes, NotGradedError(str(fault)))
        elif isinstance(fault, EtudeError):
            self.meter.fault()
            why = str(fault)
            self._publish_later(wishes, lambda c: _give_up(c, key, wishes, run, why))
        elif fault is not None:
            _tell(wishes, RuntimeError(f"the desk failed: {type(fault).__name__}"))
        else:
            made = finished.result()
            self.meter.graded(made.outcome.value, (run.ended_at - started) / 1e6)
            self._publish_later(wishes, lambda c: _publish(c, wishes, made, run))

    def _publish_later(self, wishes: Sequence[_Wish], act: Callable[[Connection], object]) -> None:
        """Write in a transaction of a publishing thread, and say how it went."""

        def publish() -> None:
            try:
                with self.database.write() as connection:
                    act(connection)
            except Exception as error:  # noqa: BLE001  passed on, as above
                _tell(wishes, error)
            else:
                _tell(wishes, None)

        self._publishers.submit(publish)


def _publish(connection: Connection, wishes: Sequence[_Wish], made: "Verdict", run: Run) -> None:
    kept = verdicts.keep(connection, made, run)
    for wish in sorted(
        wishes, key=lambda each: each.submitted.person_id
    ):  # lest two lock crosswise
        verdicts.publish_waiting(connection, wish.submitted, kept)


def _give_up(connection: Connection, key: Key, wishes: Sequence[_Wish], run: Run, why: str) -> None:
    """Write down a fault, which is no verdict: after the desk's three tries staff has to look."""
    verdicts.note_fault(connection, key.exercise_hash, key.source_hash, run, why)
    for wish in wishes:
        submissions.park(connection, wish.submitted.id, _GIVEN_UP)


def _tell(wishes: Sequence[_Wish], error: Exception | None) -> None:
    for wish in wishes:
        wish.done(error)
