"""`etude staff` says which database it uses, and makes none unasked."""

import sqlite3
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from etude_server.commands import regrade, staff
from grader.cli import stats
from grader.errors import UsageError


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Be in another folder than the server's."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ETUDE_DATABASE", raising=False)


def test_adding_somebody_says_where_and_whether_it_is_new(tmp_path: Path) -> None:
    """On stderr, so that stdout stays as it was; the second time the database is there."""
    first, second = (CliRunner().invoke(staff.command, ["add", name]) for name in ("ada", "bob"))
    assert (first.stdout, second.stdout) == ("ada is student\n", "bob is student\n")
    assert first.stderr == f"new database: {tmp_path}/etude.db\n"
    assert second.stderr == f"database: {tmp_path}/etude.db\n"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (staff.command, "token ada"),
        (staff.command, "tokens ada"),
        (staff.command, "revoke 1"),
        (staff.command, "rebuild"),
        (staff.command, "backup b.db"),
        (staff.command, "platform list"),
        (staff.command, "platform rotate-key"),
        (staff.command, "platform unsent --retry"),
        (stats.command, "--database sqlite:///etude.db"),
        (regrade.command, "--list"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_no_other_command_makes_a_database(command: click.Command, words: str) -> None:
    """It reports a missing database, and leaves nothing behind."""
    done = CliRunner().invoke(command, words.split())
    assert isinstance(done.exception, UsageError)
    assert "there is no database" in str(done.exception)
    assert not list(Path.cwd().iterdir())


def test_another_program_s_file_is_refused(tmp_path: Path) -> None:
    """A foreign database gets no tables, and a text file is not taken for a database."""
    theirs = sqlite3.connect(tmp_path / "etude.db")
    theirs.execute("CREATE TABLE notes (text)")
    done = CliRunner().invoke(staff.command, ["add", "ada"])
    assert "it has tables of another program" in str(done.exception)
    assert theirs.execute("SELECT name FROM sqlite_master").fetchall() == [("notes",)]
    theirs.close()
    (tmp_path / "etude.db").write_text("my notes, which are no database")
    done = CliRunner().invoke(staff.command, ["add", "ada"])
    assert isinstance(done.exception, UsageError)
    assert "the file is not an SQLite database" in str(done.exception)
