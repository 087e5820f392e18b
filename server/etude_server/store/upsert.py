"""Upserts, which each SQL dialect has in a module of its own."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite

_INSERT: Final[dict[str, Callable[[Table], sqlite.Insert | postgresql.Insert]]] = {
    "sqlite": sqlite.insert,
    "postgresql": postgresql.insert,
}


def insert_if_absent(connection: Connection, table: Table, values: Mapping[str, Any]) -> bool:
    """Insert a row unless a unique key of it is taken; return whether it was inserted."""
    statement = _INSERT[connection.dialect.name](table).on_conflict_do_nothing()
    row = connection.execute(statement.returning(*table.primary_key), dict(values)).first()
    return row is not None


def upsert(connection: Connection, table: Table, values: Mapping[str, Any]) -> None:
    """Insert a row of all columns, or replace the one with its primary key."""
    statement = _INSERT[connection.dialect.name](table)
    keys = [each.name for each in table.primary_key]
    new = {name: statement.excluded[name] for name in values if name not in keys}
    connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=new), dict(values))
