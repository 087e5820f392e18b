"""Connections to the store, SQLite or PostgreSQL, and SQL that differs between them."""

import contextlib
import fcntl
import logging
import os
import re
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Self

import psycopg
from sqlalchemy import URL, Connection, Table, create_engine, event, make_url, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, OperationalError

from grader.errors import UsageError
from grader.safe_files import create_private, deny_others

_BUSY_SECONDS = 10.0  # seconds to wait for another process's write
_CONNECTION_ERROR: Final = re.compile(r"failed: (?!connection)(?:FATAL: +)?(.+)")
_QUOTED: Final = re.compile(r'"[^"]*"')
_SELECT_TRIGGERS: Final = text(
    "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = :table"
)
_SET_UNLOCKED_TABLE: Final = text("SELECT set_config('etude.unlocked', :table, true)")
_DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg"}

_INSERT_BY_DIALECT: Final[dict[str, Callable[[Table], sqlite.Insert | postgresql.Insert]]] = {
    "sqlite": sqlite.insert,
    "postgresql": postgresql.insert,
}

# The standard library's logger: a command has no logs of its own, and prints this on stderr.
_log = logging.getLogger(__name__)


class Database:
    """A store's database; a context manager.

    An SQLite file is readable only by its owner (mode 0600), because it contains all code and the
    private LTI key.

    Args:
        url: `sqlite:///FILE` or `postgresql://...`.
        create: Create a missing SQLite file at the first use.

    Raises:
        UsageError: The address is invalid.
    """

    def __init__(self, url: str, *, create: bool = True) -> None:
        try:
            parsed = make_url(url)
            name = parsed.get_backend_name()
        except ArgumentError:
            name = ""
        if name not in _DRIVERS or "uri" in parsed.query:
            # Not quoted, because the address may contain a password.
            raise UsageError("a database is sqlite:///FILE or postgresql://USER@HOST/NAME")
        self.url = parsed.set(drivername=_DRIVERS[name])
        self.is_new = False  # True if this object created the file
        self._create = create
        # An in-memory database and PostgreSQL have no file.
        is_file = name == "sqlite" and self.url.database not in {None, "", ":memory:"}
        self.path = Path(str(self.url.database)) if is_file else None
        # Last in, first out: few connections do most of the work, and the others are never opened.
        pool: dict[str, Any] = {"pool_size": 10, "max_overflow": 10, "pool_use_lifo": True}
        if name == "sqlite":
            pool["connect_args"] = {"timeout": _BUSY_SECONDS}
        else:
            pool["pool_pre_ping"] = True  # replaces an idle connection that the server has closed
        # Parameters may contain a submission's text, so errors must not quote them.
        self.engine = create_engine(self.url, hide_parameters=True, **pool)
        if name == "sqlite":
            event.listen(self.engine, "connect", _prepare_sqlite)
            event.listen(self.engine, "begin", _begin_sqlite)
        if self.path is not None:
            event.listen(self.engine, "do_connect", lambda *_: self.make_private())
        self._reader = self._snapshot_reader = self.engine
        if not self.is_sqlite:
            self._reader = self.engine.execution_options(isolation_level="AUTOCOMMIT")
            self._snapshot_reader = self.engine.execution_options(isolation_level="REPEATABLE READ")
        # SQLite has one writer, for which other processes poll. A lock among our own threads is
        # fairer. PostgreSQL does not need it.
        self._write_lock = threading.Lock() if self.is_sqlite else contextlib.nullcontext()

    def __str__(self) -> str:
        """Return the file's path, or PostgreSQL's address without the password."""
        if self.path is not None:
            return str(self.path.absolute())
        url = self.url.difference_update_query(["password", "sslpassword"])
        return URL.create(
            url.get_backend_name(), url.username, None, url.host, url.port, url.database, url.query
        ).render_as_string()

    @property
    def is_sqlite(self) -> bool:
        """True if the store is one file, for one server."""
        return self.engine.dialect.name == "sqlite"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.engine.dispose()

    def make_private(self) -> None:
        """Create the SQLite file for its owner only, or remove access of others to it.

        Each connection begins with this.

        Raises:
            UsageError: The file cannot be created, or must not be.
        """
        if self.path is None:
            return
        if not self._create and not self.path.exists():
            raise UsageError(
                f"there is no database {self}: --database or ETUDE_DATABASE names the one that the "
                "server uses"
            )
        try:
            is_new = create_private(self.path)
        except OSError as error:
            raise UsageError(f"{self}: {error.strerror or error}") from None
        if is_new:
            self.is_new = True
        elif deny_others(self.path):
            _log.warning("the database was open to others; its mode is now 0600, its owner's alone")

    @contextlib.contextmanager
    def write(self) -> Iterator[Connection]:
        """Open a transaction that may write; it is committed as a whole or not at all."""
        # The lock first, so that a waiting thread does not take a connection from readers.
        with self._write_lock, self.engine.connect() as connection:
            connection.execution_options(etude_writes=True)
            try:
                transaction = connection.begin()
            except OperationalError as error:
                if getattr(error.orig, "sqlite_errorname", "") != "SQLITE_BUSY_SNAPSHOT":
                    raise
                connection.invalidate()  # the next use opens another connection
                transaction = connection.begin()
            with self._discard_on_error(connection), transaction:
                yield connection

    @contextlib.contextmanager
    def read(self, *, snapshot: bool = False) -> Iterator[Connection]:
        """Open a transaction that only reads.

        On SQLite it sees one state of the store. On PostgreSQL each statement sees everything
        committed before it, unless `snapshot` is set, which costs two more round trips.
        """
        with (
            (self._snapshot_reader if snapshot else self._reader).connect() as connection,
            self._discard_on_error(connection),
            connection.begin(),
        ):
            yield connection

    @contextlib.contextmanager
    def _discard_on_error(self, connection: Connection) -> Iterator[None]:
        """Close an SQLite connection after an exception.

        A rollback does not end a SELECT whose rows were not all read, and its snapshot would keep
        the pooled connection from writing ever again.
        """
        try:
            yield
        except BaseException:
            if self.path is not None:
                connection.invalidate()
            raise

    @contextlib.contextmanager
    def lock_for_server(self) -> Iterator[None]:
        """Keep other servers off an SQLite file while this one runs; raise if one is running."""
        if self.path is None:
            yield
            return
        self.make_private()
        descriptor = os.open(f"{self.path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise UsageError(
                    f"another server uses {self.path}; a second one needs PostgreSQL "
                    "(--database postgresql://...)"
                ) from None
            yield
        finally:
            os.close(descriptor)


