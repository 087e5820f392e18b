"""The end of a program that has work in hand."""

import pytest

from tests.server.faults.conftest import Deployment


@pytest.mark.slow
def test_a_killed_program_loses_nothing(stack: Deployment) -> None:
    """SIGKILL of the server, or of a worker with jobs in hand: another does them, or a later one."""
    victim = stack.graders[0]
    with stack.halted():
        victim.kill()
        stack.check()
        assert stack.pending()
    victim.restart()
    stack.wait_until_ready()
    stack.submit(2)
    stack.wait_until_graded()
    stack.parked()
