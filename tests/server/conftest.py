"""Databases for the tests of the service: an SQLite file, and a separate PostgreSQL server."""

import functools
import io
import logging
import os
import resource
import shutil
import ssl
import tempfile
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from etude_server import logs
from etude_server.catalog import Catalog
from etude_server.store import people, submissions
from etude_server.store.database import Database
from etude_server.store.migrate import upgrade_store
from etude_server.store.submissions import StoredSubmission
from grader.definitions.exercise import ExerciseId, TestId
from grader.grading.results.verdict import Outcome, TestResult, Verdict
from tests.server.postgres import PostgresServer, find_binaries

EXERCISES = Path(__file__).parents[2] / "exercises"

_TEMPLATE = "etude_template"


@pytest.fixture(scope="session", autouse=True)
def _read_once() -> Iterator[None]:
    """Read our own collection, and the certificates, once for all servers and clients."""
    load = Catalog.load
    ours = functools.cache(lambda: load(EXERCISES))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Catalog, "load", lambda path: ours() if path == EXERCISES else load(path))
        # Each client would read all certificates again, which takes 20 ms.
        patch.setattr(ssl, "create_default_context", functools.cache(ssl.create_default_context))
        yield


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A running PostgreSQL server, with a template that has our tables."""
    found = find_binaries()
    if found is None:
        if os.environ.get("ETUDE_REQUIRE_POSTGRES"):
            pytest.fail("there is no PostgreSQL server here, and ETUDE_REQUIRE_POSTGRES is set")
        pytest.skip("there is no PostgreSQL server on this machine (scripts/install-postgresql)")
    folder = Path(tempfile.mkdtemp(prefix="etude-pg-", dir="/tmp"))
    try:
        server = PostgresServer(found, folder)
        try:
            with Database(server.make(_TEMPLATE)) as template:
                upgrade_store(template)
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An SQLite file with our tables."""
    path = tmp_path_factory.mktemp("template") / "etude.db"
    with Database(f"sqlite:///{path}") as template:
        upgrade_store(template)
    return path


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(
    request: pytest.FixtureRequest, tmp_path: Path, sqlite_template: Path
) -> Iterator[str]:
    """The address of a fresh database with our tables, in each dialect."""
    if request.param == "sqlite":
        shutil.copy2(sqlite_template, tmp_path / "etude.db")
        yield f"sqlite:///{tmp_path}/etude.db"
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    name = f"test_{uuid.uuid4().hex}"
    yield server.make(name, _TEMPLATE)
    server.drop(name)


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """A fresh database with our tables, in each dialect."""
    with Database(database_url) as opened:
        yield opened


@pytest.fixture
def files() -> Iterator[int]:
    """The limit of open files during a test, as each connection is one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = 65_536 if hard == resource.RLIM_INFINITY else min(hard, 65_536)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))
    yield most
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """Captured logs in a server's format; afterwards the tests' own logging is restored."""
    root = logging.getLogger()
    handlers, level, excepthook = root.handlers, root.level, threading.excepthook
    stream = io.StringIO()
    logs.configure_logs(stream)
    yield stream
    root.handlers, root.level, threading.excepthook = handlers, level, excepthook
    structlog.reset_defaults()


def make_verdict(
    source_hash: str,
    score: int,
    max_score: int,
    *,
    exercise: str = "double",
    exercise_hash: str = "e",
    test: str = "t",
    is_test_passed: bool = True,
    xp: int = 0,
) -> Verdict:
    """Return a verdict with one test, as a grader of an older version would make it."""
    result = TestResult(
        TestId(test),
        "",
        hidden=False,
        outcome=Outcome.PASSED if is_test_passed else Outcome.FAILED,
        points=score,
        max_points=max_score,
    )
    passed = score == max_score
    return Verdict(
        exercise=ExerciseId(exercise),
        title=exercise,
        outcome=Outcome.PASSED if passed else Outcome.FAILED,
        message="",
        line=None,
        tests=(result,),
        output="",
        hidden_elsewhere=0,
        xp=xp if passed else 0,
        sandbox="bubblewrap",
        exercise_hash=exercise_hash,
        submission_hash=source_hash,
        grader_version="0",
    )


def accept_sources(
    database: Database, *sources: str, exercise: str = "double"
) -> list[StoredSubmission]:
    """Accept submissions of a student, who is added if necessary."""
    with database.write() as connection:
        owner = people.add_person(connection, "ada", "student", actor="test")
        return [
            submissions.accept_submission(
                connection, owner, exercise, source, key=uuid.uuid4().hex
            ).submission
            for source in sources
        ]
