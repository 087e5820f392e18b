"""The tables of a store: created in a new one, migrated to this version, and checked.

As Alembic advises, a new store gets the tables of `tables` and the number of the last migration.
Migrations are for existing stores.
"""

import time
from pathlib import Path
from typing import Final

import structlog
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import OperationalError

from etude_server.store.database import Database, describe_cause
from etude_server.store.tables import metadata
from grader.errors import UsageError

_MIGRATIONS: Final = Path(__file__).with_name("migrations")
_RECONNECT_SECONDS: Final = 2.0
# PostgreSQL: a transaction may change rows of a table that it names, see `allow_changes`.
_CREATE_REFUSE_CHANGE: Final = text(
    "CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
    "IF current_setting('etude.unlocked', true) = TG_TABLE_NAME THEN RETURN NULL; END IF; "
    "RAISE EXCEPTION '%: what is written is not changed', TG_TABLE_NAME; END $$"
)

_log = structlog.get_logger(__name__)


def upgrade_store(database: Database) -> bool:
    """Run all missing migrations; return whether there were any.

    Raises:
        UsageError: A newer version or another program made the database.
    """
    # Almost always sufficient, and it waits for no writer.
    with database.read() as connection:
        if is_current(connection):
            return False
    with database.write() as connection:
        # Two processes that start at the same time would both create the tables.
        if not database.is_sqlite:
            connection.execute(text("SELECT pg_advisory_xact_lock(hashtext('etude tables'))"))
        if is_current(connection):
            return False
        config = _make_config()
        config.attributes["connection"] = connection
        if MigrationContext.configure(connection).get_current_revision() is None:
            _create_tables(connection)
            command.stamp(config, "head")
        else:
            command.upgrade(config, "head")
    return True


def _create_tables(connection: Connection) -> None:
    """Create all tables, and the triggers that keep verdicts and events unchanged."""
    metadata.create_all(connection, checkfirst=False)
    if connection.dialect.name != "sqlite":
        connection.execute(_CREATE_REFUSE_CHANGE)
    for table in ("event", "verdict"):
        if connection.dialect.name != "sqlite":
            connection.exec_driver_sql(
                f"CREATE TRIGGER {table}_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
                "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
            )
            continue
        for change in ("UPDATE", "DELETE"):
            connection.exec_driver_sql(
                f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table}: what is written is not changed'); END"
            )


def upgrade_when_reachable(database: Database) -> None:
    """Run all missing migrations as soon as the database responds, as `upgrade_store` does."""
    while True:
        try:
            upgrade_store(database)
        except OperationalError as error:
            if database.is_sqlite:
                raise UsageError(f"{database}: {describe_cause(error)}") from None
            _log.warning("the database is unreachable", error=describe_cause(error))
            time.sleep(_RECONNECT_SECONDS)
        else:
            return


def is_current(connection: Connection) -> bool:
    """Return whether a database has every migration that this version needs.

    A later migration whose number begins with the same digit only adds tables and optional columns,
    so processes of this version continue beside a newer server.

    Raises:
        UsageError: The migration is of another generation, or the file is another program's.
    """
    revision = MigrationContext.configure(connection).get_current_revision()
    if (
        revision is None
        and connection.dialect.name == "sqlite"
        and inspect(connection).get_table_names()
    ):
        raise UsageError("the database is not Etude's: it has tables of another program")
    scripts = ScriptDirectory.from_config(_make_config())
    if revision is not None and revision not in {
        script.revision for script in scripts.walk_revisions()
    }:
        # A migration of the same generation only adds to what this version needs.
        if revision[0] == str(scripts.get_current_head())[0]:
            return True
        raise UsageError(f"the database is of a newer version of Etude (its step is {revision!r})")
    return revision == scripts.get_current_head()


def _make_config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    return config
