"""The tables, for both SQLite and PostgreSQL; `migrate` creates them.

Times are microseconds since 1970 in UTC, which every dialect stores and sorts alike. Ids are UUIDs
of version 7, which sort by creation time. A table marked as projection can be rebuilt from `event`
and the immutable tables at any time.
"""

from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ColumnElement,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    and_,
    case,
    cast,
    false,
    func,
    select,
    text,
)

metadata: Final = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)

_ID: Final = String(36)
_HASH: Final = String(64)
_NAME: Final = String(200)
_LONG_NAME: Final = String(255)  # the longest id that LTI allows a platform
_ADDRESS: Final = String(1000)
# SQLite assigns numbers only in a column of type INTEGER.
_SEQUENCE: Final = BigInteger().with_variant(Integer, "sqlite")
_WHERE_LOGIN_IS_SET: Final[dict[str, Any]] = {
    f"{dialect}_where": text("login <> ''") for dialect in ("sqlite", "postgresql")
}

person = Table(
    "person",
    metadata,
    Column("id", _ID, primary_key=True),
    Column("name", _NAME, nullable=False, unique=True),  # the id in a roster or on a platform
    Column("role", String(20), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("display_name", _NAME, nullable=False, server_default=""),
    # The identity that a sign-in provides.
    Column("login", _NAME, nullable=False, server_default=""),
    Column("section", _NAME, nullable=False, server_default=""),
    Column("disabled_at", BigInteger),
    CheckConstraint("role IN ('student', 'instructor', 'grader', 'assistant')", name="role"),
    Index("ix_person_login", "login", unique=True, **_WHERE_LOGIN_IS_SET),
)

PUBLIC_NAME: Final = case(
    (person.c.display_name != "", person.c.display_name), else_=person.c.name
).label("public_name")
"""The name of a person that others see."""


def make_actor_name(column: ColumnElement[str]) -> ColumnElement[str]:
    """Return the SQL for the public name of an actor, or the actor itself if not a person."""
    actor = person.alias("who")  # the statement may involve another person
    name = case((actor.c.display_name != "", actor.c.display_name), else_=actor.c.name)
    name_query = select(name).where(actor.c.id == column).scalar_subquery()
    return func.coalesce(name_query, column)


invite = Table(  # links by which a person signs in once
    "invite",
    metadata,
    Column("hash", _HASH, primary_key=True),
    Column("person_id", _ID, ForeignKey("person.id"), nullable=False, index=True),
    Column("expires_at", BigInteger, nullable=False, index=True),
)

token = Table(
    "token",
    metadata,
    Column("id", _ID, primary_key=True),
    Column("person_id", _ID, ForeignKey("person.id"), nullable=False, index=True),
    Column("hash", _HASH, nullable=False, unique=True),  # SHA-256; the token itself is not stored
    Column("label", _NAME, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger),
    Column("revoked_at", BigInteger),
)

session = Table(
    "session",
    metadata,
    Column("hash", _HASH, primary_key=True),  # hash of the cookie
    Column("person_id", _ID, ForeignKey("person.id"), nullable=False, index=True),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False, index=True),
)

source = Table(
    "source",
    metadata,
    Column("hash", _HASH, primary_key=True),
    Column("text", Text, nullable=False),  # identical code is stored once
)

submission = Table(
    "submission",
    metadata,
    Column("id", _ID, primary_key=True),
    Column("person_id", _ID, ForeignKey("person.id"), nullable=False),
    Column("exercise", _NAME, nullable=False),
    Column("source_hash", _HASH, ForeignKey("source.hash"), nullable=False),
    Column("received_at", BigInteger, nullable=False),
    Column("idempotency_key", _NAME, nullable=False),
    UniqueConstraint("person_id", "idempotency_key"),
    Index("ix_submission_exercise", "exercise", "source_hash"),
    Index("ix_submission_person", "person_id", "exercise", "id"),
)

verdict = Table(  # immutable
    "verdict",
    metadata,
    Column("exercise_hash", _HASH, primary_key=True),
    Column("source_hash", _HASH, primary_key=True),
    Column("grader_version", String(40), primary_key=True),
    Column("exercise", _NAME, nullable=False),
    Column("outcome", String(20), nullable=False),
    Column("score", Integer, nullable=False),
    Column("max_score", Integer, nullable=False),
    Column("xp", Integer, nullable=False),
    Column("body", Text, nullable=False),  # JSON, etude/verdict/v1
    Column("at", BigInteger, nullable=False),
)

