"""The first tables, and triggers that keep verdicts and events unchanged."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run this migration."""
    _tables()
    _lti_tables()
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
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("exercise_hash", sa.String(length=64), nullable=False),
        sa.Column("source_hash", sa.String(length=64), nullable=False),
        sa.Column("worker", sa.String(length=200), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=False),
        sa.Column("outcome", sa.String(length=20), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_attempt"),
    )
    op.create_index("ix_attempt_of", "attempt", ["exercise_hash", "source_hash"], unique=False)
    op.create_table(
        "event",
        sa.Column(
            "seq",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("actor", sa.String(length=200), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("subject", sa.String(length=200), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_event"),
    )
    op.create_index("ix_event_subject", "event", ["subject"], unique=False)
    op.create_table(
        "outbox",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("subject", sa.String(length=200), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("sent_at", sa.BigInteger(), nullable=True),
        sa.Column("parked", sa.Boolean(), nullable=False),
        sa.Column("last_error", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_outbox"),
        sa.UniqueConstraint("kind", "subject", name="uq_outbox_kind"),
    )
    op.create_index("ix_outbox_due", "outbox", ["sent_at", "due_at"], unique=False)
    op.create_table(
        "person",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("role IN ('student', 'instructor', 'grader')", name="ck_person_role"),
        sa.PrimaryKeyConstraint("id", name="pk_person"),
        sa.UniqueConstraint("name", name="uq_person_name"),
    )
    op.create_table(
        "regrade",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("exercise", sa.String(length=200), nullable=False),
        sa.Column("from_hash", sa.String(length=64), nullable=False),
        sa.Column("to_hash", sa.String(length=64), nullable=False),
        sa.Column("by", sa.String(length=200), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("allow_lower", sa.Boolean(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint(
            "state IN ('running', 'finished', 'cancelled')", name="ck_regrade_state"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_regrade"),
    )
    op.create_table(
        "source",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("hash", name="pk_source"),
    )
    op.create_table(
        "verdict",
        sa.Column("exercise_hash", sa.String(length=64), nullable=False),
        sa.Column("source_hash", sa.String(length=64), nullable=False),
        sa.Column("grader_version", sa.String(length=40), nullable=False),
        sa.Column("exercise", sa.String(length=200), nullable=False),
        sa.Column("outcome", sa.String(length=20), nullable=False),
        sa.Column("score", sa.Integer(), nullable=False),
        sa.Column("max_score", sa.Integer(), nullable=False),
        sa.Column("xp", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint(
            "exercise_hash", "source_hash", "grader_version", name="pk_verdict"
        ),
    )
    op.create_table(
        "grade",
        sa.Column("person_id", sa.String(length=36), nullable=False),
        sa.Column("exercise", sa.String(length=200), nullable=False),
        sa.Column("submission_id", sa.String(length=36), nullable=False),
        sa.Column("score", sa.Integer(), nullable=False),
        sa.Column("max_score", sa.Integer(), nullable=False),
        sa.Column("passed", sa.Boolean(), nullable=False),
        sa.Column("xp", sa.Integer(), nullable=False),
        sa.Column("event_seq", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_grade_person_id"),
        sa.PrimaryKeyConstraint("person_id", "exercise", name="pk_grade"),
    )
    op.create_table(
        "regrade_source",
        sa.Column("regrade_id", sa.String(length=36), nullable=False),
        sa.Column("source_hash", sa.String(length=64), nullable=False),
        sa.Column("done", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["regrade_id"], ["regrade.id"], name="fk_regrade_source_regrade_id"
        ),
        sa.PrimaryKeyConstraint("regrade_id", "source_hash", name="pk_regrade_source"),
    )
    op.create_index(
        "ix_regrade_source_open", "regrade_source", ["regrade_id", "done"], unique=False
    )
    op.create_table(
        "session",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("person_id", sa.String(length=36), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_session_person_id"),
        sa.PrimaryKeyConstraint("hash", name="pk_session"),
    )
    op.create_index("ix_session_expires_at", "session", ["expires_at"], unique=False)
    op.create_index("ix_session_person_id", "session", ["person_id"], unique=False)
    op.create_table(
        "submission",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("person_id", sa.String(length=36), nullable=False),
        sa.Column("exercise", sa.String(length=200), nullable=False),
        sa.Column("source_hash", sa.String(length=64), nullable=False),
        sa.Column("received_at", sa.BigInteger(), nullable=False),
        sa.Column("idempotency_key", sa.String(length=200), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_submission_person_id"),
        sa.ForeignKeyConstraint(["source_hash"], ["source.hash"], name="fk_submission_source_hash"),
        sa.PrimaryKeyConstraint("id", name="pk_submission"),
        sa.UniqueConstraint("person_id", "idempotency_key", name="uq_submission_person_id"),
    )
    op.create_index(
        "ix_submission_exercise", "submission", ["exercise", "source_hash"], unique=False
    )
    op.create_index(
        "ix_submission_person", "submission", ["person_id", "exercise", "id"], unique=False
    )
    op.create_table(
        "token",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("person_id", sa.String(length=36), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("label", sa.String(length=200), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_token_person_id"),
        sa.PrimaryKeyConstraint("id", name="pk_token"),
        sa.UniqueConstraint("hash", name="uq_token_hash"),
    )
    op.create_index("ix_token_person_id", "token", ["person_id"], unique=False)
    op.create_table(
        "publication",
        sa.Column("submission_id", sa.String(length=36), nullable=False),
        sa.Column("exercise_hash", sa.String(length=64), nullable=False),
        sa.Column("source_hash", sa.String(length=64), nullable=False),
        sa.Column("grader_version", sa.String(length=40), nullable=False),
        sa.Column("event_seq", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name="fk_publication_submission_id"
        ),
        sa.PrimaryKeyConstraint("submission_id", name="pk_publication"),
    )
    op.create_index("ix_publication_exercise_hash", "publication", ["exercise_hash"], unique=False)
    op.create_table(
        "waiting",
        sa.Column("submission_id", sa.String(length=36), nullable=False),
        sa.Column("parked", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submission.id"], name="fk_waiting_submission_id"
        ),
        sa.PrimaryKeyConstraint("submission_id", name="pk_waiting"),
    )
    op.create_index("ix_waiting_parked", "waiting", ["parked", "submission_id"], unique=False)


def _lti_tables() -> None:
    op.create_table(
        "lti_key",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kid", sa.String(length=64), nullable=False),
        sa.Column("private", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_lti_key"),
    )
    op.create_table(
        "lti_platform",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("issuer", sa.String(length=200), nullable=False),
        sa.Column("client_id", sa.String(length=200), nullable=False),
        sa.Column("auth_url", sa.String(length=1000), nullable=False),
        sa.Column("token_url", sa.String(length=1000), nullable=False),
        sa.Column("jwks_url", sa.String(length=1000), nullable=False),
        sa.Column("grades_url", sa.String(length=1000), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_lti_platform"),
        sa.UniqueConstraint("issuer", "client_id", name="uq_lti_platform_issuer"),
    )
    op.create_table(
        "lti_deployment",
        sa.Column("platform_id", sa.String(length=36), nullable=False),
        sa.Column("deployment", sa.String(length=255), nullable=False),
        sa.ForeignKeyConstraint(
            ["platform_id"], ["lti_platform.id"], name="fk_lti_deployment_platform_id"
        ),
        sa.PrimaryKeyConstraint("platform_id", "deployment", name="pk_lti_deployment"),
    )
    op.create_table(
        "lti_nonce",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("hash", name="pk_lti_nonce"),
    )
    op.create_index("ix_lti_nonce_expires_at", "lti_nonce", ["expires_at"], unique=False)
    op.create_table(
        "lti_person",
        sa.Column("issuer", sa.String(length=200), nullable=False),
        sa.Column("sub", sa.String(length=255), nullable=False),
        sa.Column("person_id", sa.String(length=36), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_lti_person_person_id"),
        sa.PrimaryKeyConstraint("issuer", "sub", name="pk_lti_person"),
    )
    op.create_table(
        "lti_line",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("person_id", sa.String(length=36), nullable=False),
        sa.Column("exercise", sa.String(length=200), nullable=False),
        sa.Column("platform_id", sa.String(length=36), nullable=False),
        sa.Column("sub", sa.String(length=255), nullable=False),
        sa.Column("line_item", sa.String(length=1000), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_lti_line_person_id"),
        sa.ForeignKeyConstraint(
            ["platform_id"], ["lti_platform.id"], name="fk_lti_line_platform_id"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_lti_line"),
        sa.UniqueConstraint("person_id", "exercise", "line_item", name="uq_lti_line_person_id"),
    )
