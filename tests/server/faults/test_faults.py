"""Faults, after which each accepted submission has one verdict or is pending."""

import contextlib
import json
import os
import resource
import signal
import socket
from functools import partial
from http import HTTPStatus

import httpx
import pytest
from sqlalchemy import func, select

from etude_server.store.tables import grading_run, submission, verdict
from tests.server.faults.conftest import PATIENCE, Deployment, children, is_ready, wait_until
from tests.server.postgres import PostgresServer

pytestmark = pytest.mark.slow


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):  # its parent was faster
        os.kill(pid, signal.SIGKILL)


def _have_workers(stack: Deployment) -> bool:
    """Tell whether every grading process has a worker; one that lost its last gets another with its next job."""
    if all(children(program.grading_process) for program in stack.graders):
        return True
    stack.submit(2)
    stack.wait_until_graded()
    return False


@pytest.mark.parametrize("victim", ["a pool worker", "the grading process"])
def test_a_killed_grading_process_loses_nothing(stack: Deployment, victim: str) -> None:
    """SIGKILL in the midst of grading: another process grades what it had in hand."""
    if victim == "a pool worker":
        wait_until("each grading process has a worker", partial(_have_workers, stack))
    with stack.halted() as grading_processes:
        assert stack.pending()
        for grading_process in grading_processes:
            for pid in (
                children(grading_process) if victim == "a pool worker" else [grading_process]
            ):
                _kill(pid)
    stack.submit(2)
    stack.wait_until_graded()
    stack.parked()


def test_a_worker_that_slept_loses_nothing(queue_stack: Deployment) -> None:
    """Others do its jobs when it gives no sign of life; it wakes up, and nothing counts twice."""
    stack = queue_stack
    sleeper = stack.workers[0]
    with stack.halted() as grading_processes:
        sleeper.process.send_signal(signal.SIGSTOP)
        try:
            os.kill(grading_processes[1], signal.SIGCONT)
            wait_until("the other did its jobs", lambda: all(stack.pending().values()))
        finally:
            sleeper.process.send_signal(signal.SIGCONT)
    stack.submit(6)
    stack.wait_until_graded()
    stack.wait_until_ready()
    wait_until("no job is left", lambda: stack.jobs() == [])
    stack.parked()


@pytest.mark.parametrize("victim", ["a program", "all programs"])
def test_a_killed_program_loses_nothing(stack: Deployment, victim: str) -> None:
    """SIGKILL of programs with jobs in hand, or by a power cut of all: later ones do them."""
    victims = stack.programs if victim == "all programs" else stack.graders[:1]
    with stack.halted():
        for program in victims:
            program.kill()
        stack.check()
        assert stack.pending()
    for program in victims:
        program.restart()
    stack.wait_until_ready()
    stack.submit(2)
    stack.wait_until_graded()
    stack.parked()


def test_a_killed_server_loses_nothing(queue_stack: Deployment) -> None:
    """SIGKILL of a server whose workers go on: what was answered with 202 is there, and is graded."""
    with queue_stack.halted():
        queue_stack.server.kill()
        queue_stack.check()
    queue_stack.server.restart()
    queue_stack.wait_until_ready()
    queue_stack.submit(1)
    queue_stack.wait_until_graded()


def test_a_killed_database_loses_nothing(queue_stack: Deployment, postgres: PostgresServer) -> None:
    """SIGKILL of PostgreSQL in the midst of grading: server and workers come back by themselves."""
    stack = queue_stack
    pids = [program.process.pid for program in stack.programs]
    with stack.halted():
        postgres.kill()
    wait_until("the server is not ready", lambda: not is_ready(stack.port))
    assert httpx.get(f"{stack.address}/livez", timeout=PATIENCE).is_success
    postgres.restart()
    stack.wait_until_ready()
    stack.submit(2)
    stack.wait_until_graded()
    stack.parked()
    assert pids == [program.process.pid for program in stack.programs]


@pytest.mark.parametrize(
    ("poison", "cause"),
    [("KILLS THE DESK", "the grading process died"), ("KILLS A WORKER", "the worker process died")],
)
def test_a_poison_submission_is_parked_alone(stack: Deployment, poison: str, cause: str) -> None:
    """What kills whatever grades it is set aside after three tries; its neighbours are graded."""
    *_, poisoned = stack.submit(4, poison)
    stack.submit(4)
    stack.wait_until_graded()
    assert stack.pending()[poisoned] is True
    assert set(stack.pending()) == set(stack.parked())
    with stack.database.read() as connection:
        of_it = select(submission.c.source_hash).where(submission.c.id == poisoned)
        digest = connection.execute(of_it).scalar_one()
        graded = select(func.count()).where(verdict.c.source_hash == digest)
        assert connection.execute(graded).scalar() == 0
        tries = select(grading_run.c.outcome, grading_run.c.message).where(
            grading_run.c.source_hash == digest
        )
        [(outcome, message)] = connection.execute(tries).all()
    assert outcome == "grader fault"
    assert message == f"given up after 3 tries: {cause}"


