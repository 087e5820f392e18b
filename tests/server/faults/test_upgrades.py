"""A server beside older workers, before its database, and with another version of its exercises."""

import signal
import uuid
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import text

from etude_server.store.database import Database
from tests.server.faults.conftest import Deployment, is_ready, run_stack, wait_until
from tests.server.postgres import PostgresServer


def says(lines: list[str], *words: str) -> bool:
    return any(all(word in line for word in words) for line in lines)


@pytest.mark.slow
@pytest.mark.release
def test_old_workers_go_on_beside_a_newer_server(postgres: PostgresServer, tmp_path: Path) -> None:
    """The newer one only adds a table and a column; workers stay ready, and may start again."""
    url = postgres.make(f"rolling_{uuid.uuid4().hex}")
    for stack in run_stack("queue", tmp_path, url):
        assert says(stack.workers[0].lines, '"event": "ready"', '"lane": "interactive"')
        with Database(url) as database, database.write() as connection:
            connection.execute(text("ALTER TABLE person ADD COLUMN pronoun TEXT"))
            connection.execute(text("CREATE TABLE novelty (id INTEGER PRIMARY KEY)"))
            connection.execute(text("UPDATE alembic_version SET version_num = '0999'"))
        stack.workers[0].stop()
        stack.workers[0].restart()
        stack.wait_until_ready()
        stack.submit(3)
        stack.wait_until_graded()
        stack.check()


@pytest.mark.slow
@pytest.mark.release
def test_a_server_waits_for_its_database(postgres: PostgresServer, tmp_path: Path) -> None:
    """One that starts first says what it waits for, and why, and begins once PostgreSQL answers."""
    url = postgres.make(f"waiting_{uuid.uuid4().hex}")
    for stack in run_stack("queue", tmp_path, url):
        stack.server.stop()
        postgres.kill()
        stack.server.restart()
        away = partial(
            says, stack.server.lines, "the database is unreachable", "Connection refused"
        )
        wait_until("it waits", away)
        postgres.restart()
        wait_until("it is ready", partial(is_ready, stack.port))
        assert not says(stack.server.lines, "Traceback")


@pytest.mark.slow
def test_exercises_are_read_again_without_a_restart(local_stack: Deployment) -> None:
    """After SIGHUP new submissions meet the new version; a broken one changes nothing."""
    server = local_stack.server
    with local_stack.client() as client:
        path = local_stack.clock.parent / "exercises/attention/14-held.yaml"
        good = path.read_text()

        def title() -> str:
            return str(client.get("/v1/exercises/held").json()["title"])

        path.write_text(good.replace("title: Held", "title: [Held"))
        server.process.send_signal(signal.SIGHUP)
        wait_until("it says why", lambda: says(server.lines, "stay as they were", "14-held.yaml"))
        assert title() == "Held"
        path.write_text(good.replace("title: Held", "title: Kept"))
        server.process.send_signal(signal.SIGHUP)
        wait_until("it is read", lambda: title() == "Kept")
