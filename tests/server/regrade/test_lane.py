"""Regrades past one machine: jobs in the queue, and the workers of `etude worker --lane regrade`."""

import os
from collections.abc import Callable, Iterator
from http import HTTPStatus
from pathlib import Path

import httpx
import pytest
from sqlalchemy import select, text

from etude_server.actions import regrades as actions
from etude_server.job_queue import JobQueue
from etude_server.store import events, people, regrades
from etude_server.store.database import Database
from etude_server.store.tables import grading_run
from etude_server.sweeper import Sweeper
from grader.grading.workers.grading_process import GradingProcess
from tests.conftest import DOUBLE
from tests.server.faults.conftest import HOOK, ServiceProcess, free_port, is_ready, wait_until
from tests.server.postgres import PostgresServer
from tests.server.regrade.conftest import OLD, RIGHT, Stored, store_of, write_collection

_MANY = 45

Worker = Callable[..., ServiceProcess]


@pytest.fixture
def url(postgres: PostgresServer) -> Iterator[str]:
    """An empty database with our tables, on PostgreSQL."""
    name = f"lane_{os.urandom(8).hex()}"
    yield postgres.make(name, "etude_template")
    postgres.drop(name)


@pytest.fixture
def stored(url: str, pool: GradingProcess, folder: Path) -> Iterator[Stored]:
    """A store on PostgreSQL."""
    with Database(url) as database, JobQueue(database) as queue:
        yield store_of(database, pool, folder, queue)


@pytest.fixture
def worker(url: str, folder: Path, tmp_path: Path) -> Iterator[Worker]:
    """Start workers of the lane, which read the address from a file; anyone who kills them may."""
    address = tmp_path / "the address"
    address.write_text(f"{url}\n")
    command = ["worker", "--lane", "regrade", "--workers", "1", "--database-file", str(address)]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ETUDE_")}
    started: list[ServiceProcess] = []

    def start(*options: str, exercises: Path = folder) -> ServiceProcess:
        words = [*command, "--exercises", str(exercises), "--dead-after", "4", *options]
        started.append(ServiceProcess(words, environment | {"PYTHONPATH": str(HOOK)}))
        return started[-1]

    yield start
    for program in started:
        if program.process.poll() is None:
            program.stop()


def _jobs(stored: Stored) -> list[tuple[str, str]]:
    """Return the regrade and the source of each job in the queue."""
    with stored.database.read() as connection:
        found = text("SELECT args FROM procrastinate_jobs WHERE queue_name = 'regrade' ORDER BY id")
        rows = connection.execute(found).scalars()
        return [(each["regrade_id"], each["source_hash"]) for each in rows]


def _progress(stored: Stored, regrade_id: str) -> tuple[str, int, int]:
    with stored.database.read() as connection:
        found = regrades.find_regrade(connection, regrade_id)
    assert found is not None
    return found.state, found.done, found.sources


def _fill_store(stored: Stored, count: int) -> list[str]:
    return [stored.submit("ada", f"{RIGHT}# {number}\n", 2) for number in range(count)]


@pytest.mark.slow
def test_a_worker_of_the_lane_does_what_is_begun_elsewhere(stored: Stored, worker: Worker) -> None:
    """It takes jobs, ends the regrade, answers probes meanwhile, and stops with status 0."""
    ids = _fill_store(stored, _MANY)
    port = free_port()
    program = worker("--health-port", str(port))
    wait_until("the worker is ready", lambda: is_ready(port))
    with httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
        begun = stored.begin()
        wait_until("it is done", lambda: _progress(stored, begun.id)[0] == "finished")
        assert client.get("/livez").json() == {"status": "ok"}
        assert client.get("/readyz").json()["checks"]["grading"] == "ok"
        assert "etude_queue_waiting 0.0" in client.get("/metrics").text
        assert client.get("/v1/regrades").status_code == HTTPStatus.NOT_FOUND
    assert sorted(stored.events(events.PUBLISHED)[_MANY:]) == sorted(ids)
    assert {stored.score(each) for each in ids} == {(stored.exercise.digest, 5, 5)}
    assert program.stop() == 0


