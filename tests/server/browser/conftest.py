"""A real `etude serve` with a built site, used by the Chromium of `tests/browser`."""

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from etude_server.catalog import Catalog
from etude_server.store import people, submissions
from etude_server.store.database import Database
from etude_server.store.migrate import upgrade_store
from etude_server.store.people import Role
from grader.definitions.exercise import Exercise
from tests.browser.conftest import _browser, browser, certified_site, new_context, tools  # noqa: F401  fixtures of these tests too
from tests.browser.tools import ROOT

HOSTILE_NAME = "<img src=x onerror=alert(1)> \"'{{ 7*7 }}"
HOSTILE_SOURCE = "# </pre><script>alert(1)</script>\u202e{{ 7*7 }}\nattention_weights = None\n"
PARKED_SOURCE = "# parked\n"


@dataclass(frozen=True)
class Served:
    """A running server."""

    url: str  # ends with a slash
    database: Database
    catalog: Catalog
    parked: str  # a submission's id

    def token(self, name: str, role: Role = "student") -> str:
        """Make a token for a person, who is added if necessary."""
        with self.database.write() as connection:
            owner = people.add_person(connection, name, role, actor="test")
            return people.make_token(connection, owner, "test", actor="test")

    def exercise(self, name: str = "attention-weights") -> Exercise:
        """Return an exercise."""
        found = self.catalog.find(name)
        assert found is not None
        return found


@pytest.fixture(scope="session")
def served(
    certified_site: Path,  # noqa: F811  the fixture
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Served]:
    """A server on a fresh SQLite file that already contains a parked submission."""
    folder = tmp_path_factory.mktemp("served")
    address = f"sqlite:///{folder}/etude.db"
    with Database(address) as database:
        upgrade_store(database)
        parked = _park(database)
        with serving(folder, certified_site) as (url, _):
            yield Served(url, database, Catalog.load(ROOT / "exercises"), parked)


@contextmanager
def serving(
    folder: Path, site: Path, *options: object
) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """Run `etude serve` on a folder's `etude.db`; yield its address and its process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    database = f"sqlite:///{folder}/etude.db"
    options = (*options, "--port", port, "--workers", 1, "--site", site, "--database", database)
    command = [sys.executable, "-m", "grader.cli", "serve", *map(str, options)]
    with (folder / "log").open("wb") as log, subprocess.Popen(command, stderr=log) as server:
        try:
            url = f"http://127.0.0.1:{port}/"
            _wait(url, server)
            yield url, server
        finally:
            server.terminate()


def _park(database: Database) -> str:
    """Park a submission as the service does after three faults."""
    with database.write() as connection:
        owner = people.add_person(connection, HOSTILE_NAME, "student", actor="test")
        accepted = submissions.accept_submission(
            connection, owner, "attention-weights", PARKED_SOURCE, key="parked"
        )
        submissions.park_submission(connection, accepted.submission.id, "the disk was full")
    return accepted.submission.id


def _wait(url: str, server: "subprocess.Popen[bytes]") -> None:
    while True:
        assert server.poll() is None, "the server ended"
        try:
            urllib.request.urlopen(f"{url}livez", timeout=5).close()  # noqa: S310  our own
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
        else:
            return
