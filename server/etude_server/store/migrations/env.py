"""Alembic's entry point, which runs migrations in the transaction that `migrate` opened."""

from alembic import context

from etude_server.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,  # SQLite changes a table by copying it
)
with context.begin_transaction():
    context.run_migrations()