@pytest.mark.slow
def test_a_source_that_kills_its_worker_is_given_up_alone(stored: Stored, worker: Worker) -> None:
    """Others go on with what a dead worker had in hand; the third death is the last."""
    ids = _fill_store(stored, _MANY)
    poison = stored.submit("bob", f"{RIGHT}# KILLS ITS HOST\n", 2)
    begun = stored.begin()
    programs, deaths = [worker(), worker()], 0

    def is_given_up() -> bool:
        nonlocal deaths
        for program in programs:
            if program.process.poll() is not None:
                deaths += 1
                program.restart()
        with stored.database.read() as connection:
            told = connection.execute(
                select(grading_run.c.message).where(grading_run.c.message != "")
            )
            return told.scalars().all() == ["its workers died"]

    wait_until("the poison is given up", is_given_up)
    wait_until(
        "all others are done", lambda: _progress(stored, begun.id) == ("running", _MANY, _MANY + 1)
    )
    assert deaths == 3
    assert sorted(stored.events(events.PUBLISHED)[_MANY + 1 :]) == sorted(ids)
    assert stored.score(poison) == (OLD, 2, 5)
    try:
        wait_until("the queue is empty", lambda: _jobs(stored) == [])
    except AssertionError as error:  # rare, and of what is in the workers: so tell all
        with stored.database.read() as connection:
            jobs = connection.execute(text("SELECT * FROM procrastinate_jobs")).all()
            workers = connection.execute(text("SELECT * FROM procrastinate_workers")).all()
        ends = [(program.process.poll(), program.lines[-40:]) for program in programs]
        raise AssertionError(jobs, workers, ends) from error
    Sweeper(stored.database, 90, stored.grading.regrade_queue).sweep()
    assert _jobs(stored) == []  # what was given up is not queued again
    for program in programs:
        program.stop()
    assert stored.begin().id == begun.id  # but anyone who asks for it again does
    [(regrade_id, _)] = _jobs(stored)
    assert regrade_id == begun.id


def test_a_regrade_is_in_the_queue_until_it_ends(stored: Stored) -> None:
    """A job for each source, once; cancelled, nothing of it is left there."""
    _fill_store(stored, 3)
    begun = stored.begin()
    with stored.database.read() as connection:
        sources = regrades.list_open_sources(connection, begun)
    assert _jobs(stored) == [(begun.id, each) for each in sources]
    assert stored.begin() == begun
    assert len(_jobs(stored)) == 3
    assert actions.end_regrade(stored.grading, begun.id, "cancelled", actor="prof")
    assert _jobs(stored) == []


@pytest.mark.slow
def test_a_server_that_grades_nothing_begins_a_regrade(
    stored: Stored, url: str, folder: Path
) -> None:
    """It is in the queue then, and can be cancelled; a preview needs a server that grades."""
    _fill_store(stored, 1)
    with stored.database.write() as connection:
        owner = people.add_person(connection, "prof", "instructor", actor="test")
        token = people.make_token(connection, owner, "test", actor="test")
    headers = {"Authorization": f"Bearer {token}"}
    port = free_port()
    words = ["serve", "--workers", "0", "--port", str(port), "--exercises", str(folder)]
    server = ServiceProcess(words, {**os.environ, "ETUDE_DATABASE": url})
    try:
        wait_until("the server is ready", lambda: is_ready(port))
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers) as client:
            refused = client.post("/v1/regrades/preview", json={"exercise": "double"})
            assert refused.status_code == HTTPStatus.CONFLICT
            made = client.post("/v1/regrades", json={"exercise": "double", "reason": "mended"})
            assert made.status_code == HTTPStatus.ACCEPTED, made.text
            [(regrade_id, _)] = _jobs(stored)
            assert made.headers["Location"] == f"/v1/regrades/{regrade_id}"
            assert client.delete(made.headers["Location"]).json()["state"] == "cancelled"
    finally:
        server.stop()
    assert _jobs(stored) == []


def test_lost_jobs_of_a_regrade_are_queued_again(stored: Stored) -> None:
    """The sweep queues what is open of a regrade whose jobs were lost."""
    _fill_store(stored, 3)
    stored.begin()
    lost = _jobs(stored)
    with stored.database.write() as connection:
        connection.execute(text("DELETE FROM procrastinate_jobs"))
    for _ in range(2):
        Sweeper(stored.database, 90, stored.grading.regrade_queue).sweep()
    assert _jobs(stored) == lost


@pytest.mark.slow
def test_a_worker_with_another_version_leaves_the_jobs_to_others(
    stored: Stored, worker: Worker, tmp_path: Path
) -> None:
    """Its log says so, it publishes nothing, and a worker with the version does them."""
    _fill_store(stored, 2)
    begun = stored.begin()
    changed = DOUBLE.replace("title: ", "title: Another ")
    other = worker(exercises=write_collection(tmp_path / "other", changed))
    wait_until("it says so", lambda: "of another version" in "".join(other.lines))
    assert _progress(stored, begun.id) == ("running", 0, 2)
    worker()
    wait_until("it is done", lambda: _progress(stored, begun.id)[0] == "finished")
