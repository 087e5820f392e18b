"""Comments of staff on submissions, and the release of those that were parked."""

from typing import Final

from sqlalchemy import Connection, insert, update

from etude_server.actions.grades import require_text
from etude_server.store import events, people
from etude_server.store.ids import make_id, now
from etude_server.store.submissions import StoredSubmission
from etude_server.store.tables import comment, waiting
from grader.errors import UsageError

_LAST_LINE: Final = 100_000  # line number, beyond any submission


def release_submission(connection: Connection, submission_id: str, *, actor: str) -> bool:
    """Queue a parked submission again; return false if it is not parked."""
    change = (
        update(waiting)
        .where(waiting.c.submission_id == submission_id, waiting.c.parked.is_(True))
        .values(parked=False)
    )
    if not connection.execute(change).rowcount:
        return False
    events.append_event(connection, actor, events.RELEASED, submission_id, {})
    return True


def add_comment(
    connection: Connection, submission: StoredSubmission, text: str, line: int | None, *, actor: str
) -> None:
    """Comment on a submission or one of its lines; raise `UsageError` for an invalid comment."""
    if line is not None and not 1 <= line <= _LAST_LINE:
        raise UsageError(f"a line is a number from 1 to {_LAST_LINE}")
    people.lock_present_person(connection, submission.person_id)
    row = {
        "id": make_id(),
        "submission_id": submission.id,
        "line": line,
        "text": require_text(text, "a comment"),
        "by": actor,
        "at": now(),
    }
    connection.execute(insert(comment).values(row))
    data = {"comment": row["id"], "line": line}
    events.append_event(connection, actor, events.COMMENTED, submission.id, data)
