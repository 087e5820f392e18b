"""A trigger on PostgreSQL that lets a transaction change the rows of a table that it names."""

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run this migration."""
    if op.get_bind().dialect.name == "sqlite":
        return
    op.execute(
        "CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "IF current_setting('etude.unlocked', true) = TG_TABLE_NAME THEN RETURN NULL; END IF; "
        "RAISE EXCEPTION '%: what is written is not changed', TG_TABLE_NAME; END $$"
    )
