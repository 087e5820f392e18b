"""Regrades past one machine: chunks in the queue, and the workers of `etude worker --lane regrade`."""

import os
from collections.abc import Callable, Iterator
from http import HTTPStatus
from pathlib import Path

import httpx
import pytest
from sqlalchemy import select, text

from benchmarks.postgres import PostgresServer
from grader.service import regrading
from grader.service.catalog import Catalog
from grader.service.grading_pool import Desk
from grader.service.regrade_jobs import SIZE, Chunk
from grader.service.store import events, people, regrades
from grader.service.store.database import Database
from grader.service.store.tables import attempt
from grader.service.sweeper import Sweeper
from tests.service.faults.conftest import HOOK, Program, free_port, is_ready, wait_until
from tests.service.regrade.conftest import OLD, RIGHT, Stored, store_of

_MANY = SIZE + 5

Worker = Callable[..., Program]


@pytest.fixture
def url(postgres: PostgresServer) -> Iterator[str]:
    """An empty database with our tables, on PostgreSQL."""
    name = f"lane_{os.urandom(8).hex()}"
    yield postgres.make(name, "etude_template")
    postgres.drop(name)


@pytest.fixture
def stored(url: str, desk: Desk, folder: Path) -> Iterator[Stored]:
    """A store on PostgreSQL."""
    with Database(url) as database:
        yield store_of(database, desk, folder)


@pytest.fixture
def worker(url: str, folder: Path, tmp_path: Path) -> Iterator[Worker]:
    """Start workers of the lane, which read the address from a file; whoever kills them may."""
    address = tmp_path / "the address"
    address.write_text(f"{url}\n")
    command = ["worker", "--lane", "regrade", "--workers", "1", "--database-file", str(address)]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ETUDE_")}
    started: list[Program] = []

    def start(*options: str) -> Program:
        words = [*command, "--exercises", str(folder), "--dead-after", "4", *options]
        started.append(Program(words, environment | {"PYTHONPATH": str(HOOK)}))
        return started[-1]

    yield start
    for program in started:
        if program.process.poll() is None:
            program.stop()


def _chunks(stored: Stored) -> list[Chunk]:
    """Return what is in the queue."""
    with stored.database.read() as connection:
        jobs = text("SELECT args FROM procrastinate_jobs WHERE queue_name = 'regrade' ORDER BY id")
        return [Chunk.from_job(each) for each in connection.execute(jobs).scalars()]


def _progress(stored: Stored, regrade_id: str) -> tuple[int, int]:
    with stored.database.read() as connection:
        return regrades.progress(connection, regrade_id)


def _state(stored: Stored, regrade_id: str) -> str:
    with stored.database.read() as connection:
        found = regrades.find(connection, regrade_id)
    assert found is not None
    return found.state


def _fill(stored: Stored, count: int) -> list[str]:
    return [stored.hand_in("ada", f"{RIGHT}# {number}\n", 2) for number in range(count)]


@pytest.mark.slow
def test_a_worker_of_the_lane_does_what_is_begun_elsewhere(stored: Stored, worker: Worker) -> None:
    """It takes chunks, ends the regrade, answers probes meanwhile, and stops with status 0."""
    ids = _fill(stored, _MANY)
    port = free_port()
    program = worker("--health-port", str(port))
    wait_until("the worker is ready", lambda: is_ready(port))
    with httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
        begun = stored.begin()
        wait_until("it is done", lambda: _state(stored, begun.id) == "finished")
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
    ids = _fill(stored, _MANY)
    poison = stored.hand_in("bob", f"{RIGHT}# KILLS ITS HOST\n", 2)
    begun = stored.begin()
    programs, deaths = [worker(), worker()], 0

    def is_given_up() -> bool:
        nonlocal deaths
        for program in programs:
            if program.process.poll() is not None:
                deaths += 1
                program.restart()
        with stored.database.read() as connection:
            told = connection.execute(select(attempt.c.message).where(attempt.c.message != ""))
            return told.scalars().all() == ["its workers died"]

    wait_until("the poison is given up", is_given_up)
    wait_until("all others are done", lambda: _progress(stored, begun.id) == (_MANY, _MANY + 1))
    assert deaths == 3
    assert sorted(stored.events(events.PUBLISHED)[_MANY + 1 :]) == sorted(ids)
    assert stored.score(poison) == (OLD, 2, 5)
    assert _state(stored, begun.id) == "running"
    wait_until("the queue is empty", lambda: _chunks(stored) == [])
    Sweeper(stored.database, 90).sweep()
    assert _chunks(stored) == []  # the net does not begin anew with what was given up
    for program in programs:
        program.stop()
    assert stored.begin() == begun  # but whoever asks for it again does
    [(first, last)] = [(each.first, each.last) for each in _chunks(stored)]
    assert first == last


