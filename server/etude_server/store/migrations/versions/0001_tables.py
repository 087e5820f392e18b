"""The tables of the first release, which no older store has; `upgrade` makes those of a new one."""

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Do nothing."""
