"""A copy of an SQLite store in one file, made while the server and commands keep writing."""

import contextlib
import os
import shlex
import sqlite3
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from etude_server.store.database import Database
from grader.errors import UsageError
from grader.safe_files import SQLITE_ENDINGS

_BUSY_SECONDS: Final = 10.0
_MAX_REPORTED: Final = 5  # damages reported, of possibly thousands


@dataclass(frozen=True, slots=True)
class Backup:
    """A verified copy."""

    size: int  # bytes
    submissions: int
    schema: str  # the store's last migration


def back_up_store(database: Database, target: Path, *, force: bool = False) -> Backup:
    """Copy an SQLite store to a file of mode 0600, which gets its name after the copy is verified.

    An older version's store is not migrated.

    Args:
        force: Replace an existing file, unless the copy is damaged.

    Raises:
        UsageError: The store does not exist, is not on SQLite or is damaged, or the target
            cannot be written.
    """
    source = database.path
    database.make_private()
    if database.is_sqlite and source is None:
        raise UsageError("a database in memory has no backup")
    if source is None:
        raise UsageError(
            f"etude cannot copy PostgreSQL; run:\n  {make_dump_command(database, target)}"
        )
    _check_target(source, target, force=force)
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        copy = Path(name)
        try:
            _copy_database(source, copy)
            backup = _check_copy(source, copy)
            os.fsync(descriptor)
            # Another process may have created it meanwhile.
            _check_target(source, target, force=force)
            copy.replace(target)
        except BaseException:
            copy.unlink()
            raise
        finally:
            os.close(descriptor)
        folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)  # makes the new name durable
        finally:
            os.close(folder)
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {error.strerror or error}") from None
    return backup


def make_dump_command(database: Database, target: Path) -> str:
    """Return the command that dumps a store on PostgreSQL; it asks for a password if necessary."""
    command = ["pg_dump", "--format=custom", f"--file={target}", f"--dbname={database}"]
    return f"(umask 077; {shlex.join(command)})"


def _check_target(source: Path, target: Path, *, force: bool) -> None:
    """Raise UsageError if a file must not be written."""
    if target.is_symlink():
        raise UsageError(f"{target} is a link; name the file that it leads to")
    if target.resolve() in {
        Path(f"{source.resolve()}{ending}") for ending in (*SQLITE_ENDINGS, ".lock")
    }:
        raise UsageError(f"{target} is the database itself")
    try:
        mode = target.lstat().st_mode
    except OSError:
        return
    if not stat.S_ISREG(mode):
        raise UsageError(f"{target} is not a regular file")
    if target.samefile(source):  # under another name
        raise UsageError(f"{target} is the database itself")
    if not force:
        raise UsageError(f"{target} exists; --force replaces it")


def _copy_database(source: Path, copy: Path) -> None:
    """Copy one state of a database.

    All pages are copied in one step, because each write restarts a copy in several steps. In WAL
    mode no writer waits for it.
    """
    reader = sqlite3.connect(
        f"{source.absolute().as_uri()}?mode=rw",
        uri=True,
        timeout=_BUSY_SECONDS,
        isolation_level=None,
    )
    with contextlib.closing(reader), contextlib.closing(sqlite3.connect(copy)) as writer:
        try:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM sqlite_schema")  # reports a lock
            # An incomplete copy is deleted, so it needs no journal, and one sync at the end.
            writer.execute("PRAGMA journal_mode = OFF")
            writer.execute("PRAGMA synchronous = OFF")
            reader.backup(writer)
        except sqlite3.Error as error:
            raise UsageError(f"{source} cannot be copied: {error}") from None


def _check_copy(source: Path, copy: Path) -> Backup:
    """Verify a copy, and return its properties.

    Raises:
        UsageError: The copy, and so the source, is damaged or is not a store.
    """
    # No other process uses the copy, and SQLite must not create files beside it.
    connection = sqlite3.connect(f"{copy.absolute().as_uri()}?immutable=1", uri=True)
    with contextlib.closing(connection):
        try:
            problems = [str(row[0]) for row in connection.execute("PRAGMA integrity_check")]
            damages = [] if problems == ["ok"] else problems
            for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check"):
                damages.append(f"{table} {row} refers to no row of {parent}")
        except sqlite3.Error as error:
            damages = [str(error)]
        if damages:
            lines = "\n  ".join(damages[:_MAX_REPORTED])
            raise UsageError(f"{source} is damaged, and no backup was made:\n  {lines}")
        try:
            (schema,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
            (count,) = connection.execute("SELECT count(*) FROM submission").fetchone()
        except (sqlite3.Error, TypeError):
            raise UsageError(f"{source} is not a database of `etude serve`") from None
    return Backup(copy.stat().st_size, count, schema)
