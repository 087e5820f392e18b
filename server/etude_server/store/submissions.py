"""Submissions: accepted once, pending until a verdict is published, searched and commented on."""

import hashlib
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, TypeAlias

from sqlalchemy import (
    Connection,
    Select,
    and_,
    bindparam,
    case,
    delete,
    func,
    insert,
    select,
    update,
)

from etude_server.store import events, people
from etude_server.store.database import insert_if_absent
from etude_server.store.ids import Moment, make_id, now
from etude_server.store.people import Person
from etude_server.store.tables import (
    IS_PUBLISHED_VERDICT,
    PUBLIC_NAME,
    comment,
    grade,
    make_actor_name,
    person,
    publication,
    source,
    submission,
    verdict,
    waiting,
)

State: TypeAlias = Literal["pending", "parked", "graded"]

MAX_QUEUE_POSITION: Final = 1_000
"""The largest queue position that is counted: counting a queue of a hundred thousand is slow."""

SUBMISSION_COLUMNS: Final = (
    submission.c.id,
    submission.c.person_id,
    submission.c.exercise,
    submission.c.source_hash,
    submission.c.received_at,
)
"""The columns of `StoredSubmission`."""

_SELECT_SUBMISSIONS: Final[Select[Any]] = select(*SUBMISSION_COLUMNS)
# Built once, because building a statement takes longer than executing it.
_SELECT_TEXT: Final = select(source.c.text).where(source.c.hash == bindparam("source_hash"))
# Restores a text that was erased with the last person who had submitted it.
_RESTORE_TEXT: Final = (
    update(source)
    .where(source.c.hash == bindparam("source_hash"), source.c.text == "")
    .values(text=bindparam("restored_text"))
)
_SELECT_SUBMISSION: Final = _SELECT_SUBMISSIONS.where(submission.c.id == bindparam("submission_id"))
_SELECT_WAITING: Final = _SELECT_SUBMISSIONS.join(
    waiting, waiting.c.submission_id == submission.c.id
).where(waiting.c.parked.is_(False))
_SELECT_ONE_WAITING: Final = _SELECT_WAITING.where(
    waiting.c.submission_id == bindparam("submission_id")
)
_SELECT_OLDEST_WAITING: Final = _SELECT_WAITING.order_by(waiting.c.submission_id).limit(
    bindparam("limit")
)
_COUNT_WAITING_BEFORE: Final = select(func.count()).select_from(
    select(waiting.c.submission_id)
    .where(waiting.c.parked.is_(False), waiting.c.submission_id < bindparam("submission_id"))
    .limit(MAX_QUEUE_POSITION)
    .subquery()
)
_SELECT_OLDEST_TIME: Final = (
    select(submission.c.received_at)
    .join(waiting, waiting.c.submission_id == submission.c.id)
    .where(waiting.c.parked.is_(False))
    .order_by(waiting.c.submission_id)
    .limit(1)
)
_STATE: Final = case(
    (publication.c.submission_id.is_not(None), "graded"),
    (waiting.c.parked.is_(True), "parked"),
    else_="pending",
)
_DELETE_WAITING: Final = delete(waiting).where(
    waiting.c.submission_id == bindparam("submission_id")
)


@dataclass(frozen=True, slots=True)
class StoredSubmission:
    """A submission, without its text."""

    id: str
    person_id: str
    exercise: str
    source_hash: str
    received_at: Moment


@dataclass(frozen=True, slots=True)
class AcceptedSubmission:
    """An accepted submission."""

    submission: StoredSubmission
    is_new: bool  # False if the same request came before


@dataclass(frozen=True, slots=True)
class SubmissionEntry:
    """A submission and its verdict."""

    id: str
    person: str  # the person's name
    exercise: str
    source_hash: str
    received_at: Moment
    state: State
    outcome: str | None  # the published verdict's, like score and max_score
    score: int | None
    max_score: int | None
    public_name: str  # the name that others see


@dataclass(frozen=True, slots=True)
class StuckStudent:
    """A student who has failed an exercise several times and never passed it."""

    student: str
    name: str  # the name that others see
    failed: int  # number of failed submissions
    submission: str  # the id of the latest one


