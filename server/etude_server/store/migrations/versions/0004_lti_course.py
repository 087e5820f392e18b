"""The one course of each learning platform, and where its members are listed."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run this migration, which only adds."""
    op.add_column("lti_platform", sa.Column("context", sa.String(length=255)))
    op.add_column(
        "lti_platform",
        sa.Column("members_url", sa.String(length=1000), nullable=False, server_default=""),
    )
