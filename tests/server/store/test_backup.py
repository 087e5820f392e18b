"""`etude staff backup`: one state of the store in one checked file, whatever goes on meanwhile."""

import os
import sqlite3
import stat
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import delete

from etude_server.commands.staff import command
from etude_server.store import events, people, submissions
from etude_server.store.backup import back_up_store
from etude_server.store.database import Database
from etude_server.store.migrate import upgrade_store
from etude_server.store.tables import person
from grader.errors import UsageError
from tests.conftest import Etude
from tests.server.conftest import accept_sources


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def store(tmp_path: Path) -> Database:
    """A store in a folder of its own."""
    (tmp_path / "store").mkdir()
    made = Database(f"sqlite:///{tmp_path}/store/etude.db")
    upgrade_store(made)
    return made


def _submit(store: Database, number: int) -> None:
    accept_sources(store, *(f"x = {each}\n" * 50 for each in range(number)))


def _count(path: Path) -> tuple[int, int]:
    """Count the submissions and their events."""
    with closing(sqlite3.connect(path)) as copied:
        (made,) = copied.execute("SELECT count(*) FROM submission").fetchone()
        asked = "SELECT count(*) FROM event WHERE kind = ?"
        (told,) = copied.execute(asked, [events.SUBMITTED]).fetchone()
        return made, told


def _open(store: Database) -> None:
    with Database(f"sqlite:///{store.path}") as other, other.read():
        pass


def test_a_backup_beside_writers_is_one_state(store: Database, tmp_path: Path) -> None:
    """Each has every transaction whole or not at all, and what was committed before it began."""
    _submit(store, 30)
    is_over = threading.Event()

    def write() -> None:
        for number in range(100_000):
            if is_over.is_set():
                return
            with store.write() as connection:
                owner = people.add_person(connection, "eve", "student", actor="test")
                submissions.accept_submission(
                    connection, owner, "softmax", f"{number}", key=f"{number}"
                )

    writer = threading.Thread(target=write)
    writer.start()
    counts = []
    try:
        for number in range(8):
            target = tmp_path / f"{number}.db"
            made = back_up_store(store, target)
            assert _count(target) == (made.submissions, made.submissions)
            counts.append(made.submissions)
    finally:
        is_over.set()
        writer.join()
    assert counts == sorted(counts)
    assert 30 <= counts[0] < counts[-1]


@pytest.mark.parametrize("umask", [0o000, 0o022])
def test_a_store_and_its_backup_are_their_owner_s_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, umask: int
) -> None:
    """All files get their mode under any umask before SQLite writes a byte."""
    folder, connect = tmp_path / "folder", sqlite3.connect
    folder.mkdir()
    modes: set[int] = set()

    def watched(*args: Any, **options: Any) -> Any:
        assert list(folder.iterdir()), "SQLite would create it by the umask"
        modes.update(map(_mode, folder.iterdir()))
        return connect(*args, **options)

    monkeypatch.setattr(sqlite3, "connect", watched)
    before = os.umask(umask)
    try:
        with Database(f"sqlite:///{folder}/etude.db") as store, store.lock_for_server():
            upgrade_store(store)
            _submit(store, 3)
            back_up_store(store, folder / "backup.db")
            with store.write() as connection:
                submissions.count_waiting_and_parked(connection)
                names = {path.name for path in folder.iterdir()}
                modes.update(map(_mode, folder.iterdir()))
    finally:
        os.umask(before)
    ours = ("etude.db", "etude.db-wal", "etude.db-shm", "etude.db.lock", "backup.db")
    assert names == set(ours)
    assert modes == {0o600}


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604])
def test_a_store_that_others_could_read_is_closed(
    store: Database, tmp_path: Path, caplog: pytest.LogCaptureFixture, mode: int
) -> None:
    """Those of older versions are; the files beside it too, and a line says so, once."""
    _submit(store, 1)  # the connection stays open, so that there are files beside
    files = sorted((tmp_path / "store").iterdir())
    assert len(files) == 3
    for path in files:
        path.chmod(mode)
    for _ in range(2):
        _open(store)
    assert {_mode(path) for path in files} == {0o600}
    assert [record.message for record in caplog.records if "open to others" in record.message] == [
        "the database was open to others; its mode is now 0600, its owner's alone"
    ]


def test_a_store_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    """A server that starts prints the same sentence, without a traceback."""
    store = Database(f"sqlite:///{tmp_path}/nowhere/etude.db")
    with (
        pytest.raises(UsageError, match=r"nowhere/etude\.db: No such file"),
        store.lock_for_server(),
    ):
        pass


def test_no_link_beside_a_store_is_followed(store: Database, tmp_path: Path) -> None:
    """Root changes no permissions that another user chose."""
    other = tmp_path / "other"
    other.touch()
    other.chmod(0o644)
    (tmp_path / "store" / "etude.db-journal").symlink_to(other)
    _open(store)
    assert _mode(other) == 0o644


def _write_noise(path: Path) -> None:
    """Overwrite a page in the middle."""
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 4096 // 2 * 4096)
        file.write(b"\xa5" * 4096)


