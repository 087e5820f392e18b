"""Comments of staff on submissions."""

from dataclasses import dataclass

from sqlalchemy import Connection, select

from etude_server.store.ids import Moment
from etude_server.store.submissions import COLUMNS, StoredSubmission
from etude_server.store.tables import actor_name, comment, submission


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment of staff on a submission."""

    line: int | None
    text: str
    by: str  # the name that others read
    at: Moment


def list_comments(connection: Connection, submission_id: str) -> list[Comment]:
    """Return the comments on a submission, the oldest first."""
    columns = (comment.c.line, comment.c.text, actor_name(comment.c.by), comment.c.at)
    query = select(*columns).where(comment.c.submission_id == submission_id)
    return [Comment(*row) for row in connection.execute(query.order_by(comment.c.id))]


def list_commented(connection: Connection, person_id: str, exercise: str) -> list[StoredSubmission]:
    """Return a person's submissions of an exercise that have comments, the newest first."""
    query = (
        select(*COLUMNS)
        .where(submission.c.person_id == person_id, submission.c.exercise == exercise)
        .where(submission.c.id.in_(select(comment.c.submission_id)))
        .order_by(submission.c.id.desc())
    )
    return [StoredSubmission(*row) for row in connection.execute(query)]