def test_a_regrade_is_in_the_queue_until_it_ends(stored: Stored) -> None:
    """In chunks of forty that cover all of it, once; cancelled, nothing of it is left there."""
    _fill(stored, _MANY)
    begun = stored.begin()
    first, second = _chunks(stored)
    assert stored.begin() == begun
    assert _chunks(stored) == [first, second]
    with stored.database.read() as connection:
        covered = [first.open_sources(connection), second.open_sources(connection)]
        assert [*covered[0], *covered[1]] == regrades.open_sources(connection, begun)
    assert [len(each) for each in covered] == [SIZE, 5]
    assert regrading.do_chunk(stored.grading, second, lambda: False)
    assert _progress(stored, begun.id) == (5, _MANY)
    assert regrading.end(stored.database, begun.id, "cancelled", actor="prof")
    assert _chunks(stored) == []
    assert regrading.do_chunk(stored.grading, first, lambda: False)
    assert _progress(stored, begun.id) == (5, _MANY)


@pytest.mark.slow
def test_a_server_that_grades_nothing_begins_a_regrade(
    stored: Stored, url: str, folder: Path
) -> None:
    """It is in the queue then, and can be cancelled; a preview needs a server that grades."""
    _fill(stored, 1)
    with stored.database.write() as connection:
        owner = people.add_person(connection, "prof", "instructor", actor="test")
        token = people.make_token(connection, owner, "test", actor="test")
    headers = {"Authorization": f"Bearer {token}"}
    port = free_port()
    words = ["serve", "--workers", "0", "--port", str(port), "--exercises", str(folder)]
    server = Program(words, {**os.environ, "ETUDE_DATABASE": url})
    try:
        wait_until("the server is ready", lambda: is_ready(port))
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers) as client:
            refused = client.post("/v1/regrades/preview", json={"exercise": "double"})
            assert refused.status_code == HTTPStatus.CONFLICT
            made = client.post("/v1/regrades", json={"exercise": "double", "reason": "mended"})
            assert made.status_code == HTTPStatus.ACCEPTED, made.text
            [chunk] = _chunks(stored)
            assert made.headers["Location"] == f"/v1/regrades/{chunk.regrade}"
            assert client.delete(made.headers["Location"]).json()["state"] == "cancelled"
    finally:
        server.stop()
    assert _chunks(stored) == []


def test_what_no_job_speaks_of_is_found(stored: Stored) -> None:
    """The sweep queues what is open of a regrade whose jobs were lost."""
    _fill(stored, 3)
    begun = stored.begin()
    [lost] = _chunks(stored)
    with stored.database.write() as connection:
        connection.execute(text("DELETE FROM procrastinate_jobs"))
    for _ in range(2):
        Sweeper(stored.database, 90).sweep()
    [found] = _chunks(stored)
    assert (found.first, found.last) == (lost.first, lost.last)
    assert regrading.do_chunk(stored.grading, found, lambda: False)
    assert _state(stored, begun.id) == "finished"


def test_a_chunk_that_cannot_be_done_here_is_left_to_others(stored: Stored) -> None:
    """A worker that is stopping, or has another version of the exercise, publishes nothing of it."""
    _fill(stored, 2)
    begun = stored.begin()
    [chunk] = _chunks(stored)
    assert not regrading.do_chunk(stored.grading, chunk, lambda: True)
    catalog = stored.grading.catalog
    stored.grading.catalog = Catalog(catalog.tracks, {})
    assert not regrading.do_chunk(stored.grading, chunk, lambda: False)
    assert _progress(stored, begun.id) == (0, 2)
    stored.grading.catalog = catalog
    assert regrading.do_chunk(stored.grading, chunk, lambda: False)
    assert _state(stored, begun.id) == "finished"
    with stored.database.read() as connection:
        assert regrades.running(connection) == []
