"""A server's priority beside its grading processes."""

import os
from collections.abc import Callable
from pathlib import Path

from etude_server.settings import Settings
from tests.server.api.conftest import Served
from tests.server.conftest import EXERCISES


def test_grading_yields_to_requests(serving: Callable[[Settings], Served], tmp_path: Path) -> None:
    """The grading processes have less of a claim to the cores than the server."""
    settings = Settings(f"sqlite:///{tmp_path}/e.db", (EXERCISES,), workers=1)
    context = serving(settings).context
    assert context.grading_process is not None
    mine = os.getpriority(os.PRIO_PROCESS, 0)
    assert os.getpriority(os.PRIO_PROCESS, context.grading_process.pid) == min(mine + 5, 19)