publication = Table(  # projection: the verdict that counts for a submission
    "publication",
    metadata,
    Column("submission_id", _ID, ForeignKey("submission.id"), primary_key=True),
    Column("exercise_hash", _HASH, nullable=False, index=True),
    Column("source_hash", _HASH, nullable=False),
    Column("grader_version", String(40), nullable=False),
    Column("event_seq", BigInteger, nullable=False),
)

# Joins a publication with its verdict.
IS_PUBLISHED_VERDICT: Final = and_(
    verdict.c.exercise_hash == publication.c.exercise_hash,
    verdict.c.source_hash == publication.c.source_hash,
    verdict.c.grader_version == publication.c.grader_version,
)


def make_share(score: ColumnElement[int], max_score: ColumnElement[int]) -> ColumnElement[Any]:
    """Return the SQL for the share of points earned."""
    return cast(score, Float) / case((max_score > 0, max_score), else_=1)


grade = Table(  # projection: the best published verdict of a person in an exercise
    "grade",
    metadata,
    Column("person_id", _ID, ForeignKey("person.id"), primary_key=True),
    Column("exercise", _NAME, primary_key=True),
    Column("submission_id", _ID, nullable=False),
    Column("score", Integer, nullable=False),
    Column("max_score", Integer, nullable=False),
    Column("passed", Boolean, nullable=False),
    Column("xp", Integer, nullable=False),
    Column("event_seq", BigInteger, nullable=False),
)

mistake = Table(  # immutable: the mistakes that a verdict names
    "mistake",
    metadata,
    Column("exercise_hash", _HASH, primary_key=True),
    Column("source_hash", _HASH, primary_key=True),
    Column("grader_version", String(40), primary_key=True),
    Column("kind", String(20), primary_key=True),  # misconception, test or hint
    Column("name", _NAME, primary_key=True),
)

waiting = Table(  # the queue to grade, filled in the transaction that accepts a submission
    "waiting",
    metadata,
    Column("submission_id", _ID, ForeignKey("submission.id"), primary_key=True),
    Column("parked", Boolean, nullable=False),  # waits for staff after a fault
    Index("ix_waiting_parked", "parked", "submission_id"),
)

grading_run = Table(  # diagnostics
    "grading_run",
    metadata,
    Column("id", _ID, primary_key=True),
    Column("exercise_hash", _HASH, nullable=False),
    Column("source_hash", _HASH, nullable=False),
    Column("worker", _NAME, nullable=False),
    Column("started_at", BigInteger, nullable=False),
    Column("ended_at", BigInteger, nullable=False),
    Column("outcome", String(20), nullable=False),  # the verdict's outcome, or "grader fault"
    Column("message", Text, nullable=False),  # the message of a fault
    Index("ix_grading_run_of", "exercise_hash", "source_hash"),
)

regrade = Table(
    "regrade",
    metadata,
    Column("id", _ID, primary_key=True),
    Column("exercise", _NAME, nullable=False),
    Column("from_hash", _HASH, nullable=False),
    Column("to_hash", _HASH, nullable=False),
    Column("by", _NAME, nullable=False),  # a person's id, or a user of the command line
    Column("reason", Text, nullable=False),
    Column("allow_lower", Boolean, nullable=False),
    Column("state", String(20), nullable=False),  # running, finished, cancelled
    Column("created_at", BigInteger, nullable=False),
    Column("ended_at", BigInteger),
    CheckConstraint("state IN ('running', 'finished', 'cancelled')", name="state"),
)

regrade_source = Table(  # the distinct sources of a regrade, and which of them are done
    "regrade_source",
    metadata,
    Column("regrade_id", _ID, ForeignKey("regrade.id"), primary_key=True),
    Column("source_hash", _HASH, primary_key=True),
    Column("done", Boolean, nullable=False),
    Index("ix_regrade_source_open", "regrade_id", "done"),
)

event = Table(  # append-only: triggers refuse updates and deletes
    "event",
    metadata,
    Column("seq", _SEQUENCE, primary_key=True, autoincrement=True),
    Column("at", BigInteger, nullable=False),
    Column("actor", _NAME, nullable=False),  # a person's id, or "grader"
    Column("kind", String(40), nullable=False),
    Column("subject", _NAME, nullable=False, index=True),
    Column("data", Text, nullable=False),  # JSON
)

