"""Columns for the rules of late work, and for extensions from the file of the schedule."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run this migration, which only adds."""
    for name in ("grace", "at_least"):
        op.add_column("schedule", sa.Column(name, sa.Float(), nullable=False, server_default="0"))
    op.add_column("schedule", sa.Column("late_days", sa.Integer()))
    op.add_column(
        "extension",
        sa.Column("from_file", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
