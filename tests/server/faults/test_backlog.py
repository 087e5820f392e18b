"""A long queue: new submissions are accepted behind it, and it is graded, through a power cut."""

from http import HTTPStatus

import pytest

from etude_server.store.submissions import MAX_QUEUE_POSITION
from tests.server.faults.conftest import Deployment, wait_until

pytestmark = pytest.mark.slow

BACKLOG = 5 * MAX_QUEUE_POSITION


def test_a_long_queue_is_graded_through_a_power_cut(stack: Deployment) -> None:
    """Newcomers are taken in and told how many are before them; each has one verdict or waits."""
    stack.fill(BACKLOG)
    [newcomer] = stack.submit(1)
    with stack.client() as client:
        location = stack.post(client, stack.source()).raise_for_status().headers["Location"]
        assert client.get(location).json()["position"] == MAX_QUEUE_POSITION
        assert client.get(f"/v1/submissions/{newcomer}").status_code == HTTPStatus.NOT_FOUND
    _wait_for_some(stack)
    for program in stack.programs:
        program.kill()
    stack.check()
    left = len(stack.pending())
    assert 0 < left < BACKLOG
    for program in stack.programs:
        program.restart()
    stack.wait_until_ready()
    _wait_for_some(stack)
    stack.check()
    assert newcomer in stack.pending()
    assert stack.parked() == []


def _wait_for_some(stack: Deployment) -> None:
    """Wait until some more are graded."""
    before = len(stack.pending())
    wait_until("some are graded", lambda: len(stack.pending()) < before - 100)
