"""The runner of regrades in a server on SQLite, beside its submissions."""

import threading
from collections.abc import Sequence
from typing import Final, Self

import structlog
from sqlalchemy.exc import SQLAlchemyError

from etude_server.actions.regrades import run
from etude_server.grading import Grading
from etude_server.store import regrades
from etude_server.store.database import cause_of
from grader.errors import EtudeError
from grader.grading.workers.grading_pool import DRAIN_SECONDS

_AGAIN_SECONDS: Final = 10.0  # after the store failed

_log = structlog.get_logger(__name__)


class Regrader:
    """A thread that runs regrades. Use as a context manager.

    One that an earlier server, or a command, was interrupted in goes on at the start.
    """

    def __init__(self, grading: Grading) -> None:
        self._grading = grading
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="regrader", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._wake.set()
        self._thread.join(DRAIN_SECONDS)
        if self._thread.is_alive():  # it waits for the pool
            self._grading.pool.close()
        self._thread.join()

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
                _log.error("the store failed", error=cause_of(error))
                pause = _AGAIN_SECONDS
            self._wake.wait(pause)
