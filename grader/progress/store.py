"""The record on disk: one SQLite file, which any number of commands may use at once.

A rollback journal, not a write-ahead log: home folders lie on network file systems, where a log in
shared memory does not work, and one attempt is one small transaction either way.
"""

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import astuple, fields
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final, TypeAlias

from grader.definitions.exercise import ExerciseId
from grader.errors import UsageError
from grader.progress.history import PARTS, Event, History, Programs, read_event
from grader.safe_files import create_private, deny_others

Step: TypeAlias = Sequence[str]

DATA_FOLDER_VARIABLE: Final = "ETUDE_DATA"
"""The environment's variable that names another folder."""
FILE_NAME: Final = "progress.sqlite3"
PATIENCE: Final = 3.0
"""Seconds to wait for another command that is writing."""

# What is there already stays: an attempt is named by its time and its file. Of hints and surrenders
# the earliest counts, wherever it was recorded.
_IF_THERE: Final = {
    "hints": "UPDATE SET price = excluded.price, at = excluded.at WHERE excluded.at < at",
    "given_up": "UPDATE SET at = excluded.at WHERE excluded.at < at",
}
_ADD_PROGRAM: Final = "INSERT INTO programs (exercise, source) VALUES (?, ?) ON CONFLICT DO NOTHING"
_PUT_PROGRAM: Final = "INSERT OR REPLACE INTO programs (exercise, source) VALUES (?, ?)"

MIGRATIONS: Final[Sequence[Step]] = (
    (
        """
        CREATE TABLE attempts (
            exercise TEXT NOT NULL,
            at TEXT NOT NULL,  -- UTC, ISO 8601 with microseconds: its order is that of time
            day TEXT NOT NULL,  -- of the learner's own calendar
            outcome TEXT NOT NULL,
            score INTEGER NOT NULL,
            max_score INTEGER NOT NULL,
            xp INTEGER NOT NULL,
            diagnosis TEXT NOT NULL,
            submission TEXT NOT NULL,
            definition TEXT NOT NULL,
            grader TEXT NOT NULL,
            sandbox TEXT NOT NULL,
            PRIMARY KEY (exercise, at, submission)
        ) WITHOUT ROWID
        """,
        """
        CREATE TABLE hints (
            exercise TEXT NOT NULL,
            number INTEGER NOT NULL,
            price INTEGER NOT NULL,
            at TEXT NOT NULL,
            PRIMARY KEY (exercise, number)
        ) WITHOUT ROWID
        """,
        """
        CREATE TABLE given_up (
            exercise TEXT NOT NULL PRIMARY KEY,
            at TEXT NOT NULL
        ) WITHOUT ROWID
        """,
    ),
    (
        """
        CREATE TABLE programs (  -- those that passed last
            exercise TEXT NOT NULL PRIMARY KEY,
            source TEXT NOT NULL
        ) WITHOUT ROWID
        """,
    ),
    (
        """
        CREATE TABLE broken (  -- wrong programs that the learner has shown to be wrong
            exercise TEXT NOT NULL,
            misconception TEXT NOT NULL,
            call TEXT NOT NULL,
            at TEXT NOT NULL,
            PRIMARY KEY (exercise, misconception)
        ) WITHOUT ROWID
        """,
    ),
)
"""The statements that lead from each version to the next. Published ones are never changed."""


class RecordError(UsageError):
    """The record of a learner's progress cannot be read or written."""


def data_folder() -> Path:
    """Return the folder for what Etude keeps about its user; it need not exist.

    That is `$ETUDE_DATA`, or else the platform's folder for users' data: on Linux
    `$XDG_DATA_HOME/etude`, by default `~/.local/share/etude`.

    Raises:
        RecordError: This user has no known home.
    """
    override = os.environ.get(DATA_FOLDER_VARIABLE)
    if override:
        return Path(override)
    from platformdirs import user_data_path  # a check imports as little as it can

    try:
        return user_data_path("etude", appauthor=False)
    except RuntimeError:  # a user without a name and without $HOME, as in some containers
        raise RecordError(
            f"there is no home folder; {DATA_FOLDER_VARIABLE} can name another one"
        ) from None