def _lose_an_index(path: Path) -> None:
    """Leave an index's pages to no one, which every query survives."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("DELETE FROM sqlite_schema WHERE name = 'ix_outbox_due'")


@pytest.mark.parametrize("damage", [_write_noise, _lose_an_index])
def test_a_damaged_store_is_reported_and_the_last_backup_stays(
    store: Database, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    """It is found before anything is replaced."""
    _submit(store, 200)
    target = tmp_path / "backup.db"
    back_up_store(store, target)
    whole = target.read_bytes()
    store.engine.dispose()
    assert store.path is not None
    damage(store.path)
    with pytest.raises(UsageError, match=r"etude\.db is damaged, and no backup was made:\n  \S"):
        back_up_store(store, target, force=True)
    assert target.read_bytes() == whole
    assert {path.name for path in tmp_path.iterdir()} == {"store", "backup.db"}


def test_a_reference_to_nothing_is_reported(store: Database, tmp_path: Path) -> None:
    """A database that SQLite finds whole may still have lost rows that others refer to."""
    _submit(store, 1)
    assert store.path is not None
    with closing(sqlite3.connect(store.path)) as careless, careless:
        careless.execute(str(delete(person)))
    with pytest.raises(UsageError, match="refers to no row of person"):
        back_up_store(store, tmp_path / "backup.db")


@pytest.mark.parametrize("content", [b"no database at all, but long enough" * 99, b""])
def test_what_is_no_store_is_reported(tmp_path: Path, content: bytes) -> None:
    """Any other file is reported with a sentence."""
    (tmp_path / "other.db").write_bytes(content)
    with pytest.raises(UsageError, match=r"not a database|is not a database"):
        back_up_store(Database(f"sqlite:///{tmp_path}/other.db"), tmp_path / "backup.db")
    assert [path.name for path in tmp_path.iterdir()] == ["other.db"]


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda path, _: path.write_bytes(b"mine"), "exists; --force replaces it"),
        (lambda path, store: path.symlink_to(store), "is a link"),
        (lambda path, _: path.symlink_to("nowhere"), "is a link"),
    ],
    ids=["file", "link", "link to nothing"],
)
def test_nothing_is_replaced_unasked(
    store: Database, tmp_path: Path, make: Callable[[Path, Path | None], None], sentence: str
) -> None:
    """An existing file stays as it is."""
    target = tmp_path / "backup.db"
    make(target, store.path)
    before = target.lstat()
    with pytest.raises(UsageError, match=sentence):
        back_up_store(store, target)
    assert target.lstat() == before


@pytest.mark.parametrize("name", ["etude.db", "etude.db-wal", "etude.db.lock", "again.db", "pipe"])
def test_nothing_of_the_store_is_replaced(store: Database, tmp_path: Path, name: str) -> None:
    """Not even by force: the database by any name, a file beside it, a file that is not regular."""
    folder = tmp_path / "store"
    (folder / "again.db").hardlink_to(folder / "etude.db")
    os.mkfifo(folder / "pipe")
    with pytest.raises(UsageError, match=r"is the database itself|is not a regular file"):
        back_up_store(store, folder / name, force=True)


def test_staff_makes_a_backup(etude: Etude, store: Database, tmp_path: Path) -> None:
    """The command says what the copy holds; it replaces one by force alone."""
    _submit(store, 12)
    words = ("staff", "backup", "backup.db", "--database", f"sqlite:///{store.path}")
    made = etude(*words)
    size = (tmp_path / "backup.db").stat().st_size
    said = f"backup.db: {size:,} bytes, 12 submissions, schema 0001\n"
    assert (made.returncode, made.stdout, made.stderr) == (0, said, "")
    refused = etude(*words)
    assert refused.returncode == 2
    assert "--force" in refused.stderr
    _submit(store, 1)
    by_force = CliRunner().invoke(
        command, ["backup", f"{tmp_path}/backup.db", *words[3:], "--force"]
    )
    assert "13 submissions" in by_force.stdout


def test_a_store_of_an_older_version_is_copied_as_it_is(store: Database, tmp_path: Path) -> None:
    """The new version does not start with a migration: the backup is there to go back."""
    with store.write() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0000'")
    assert back_up_store(store, tmp_path / "backup.db").schema == "0000"


def test_postgresql_has_a_command_of_its_own(tmp_path: Path) -> None:
    """It is named as it can be typed, without the password; nothing is written."""
    options = "sslmode=require&sslpassword=geheim&password=geheim"
    store = Database(f"postgresql://etude:geheim@db.example.org:5433/course?{options}")
    with pytest.raises(UsageError) as caught:
        back_up_store(store, tmp_path / "etude.dump")
    assert str(caught.value).splitlines()[-1].strip() == (
        f"(umask 077; pg_dump --format=custom --file={tmp_path}/etude.dump "
        "'--dbname=postgresql://etude@db.example.org:5433/course?sslmode=require')"
    )
    assert not list(tmp_path.iterdir())
