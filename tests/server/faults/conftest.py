"""Complete services in separate processes, to be broken: on SQLite, and with two workers."""

import contextlib
import hashlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal

import httpx
import pytest
from sqlalchemy import insert, select, text

from etude_server.job_queue import JobQueue
from etude_server.store import events, people
from etude_server.store.database import Database
from etude_server.store.ids import make_id, now
from etude_server.store.tables import event, publication, source, submission, waiting
from grader.definitions.collection import Collection
from tests.server.conftest import EXERCISES
from tests.server.postgres import PostgresServer

EXERCISE = "attention-weights"
HOOK = Path(__file__).with_name("hook")
PATIENCE = 120.0  # generous, because the machine may be busy
_DAY = 24 * 60 * 60 * 1_000_000_000  # nanoseconds

Kind = Literal["local pool", "queue"]


def free_port() -> int:
    """Return a free port on 127.0.0.1."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(what: str, holds: Callable[[], bool]) -> None:
    """Wait until a condition holds, or fail with its description."""
    until = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < until, f"still not so: {what}"
        time.sleep(0.05)


def is_ready(port: int) -> bool:
    """Return whether a server or worker reports that it is ready."""
    try:
        return httpx.get(f"http://127.0.0.1:{port}/readyz", timeout=10).is_success
    except httpx.TransportError:
        return False


def children(pid: int) -> list[int]:
    """Return a process's children, or none if it has ended."""
    found = []
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for task in Path(f"/proc/{pid}/task").glob("*/children"):
            found += [int(each) for each in task.read_text().split()]
    return found


class ServiceProcess:
    """One process of the service, with its output and the command to restart it."""

    def __init__(self, arguments: list[str], environment: dict[str, str]) -> None:
        self._arguments = arguments
        self._environment = environment
        self.lines: list[str] = []
        self.process = self._start()

    def _start(self) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-m", "grader.cli", *self._arguments],
            env=self._environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        threading.Thread(target=self._read, args=(process,), daemon=True).start()
        return process

    def _read(self, process: "subprocess.Popen[str]") -> None:
        assert process.stderr is not None
        with process.stderr:
            self.lines += process.stderr

    @property
    def grading_process(self) -> int:
        """The id of its grading process."""
        wait_until("there is a grading process", lambda: self._grading_processes() != [])
        return self._grading_processes()[0]

    def _grading_processes(self) -> list[int]:
        return [each for each in children(self.process.pid) if _is_grading_process(each)]

    def kill(self) -> None:
        """Kill the process, as a power cut would."""
        self.process.kill()
        self.process.wait()

    def restart(self) -> None:
        """Start the process again."""
        self.process = self._start()

    def stop(self) -> int:
        """Ask the process to end, and return its exit status."""
        self.tell_to_stop()
        return self.process.wait(PATIENCE)

    def tell_to_stop(self) -> None:
        """Ask the process to end, without waiting."""
        self.process.send_signal(signal.SIGTERM)


def _is_grading_process(pid: int) -> bool:
    try:
        return (
            b"grader.grading.workers.grading_process_main"
            in Path(f"/proc/{pid}/cmdline").read_bytes()
        )
    except (FileNotFoundError, ProcessLookupError):
        # The process has just ended.
        return False


