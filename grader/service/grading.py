"""Brings pending submissions to their verdicts: looks one up, or has it made at the desk.

Whatever executes this may die at any point: nothing is done twice that counts, and what is not
published is still waiting.
"""

import os
import socket
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection

from grader import __version__
from grader.definitions.exercise import Exercise
from grader.errors import EtudeError, SandboxFault
from grader.grading.results.jobs import Job
from grader.grading.results.submission import Submission
from grader.service.catalog import Catalog
from grader.service.grading_pool import Desk
from grader.service.metrics import Meter
from grader.service.publishing import Made, Publisher, Wish, tell
from grader.service.store import submissions, verdicts
from grader.service.store.database import Database
from grader.service.store.ids import now
from grader.service.store.verdicts import Key, Run

if TYPE_CHECKING:
    from concurrent.futures import Future

    from grader.grading.results.verdict import Verdict
    from grader.service.store.verdicts import Kept

_UNKNOWN: Final = "there is no such exercise any more"
_GIVEN_UP: Final = "it could not be graded; its attempts say why"  # which may quote what it printed


class NotGradedError(Exception):
    """Nothing can be graded on this host; the submission is as it was."""


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
        self._in_hand: dict[Key, list[Wish]] = {}
        self._publisher = Publisher(database, desk)

    @cached_property
    def worker(self) -> str:
        """Who grades here, for the diagnostics."""
        return f"{socket.gethostname()}:{os.getpid()}"

    def begin(self, wishes: Sequence[Wish]) -> None:
        """Have submissions graded, and their verdicts published."""
        known: list[tuple[Wish, Exercise, Key]] = []
        for wish in wishes:
            exercise = self.catalog.find(wish.submitted.exercise)
            if exercise is None:
                self._park(wish)
            else:
                key = Key(exercise.digest, wish.submitted.source_hash, __version__)
                known.append((wish, exercise, key))
        if not known:
            return
        try:
            with self.database.read() as connection:
                found = verdicts.find_or_texts(connection, {key for *_, key in known})
        except Exception as error:  # noqa: BLE001  passed on, to whoever decides what comes next
            tell([wish for wish, *_ in known], error)
            return
        for wish, exercise, key in known:
            try:
                self._begin(wish, exercise, key, found[key])
            except Exception as error:  # noqa: BLE001  passed on, as above
                wish.done(error)

    def _park(self, wish: Wish) -> None:
        name = wish.submitted.id
        self._publisher.put([wish], lambda c: submissions.park(c, name, _UNKNOWN))

    def _begin(self, wish: Wish, exercise: Exercise, key: Key, found: "Kept | str") -> None:
        """Publish what is known, or have it made; no error once anybody else knows of the wish."""
        if not isinstance(found, str):
            self._publisher.put([wish], found)
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
            tell(wishes, NotGradedError(str(fault)))
        elif isinstance(fault, EtudeError):
            self.meter.fault()
            why = str(fault)
            self._publisher.put(wishes, lambda c: _give_up(c, key, wishes, run, why))
        elif fault is not None:
            tell(wishes, RuntimeError(f"the desk failed: {type(fault).__name__}"))
        else:
            made = finished.result()
            self.meter.graded(made.outcome.value, (run.ended_at - started) / 1e6)
            self._publisher.put(wishes, Made(made, run))


def _give_up(connection: Connection, key: Key, wishes: Sequence[Wish], run: Run, why: str) -> None:
    """Write down a fault, which is no verdict: after the desk's three tries staff has to look."""
    verdicts.note_fault(connection, key.exercise_hash, key.source_hash, run, why)
    for wish in wishes:
        submissions.park(connection, wish.submitted.id, _GIVEN_UP)