class Store:
    """The record in a folder, by default the user's. Nothing is written before something is added.

    Args:
        patience: Seconds to wait for another command that is writing.

    Raises:
        RecordError: The user has no known folder.
    """

    def __init__(self, folder: Path | None = None, patience: float = PATIENCE) -> None:
        self.path = (folder if folder is not None else data_folder()).absolute() / FILE_NAME
        self._patience = patience

    def read(self) -> History:
        """Return all that is recorded; nothing if there is no file.

        Raises:
            RecordError: It cannot be read, is damaged, or was written by a newer Etude.
        """
        with self._record_errors():
            if not self.path.exists():
                return History()
            with self._open() as connection:
                if schema_version(connection) != len(MIGRATIONS):
                    with _transaction(connection):
                        migrate(connection)
                connection.execute("BEGIN")  # one state of the file, whatever is written meanwhile
                parts: list[Any] = []  # in the order of time, hints also by their numbers
                for part, kind in PARTS.items():
                    query = f"SELECT {_columns(kind)} FROM {part} ORDER BY at, 2"  # noqa: S608  our names
                    rows = connection.execute(query).fetchall()
                    parts.append(tuple(read_event(kind, row) for row in rows))
                connection.execute("COMMIT")
                return History(*parts)

    def programs(self) -> Programs:
        """Return the programs that passed last.

        Raises:
            RecordError: As for `read`.
        """
        with self._record_errors():
            if not self.path.exists():
                return {}
            with self._open() as connection, _transaction(connection):
                migrate(connection)
                rows = connection.execute("SELECT exercise, source FROM programs ORDER BY exercise")
                return {ExerciseId(name): str(source) for name, source in rows}

    def add(
        self, history: History, passed: Programs | None = None, imported: Programs | None = None
    ) -> int:
        """Add what is not recorded yet, all of it or nothing, and wait until the disk has it.

        Args:
            passed: Programs that take the place of earlier ones.
            imported: Programs for exercises that have none.

        Returns:
            How many entries were new; of hints and surrenders also those that are now earlier.

        Raises:
            RecordError: It cannot be written, as for `read`; or the disk is full.
        """
        with self._record_errors():
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            create_private(self.path)
            with self._open() as connection, _transaction(connection):
                migrate(connection)
                before = connection.total_changes
                for part, kind in PARTS.items():
                    marks = ", ".join("?" for _ in fields(kind))
                    statement = (
                        f"INSERT INTO {part} ({_columns(kind)}) VALUES ({marks}) "  # noqa: S608  our names
                        f"ON CONFLICT DO {_IF_THERE.get(part, 'NOTHING')}"
                    )
                    connection.executemany(statement, map(_row, getattr(history, part)))
                added = connection.total_changes - before
                connection.executemany(_PUT_PROGRAM, (passed or {}).items())
                connection.executemany(_ADD_PROGRAM, (imported or {}).items())
                return added

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """Open the file, which is its owner's alone; a read-only one is read."""
        deny_others(self.path)
        address = f"{self.path.as_uri()}?mode=rw"
        connection = sqlite3.connect(
            address, timeout=self._patience, isolation_level=None, uri=True
        )
        with contextlib.closing(connection):
            connection.execute("PRAGMA synchronous = FULL")
            yield connection

    @contextlib.contextmanager
    def _record_errors(self) -> Iterator[None]:
        """Turn whatever is wrong with the file into one sentence that names it."""
        try:
            yield
        except OSError as error:
            raise RecordError(f"{self.path}: {error.strerror or error}") from error
        except (RecordError, sqlite3.Error, ValueError, TypeError) as error:
            name = getattr(error, "sqlite_errorname", "")
            reason = str(error)
            if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
                reason = "another program is using it"
            elif name.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")) or not isinstance(
                error, (RecordError, sqlite3.Error)
            ):
                reason = f"it is damaged ({error}); move it away to begin a new one"
            raise RecordError(f"{self.path}: {reason}") from error


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Hold the write lock from the beginning, so that no other command writes in between."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _row(event: Event) -> list[object]:
    row: list[object] = []
    for value in astuple(event):
        match value:
            case datetime():
                row.append(value.astimezone(UTC).isoformat(timespec="microseconds"))
            case date():
                row.append(value.isoformat())
            case str():
                row.append(str(value))  # of an enumeration its text
            case _:
                row.append(value)
    return row


def _columns(kind: type[Event]) -> str:
    return ", ".join(field.name for field in fields(kind))


def migrate(connection: sqlite3.Connection, steps: Sequence[Step] = MIGRATIONS) -> None:
    """Bring a file to the newest version, in the transaction that is open.

    Raises:
        RecordError: A newer Etude has written it.
    """
    version = schema_version(connection)
    if version > len(steps):
        raise RecordError(
            f"written by a newer Etude (version {version} of its tables, known are {len(steps)})"
        )
    for step in steps[version:]:
        for statement in step:
            connection.execute(statement)
    if version < len(steps):
        connection.execute(f"PRAGMA user_version = {len(steps)}")


def schema_version(connection: sqlite3.Connection) -> int:
    """Return the version that a file has; 0 is an empty one."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)