@dataclass
class Deployment:
    """A running service."""

    kind: Kind
    url: str
    port: int
    server: ServiceProcess
    workers: list[ServiceProcess]
    clock: Path
    database: Database
    solution: str
    health_ports: list[int] = field(default_factory=list)  # of the workers
    accepted: list[str] = field(default_factory=list)

    @property
    def address(self) -> str:
        """The address of the server."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def programs(self) -> list[ServiceProcess]:
        """All processes that a person would start."""
        return [self.server, *self.workers]

    @property
    def graders(self) -> list[ServiceProcess]:
        """The processes that grade."""
        return self.workers or [self.server]

    def wait_until_ready(self) -> None:
        """Wait until the server and all workers report that they are ready."""
        for port in (self.port, *self.health_ports):
            wait_until("all are ready", partial(is_ready, port))

    def client(self) -> httpx.Client:
        """Return a client for a new person, since submissions per person are limited."""
        with self.database.write() as connection:
            name = uuid.uuid4().hex
            owner = people.add_person(connection, name, "student", actor="test")
            token = people.make_token(connection, owner, "test", actor="test")
        return httpx.Client(
            base_url=self.address, headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE
        )

    def source(self, note: str = "") -> str:
        """Return a solution that no one has submitted before."""
        return f"{self.solution}\n# {note} {uuid.uuid4().hex}\n"

    def post(
        self, client: httpx.Client, source: str, key: str = "", exercise: str = EXERCISE
    ) -> httpx.Response:
        """Post a submission."""
        return client.post(
            "/v1/submissions",
            json={"exercise": exercise, "source": source},
            headers={"Idempotency-Key": key or uuid.uuid4().hex},
        )

    @contextlib.contextmanager
    def halted(self) -> Iterator[list[int]]:
        """Submit while grading is stopped; the jobs stay in progress until a process is killed."""
        self.wait_until_ready()  # a worker that is still testing itself takes no job
        grading_processes = [program.grading_process for program in self.graders]
        for pid in grading_processes:
            os.kill(pid, signal.SIGSTOP)
        try:
            self.submit(6)  # more than one worker takes
            if self.kind == "queue":
                busy = len(self.workers)
                wait_until("all workers are at work", lambda: self._at_work() == busy)
            yield grading_processes
        finally:
            for pid in grading_processes:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)

    @contextlib.contextmanager
    def clock_set_back(self) -> Iterator[None]:
        """Set the clock of all processes back by a day."""
        written = self.clock.with_suffix(".new")
        written.write_text(str(-_DAY))
        written.replace(self.clock)  # replaced atomically, because it is read all the time
        try:
            yield
        finally:
            self.clock.unlink()

    def jobs(self) -> list[str]:
        """Return the state of each job in the queue, or none without a queue."""
        if self.kind == "local pool":
            return []
        with self.database.read() as connection:
            found = text("SELECT status::text FROM procrastinate_jobs")
            return list(connection.execute(found).scalars())

    def _at_work(self) -> int:
        """Return the number of workers with jobs in progress."""
        busy = text(
            "SELECT count(DISTINCT worker_id) FROM procrastinate_jobs WHERE status = 'doing'"
        )
        with self.database.read() as connection:
            return int(connection.execute(busy).scalar_one())

    def submit(self, count: int, *notes: str) -> list[str]:
        """Submit some solutions, and one more for each note; return their ids."""
        with self.client() as client:
            sources = [self.source() for _ in range(count)] + [self.source(n) for n in notes]
            answers = [self.post(client, each).raise_for_status() for each in sources]
        made = [str(answer.json()["id"]) for answer in answers]
        self.accepted += made
        return made

    def pending(self) -> dict[str, bool]:
        """Return the submissions without a verdict, and whether each is parked."""
        with self.database.read() as connection:
            rows = connection.execute(select(waiting.c.submission_id, waiting.c.parked))
            return {row.submission_id: row.parked for row in rows}

    def fill(self, count: int) -> None:
        """Add submissions of forty distinct sources directly to the store."""
        with self.database.write() as connection:
            owner = people.add_person(connection, make_id(), "student", actor="test")
            texts = [self.source() for _ in range(40)]
            hashes = [hashlib.sha256(each.encode()).hexdigest() for each in texts]
            kept = [
                {"hash": digest, "text": text} for digest, text in zip(hashes, texts, strict=True)
            ]
            connection.execute(insert(source), kept)
            rows = [
                {
                    "id": make_id(),
                    "person_id": owner.id,
                    "exercise": EXERCISE,
                    "source_hash": hashes[number % 40],
                    "received_at": now(),
                    "idempotency_key": str(number),
                }
                for number in range(count)
            ]
            connection.execute(insert(submission), rows)
            connection.execute(
                insert(waiting), [{"submission_id": row["id"], "parked": False} for row in rows]
            )
        if self.kind == "queue":
            with JobQueue(self.database) as jobs:
                jobs.defer_submissions([str(row["id"]) for row in rows])

    def parked(self) -> list[str]:
        """Return the submissions ever parked: each poison once, and no other."""
        with self.database.read() as connection:
            told = select(event.c.subject).where(event.c.kind == events.PARKED)
            parked = list(connection.execute(told).scalars())
            texts = (
                select(source.c.text)
                .join(submission, submission.c.source_hash == source.c.hash)
                .where(submission.c.id.in_(parked))
            )
            assert all("KILLS" in text for text in connection.execute(texts).scalars())
        assert len(parked) == len(set(parked))
        return parked

    def wait_until_graded(self) -> None:
        """Wait until only parked submissions are pending, and check that nothing was lost."""
        wait_until("all are graded", lambda: all(self.pending().values()))
        self.check()

    def check(self) -> None:
        """Check that every accepted submission has exactly one verdict, or is visibly pending."""
        with self.database.read(snapshot=True) as connection:
            kept = set(connection.execute(select(submission.c.id)).scalars())
            held = Counter(connection.execute(select(publication.c.submission_id)).scalars())
            told = select(event.c.subject).where(event.c.kind == events.PUBLISHED)
            published = Counter(connection.execute(told).scalars())
            open_ones = set(connection.execute(select(waiting.c.submission_id)).scalars())
        assert set(self.accepted) <= kept
        assert open_ones | set(held) == kept
        assert not open_ones & set(held)
        assert held == published
        assert set(held.values()) <= {1}


# A test that computes for as long as a submission says, in code that no signal interrupts.
_HELD = """\
id: NAME
title: Held
difficulty: beginner
xp: 1
instructions: i
defines: {f: {}}
starter: ""
limits: {wall_seconds: LIMIT}
tests: [{id: only, given: {x: 3}, call: sum(range(f(x))), expect: 3}]
solution: "def f(x): return x"
explanation: e
"""


def _write_exercises(folder: Path) -> Path:
    """Write a collection of few exercises, because each process reads it at its start."""
    track = folder / "attention"
    track.mkdir(parents=True)
    written = (EXERCISES / "attention/13-attention-weights.yaml").read_text().splitlines(True)
    # The required exercises are not in this collection.
    alone = (line for line in written if not line.startswith("requires:"))
    (track / "13-attention-weights.yaml").write_text("".join(alone))
    (track / "track.yaml").write_text(
        f"id: attention\ntitle: Few\ndescription: Few.\nexercises: [{EXERCISE}, held, held-long]\n"
    )
    for number, name, limit in ((14, "held", "3"), (15, "held-long", "60")):
        text = _HELD.replace("NAME", name).replace("LIMIT", limit)
        (track / f"{number}-{name}.yaml").write_text(text)
    return folder


def run_stack(kind: Kind, folder: Path, url: str, workers: int = 2) -> Iterator[Deployment]:
    """Start a service, and stop it at the end unless a test has.

    Args:
        kind: The kind of executor.
        folder: The folder for its files.
        url: The address of its database.
        workers: The size of a local pool.
    """
    clock = folder / "clock"
    exercises = _write_exercises(folder / "exercises")
    environment = os.environ | {
        "PYTHONPATH": str(HOOK),
        "TESTED_CLOCK": str(clock),
        "ETUDE_DATABASE": url,
        "ETUDE_EXERCISES": str(exercises),
    }
    port = free_port()
    at_once = 0 if kind == "queue" else workers
    command = ["serve", "--port", str(port), "--workers", str(at_once)]
    solution = Collection.load(exercises).find(EXERCISE).solution
    with Database(url) as database:
        stack = Deployment(
            kind, url, port, ServiceProcess(command, environment), [], clock, database, solution
        )
        try:
            if kind == "queue":
                for _ in range(2):
                    stack.health_ports.append(free_port())
                    health = ["--health-port", str(stack.health_ports[-1])]
                    command = ["worker", "--workers", "1", "--dead-after", "4", *health]
                    stack.workers.append(ServiceProcess(command, environment))
            stack.wait_until_ready()
            yield stack
        finally:
            running = [each for each in stack.programs if each.process.poll() is None]
            for each in running:
                each.tell_to_stop()
            for each in running:
                each.process.wait(PATIENCE)


@pytest.fixture(scope="module")
def local_stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    """A server on SQLite that grades by itself, for all tests of a module."""
    folder = tmp_path_factory.mktemp("local pool")
    yield from run_stack("local pool", folder, f"sqlite:///{folder}/etude.db")


@pytest.fixture(scope="module")
def queue_stack(
    postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Deployment]:
    """A server on PostgreSQL with two workers, for all tests of a module."""
    url = postgres.make(f"faults_{uuid.uuid4().hex}")
    yield from run_stack("queue", tmp_path_factory.mktemp("queue"), url)


@pytest.fixture(params=["local_stack", pytest.param("queue_stack", marks=pytest.mark.slow)])
def stack(request: pytest.FixtureRequest) -> Deployment:
    """A service with each executor."""
    found: Deployment = request.getfixturevalue(request.param)
    return found
