"""The first tables, and triggers that keep verdicts and events unchanged."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run this migration."""
    _tables()
    kept_as_written = ("event", "verdict")
    if op.get_bind().dialect.name == "sqlite":
        for table in kept_as_written:
            for change in ("UPDATE", "DELETE"):
                op.execute(
                    f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
                    f"BEGIN SELECT RAISE(ABORT, '{table}: what is written is not changed'); END"
                )
        return
    op.execute(
        "CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "IF current_setting('etude.unlocked', true) = TG_TABLE_NAME THEN RETURN NULL; END IF; "
        "RAISE EXCEPTION '%: what is written is not changed', TG_TABLE_NAME; END $$"
    )
    for table in kept_as_written:
        op.execute(
            f"CREATE TRIGGER {table}_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
        )


def _tables() -> None:
    op.create_table(
        "attempt",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("exercise_hash", sa.String(64), nullable=False),
        sa.Column("source_hash", sa.String(64), nullable=False),
        sa.Column("worker", sa.String(200), nullable=False),
        sa.Column("started_at", sa.BigInteger, nullable=False),
        sa.Column("ended_at", sa.BigInteger, nullable=False),
        sa.Column("outcome", sa.String(20), nullable=False),
        sa.Column("message", sa.Text, nullable=False),
    )
    op.create_index("ix_attempt_of", "attempt", ["exercise_hash", "source_hash"])
    op.create_table(
        "event",
        sa.Column(
            "seq",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            primary_key=True,
        ),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("actor", sa.String(200), nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("subject", sa.String(200), nullable=False, index=True),
        sa.Column("data", sa.Text, nullable=False),
    )
    op.create_table(
        "outbox",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("subject", sa.String(200), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("due_at", sa.BigInteger, nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("sent_at", sa.BigInteger),
        sa.Column("parked", sa.Boolean, nullable=False),
        sa.Column("last_error", sa.Text, nullable=False),
        sa.UniqueConstraint("kind", "subject"),
    )
    op.create_index("ix_outbox_due", "outbox", ["sent_at", "due_at"])
    op.create_table(
        "person",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("name", sa.String(200), nullable=False, unique=True),
        sa.Column("role", sa.String(20), nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("display_name", sa.String(200), nullable=False, server_default=""),
        sa.Column("login", sa.String(200), nullable=False, server_default=""),
        sa.Column("section", sa.String(200), nullable=False, server_default=""),
        sa.Column("disabled_at", sa.BigInteger),
        sa.CheckConstraint("role IN ('student', 'instructor', 'grader', 'assistant')", name="role"),
    )
    has_login = sa.text("login <> ''")
    op.create_index(
        "ix_person_login",
        "person",
        ["login"],
        unique=True,
        sqlite_where=has_login,
        postgresql_where=has_login,
    )
    op.create_table(
        "invite",
        sa.Column("hash", sa.String(64), primary_key=True),
        _reference("person", index=True),
        sa.Column("expires_at", sa.BigInteger, nullable=False, index=True),
    )
    op.create_table(
        "regrade",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("exercise", sa.String(200), nullable=False),
        sa.Column("from_hash", sa.String(64), nullable=False),
        sa.Column("to_hash", sa.String(64), nullable=False),
        sa.Column("by", sa.String(200), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("allow_lower", sa.Boolean, nullable=False),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("ended_at", sa.BigInteger),
        sa.CheckConstraint("state IN ('running', 'finished', 'cancelled')", name="state"),
    )
    op.create_table(
        "source",
        sa.Column("hash", sa.String(64), primary_key=True),
        sa.Column("text", sa.Text, nullable=False),
    )
    op.create_table(
        "verdict",
        sa.Column("exercise_hash", sa.String(64), primary_key=True),
        sa.Column("source_hash", sa.String(64), primary_key=True),
        sa.Column("grader_version", sa.String(40), primary_key=True),
        sa.Column("exercise", sa.String(200), nullable=False),
        sa.Column("outcome", sa.String(20), nullable=False),
        sa.Column("score", sa.Integer, nullable=False),
        sa.Column("max_score", sa.Integer, nullable=False),
        sa.Column("xp", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "grade",
        _reference("person", primary_key=True),
        sa.Column("exercise", sa.String(200), primary_key=True),
        sa.Column("submission_id", sa.String(36), nullable=False),
        sa.Column("score", sa.Integer, nullable=False),
        sa.Column("max_score", sa.Integer, nullable=False),
        sa.Column("passed", sa.Boolean, nullable=False),
        sa.Column("xp", sa.Integer, nullable=False),
        sa.Column("event_seq", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "regrade_source",
        _reference("regrade", primary_key=True),
        sa.Column("source_hash", sa.String(64), primary_key=True),
        sa.Column("done", sa.Boolean, nullable=False),
    )
    op.create_index("ix_regrade_source_open", "regrade_source", ["regrade_id", "done"])
    op.create_table(
        "session",
        sa.Column("hash", sa.String(64), primary_key=True),
        _reference("person", index=True),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False, index=True),
    )
    op.create_table(
        "submission",
        sa.Column("id", sa.String(36), primary_key=True),
        _reference("person"),
        sa.Column("exercise", sa.String(200), nullable=False),
        sa.Column("source_hash", sa.String(64), sa.ForeignKey("source.hash"), nullable=False),
        sa.Column("received_at", sa.BigInteger, nullable=False),
        sa.Column("idempotency_key", sa.String(200), nullable=False),
        sa.UniqueConstraint("person_id", "idempotency_key"),
    )
    op.create_index("ix_submission_exercise", "submission", ["exercise", "source_hash"])
    op.create_index("ix_submission_person", "submission", ["person_id", "exercise", "id"])
    op.create_table(
        "token",
        sa.Column("id", sa.String(36), primary_key=True),
        _reference("person", index=True),
        sa.Column("hash", sa.String(64), nullable=False, unique=True),
        sa.Column("label", sa.String(200), nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger),
        sa.Column("revoked_at", sa.BigInteger),
    )
    op.create_table(
        "mistake",
        sa.Column("exercise", sa.String(200), primary_key=True),
        sa.Column("kind", sa.String(20), primary_key=True),
        sa.Column("name", sa.String(200), primary_key=True),
        _reference("person", primary_key=True),
    )
    op.create_index("ix_mistake_person", "mistake", ["person_id", "exercise"])
    op.create_table(
        "publication",
        _reference("submission", primary_key=True),
        sa.Column("exercise_hash", sa.String(64), nullable=False, index=True),
        sa.Column("source_hash", sa.String(64), nullable=False),
        sa.Column("grader_version", sa.String(40), nullable=False),
        sa.Column("event_seq", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "waiting",
        _reference("submission", primary_key=True),
        sa.Column("parked", sa.Boolean, nullable=False),
    )
    op.create_index("ix_waiting_parked", "waiting", ["parked", "submission_id"])
    op.create_table(
        "lti_key",
        sa.Column("id", sa.Integer, autoincrement=False, primary_key=True),
        sa.Column("kid", sa.String(64), nullable=False),
        sa.Column("private", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "lti_platform",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("issuer", sa.String(200), nullable=False),
        sa.Column("client_id", sa.String(200), nullable=False),
        sa.Column("auth_url", sa.String(1000), nullable=False),
        sa.Column("token_url", sa.String(1000), nullable=False),
        sa.Column("jwks_url", sa.String(1000), nullable=False),
        sa.Column("grades_url", sa.String(1000), nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("context", sa.String(255)),
        sa.Column("members_url", sa.String(1000), nullable=False, server_default=""),
        sa.UniqueConstraint("issuer", "client_id"),
    )
    op.create_table(
        "lti_deployment",
        sa.Column("platform_id", sa.String(36), sa.ForeignKey("lti_platform.id"), primary_key=True),
        sa.Column("deployment", sa.String(255), primary_key=True),
    )
    op.create_table(
        "lti_nonce",
        sa.Column("hash", sa.String(64), primary_key=True),
        sa.Column("expires_at", sa.BigInteger, nullable=False, index=True),
    )
    op.create_table(
        "lti_person",
        sa.Column("issuer", sa.String(200), primary_key=True),
        sa.Column("sub", sa.String(255), primary_key=True),
        _reference("person"),
    )
    op.create_table(
        "lti_line",
        sa.Column("id", sa.String(36), primary_key=True),
        _reference("person"),
        sa.Column("exercise", sa.String(200), nullable=False),
        sa.Column("platform_id", sa.String(36), sa.ForeignKey("lti_platform.id"), nullable=False),
        sa.Column("sub", sa.String(255), nullable=False),
        sa.Column("line_item", sa.String(1000), nullable=False),
        sa.UniqueConstraint("person_id", "exercise", "line_item"),
    )
    op.create_table(
        "schedule",
        sa.Column("exercise", sa.String(200), primary_key=True),
        sa.Column("opens_at", sa.BigInteger),
        sa.Column("due_at", sa.BigInteger),
        sa.Column("late", sa.Float, nullable=False),
        sa.Column("grace", sa.Float, nullable=False, server_default="0"),
        sa.Column("late_days", sa.Integer),
        sa.Column("at_least", sa.Float, nullable=False, server_default="0"),
        sa.Column("attempts", sa.Integer),
        sa.Column("hold_hidden", sa.Boolean, nullable=False),
    )
    op.create_table(
        "extension",
        _reference("person", primary_key=True),
        sa.Column("exercise", sa.String(200), primary_key=True),
        sa.Column("due_at", sa.BigInteger, nullable=False),
        sa.Column("from_file", sa.Boolean, nullable=False, server_default=sa.false()),
    )
    op.create_table(
        "override",
        sa.Column("id", sa.String(36), primary_key=True),
        _reference("person"),
        sa.Column("exercise", sa.String(200), nullable=False),
        sa.Column("points", sa.Float),
        sa.Column("excused", sa.Boolean, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("by", sa.String(200), nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_override_person", "override", ["person_id", "exercise"])
    op.create_table(
        "comment",
        sa.Column("id", sa.String(36), primary_key=True),
        _reference("submission", index=True),
        sa.Column("line", sa.Integer),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("by", sa.String(200), nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
    )


def _reference(table: str, **options: Any) -> sa.Column[str]:
    """Return a column that holds the id of a row of another table."""
    key = sa.ForeignKey(f"{table}.id")
    return sa.Column(f"{table}_id", sa.String(36), key, nullable=False, **options)
