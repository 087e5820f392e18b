"""A service to be measured: a database, people with tokens, and the real commands running on it."""

import contextlib
import functools
import http.client
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count, cycle
from pathlib import Path

from sqlalchemy import text

from benchmarks.processes import children_of, tree_cpu
from etude_server.catalog import Catalog
from etude_server.job_queue import JobQueue
from etude_server.store import people, submissions
from etude_server.store.database import Database
from etude_server.store.migrate import upgrade_store
from grader.definitions.exercise import Exercise
from tests.server.postgres import PostgresServer, find_binaries

COLLECTION = Path(__file__).parents[2] / "exercises"
EXERCISE = "attention-weights"

_PEOPLE = 1_000  # each submits at most thirty times a minute
_START_SECONDS = 60.0
_END_SECONDS = 30.0
_LOOK_SECONDS = 0.1

_numbers = count()


@dataclass(frozen=True, slots=True)
class Store:
    """A fresh database."""

    dialect: str
    url: str
    log: Path  # the output of the server and its workers
    postgres: PostgresServer | None

    def cpu(self) -> float:
        """Return the CPU seconds of a database server; 0 for SQLite."""
        return tree_cpu(self.postgres.pid) if self.postgres else 0.0


@dataclass(slots=True)
class Running:
    """A server and its workers."""

    store: Store
    database: Database
    port: int
    tokens: list[str]
    server: "subprocess.Popen[bytes]"
    workers: "list[subprocess.Popen[bytes]]" = field(default_factory=list)

    def cpu(self) -> float:
        """Return the CPU seconds of all: server, grading processes, database."""
        pids = [self.server.pid, *(worker.pid for worker in self.workers)]
        return sum(tree_cpu(pid) for pid in pids) + self.store.cpu()

    def server_cpu(self) -> float:
        """Return the CPU seconds of the process that answers, without those that grade."""
        below = sum(tree_cpu(pid) for pid in children_of(self.server.pid))
        return tree_cpu(self.server.pid) - below

    def size(self) -> int:
        """Return the bytes that the database takes, without journals, with what is free in it."""
        with self.database.read() as connection:
            if not self.database.is_sqlite:
                asked = text("SELECT pg_database_size(current_database())")
                return int(connection.execute(asked).scalar_one())
            pages, each = (
                int(connection.execute(text(f"PRAGMA {name}")).scalar_one())
                for name in ("page_count", "page_size")
            )
            return pages * each

    def wait_until_graded(self) -> None:
        """Wait until nothing waits."""
        wait_until_graded(self.database)


def exercise() -> Exercise:
    """Return the exercise that is graded."""
    found = catalog().find(EXERCISE)
    assert found is not None  # it is one of ours
    return found


def new_source() -> str:
    """Return a right solution that no one has submitted before."""
    return f"{exercise().solution}\n# submission {next(_numbers)}, {os.getpid()}\n"


@contextlib.contextmanager
def stores(dialects: tuple[str, ...]) -> "Iterator[Stores]":
    """Start what these dialects need; what this machine lacks is left out."""
    folder = Path(tempfile.mkdtemp(prefix="etude-bench-"))
    folder.chmod(0o755)
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        binaries = find_binaries()
        server = None
        if "PostgreSQL" in dialects and binaries is not None:
            (folder / "postgres").mkdir()
            server = PostgresServer(binaries, folder / "postgres", durable=True)
            stack.callback(server.stop)
        yield Stores(folder, server, tuple(_there(dialects, server)))


@dataclass(frozen=True, slots=True)
class Stores:
    """A source of fresh databases."""

    folder: Path
    postgres: PostgresServer | None
    dialects: tuple[str, ...]  # the dialects that were asked for and are installed

    def make(self, dialect: str) -> Store:
        """Make a database without any table."""
        name = f"bench_{next(_numbers)}"
        log = self.folder / f"{name}.log"
        if dialect == "SQLite":
            return Store(dialect, f"sqlite:///{self.folder}/{name}.db", log, None)
        assert self.postgres is not None  # `dialects` says so
        return Store(dialect, self.postgres.make(name), log, self.postgres)


