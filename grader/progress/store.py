"""The record on disk: one SQLite file, which any number of commands may use at once.

A rollback journal, not a write-ahead log: home folders lie on network file systems, where a log in
shared memory does not work, and one attempt is one small transaction either way.
"""

import contextlib
import sqlite3
from collections.abc import Iterator
from dataclasses import astuple, fields
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final

from grader.definitions.exercise import ExerciseId
from grader.grading.results.verdict import Outcome
from grader.progress.data_dir import RecordError, data_folder
from grader.progress.history import Attempt, GivenUp, HintTaken, History
from grader.progress.migrations import MIGRATIONS, migrate, version_of
from grader.sqlite_files import close_to_others, create_private

FILE_NAME: Final = "progress.sqlite3"
PATIENCE: Final = 3.0
"""Seconds to wait for another command that is writing."""

# What is there already stays: an attempt is named by its time and its file. Of hints and surrenders
# the earliest counts, wherever it was recorded.
_ADD_ATTEMPT: Final = "INSERT INTO attempts ({}) VALUES ({}) ON CONFLICT DO NOTHING".format(  # noqa: S608  our names
    ", ".join(field.name for field in fields(Attempt)),
    ", ".join("?" for _ in fields(Attempt)),
)
_ADD_HINT: Final = (
    "INSERT INTO hints (exercise, number, price, at) VALUES (?, ?, ?, ?) "
    "ON CONFLICT DO UPDATE SET price = excluded.price, at = excluded.at WHERE excluded.at < at"
)
_ADD_GIVEN_UP: Final = (
    "INSERT INTO given_up (exercise, at) VALUES (?, ?) "
    "ON CONFLICT DO UPDATE SET at = excluded.at WHERE excluded.at < at"
)


class Store:
    """The record in a folder, by default the user's. Nothing is written before something is added.

    Args:
        folder: where the file is.
        patience: seconds to wait for another command that is writing.

    Raises:
        RecordError: the user has no known folder.
    """

    def __init__(self, folder: Path | None = None, patience: float = PATIENCE) -> None:
        self.path = (folder if folder is not None else data_folder()).absolute() / FILE_NAME
        self._patience = patience

    def read(self) -> History:
        """Return all that is recorded; nothing if there is no file.

        Raises:
            RecordError: it cannot be read, is damaged, or was written by a newer Etude.
        """
        with self._explained():
            if not self.path.exists():
                return History()
            with self._opened() as connection:
                if version_of(connection) != len(MIGRATIONS):
                    with _transaction(connection):
                        migrate(connection)
                connection.execute("BEGIN")  # one state of the file, whatever is written meanwhile
                attempts = connection.execute(
                    f"SELECT {', '.join(field.name for field in fields(Attempt))} "  # noqa: S608  our names
                    "FROM attempts ORDER BY at"
                ).fetchall()
                hints = connection.execute(
                    "SELECT exercise, number, price, at FROM hints ORDER BY at, number"
                ).fetchall()
                given_up = connection.execute(
                    "SELECT exercise, at FROM given_up ORDER BY at"
                ).fetchall()
                connection.execute("COMMIT")
                return History(
                    tuple(_attempt(*row) for row in attempts),
                    tuple(
                        HintTaken(ExerciseId(name), int(number), int(price), _instant(at))
                        for name, number, price, at in hints
                    ),
                    tuple(GivenUp(ExerciseId(name), _instant(at)) for name, at in given_up),
                )

    def add(self, history: History) -> int:
        """Add what is not recorded yet, all of it or nothing, and wait until the disk has it.

        Returns:
            how many entries were new; of hints and surrenders also those that are now earlier.

        Raises:
            RecordError: it cannot be written, as for `read`; or the disk is full.
        """
        with self._explained():
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            create_private(self.path)
            with self._opened() as connection, _transaction(connection):
                migrate(connection)
                before = connection.total_changes
                connection.executemany(_ADD_ATTEMPT, map(_row, history.attempts))
                connection.executemany(_ADD_HINT, map(_row, history.hints))
                connection.executemany(_ADD_GIVEN_UP, map(_row, history.given_up))
                return connection.total_changes - before

    @contextlib.contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """Open the file, which is its owner's alone; a read-only one is read."""
        close_to_others(self.path)
        address = f"{self.path.as_uri()}?mode=rw"
        connection = sqlite3.connect(
            address, timeout=self._patience, isolation_level=None, uri=True
        )
        with contextlib.closing(connection):
            connection.execute("PRAGMA synchronous = FULL")
            yield connection

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn whatever is wrong with the file into one sentence that names it."""
        try:
            yield
        except OSError as error:
            raise RecordError(f"{self.path}: {error.strerror or error}") from error
        except (RecordError, sqlite3.Error, ValueError, TypeError) as error:
            raise RecordError(f"{self.path}: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return "another program is using it"
    if name.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")) or not isinstance(
        error, (RecordError, sqlite3.Error)
    ):
        return f"it is damaged ({error}); move it away to begin a new one"
    return str(error)


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


def _row(event: Attempt | HintTaken | GivenUp) -> tuple[Any, ...]:
    return tuple(_cell(value) for value in astuple(event))


def _cell(value: object) -> object:
    match value:
        case datetime():
            return value.astimezone(UTC).isoformat(timespec="microseconds")
        case date():
            return value.isoformat()
        case str():
            return str(value)  # of an enumeration its text
    return value


def _attempt(exercise: str, at: str, day: str, outcome: str, *rest: Any) -> Attempt:  # noqa: ANN401  as they come
    score, max_score, xp, *texts = rest
    return Attempt(
        ExerciseId(exercise),
        _instant(at),
        date.fromisoformat(day),
        Outcome(outcome),
        int(score),
        int(max_score),
        int(xp),
        *map(str, texts),
    )


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)
