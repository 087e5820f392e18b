"""A line of a hundred thousand: it is taken behind, told of, and worked off, through a power cut."""

from http import HTTPStatus

import pytest

from grader.service.store.submissions import COUNTED
from tests.service.faults.conftest import Stack, wait_until

pytestmark = pytest.mark.slow

BACKLOG = 100_000


def test_a_hundred_thousand_that_wait(stack: Stack) -> None:
    """Newcomers are taken in and told how many are before them; each has one verdict or waits."""
    stack.fill(BACKLOG)
    [newcomer] = stack.hand_in(1)
    with stack.client() as client:
        location = stack.post(client, stack.source()).raise_for_status().headers["Location"]
        assert client.get(location).json()["position"] == COUNTED
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


def _wait_for_some(stack: Stack) -> None:
    """Wait until some more are graded."""
    before = len(stack.pending())
    wait_until("some are graded", lambda: len(stack.pending()) < before - 100)
