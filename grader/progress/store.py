"""The learner's record on disk: one SQLite file, which several commands may use at once.

The file uses a rollback journal, not a write-ahead log: home folders are often on network file
systems, where a log in shared memory does not work. Each attempt is one small transaction anyway.
"""

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import astuple, fields
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final

from grader.definitions.exercise import ExerciseId
from grader.errors import UsageError
from grader.progress.history import PARTS, Event, History, Programs, read_event
from grader.safe_files import create_private, deny_others

DATA_FOLDER_VARIABLE: Final = "ETUDE_DATA"
"""The environment variable that overrides the data folder."""
FILE_NAME: Final = "progress.sqlite3"
LOCK_TIMEOUT_SECONDS: Final = 3.0
"""Seconds to wait while another command is writing."""

# Existing rows stay: time and file identify an attempt. Of hints and shown solutions the earliest
# counts, on whichever machine it was recorded.
_ON_CONFLICT: Final = {
    "hints": "UPDATE SET price = excluded.price, at = excluded.at WHERE excluded.at < at",
    "given_up": "UPDATE SET at = excluded.at WHERE excluded.at < at",
}
_ADD_PROGRAM: Final = "INSERT INTO programs (exercise, source) VALUES (?, ?) ON CONFLICT DO NOTHING"
_PUT_PROGRAM: Final = "INSERT OR REPLACE INTO programs (exercise, source) VALUES (?, ?)"

_SCHEMA_VERSION: Final = 3
_TABLES: Final = (
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
    """
    CREATE TABLE programs (  -- the latest ones that passed
        exercise TEXT NOT NULL PRIMARY KEY,
        source TEXT NOT NULL
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE broken (  -- wrong programs that the learner has shown to be wrong
        exercise TEXT NOT NULL,
        misconception TEXT NOT NULL,
        call TEXT NOT NULL,
        at TEXT NOT NULL,
        PRIMARY KEY (exercise, misconception)
    ) WITHOUT ROWID
    """,
)


class RecordError(UsageError):
    """The record of a learner's progress cannot be read or written."""


def find_data_folder() -> Path:
    """Return the folder for Etude's data about its user; it may not exist yet.

    The folder is `$ETUDE_DATA`, or else the platform's folder for user data: on Linux
    `$XDG_DATA_HOME/etude`, by default `~/.local/share/etude`.

    Raises:
        RecordError: The home folder of this user is unknown.
    """
    override = os.environ.get(DATA_FOLDER_VARIABLE)
    if override:
        return Path(override)
    from platformdirs import user_data_path  # imported here because `etude check` rarely needs it

    try:
        return user_data_path("etude", appauthor=False)
    except RuntimeError:
        # As in containers whose user has neither a name nor $HOME.
        raise RecordError(
            f"there is no home folder; {DATA_FOLDER_VARIABLE} can name another one"
        ) from None


class Store:
    """The learner's record in a folder, by default the user's data folder.

    The file is created by the first `add`.

    Args:
        patience: Seconds to wait while another command is writing.

    Raises:
        RecordError: The user's data folder is unknown.
    """

    def __init__(self, folder: Path | None = None, patience: float = LOCK_TIMEOUT_SECONDS) -> None:
        self.path = (folder if folder is not None else find_data_folder()).absolute() / FILE_NAME
        self._patience = patience

    def read(self) -> History:
        """Return the whole record, or an empty history if there is no file.

        Raises:
            RecordError: The file cannot be read, is damaged, or was written by a newer Etude.
        """
        with self._record_errors():
            if not self.path.exists():
                return History()
            # One transaction, so that all parts show the same state of the file.
            with self._open() as connection, _transaction(connection):
                if not _has_tables(connection):
                    return History()
                # Sorted by time; hints of the same time by number.
                parts: list[Any] = []
                for part, kind in PARTS.items():
                    query = f"SELECT {_list_columns(kind)} FROM {part} ORDER BY at, 2"  # noqa: S608  our names
                    rows = connection.execute(query).fetchall()
                    parts.append(tuple(read_event(kind, row) for row in rows))
                return History(*parts)

    def read_programs(self) -> Programs:
        """Return the latest passing program of each exercise.

        Raises:
            RecordError: As for `read`.
        """
        with self._record_errors():
            if not self.path.exists():
                return {}
            with self._open() as connection, _transaction(connection):
                if not _has_tables(connection):
                    return {}
                rows = connection.execute("SELECT exercise, source FROM programs ORDER BY exercise")
                return {ExerciseId(name): str(source) for name, source in rows}

    def add(
        self, history: History, passed: Programs | None = None, imported: Programs | None = None
    ) -> int:
        """Add all new entries in one transaction, and wait until they are on disk.

        Args:
            passed: Programs that replace earlier ones.
            imported: Programs that are stored only for exercises without one.

        Returns:
            The number of entries added, including hints and shown solutions whose time became
            earlier.

        Raises:
            RecordError: As for `read`, or the file cannot be written.
        """
        with self._record_errors():
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            create_private(self.path)
            # The write lock is taken at the start, so that no other command writes in between.
            with self._open() as connection, _transaction(connection, "IMMEDIATE"):
                if not _has_tables(connection):
                    for statement in _TABLES:
                        connection.execute(statement)
                    connection.execute(f"PRAGMA user_version = {_SCHEMA_VERSION}")
                before = connection.total_changes
                for part, kind in PARTS.items():
                    marks = ", ".join("?" for _ in fields(kind))
                    statement = (
                        f"INSERT INTO {part} ({_list_columns(kind)}) VALUES ({marks}) "  # noqa: S608  our names
                        f"ON CONFLICT DO {_ON_CONFLICT.get(part, 'NOTHING')}"
                    )
                    connection.executemany(statement, map(_make_row, getattr(history, part)))
                added = connection.total_changes - before
                connection.executemany(_PUT_PROGRAM, (passed or {}).items())
                connection.executemany(_ADD_PROGRAM, (imported or {}).items())
                return added

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """Open the file, also if it is read-only, and deny access to other users."""
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
        """Turn every error about the file into a `RecordError` that names it."""
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
def _transaction(connection: sqlite3.Connection, mode: str = "") -> Iterator[None]:
    connection.execute(f"BEGIN {mode}")
    try:
        yield
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _make_row(event: Event) -> list[object]:
    row: list[object] = []
    for value in astuple(event):
        match value:
            case datetime():
                row.append(value.astimezone(UTC).isoformat(timespec="microseconds"))
            case date():
                row.append(value.isoformat())
            case str():
                row.append(str(value))  # an enumeration becomes its plain text
            case _:
                row.append(value)
    return row


def _list_columns(kind: type[Event]) -> str:
    return ", ".join(field.name for field in fields(kind))


def _has_tables(connection: sqlite3.Connection) -> bool:
    """Return whether the file has its tables; an empty file has none yet.

    Raises:
        RecordError: A newer Etude wrote the file.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > _SCHEMA_VERSION:
        raise RecordError(
            f"written by a newer Etude (version {version} of its tables, known is "
            f"{_SCHEMA_VERSION})"
        )
    return bool(version)
