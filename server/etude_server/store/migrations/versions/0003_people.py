"""Names in one table only, roles and invites; schedules, points and comments by staff."""

import contextlib
import json
from collections.abc import Iterator

import sqlalchemy as sa
from alembic import op

from etude_server.store.database import unlocked

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_BEFORE = "'instructor', 'grader')"
_SINCE = "'instructor', 'grader', 'assistant')"
_ACTORS = (
    "UPDATE event SET actor = (SELECT person.id FROM person WHERE person.name = event.actor) "
    "WHERE actor <> 'grader' AND actor IN (SELECT name FROM person)"
)
_REGRADES = (
    'UPDATE regrade SET "by" = (SELECT person.id FROM person WHERE person.name = regrade."by") '
    'WHERE "by" IN (SELECT name FROM person)'
)
_KEPT = frozenset({"role", "expires_at"})


def upgrade() -> None:
    """Run this migration."""
    _person()
    # Events and regrades name people by their ids.
    bind = op.get_bind()
    with _without_trigger(bind):
        op.execute(_ACTORS)
        told = "SELECT seq, data FROM event WHERE kind IN ('person.added', 'token.made')"
        for seq, data in bind.execute(sa.text(told)).all():
            kept = {name: value for name, value in json.loads(data).items() if name in _KEPT}
            change = sa.text("UPDATE event SET data = :data WHERE seq = :seq")
            bind.execute(change, {"data": json.dumps(kept), "seq": seq})
    op.execute(_REGRADES)
    _tables()


@contextlib.contextmanager
def _without_trigger(bind: sa.Connection) -> Iterator[None]:
    """Let this migration change events; the trigger of its time knows no exception."""
    if bind.dialect.name == "sqlite":
        with unlocked(bind, "event"):
            yield
        return
    bind.execute(sa.text("ALTER TABLE event DISABLE TRIGGER USER"))
    yield
    bind.execute(sa.text("ALTER TABLE event ENABLE TRIGGER USER"))


def _person() -> None:
    bind = op.get_bind()
    if bind.dialect.name == "sqlite":
        # As SQLite advises for a constraint: to copy the table would break what refers to it.
        change = sa.text(
            "UPDATE sqlite_master SET sql = replace(sql, :before, :since) "
            "WHERE type = 'table' AND name = 'person'"
        )
        op.execute("PRAGMA writable_schema = ON")
        bind.execute(change, {"before": _BEFORE, "since": _SINCE})
        op.execute("PRAGMA writable_schema = RESET")
    else:
        op.execute("ALTER TABLE person DROP CONSTRAINT ck_person_ck_person_role")  # as 0001 made it
        op.execute(
            f"ALTER TABLE person ADD CONSTRAINT ck_person_role CHECK (role IN ('student', {_SINCE})"
        )
    for name in ("display_name", "login", "section"):
        column = sa.Column(name, sa.String(length=200), nullable=False, server_default="")
        op.add_column("person", column)
    op.add_column("person", sa.Column("disabled_at", sa.BigInteger()))
    if_any = sa.text("login <> ''")
    op.create_index(
        "ix_person_login",
        "person",
        ["login"],
        unique=True,
        sqlite_where=if_any,
        postgresql_where=if_any,
    )


def _tables() -> None:
    op.create_table(
        "invite",
        sa.Column("hash", sa.String(64), primary_key=True),
        _reference("person"),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
    )
    op.create_index("ix_invite_expires_at", "invite", ["expires_at"])
    op.create_index("ix_invite_person_id", "invite", ["person_id"])
    op.create_table(
        "schedule",
        sa.Column("exercise", sa.String(200), primary_key=True),
        sa.Column("opens_at", sa.BigInteger()),
        sa.Column("due_at", sa.BigInteger()),
        sa.Column("late", sa.Float(), nullable=False),
        sa.Column("attempts", sa.Integer()),
        sa.Column("hold_hidden", sa.Boolean(), nullable=False),
    )
    op.create_table(
        "extension",
        _reference("person", primary_key=True),
        sa.Column("exercise", sa.String(200), primary_key=True),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
    )
    op.create_table(
        "override",
        sa.Column("id", sa.String(36), primary_key=True),
        _reference("person"),
        sa.Column("exercise", sa.String(200), nullable=False),
        sa.Column("points", sa.Float()),
        sa.Column("excused", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        *_by_and_at(),
    )
    op.create_index("ix_override_person", "override", ["person_id", "exercise"])
    op.create_table(
        "comment",
        sa.Column("id", sa.String(36), primary_key=True),
        _reference("submission"),
        sa.Column("line", sa.Integer()),
        sa.Column("text", sa.Text(), nullable=False),
        *_by_and_at(),
    )
    op.create_index("ix_comment_submission_id", "comment", ["submission_id"])


def _reference(table: str, *, primary_key: bool = False) -> sa.Column[str]:
    to = sa.ForeignKey(f"{table}.id")
    return sa.Column(f"{table}_id", sa.String(36), to, nullable=False, primary_key=primary_key)


def _by_and_at() -> tuple[sa.Column[str], sa.Column[int]]:
    by = sa.Column("by", sa.String(200), nullable=False)
    return by, sa.Column("at", sa.BigInteger(), nullable=False)
