"""Grading in a server on SQLite: a thread for submissions, and one for regrades."""

import threading
from collections.abc import Sequence
from concurrent.futures import Future
from functools import partial
from typing import Final

import structlog
from sqlalchemy.exc import SQLAlchemyError

from etude_server.actions.regrades import run
from etude_server.grading import Grading, for_submission
from etude_server.store import regrades, submissions
from etude_server.store.database import error_cause
from etude_server.store.submissions import StoredSubmission
from grader.errors import EtudeError, SandboxFault
from grader.grading.workers.grading_pool import DRAIN_SECONDS

# Submissions in hand for each worker: one that is graded, and others to go on with until as few as
# half are left. Then the store is asked again, for several at once.
_AHEAD: Final = 4
_LOOK_SECONDS: Final = 0.5  # also without a wake-up: for what another process stored
_REGRADE_PAUSE: Final = 10.0  # after the store failed
_PAUSES: Final = (0.5, 1.0, 2.0, 5.0, 10.0)  # after failures in a row: a full disk takes its time

_log = structlog.get_logger(__name__)


class _Runner:
    """A thread that grades beside the server."""

    def __init__(self, grading: Grading, name: str) -> None:
        self._grading = grading
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin to grade."""
        self._thread.start()

    def stop(self) -> None:
        """Wait a little for what is in hand; the rest stays in the store."""
        self._stopping.set()
        self._wake.set()
        self._thread.join(DRAIN_SECONDS)
        if self._thread.is_alive():  # it waits for the pool
            self._grading.pool.close()
        self._thread.join()

    def _run(self) -> None:
        raise NotImplementedError


class LocalExecutor(_Runner):
    """Grades the submissions that wait."""

    def __init__(self, grading: Grading) -> None:
        super().__init__(grading, "executor")
        self._in_hand: dict[str, tuple[str, str]] = {}  # by id: the exercise and the source
        self._failures = 0  # in a row
        self._error: BaseException | None = None  # the last one, before its pause

    def notify(self, _submission_ids: Sequence[str]) -> None:
        """Look for waiting submissions at once."""
        self._wake.set()

    @property
    def trouble(self) -> str | None:
        """The reason why nothing is graded at the moment, if that is so."""
        if self._grading.pool.trouble is not None:
            return self._grading.pool.trouble
        if not self._thread.is_alive():
            return "the executor does not run"
        return "the store cannot be written" if self._failures else None

    def _run(self) -> None:
        while not (self._stopping.is_set() and not self._in_hand):
            self._wake.wait(_LOOK_SECONDS)
            self._wake.clear()
            error, self._error = self._error, None
            if error is not None:  # with a full disk the same would be graded again and again
                pause = _PAUSES[min(self._failures, len(_PAUSES) - 1)]
                self._failures += 1
                # Its cause only: a statement that failed holds what was to be written.
                _log.error("the store failed", error=error_cause(error), pause=pause)
                self._stopping.wait(pause)
            if self._stopping.is_set() or self._grading.pool.trouble is not None:
                continue
            try:
                for each in self._next():
                    self._in_hand[each.id] = (each.exercise, each.source_hash)
                    done = self._grading.begin(for_submission(each))
                    done.add_done_callback(partial(self._settle, each.id))
            except SQLAlchemyError as failure:
                self._error = failure
                self._wake.set()

    def _next(self) -> list[StoredSubmission]:
        """Return submissions to grade next: none twice, and only one of identical code."""
        in_hand = self._in_hand.copy()
        most = self._grading.pool.workers * _AHEAD
        room = most - len(in_hand)
        if room < most // 2:
            return []
        with self._grading.database.read() as connection:
            oldest = submissions.list_waiting(connection, 2 * (room + len(in_hand)))
        begun, selected = set(in_hand.values()), list[StoredSubmission]()
        for each in oldest:
            code = (each.exercise, each.source_hash)
            if each.id not in in_hand and code not in begun and len(selected) < room:
                begun.add(code)
                selected.append(each)
        return selected

    def _settle(self, submission_id: str, done: Future[None]) -> None:
        """Make room for another submission; for an error the executor's own thread pauses."""
        del self._in_hand[submission_id]
        error = done.exception()
        if error is None or isinstance(error, SandboxFault):
            self._failures = 0
        else:
            self._error = error
        self._wake.set()


class Regrader(_Runner):
    """Runs regrades; one in which a server or a command was interrupted goes on at the start."""

    def __init__(self, grading: Grading) -> None:
        super().__init__(grading, "regrader")

    def defer_regrade(self, _regrade_id: str, _source_hashes: Sequence[str]) -> None:
        """Look for regrades at once."""
        self._wake.set()

    def cancel_regrade(self, _regrade_id: str) -> None:
        """Do nothing: the run looks at the store before each source."""

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._wake.clear()
            pause = None
            try:
                with self._grading.database.read() as connection:
                    running = regrades.running(connection)
                for each in running:
                    try:
                        run(self._grading, each, stopping=self._stopping.is_set)
                    except EtudeError as error:  # what is left waits for another wake, or start
                        _log.warning("a regrade has not ended", regrade=each.id, reason=str(error))
            except SQLAlchemyError as error:
                _log.error("the store failed", error=error_cause(error))
                pause = _REGRADE_PAUSE
            self._wake.wait(pause)