def test_a_job_that_kills_its_workers_runs_three_times(queue_stack: Deployment) -> None:
    """Each time the whole worker dies and is started again; then the job is set aside."""
    stack = queue_stack
    deaths = 0
    stack.submit(3)
    [poisoned] = stack.submit(0, "KILLS ITS HOST")
    stack.submit(3)

    def is_parked() -> bool:
        nonlocal deaths
        for worker in stack.workers:
            if worker.process.poll() is not None:
                deaths += 1
                worker.restart()
        return stack.pending()[poisoned]

    wait_until("the poison is parked", is_parked)
    stack.wait_until_graded()
    assert deaths == 3
    stack.parked()


def test_a_full_disk_loses_nothing(local_stack: Deployment) -> None:
    """While nothing can be written, nothing is taken in; then all goes on where it was.

    PostgreSQL ends itself then, and starts again: as when it is killed.
    """
    stack = local_stack
    most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    pid = stack.server.process.pid
    failed = _failures(stack)
    try:
        with stack.halted():
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (4096, most))
            with stack.client() as client:
                answer = stack.post(client, stack.source())
        assert answer.status_code == HTTPStatus.SERVICE_UNAVAILABLE
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert "Retry-After" in answer.headers
        wait_until("a verdict could not be written", lambda: _failures(stack) > failed)
        stack.check()
        assert stack.pending()
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, most))
    stack.wait_until_graded()
    stack.parked()


def _failures(stack: Deployment) -> int:
    return sum('"event": "the store failed"' in line for line in stack.server.lines)


def test_slow_clients_hold_nobody_up(stack: Deployment) -> None:
    """Endless requests and unread event streams do not delay others."""
    head = b"POST /v1/submissions HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"
    slow = [socket.create_connection(("127.0.0.1", stack.port)) for _ in range(60)]
    try:
        for each in slow:
            each.sendall(head)
        made = stack.submit(2)
        stack.wait_until_graded()
    finally:
        for each in slow:
            each.close()
    assert not set(made) & set(stack.pending())


def test_a_clock_that_jumps_back_loses_nothing(stack: Deployment) -> None:
    """A day back while it runs: what came before and behind is graded, and no age is negative."""
    before = stack.submit(2)
    with stack.clock_set_back():
        after = stack.submit(3)
        told = httpx.get(f"{stack.address}/metrics").raise_for_status().text
        assert "etude_queue_oldest_seconds " in told
        assert "etude_queue_oldest_seconds -" not in told
        stack.wait_until_graded()
    assert not {*before, *after} & set(stack.pending())


def test_a_backlog_is_worked_off_and_a_stop_loses_nothing(stack: Deployment) -> None:
    """Many wait: SIGTERM finishes what is in hand, a start a day earlier grades the rest."""
    stack.wait_until_ready()  # a program that starts does not handle a signal yet
    stack.fill(150)
    wait_until("some are graded", lambda: len(stack.pending()) < 140)
    for program in stack.programs:
        program.tell_to_stop()
    assert {program.process.wait(PATIENCE) for program in stack.programs} == {0}
    stack.check()
    assert not all(stack.pending().values())
    assert "doing" not in stack.jobs()  # or others would take us for dead, and them for suspects
    with stack.clock_set_back():
        for program in stack.programs:
            program.restart()
        stack.wait_until_ready()
        made = stack.submit(2)
        stack.wait_until_graded()
    assert not set(made) & set(stack.pending())
    stack.parked()


def test_a_stop_ends_event_streams(stack: Deployment) -> None:
    """Anyone who watches a submission that waits is not cut off, and holds no one up."""
    with stack.halted(), stack.client() as client:
        location = stack.post(client, stack.source()).raise_for_status().headers["Location"]
        with client.stream("GET", f"{location}/events") as stream:
            lines = stream.iter_lines()
            assert next(lines) == "event: state"
            stack.server.tell_to_stop()
            # Graded to its end, which is not an error.
            assert not any("graded" in line for line in lines)
    assert stack.server.process.wait(PATIENCE) == 0
    assert "timeout graceful shutdown" not in "".join(stack.server.lines)
    stack.server.restart()
    stack.wait_until_ready()
    stack.wait_until_graded()


def test_logs_and_metrics_tell_no_secret(stack: Deployment) -> None:
    """After any failure the lines are JSON without a text, a token, or the database's address.

    What a grading process writes to stderr is such a line, too, and quotes nothing.
    """
    with stack.client() as client:
        token = client.headers["Authorization"].removeprefix("Bearer ")
        for text in (f"{stack.source()}\n1 / 0\n", stack.source("TELLS ALL")):
            stack.post(client, text).raise_for_status()
        client.get("/v1/submissions/nonsense")
    stack.wait_until_graded()
    wait_until("what was told is logged", lambda: '"error": "TypeError"' in _written(stack))
    assert "scores" in stack.solution
    for secret in ("scores", "TELLS", token, stack.url):
        assert secret not in _written(stack)
        assert secret not in httpx.get(f"{stack.address}/metrics").raise_for_status().text
    for line in _written(stack).splitlines():
        assert line.startswith("{"), line
        assert json.loads(line)["event"]


def _written(stack: Deployment) -> str:
    return "".join(line for program in stack.programs for line in program.lines)
