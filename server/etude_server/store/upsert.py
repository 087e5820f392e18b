"""Upserts, which each SQL dialect has in a module of its own."""

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from sqlalchemy import ColumnElement, Connection, Select, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.base import ReadOnlyColumnCollection
from sqlalchemy.sql.dml import ReturningInsert

Columns: TypeAlias = ReadOnlyColumnCollection[str, Any]
_Insert: TypeAlias = sqlite.Insert | postgresql.Insert

Better: TypeAlias = Callable[[Columns], ColumnElement[bool]]
"""The condition under which a row replaces another, from its columns; a function of a module."""


def insert_unless_there(connection: Connection, table: Table, values: Mapping[str, Any]) -> bool:
    """Insert a row unless a unique key of it is taken; return whether it was inserted."""
    statement = _unless_there(table, connection.dialect.name)
    return connection.execute(statement, dict(values)).first() is not None


def put(
    connection: Connection,
    table: Table,
    values: Mapping[str, Any],
    better: Better | None = None,
    *,
    chosen: Select[Any] | None = None,
) -> bool:
    """Insert a row, or replace the one with its primary key.

    Args:
        values: One for each column, or for the parameters of `chosen`.
        better: Whether the row takes that place; always without it.
        chosen: Yields the row, a value for each column in their order; it has a condition, without
            which SQLite would misread what follows. Kept, so made once.

    Returns:
        Whether it is there now.
    """
    statement = _put(table, connection.dialect.name, chosen, better)
    return bool(connection.execute(statement, dict(values)).rowcount)


@functools.cache
def _unless_there(table: Table, dialect: str) -> ReturningInsert[Any]:
    return _insert(table, dialect).on_conflict_do_nothing().returning(*table.primary_key)


@functools.cache
def _put(table: Table, dialect: str, chosen: Select[Any] | None, better: Better | None) -> _Insert:
    plain = _insert(table, dialect)
    if chosen is not None:
        plain = plain.from_select([column.name for column in table.columns], chosen)
    keys = list(table.primary_key)
    new = {each.name: plain.excluded[each.name] for each in table.columns if each not in keys}
    condition = better(plain.excluded) if better is not None else None
    return plain.on_conflict_do_update(index_elements=keys, set_=new, where=condition)


def _insert(table: Table, dialect: str) -> _Insert:
    return sqlite.insert(table) if dialect == "sqlite" else postgresql.insert(table)
