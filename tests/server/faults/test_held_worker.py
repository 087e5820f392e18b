"""A submission that keeps its grader computing delays others by its own limit, and no stop at all."""

import os
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import select

from etude_server.store.tables import IS_PUBLISHED_VERDICT, publication, verdict
from tests.server.faults.conftest import Deployment, children, run_stack, wait_until

HOLDS_UP = "def f(x): return 100_000_000_000\n"


def _outcome(stack: Deployment, submission_id: str) -> str | None:
    asked = select(verdict.c.outcome).join(publication, IS_PUBLISHED_VERDICT)
    with stack.database.read() as connection:
        found = connection.execute(asked.where(publication.c.submission_id == submission_id))
        outcome: str | None = found.scalar()
        return outcome


def _has_computed(process: Path) -> bool:
    fields = (process / "stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") > 2  # seconds


def _is_gone(process: Path) -> bool:
    return not process.exists()


def _submit_blocking_program(stack: Deployment, exercise: str) -> str:
    with stack.client() as client:
        answer = stack.post(client, HOLDS_UP, exercise=exercise).raise_for_status()
    made = str(answer.json()["id"])
    stack.accepted.append(made)
    return made


@pytest.mark.slow
def test_others_wait_for_its_limit_and_a_stop_not_at_all(tmp_path: Path) -> None:
    """With one worker both get their verdicts; what a SIGTERM interrupts stays to be graded."""
    for stack in run_stack("local pool", tmp_path, f"sqlite:///{tmp_path}/etude.db", workers=1):
        held = _submit_blocking_program(stack, "held")
        (other,) = stack.submit(1)
        stack.wait_until_graded()
        assert _outcome(stack, held) == "timed out"
        assert _outcome(stack, other) == "passed"

        held = _submit_blocking_program(stack, "held-long")
        (worker,) = children(stack.server.grading_process)
        process = Path("/proc", str(worker))
        wait_until("it computes", partial(_has_computed, process))
        stack.server.tell_to_stop()
        assert stack.server.process.wait(30) == 0  # seconds
        wait_until("its worker is gone", partial(_is_gone, process))
        assert stack.pending() == {held: False}
        stack.check()
