"""Commands of docs/how-to/service.md and docs/how-to/scaling.md, checked to do what the text says."""

import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from sqlalchemy import func, select

from etude_server.settings import Settings
from etude_server.store import people, submissions
from etude_server.store.backup import make_dump_command
from etude_server.store.database import Database
from etude_server.store.migrate import upgrade_store
from etude_server.store.tables import submission
from grader.definitions.collection import Collection
from tests.server.api.conftest import Served, serving
from tests.server.conftest import EXERCISES, accept_sources
from tests.server.postgres import PostgresServer, find_binaries

__all__ = ["serving"]  # a fixture of the API's tests

ROOT = Path(__file__).parents[3]
DOCS = {
    name: (ROOT / "docs" / "how-to" / name).read_text() for name in ("service.md", "scaling.md")
}
SHELL = re.findall(r"^```sh\n(.*?)^```$", DOCS["service.md"], re.MULTILINE | re.DOTALL)
TYPED = sorted(
    {line for text in DOCS.values() for line in re.findall(r"^etude (.*)$", text, re.MULTILINE)}
)


def block(word: str) -> str:
    (found,) = (each for each in SHELL if word in each)
    return str(found)


@pytest.mark.parametrize("line", TYPED)
def test_a_command_is_one_of_ours(
    line: str, parse: Callable[[list[str]], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every command exists with its options; folders that it names are made for it."""
    for folder in ("my-course", "site"):
        (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path)
    parse(shlex.split(line))


@pytest.mark.parametrize("name", DOCS)
def test_links_lead_somewhere(name: str) -> None:
    """Every file that a document links to exists."""
    linked = re.findall(r"\]\(([^)#:]+)\)", DOCS[name])
    assert linked
    assert not [each for each in linked if not (ROOT / "docs" / "how-to" / each).exists()]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    """The address of a real `etude serve` whose `etude.db` is in the test's folder."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = ("serve", f"--port={port}", "--workers=1", f"--exercises={ROOT / 'exercises'}")
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "grader.cli", *words], cwd=tmp_path, stdout=log, stderr=log
        )
    try:
        wait_until_ready(port, process, tmp_path / "log")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def wait_until_ready(port: int, process: "subprocess.Popen[bytes]", log: Path) -> None:
    while process.poll() is None:
        try:
            if httpx.get(f"http://127.0.0.1:{port}/readyz", timeout=30).is_success:
                return
        except httpx.TransportError:
            signal.sigtimedwait([], 0.1)
    raise AssertionError(log.read_text())


def etude(folder: Path, *words: str) -> str:
    return subprocess.run(
        [sys.executable, "-m", "grader.cli", *words],
        cwd=folder, check=True, capture_output=True, text=True,
    ).stdout.strip()  # fmt: skip


def bash(script: str, folder: Path, **variables: str) -> None:
    program = shutil.which("bash")
    assert program is not None
    done = subprocess.run(
        [program, "-euo", "pipefail", "-c", script],
        cwd=folder, env={**os.environ, **variables}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def solution() -> str:
    tracks = Collection.load(ROOT / "exercises").tracks
    (found,) = (
        each for track in tracks for each in track.exercises if each.id == "attention-weights"
    )
    return found.solution


@pytest.mark.slow
def test_the_curl_examples_hand_in_and_show_the_verdict(served: str, tmp_path: Path) -> None:
    """Typed as they stand, by a student whom the commands above them added."""
    if shutil.which("curl") is None:
        pytest.skip("there is no curl on this machine")
    etude(tmp_path, "staff", "add", "s1234")
    token = etude(tmp_path, "staff", "token", "s1234", "--label", "laptop", "--days", "180")
    (tmp_path / "mine.py").write_text(solution())
    bash(
        block("$ETUDE/v1/submissions").replace("http://127.0.0.1:8000", served),
        tmp_path,
        TOKEN=token,
    )
    assert "attention-weights" in (tmp_path / "exercises.json").read_text()
    assert json.loads((tmp_path / "submission.json").read_text())["state"] in {"pending", "graded"}
    assert "event: state" in (tmp_path / "events.txt").read_text()
    assert json.loads((tmp_path / "state.json").read_text())["outcome"] == "passed"
    assert json.loads((tmp_path / "verdict.json").read_text())["schema"] == "etude/verdict/v1"


def count(database: Database) -> int:
    with database.read() as connection:
        return connection.execute(select(func.count()).select_from(submission)).scalar_one()


def submit(database: Database, number: int) -> None:
    accept_sources(database, *(f"{each}" for each in range(number)), exercise="x")


@pytest.mark.slow
def test_a_restored_copy_of_a_running_store_is_served(
    tmp_path: Path, serving: Callable[[Settings], Served]
) -> None:
    """The commands copy what is still in the journal; what was pending there is graded."""
    here = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    with Database(f"sqlite:///{tmp_path}/etude.db") as database, database.lock_for_server():
        upgrade_store(database)
        with database.write() as connection:
            owner = people.add_person(connection, "ada", "student", actor="test")
            token = people.make_token(connection, owner, "laptop", actor="test")
            wanted = (connection, owner, "attention-weights", solution())
            pending = submissions.accept_submission(*wanted, key="1").submission
        bash(block("staff backup"), tmp_path, PATH=here)
    bash(block("cp backup.db"), tmp_path)
    restored = serving(Settings(f"sqlite:///{tmp_path}/etude.db", (EXERCISES,), workers=1))
    with httpx.Client(base_url=restored.url, headers={"Authorization": f"Bearer {token}"}) as ada:
        assert restored.outcome(ada, f"/v1/submissions/{pending.id}") == "passed"


@pytest.mark.slow
def test_a_dump_of_postgresql_can_be_restored(postgres: PostgresServer, tmp_path: Path) -> None:
    """Both commands, into an empty database; what was pending is pending there.

    So does the command that `etude staff backup` prints; no one else may read either file.
    """
    binaries = find_binaries()
    assert binaries is not None
    names = [f"dump_{uuid.uuid4().hex}" for _ in range(2)]
    address, empty = (postgres.make(name) for name in names)
    try:
        with Database(address) as database:
            upgrade_store(database)
            submit(database, 3)
            printed = make_dump_command(database, tmp_path / "printed.dump")
        path = f"{binaries}{os.pathsep}{os.environ['PATH']}"
        bash(block("pg_dump"), tmp_path, ETUDE_DATABASE=address, EMPTY_DATABASE=empty, PATH=path)
        bash(printed, tmp_path, PATH=path)
        made = [(tmp_path / name).stat() for name in ("etude.dump", "printed.dump")]
        assert min(each.st_size for each in made) > 10_000
        assert {each.st_mode & 0o777 for each in made} == {0o600}
        with Database(empty) as restored:
            assert count(restored) == 3
            assert not upgrade_store(restored)
            with restored.read() as connection:
                assert submissions.count_waiting_and_parked(connection) == (3, 0)
    finally:
        for name in names:
            postgres.drop(name)
