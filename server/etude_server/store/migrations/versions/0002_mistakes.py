"""The table of students' mistakes, filled from the published verdicts."""

import json

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_FAILED = sa.text(
    "SELECT submission.person_id, submission.exercise, verdict.body FROM submission "
    "JOIN publication ON publication.submission_id = submission.id "
    "JOIN verdict ON verdict.exercise_hash = publication.exercise_hash "
    "AND verdict.source_hash = publication.source_hash "
    "AND verdict.grader_version = publication.grader_version WHERE verdict.outcome <> 'passed'"
)
_NO_FAILURE = frozenset({"passed", "not run"})


def upgrade() -> None:
    """Run this migration."""
    table = op.create_table(
        "mistake",
        sa.Column("exercise", sa.String(length=200), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("person_id", sa.String(length=36), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_mistake_person_id"),
        sa.PrimaryKeyConstraint("exercise", "kind", "name", "person_id", name="pk_mistake"),
    )
    op.create_index("ix_mistake_person", "mistake", ["person_id", "exercise"], unique=False)
    rows = set[tuple[str, ...]]()
    for row in op.get_bind().execute(_FAILED):
        body = json.loads(row.body)
        diagnosis = body.get("diagnosis") or {}
        mistakes = [("test", t["id"]) for t in body["tests"] if t["outcome"] not in _NO_FAILURE]
        if diagnosis.get("kind") == "misconception":
            mistakes += [("misconception", each) for each in diagnosis["ids"]]
        if diagnosis.get("hint") is not None:
            mistakes.append(("hint", diagnosis["hint"]))
        rows |= {(row.exercise, kind, str(name), row.person_id) for kind, name in mistakes}
    if rows:
        names = ("exercise", "kind", "name", "person_id")
        op.bulk_insert(table, [dict(zip(names, row, strict=True)) for row in sorted(rows)])