class KeyReusedError(Exception):
    """An idempotency key was reused for another exercise or text."""


def accept_submission(
    connection: Connection, owner: Person, exercise: str, text: str, *, key: str
) -> AcceptedSubmission:
    """Store a submission once per person and idempotency key, and lock the person.

    The caller checks that the exercise exists.

    Raises:
        UsageError: The person has been erased in the meantime.
        KeyReusedError: The key was used for something else; the caller must roll back.
    """
    # Locked before any other row of the person, in the order that an erasure uses.
    people.lock_present_person(connection, owner.id)
    source_hash = hashlib.sha256(text.encode()).hexdigest()
    new_submission = StoredSubmission(make_id(), owner.id, exercise, source_hash, now())
    if not insert_if_absent(connection, source, {"hash": source_hash, "text": text}):
        connection.execute(_RESTORE_TEXT, {"source_hash": source_hash, "restored_text": text})
    row = {**asdict(new_submission), "idempotency_key": key}
    if not insert_if_absent(connection, submission, row):
        same_request = (submission.c.person_id == owner.id, submission.c.idempotency_key == key)
        earlier_submission = StoredSubmission(
            *connection.execute(_SELECT_SUBMISSIONS.where(*same_request)).one()
        )
        if (earlier_submission.exercise, earlier_submission.source_hash) != (exercise, source_hash):
            raise KeyReusedError
        return AcceptedSubmission(earlier_submission, is_new=False)
    connection.execute(insert(waiting), {"submission_id": new_submission.id, "parked": False})
    data = {"person": owner.id, "exercise": exercise, "source_hash": source_hash}
    events.append_event(connection, owner.id, events.SUBMITTED, new_submission.id, data)
    return AcceptedSubmission(new_submission, is_new=True)


def find_submission(connection: Connection, submission_id: str) -> StoredSubmission | None:
    """Return the submission with this id, or None."""
    row = connection.execute(_SELECT_SUBMISSION, {"submission_id": submission_id}).one_or_none()
    return StoredSubmission(*row) if row else None


def read_source(connection: Connection, source_hash: str) -> str:
    """Return the text of a source."""
    return str(connection.execute(_SELECT_TEXT, {"source_hash": source_hash}).scalar_one())


def list_waiting(connection: Connection, limit: int) -> list[StoredSubmission]:
    """Return the oldest submissions that wait to be graded, at most `limit`, in order."""
    rows = connection.execute(_SELECT_OLDEST_WAITING, {"limit": limit})
    return [StoredSubmission(*row) for row in rows]


def find_waiting(connection: Connection, submission_id: str) -> StoredSubmission | None:
    """Return a submission if it is waiting, else None."""
    row = connection.execute(_SELECT_ONE_WAITING, {"submission_id": submission_id}).one_or_none()
    return StoredSubmission(*row) if row else None


def count_waiting_and_parked(connection: Connection) -> tuple[int, int]:
    """Return the numbers of submissions waiting for grading and for staff."""
    by_kind = select(waiting.c.parked, func.count()).group_by(waiting.c.parked)
    counts = {bool(parked): int(n) for parked, n in connection.execute(by_kind)}
    return counts.get(False, 0), counts.get(True, 0)


def find_queue_position(connection: Connection, submission_id: str) -> int | None:
    """Return a submission's position in the queue, from 0 and at most `MAX_QUEUE_POSITION`.

    Returns None if it is parked or not waiting.
    """
    if find_waiting(connection, submission_id) is None:
        return None
    return int(
        connection.execute(_COUNT_WAITING_BEFORE, {"submission_id": submission_id}).scalar_one()
    )


def find_oldest_waiting_time(connection: Connection) -> int | None:
    """Return the time at which the oldest waiting submission arrived, in microseconds."""
    return connection.execute(_SELECT_OLDEST_TIME).scalar_one_or_none()


def park_submission(connection: Connection, submission_id: str, reason: str) -> None:
    """Park a submission that could not be graded: staff has to look at it."""
    change = update(waiting).where(waiting.c.submission_id == submission_id).values(parked=True)
    if connection.execute(change).rowcount:
        events.append_event(
            connection, events.GRADER, events.PARKED, submission_id, {"reason": reason[:500]}
        )


