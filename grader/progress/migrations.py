"""The tables of the record, version by version; `PRAGMA user_version` says which one a file has."""

import sqlite3
from collections.abc import Sequence
from typing import Final, TypeAlias

from grader.progress.data_dir import RecordError

Step: TypeAlias = Sequence[str]

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
)
"""The statements that lead from each version to the next. Published ones are never changed."""


def migrate(connection: sqlite3.Connection, steps: Sequence[Step] = MIGRATIONS) -> None:
    """Bring a file to the newest version, in the transaction that is open.

    Raises:
        RecordError: a newer Etude has written it.
    """
    version = version_of(connection)
    if version > len(steps):
        raise RecordError(
            f"written by a newer Etude (version {version} of its tables, known are {len(steps)})"
        )
    for step in steps[version:]:
        for statement in step:
            connection.execute(statement)
    if version < len(steps):
        connection.execute(f"PRAGMA user_version = {len(steps)}")


def version_of(connection: sqlite3.Connection) -> int:
    """Return the version that a file has; 0 is an empty one."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)
