"""A real server on 127.0.0.1 with real grading, for the tests of the API."""

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import httpx
import pytest
import uvicorn
from fastapi import FastAPI

from etude_server.app import create_app
from etude_server.http_server import make_uvicorn_config
from etude_server.service import Service, open_service
from etude_server.settings import Settings
from etude_server.store import people
from etude_server.store.people import Role
from tests.server.conftest import EXERCISES

# The client closes idle connections before the server does, so that no request hits a closed one.
SHORT_LIVED: Final = httpx.Limits(keepalive_expiry=1)


@dataclass
class Served:
    """A running server."""

    url: str
    context: Service
    app: FastAPI
    clients: list[httpx.Client] = field(default_factory=list)

    def token(self, name: str, role: Role = "student") -> str:
        """Make a token for a person, who is added if necessary."""
        with self.context.database.write() as connection:
            owner = people.add_person(connection, name, role, actor="test")
            return people.make_token(connection, owner, "test", actor="test")

    def client(self, name: str, role: Role = "student") -> httpx.Client:
        """Return a client that is signed in as a person."""
        headers = {"Authorization": f"Bearer {self.token(name, role)}"}
        made = httpx.Client(base_url=self.url, headers=headers, timeout=120, limits=SHORT_LIVED)
        self.clients.append(made)
        return self.clients[-1]

    def visitor(self, name: str = "prof", role: Role = "instructor") -> httpx.Client:
        """Return a browser in which a person has signed in on the staff pages."""
        made = httpx.Client(base_url=self.url, timeout=120, limits=SHORT_LIVED)
        made.post("/sign-in", data={"token": self.token(name, role)})
        self.clients.append(made)
        return made

    def close(self) -> None:
        """Close the clients."""
        for client in self.clients:
            client.close()

    def solution(self, exercise: str = "attention-weights") -> str:
        """Return the model solution of an exercise."""
        found = self.context.catalog.find(exercise)
        assert found is not None
        return found.solution

    def submit(self, client: httpx.Client, source: str, exercise: str = "double") -> str:
        """Submit a source, wait until it is graded, and return its address."""
        body = {"exercise": exercise, "source": source}
        answer = client.post("/v1/submissions", json=body).raise_for_status()
        self.outcome(client, answer.headers["Location"])
        return str(answer.headers["Location"])

    def outcome(self, client: httpx.Client, location: str) -> str:
        """Wait until a submission is graded, and return its outcome."""
        for _ in range(2400):
            state = client.get(location).raise_for_status().json()
            if state["state"] != "pending":
                return str(state["outcome"] or state["state"])
            time.sleep(0.05)
        raise AssertionError("it was not graded within two minutes")


@pytest.fixture(scope="module")
def serving() -> Iterator[Callable[[Settings], Served]]:
    """Start servers, which are stopped at the end of the module."""
    stops: list[Callable[[], None]] = []

    def start(settings: Settings) -> Served:
        service = contextlib.ExitStack()
        context = service.enter_context(open_service(settings))
        stops.append(service.close)
        app = create_app(context)
        server = uvicorn.Server(make_uvicorn_config(app, replace(settings, port=0)))
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)

        def stop() -> None:
            server.should_exit = True
            thread.join()

        stops.append(stop)
        port = server.servers[0].sockets[0].getsockname()[1]
        served = Served(f"http://127.0.0.1:{port}", context, app)
        stops.append(served.close)
        return served

    yield start
    for stop in reversed(stops):
        stop()


@pytest.fixture(scope="module")
def served(
    serving: Callable[[Settings], Served], tmp_path_factory: pytest.TempPathFactory
) -> Served:
    """A server on a fresh SQLite file, with generous limits."""
    folder = tmp_path_factory.mktemp("served")
    return serving(
        Settings(f"sqlite:///{folder}/etude.db", (EXERCISES,), workers=2, per_minute=10_000)
    )


@contextlib.contextmanager
def grading_worker(url: str, folder: Path) -> Iterator[None]:
    """Grade submissions in a worker, which a server on PostgreSQL needs."""
    command = [sys.executable, "-m", "grader.cli", "worker", "--workers", "1"]
    command += ["--exercises", str(folder)]
    with (
        (folder / "log").open("wb") as log,
        subprocess.Popen(command, env=os.environ | {"ETUDE_DATABASE": url}, stderr=log) as worker,
    ):
        try:
            yield
        finally:
            worker.terminate()
