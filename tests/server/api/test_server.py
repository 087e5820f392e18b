"""A server's priority beside its grading processes, and its port for metrics."""

import os
import socket
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path

import httpx
import pytest

from etude_server.settings import Settings
from tests.server.api.conftest import Served
from tests.server.conftest import EXERCISES


def test_grading_yields_to_requests(serving: Callable[[Settings], Served], tmp_path: Path) -> None:
    """The grading processes have less of a claim to the cores than the server."""
    settings = Settings(f"sqlite:///{tmp_path}/e.db", EXERCISES, workers=1)
    context = serving(settings).context
    assert context.pool is not None
    mine = os.getpriority(os.PRIO_PROCESS, 0)
    assert os.getpriority(os.PRIO_PROCESS, context.pool.pid) == min(mine + 5, 19)


@pytest.mark.slow
def test_metrics_can_have_a_port_of_their_own(
    serving: Callable[[Settings], Served], tmp_path: Path
) -> None:
    """Then they are told there and nowhere else, while probes are answered at both."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    served = serving(Settings(f"sqlite:///{tmp_path}/e.db", EXERCISES, workers=1, health_port=port))
    aside = f"http://127.0.0.1:{port}"
    assert httpx.get(f"{served.url}/metrics").status_code == HTTPStatus.NOT_FOUND
    assert "etude_queue_waiting 0.0" in httpx.get(f"{aside}/metrics").text
    assert httpx.get(f"{served.url}/livez").is_success
    assert httpx.get(f"{aside}/livez").is_success