def describe_cause(error: BaseException) -> str:
    """Return an error's type and cause, as SQLite, PostgreSQL or the system names it.

    The message is left out, because it may contain an address or the values to write.
    """
    driver_error = getattr(error, "orig", None) or error.__cause__ or error
    is_of_postgresql = isinstance(driver_error, psycopg.OperationalError)
    refusal = _CONNECTION_ERROR.search(str(driver_error)) if is_of_postgresql else None
    causes = (
        getattr(driver_error, "sqlite_errorname", None),
        getattr(driver_error, "sqlstate", None),
        refusal and _QUOTED.sub("...", refusal[1]),
        getattr(driver_error, "strerror", None),
    )
    cause = next(filter(None, causes), "")
    return f"{type(error).__name__} ({cause})" if cause else type(error).__name__


def _prepare_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    # The driver would begin its transactions too late for IMMEDIATE.
    connection.isolation_level = None
    try:
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}").close()
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorname != "SQLITE_NOTADB":
            raise
        raise UsageError(
            "the file is not an SQLite database; --database names another one"
        ) from None


def _begin_sqlite(connection: Connection) -> None:
    options: dict[str, Any] = dict(connection.get_execution_options())
    connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("etude_writes") else "BEGIN")


@contextlib.contextmanager
def allow_changes(connection: Connection, table: str) -> Iterator[None]:
    """Allow this transaction to change rows of `event` or `verdict`, which triggers protect."""
    if connection.dialect.name != "sqlite":
        # The trigger reads a setting of the transaction, since disabling it would lock the table.
        connection.execute(_SET_UNLOCKED_TABLE, {"table": table})
        yield
        connection.execute(_SET_UNLOCKED_TABLE, {"table": ""})
        return
    triggers = connection.execute(_SELECT_TRIGGERS, {"table": table}).all()
    for name, _ in triggers:
        connection.execute(text(f"DROP TRIGGER {name}"))
    yield
    for _, create_sql in triggers:
        connection.exec_driver_sql(create_sql)


def insert_if_absent(connection: Connection, table: Table, values: Mapping[str, Any]) -> bool:
    """Insert a row unless a unique key exists already; return whether it was inserted."""
    statement = _INSERT_BY_DIALECT[connection.dialect.name](table).on_conflict_do_nothing()
    row = connection.execute(statement.returning(*table.primary_key), dict(values)).first()
    return row is not None


def upsert(connection: Connection, table: Table, values: Mapping[str, Any]) -> None:
    """Insert a row of all columns, or replace the row with the same primary key."""
    statement = _INSERT_BY_DIALECT[connection.dialect.name](table)
    keys = [column.name for column in table.primary_key]
    updates = {name: statement.excluded[name] for name in values if name not in keys}
    statement = statement.on_conflict_do_update(index_elements=keys, set_=updates)
    connection.execute(statement, dict(values))
