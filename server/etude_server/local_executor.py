"""Grading inside a server on SQLite: one thread for submissions, and one for regrades."""

import threading
from collections.abc import Sequence
from concurrent.futures import Future
from functools import partial
from typing import Final, Self

import structlog
from sqlalchemy.exc import SQLAlchemyError

from etude_server.actions.regrades import run_regrade
from etude_server.grading import GradingService, make_submission_request
from etude_server.store import regrades, submissions
from etude_server.store.database import describe_cause
from etude_server.store.submissions import StoredSubmission
from grader.errors import EtudeError, SandboxFault
from grader.grading.workers.grading_process import DRAIN_SECONDS

# Submissions in progress per worker: one that is being graded, and others to continue with while
# more are read from the store.
_SUBMISSIONS_PER_WORKER: Final = 4
_POLL_SECONDS: Final = 0.5  # polls without a wake-up, since another process may have stored work
_REGRADE_FAILURE_PAUSE: Final = 10.0  # pause after a failure of the store
# Pauses after consecutive failures: a full disk takes time to fix.
_FAILURE_PAUSES: Final = (0.5, 1.0, 2.0, 5.0, 10.0)

_log = structlog.get_logger(__name__)


class _GradingThread:
    """A thread that grades inside the server; a context manager."""

    def __init__(self, grading: GradingService, name: str) -> None:
        self._grading = grading
        self._wake_up = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Wait briefly for work in progress; the rest stays in the store."""
        self._stopping.set()
        self._wake_up.set()
        self._thread.join(DRAIN_SECONDS)
        if self._thread.is_alive():  # it waits for the pool
            self._grading.process.close()
        self._thread.join()

    def _run(self) -> None:
        raise NotImplementedError


class LocalExecutor(_GradingThread):
    """A thread that grades waiting submissions."""

    def __init__(self, grading: GradingService) -> None:
        super().__init__(grading, "executor")
        self._in_flight: dict[str, tuple[str, str]] = {}  # exercise and source, by id
        self._failures = 0  # number of consecutive failures
        self._error: BaseException | None = None  # the last error, until its pause ends

    def notify(self, _submission_ids: Sequence[str]) -> None:
        """Check for waiting submissions at once."""
        self._wake_up.set()

    @property
    def unavailable_reason(self) -> str | None:
        """The reason why nothing is being graded, or None."""
        if self._grading.process.unavailable_reason is not None:
            return self._grading.process.unavailable_reason
        if not self._thread.is_alive():
            return "the executor does not run"
        return "the store cannot be written" if self._failures else None

    def _run(self) -> None:
        while not (self._stopping.is_set() and not self._in_flight):
            self._wake_up.wait(_POLL_SECONDS)
            self._wake_up.clear()
            error, self._error = self._error, None
            # Without the pause, a full disk would have the same submission graded again and again.
            if error is not None:
                pause = _FAILURE_PAUSES[min(self._failures, len(_FAILURE_PAUSES) - 1)]
                self._failures += 1
                # Only the cause: a failed statement contains the values to write.
                _log.error("the store failed", error=describe_cause(error), pause=pause)
                self._stopping.wait(pause)
            if self._stopping.is_set() or self._grading.process.unavailable_reason is not None:
                continue
            try:
                for submission in self._select_submissions():
                    self._in_flight[submission.id] = (submission.exercise, submission.source_hash)
                    future = self._grading.start(make_submission_request(submission))
                    future.add_done_callback(partial(self._finish_submission, submission.id))
            except SQLAlchemyError as new_error:
                self._error = new_error
                self._wake_up.set()

    def _select_submissions(self) -> list[StoredSubmission]:
        """Return the next submissions to grade, without duplicates of identical code."""
        in_flight = self._in_flight.copy()
        places = self._grading.process.workers * _SUBMISSIONS_PER_WORKER
        with self._grading.database.read() as connection:
            candidates = submissions.list_waiting(connection, 2 * places)
        known_code, batch = set(in_flight.values()), list[StoredSubmission]()
        for submission in candidates:
            code = (submission.exercise, submission.source_hash)
            if submission.id not in in_flight and code not in known_code:
                known_code.add(code)
                batch.append(submission)
        return batch[: places - len(in_flight)]

    def _finish_submission(self, submission_id: str, future: Future[None]) -> None:
        """Make room for another submission; the executor's thread pauses after an error."""
        del self._in_flight[submission_id]
        error = future.exception()
        if error is None or isinstance(error, SandboxFault):
            self._failures = 0
        else:
            self._error = error
        self._wake_up.set()


class Regrader(_GradingThread):
    """A thread that runs regrades, also those interrupted earlier, which it continues at start."""

    def __init__(self, grading: GradingService) -> None:
        super().__init__(grading, "regrader")

    def defer_regrade(self, _regrade_id: str, _source_hashes: Sequence[str]) -> None:
        """Check for regrades at once."""
        self._wake_up.set()

    def cancel_regrade(self, _regrade_id: str) -> None:
        """Do nothing: the run checks the store before each source."""

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._wake_up.clear()
            pause = None
            try:
                with self._grading.database.read() as connection:
                    running = regrades.list_running_regrades(connection)
                for regrade in running:
                    try:
                        run_regrade(self._grading, regrade, should_stop=self._stopping.is_set)
                    except EtudeError as error:
                        # The rest waits for another wake-up or start.
                        _log.warning(
                            "a regrade has not ended", regrade=regrade.id, reason=str(error)
                        )
            except SQLAlchemyError as error:
                _log.error("the store failed", error=describe_cause(error))
                pause = _REGRADE_FAILURE_PAUSE
            self._wake_up.wait(pause)
