"""The tables of the first release, which `upgrade` creates in a new store; none is older."""

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Do nothing."""
