"""Alembic's entry: runs the steps in the transaction that `upgrading` opened."""

from alembic import context

from etude_server.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,  # SQLite changes a table by copying it
)
with context.begin_transaction():
    context.run_migrations()