def _there(dialects: tuple[str, ...], server: PostgresServer | None) -> Iterator[str]:
    return (each for each in dialects if each == "SQLite" or server is not None)


@contextlib.contextmanager
def running(
    store: Store, workers: int = 2, *, grades: bool = True, collection: Path = COLLECTION
) -> Iterator[Running]:
    """Run `etude serve` and, on PostgreSQL, that many `etude worker`; end them afterwards.

    Args:
        store: the database.
        workers: how many submissions are graded at once.
        grades: whether there are workers on PostgreSQL at all.
        collection: the folder of the exercises.
    """
    start = functools.partial(_start, collection=collection)
    with contextlib.ExitStack() as stack:
        database = stack.enter_context(Database(store.url))
        upgrade_store(database)
        tokens = _tokens(database)
        port = _free_port()
        own = workers if database.is_sqlite else 0
        server = start(stack, store, "serve", f"--port={port}", f"--workers={own}")
        running = Running(store, database, port, tokens, server)
        _wait_for(port, server, store.log)
        if grades and not database.is_sqlite:
            ports = [_free_port() for _ in range(workers)]
            running.workers = [
                start(stack, store, "worker", "--workers=1", f"--health-port={each}")
                for each in ports
            ]
            for each, worker in zip(ports, running.workers, strict=True):
                _wait_for(each, worker, store.log)
        yield running


def accept_many(database: Database, number: int) -> list[str]:
    """Put right solutions of many people into the store and the queue; return their ids."""
    with database.write() as connection:
        names = (f"person {each}" for each in range(min(number, _PEOPLE)))
        owners = cycle(
            [people.add_person(connection, name, "student", actor="bench") for name in names]
        )
        ids = []
        for _ in range(number):
            made = submissions.accept_submission(
                connection, next(owners), EXERCISE, new_source(), key=uuid.uuid4().hex
            )
            ids.append(made.submission.id)
    if not database.is_sqlite:
        with JobQueue(database) as jobs:
            jobs.defer_submissions(ids)
    return ids


def wait_until_graded(database: Database) -> None:
    """Wait until nothing waits.

    Raises:
        RuntimeError: something could not be graded.
    """
    while True:
        with database.read() as connection:
            waiting, parked = submissions.count_waiting_and_parked(connection)
        if parked:
            raise RuntimeError(f"{parked} submissions could not be graded")
        if not waiting:
            return
        time.sleep(_LOOK_SECONDS)


@functools.cache
def catalog() -> Catalog:
    """Return the collection that is graded."""
    return Catalog.load(COLLECTION)


def _tokens(database: Database) -> list[str]:
    with database.write() as connection:
        return [
            people.make_token(
                connection,
                people.add_person(connection, f"person {number}", "student", actor="bench"),
                "bench",
                actor="bench",
            )
            for number in range(_PEOPLE)
        ]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _start(
    stack: contextlib.ExitStack, store: Store, *words: str, collection: Path
) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "grader.cli", *words, f"--exercises={collection}"]
    log = stack.enter_context(store.log.open("ab"))
    process = subprocess.Popen(  # noqa: S603  our own command
        command,
        env={**os.environ, "ETUDE_DATABASE": store.url},
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
    )
    stack.callback(_end, process)
    return process


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _wait_for(port: int, process: "subprocess.Popen[bytes]", log: Path) -> None:
    """Wait until `/readyz` says so.

    Raises:
        RuntimeError: it ended, or took too long.
    """
    until = time.monotonic() + _START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        with contextlib.suppress(OSError, http.client.HTTPException):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/readyz")
            status = connection.getresponse().status
            connection.close()
            if status == http.HTTPStatus.OK:
                return
        time.sleep(_LOOK_SECONDS)
    raise RuntimeError(f"the service did not come up:\n{log.read_text()}")
