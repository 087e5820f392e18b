"""The executor of a server of its own, where the store fails."""

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import pytest
from sqlalchemy.exc import OperationalError

from etude_server import local_executor
from etude_server.grading import GradingRequest, GradingService
from etude_server.local_executor import LocalExecutor
from etude_server.store.database import Database
from tests.server.conftest import accept_sources

if TYPE_CHECKING:
    from concurrent.futures import Future


@dataclass
class _GradingProcess:
    workers: int = 1
    unavailable_reason: str | None = None


@dataclass
class _FullDisk:
    """A grading service whose verdicts cannot be written."""

    database: Database
    process: _GradingProcess = field(default_factory=_GradingProcess)
    told: int = 0
    changed: threading.Condition = field(default_factory=threading.Condition)

    def start(self, request: GradingRequest) -> "Future[None]":
        error = OperationalError("INSERT", {}, OSError("no space left on device"))
        request.future.set_exception(error)
        with self.changed:
            self.told += 1
            self.changed.notify()
        return request.future


def test_several_that_fail_at_once_are_one_pause(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All jobs in hand are reported before it, so that the publishing thread waits for none."""
    monkeypatch.setattr(local_executor, "_FAILURE_PAUSES", (3600.0,))
    accept_sources(database, *(f"x = {number}" for number in range(4)))
    grading = _FullDisk(database)
    with LocalExecutor(cast("GradingService", grading)) as executor, grading.changed:
        assert grading.changed.wait_for(lambda: grading.told == 4, 60)
    assert grading.told == 4
    assert executor.unavailable_reason is not None
