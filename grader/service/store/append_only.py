"""The way to change what triggers protect, for migrations and the erasure of a person."""

import contextlib
from collections.abc import Iterator

from sqlalchemy import Connection, text

_TRIGGERS = text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = :of")


@contextlib.contextmanager
def unlocked(connection: Connection, table: str) -> Iterator[None]:
    """Let this transaction alone change rows of `event` or `verdict`."""
    if connection.dialect.name != "sqlite":
        connection.execute(text(f"ALTER TABLE {table} DISABLE TRIGGER USER"))
        yield
        connection.execute(text(f"ALTER TABLE {table} ENABLE TRIGGER USER"))
        return
    triggers = connection.execute(_TRIGGERS, {"of": table}).all()
    for name, _ in triggers:
        connection.execute(text(f"DROP TRIGGER {name}"))
    yield
    for _, made_by in triggers:
        connection.exec_driver_sql(made_by)
