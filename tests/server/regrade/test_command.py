"""`etude regrade` as staff runs it: preview, run, SIGKILL and another run, list and cancel."""

from pathlib import Path

import pytest

from etude_server.store import events, regrades
from etude_server.store.database import Database
from etude_server.store.migrate import upgrade_store
from grader.grading.workers.grading_process import GradingProcess
from tests.conftest import Etude
from tests.server.regrade.conftest import HALF_RIGHT, OLD, RIGHT, Stored, store_of


@pytest.fixture
def regrade(
    etude: Etude, database_url: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Etude:
    """Run `etude regrade` on the test's database and collection."""
    monkeypatch.setenv("ETUDE_DATABASE", database_url)
    monkeypatch.setenv("ETUDE_EXERCISES", str(folder))
    monkeypatch.setenv("COLUMNS", "80")  # narrower than a table: ids stay in one piece
    return lambda *words, **options: etude("regrade", *words, **options)


@pytest.mark.slow
def test_a_regrade_shows_what_would_change_and_then_changes_it(
    regrade: Etude, stored: Stored
) -> None:
    """Without --yes nothing is published; with it all but what would be lowered, which is listed."""
    raised = stored.submit("ada", RIGHT, 2)
    lowered = stored.submit("bob", HALF_RIGHT, 5)
    seen = regrade("double", "--workers", "1")
    assert seen.returncode == 0, seen.stderr
    assert "2 submissions, 2 distinct; tried all" in seen.stdout
    assert "1 raised, 1 lowered, 0 the same" in seen.stdout
    better, worse = seen.stdout.split("Worse: they stay as they are")
    assert raised in better
    assert lowered in worse
    assert stored.score(raised) == (OLD, 2, 5)
    done = regrade("double", "--yes", "--reason", "mended", "--workers", "1")
    assert done.returncode == 0, done.stderr
    assert "finished: 2 of 2 sources done, 1 raised, 0 lowered, 1 left as they were" in done.stdout
    assert stored.score(raised) == (stored.exercise.digest, 5, 5)
    assert stored.score(lowered) == (OLD, 5, 5)
    (regrade_id,) = stored.events(events.REGRADE_ENDED)
    listed = regrade("--list").stdout
    assert regrade_id in listed
    assert "mended" in listed
    shown = regrade("--show", regrade_id).stdout
    assert raised in shown
    assert lowered in shown
    asked = regrade("double", "--yes", "--reason", "really", "--allow-lower", "--workers", "1")
    assert "0 raised, 1 lowered, 0 left" in asked.stdout
    assert stored.score(lowered) == (stored.exercise.digest, 2, 5)


def test_a_running_one_can_be_cancelled(regrade: Etude, stored: Stored) -> None:
    """Once; what it published stays."""
    stored.submit("ada", RIGHT, 2)
    begun = stored.begin()
    assert regrade("--cancel", begun.id).returncode == 0
    with stored.database.read() as connection:
        assert regrades.list_running_regrades(connection) == []
    again = regrade("--cancel", begun.id)
    assert again.returncode == 2
    assert "is running" in again.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["double", "--yes"], "--reason"),
        (["double"], "of an older version"),
        (["nothing"], "no exercise 'nothing'"),
        ([], "Give an EXERCISE"),
        (["double", "--list"], "Give an EXERCISE"),
        (["--show", "x"], "no regrade 'x'"),
    ],
)
def test_what_cannot_be_done_is_said(
    words: list[str], sentence: str, tmp_path: Path, etude: Etude, folder: Path
) -> None:
    """In a sentence, with exit status 2."""
    url = f"sqlite:///{tmp_path}/empty.db"
    with Database(url) as empty:
        upgrade_store(empty)
    said = etude("regrade", *words, "--database", url, "--exercises", folder)
    assert said.returncode == 2
    assert sentence in said.stderr
    assert "Traceback" not in said.stderr


@pytest.mark.slow
def test_a_name_does_not_steer_the_terminal(
    regrade: Etude, database: Database, pool: GradingProcess, folder: Path
) -> None:
    """Neither escape sequences nor the marks of our own tables have an effect."""
    stored = store_of(database, pool, folder)
    stored.submit("[red]ada[/red]", RIGHT, 2)
    seen = regrade("double", "--workers", "1")
    assert "[red]ada[/red]" in seen.stdout