outbox = Table(  # messages that other systems have yet to receive
    "outbox",
    metadata,
    Column("id", _ID, primary_key=True),
    Column("kind", String(20), nullable=False),
    Column("subject", _NAME, nullable=False),  # one row each, so that only the newest is sent
    Column("body", Text, nullable=False),  # JSON
    Column("created_at", BigInteger, nullable=False),
    Column("due_at", BigInteger, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("sent_at", BigInteger),
    Column("parked", Boolean, nullable=False),  # can never succeed unchanged, so it waits for staff
    Column("last_error", Text, nullable=False),
    UniqueConstraint("kind", "subject"),
    Index("ix_outbox_due", "sent_at", "due_at"),
)

schedule = Table(  # times and rules of exercises from the file beside `course.yaml`
    "schedule",
    metadata,
    Column("exercise", _NAME, primary_key=True),
    Column("opens_at", BigInteger),
    Column("due_at", BigInteger),
    Column("daily_factor", Float, nullable=False),  # factor of the points for each started day
    Column("grace_seconds", Float, nullable=False, server_default="0"),
    Column("max_late_days", Integer),  # after more days nothing is left
    Column("min_share", Float, nullable=False, server_default="0"),  # least share of the points
    Column("max_submissions_per_day", Integer),
    Column("hold_hidden", Boolean, nullable=False),
)

extension = Table(  # a person's own due date
    "extension",
    metadata,
    Column("person_id", _ID, ForeignKey("person.id"), primary_key=True),
    Column("exercise", _NAME, primary_key=True),
    Column("due_at", BigInteger, nullable=False),
    Column("from_file", Boolean, nullable=False, server_default=false()),  # False if given by staff
)

override = Table(  # points or an excuse by staff; a person's newest row counts
    "override",
    metadata,
    Column("id", _ID, primary_key=True),
    Column("person_id", _ID, ForeignKey("person.id"), nullable=False),
    Column("exercise", _NAME, nullable=False),
    Column("points", Float),
    Column("excused", Boolean, nullable=False),
    Column("reason", Text, nullable=False),
    Column("by", _NAME, nullable=False),  # a person's id, or a user of the command line
    Column("at", BigInteger, nullable=False),
    Index("ix_override_person", "person_id", "exercise"),
)

comment = Table(  # comments of staff on a submission or one of its lines
    "comment",
    metadata,
    Column("id", _ID, primary_key=True),
    Column("submission_id", _ID, ForeignKey("submission.id"), nullable=False, index=True),
    Column("line", Integer),
    Column("text", Text, nullable=False),
    Column("by", _NAME, nullable=False),
    Column("at", BigInteger, nullable=False),
)

lti_key = Table(  # the key pair by which platforms know us; two during a rotation
    "lti_key",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),  # the newest has the highest id
    Column("kid", _HASH, nullable=False),
    Column("private", Text, nullable=False),  # PKCS 8; read only to sign
    Column("created_at", BigInteger, nullable=False),
)

lti_platform = Table(
    "lti_platform",
    metadata,
    Column("id", _ID, primary_key=True),
    Column("issuer", _NAME, nullable=False),
    Column("client_id", _NAME, nullable=False),
    Column("auth_url", _ADDRESS, nullable=False),
    Column("token_url", _ADDRESS, nullable=False),
    Column("jwks_url", _ADDRESS, nullable=False),
    Column("grades_url", _ADDRESS, nullable=False),  # line items must be on this origin
    Column("created_at", BigInteger, nullable=False),
    Column("context", _LONG_NAME),  # the only course that is admitted, set by the first launch
    Column("members_url", _ADDRESS, nullable=False, server_default=""),
    UniqueConstraint("issuer", "client_id"),
)

lti_deployment = Table(
    "lti_deployment",
    metadata,
    Column("platform_id", _ID, ForeignKey("lti_platform.id"), primary_key=True),
    Column("deployment", _LONG_NAME, primary_key=True),
)

lti_nonce = Table(  # used launches, kept for as long as they would be valid
    "lti_nonce",
    metadata,
    Column("hash", _HASH, primary_key=True),
    Column("expires_at", BigInteger, nullable=False, index=True),
)

lti_person = Table(
    "lti_person",
    metadata,
    Column("issuer", _NAME, primary_key=True),
    Column("sub", _LONG_NAME, primary_key=True),
    Column("person_id", _ID, ForeignKey("person.id"), nullable=False),
)

lti_line = Table(  # the platform's line item for a person's grade in an exercise
    "lti_line",
    metadata,
    Column("id", _ID, primary_key=True),
    Column("person_id", _ID, ForeignKey("person.id"), nullable=False),
    Column("exercise", _NAME, nullable=False),
    Column("platform_id", _ID, ForeignKey("lti_platform.id"), nullable=False),
    Column("sub", _LONG_NAME, nullable=False),
    Column("address", _ADDRESS, nullable=False),
    UniqueConstraint("person_id", "exercise", "address"),
)