def dequeue_submission(connection: Connection, submission_id: str) -> bool:
    """Remove a submission from the queue; return false if another process has done so."""
    return bool(connection.execute(_DELETE_WAITING, {"submission_id": submission_id}).rowcount)


def list_submissions(
    connection: Connection,
    *,
    exercise: str | None = None,
    person_name: str | None = None,
    state: State | None = None,
    before: str | None = None,
    limit: int = 50,
) -> list[SubmissionEntry]:
    """Return submissions older than the one with the id `before`, the newest first."""
    id_column, _, *other_columns = SUBMISSION_COLUMNS
    verdict_columns = (verdict.c.outcome, verdict.c.score, verdict.c.max_score)
    query = (
        select(id_column, person.c.name, *other_columns, _STATE, *verdict_columns, PUBLIC_NAME)
        .join(person, person.c.id == submission.c.person_id)
        .outerjoin(publication, publication.c.submission_id == submission.c.id)
        .outerjoin(verdict, IS_PUBLISHED_VERDICT)
        .outerjoin(waiting, waiting.c.submission_id == submission.c.id)
    )
    if exercise is not None:
        query = query.where(submission.c.exercise == exercise)
    if person_name is not None:
        query = query.where(person.c.name == person_name)
    if state == "graded":
        query = query.where(publication.c.submission_id.is_not(None))
    elif state is not None:
        is_parked = waiting.c.parked.is_(state == "parked")
        query = query.where(waiting.c.submission_id.is_not(None), is_parked)
    if before is not None:
        query = query.where(submission.c.id < before)
    rows = connection.execute(query.order_by(submission.c.id.desc()).limit(limit))
    return [SubmissionEntry(*tuple(row)) for row in rows]


def find_stuck_students(
    connection: Connection, min_failures: int, exercise: str | None = None
) -> dict[str, list[StuckStudent]]:
    """Return the students who failed an exercise at least so often and never passed it.

    They are grouped by exercise, those with the most failures first.
    """
    failed, latest = func.count().label("failed"), func.max(submission.c.id).label("latest")
    conditions = (
        submission.c.person_id == grade.c.person_id,
        submission.c.exercise == grade.c.exercise,
    )
    query = (
        select(grade.c.exercise, person.c.name, PUBLIC_NAME, failed, latest)
        .join(person, person.c.id == grade.c.person_id)
        .join(submission, and_(*conditions))
        .join(publication, publication.c.submission_id == submission.c.id)
        .where(person.c.role == "student", grade.c.passed.is_(False))
        .group_by(grade.c.exercise, person.c.id)
        .having(failed >= min_failures)
        .order_by(failed.desc(), person.c.name)
    )
    if exercise is not None:
        query = query.where(grade.c.exercise == exercise)
    by_exercise: dict[str, list[StuckStudent]] = {}
    for row in connection.execute(query):
        by_exercise.setdefault(row.exercise, []).append(StuckStudent(*row[1:]))
    return by_exercise


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment of staff on a submission."""

    line: int | None
    text: str
    by: str  # the name that others see
    at: Moment


def list_comments(connection: Connection, submission_id: str) -> list[Comment]:
    """Return the comments on a submission, the oldest first."""
    columns = (comment.c.line, comment.c.text, make_actor_name(comment.c.by), comment.c.at)
    query = select(*columns).where(comment.c.submission_id == submission_id)
    return [Comment(*row) for row in connection.execute(query.order_by(comment.c.id))]


def list_commented_submissions(
    connection: Connection, person_id: str, exercise: str
) -> list[StoredSubmission]:
    """Return a person's commented submissions of an exercise, the newest first."""
    query = (
        select(*SUBMISSION_COLUMNS)
        .where(submission.c.person_id == person_id, submission.c.exercise == exercise)
        .where(submission.c.id.in_(select(comment.c.submission_id)))
        .order_by(submission.c.id.desc())
    )
    return [StoredSubmission(*row) for row in connection.execute(query)]
