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
from etude_server.store.ids import Moment, new_id, now
from etude_server.store.people import Person
from etude_server.store.tables import (
    PUBLIC_NAME,
    SAME_KEY,
    actor_name,
    comment,
    grade,
    person,
    publication,
    source,
    submission,
    verdict,
    waiting,
)

State: TypeAlias = Literal["pending", "parked", "graded"]

COUNTED: Final = 1_000
"""The last place in the line that is counted: in one of a hundred thousand that would take long."""

COLUMNS: Final = (
    submission.c.id,
    submission.c.person_id,
    submission.c.exercise,
    submission.c.source_hash,
    submission.c.received_at,
)
"""Those of `StoredSubmission`."""

_SELECT_SUBMISSIONS: Final[Select[Any]] = select(*COLUMNS)
# Made once: to put a statement together takes longer than to execute it.
_TEXT: Final = select(source.c.text).where(source.c.hash == bindparam("of"))
_RESTORE: Final = (  # a text that was erased with the last person who had submitted it
    update(source)
    .where(source.c.hash == bindparam("of"), source.c.text == "")
    .values(text=bindparam("again"))
)
_ONE: Final = _SELECT_SUBMISSIONS.where(submission.c.id == bindparam("of"))
_WAITING: Final = _SELECT_SUBMISSIONS.join(
    waiting, waiting.c.submission_id == submission.c.id
).where(waiting.c.parked.is_(False))
_WAITING_ONE: Final = _WAITING.where(waiting.c.submission_id == bindparam("of"))
_NEXT_WAITING: Final = _WAITING.order_by(waiting.c.submission_id).limit(bindparam("most"))
_WAITING_BEFORE: Final = select(func.count()).select_from(
    select(waiting.c.submission_id)
    .where(waiting.c.parked.is_(False), waiting.c.submission_id < bindparam("of"))
    .limit(COUNTED)
    .subquery()
)
_OLDEST: Final = (
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
_NO_LONGER: Final = delete(waiting).where(waiting.c.submission_id == bindparam("of"))


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
    is_new: bool  # false if the same request came before


@dataclass(frozen=True, slots=True)
class SubmissionEntry:
    """A submission and its verdict."""

    id: str
    person: str  # their name
    exercise: str
    source_hash: str
    received_at: Moment
    state: State
    outcome: str | None  # the published verdict's, as the fields below
    score: int | None
    max_score: int | None
    public_name: str  # the person's name that others read


@dataclass(frozen=True, slots=True)
class Stuck:
    """A student who has failed an exercise several times and never passed it."""

    student: str
    name: str  # that others read
    failed: int  # submissions
    submission: str  # the latest


class KeyReusedError(Exception):
    """An idempotency key came again, with another exercise or another text."""


def accept(
    connection: Connection, owner: Person, exercise: str, text: str, *, key: str
) -> AcceptedSubmission:
    """Store a submission, once for each idempotency key of a person, whom it locks.

    The caller checks that the exercise exists.

    Raises:
        UsageError: The person was erased meanwhile.
        KeyReusedError: The key came before with something else; the transaction is to be undone.
    """
    people.lock_present_person(connection, owner.id)  # before any row of theirs, as an erasure does
    digest = hashlib.sha256(text.encode()).hexdigest()
    added = StoredSubmission(new_id(), owner.id, exercise, digest, now())
    if not insert_if_absent(connection, source, {"hash": digest, "text": text}):
        connection.execute(_RESTORE, {"of": digest, "again": text})
    row = {**asdict(added), "idempotency_key": key}
    if not insert_if_absent(connection, submission, row):
        same = (submission.c.person_id == owner.id, submission.c.idempotency_key == key)
        earlier = StoredSubmission(*connection.execute(_SELECT_SUBMISSIONS.where(*same)).one())
        if (earlier.exercise, earlier.source_hash) != (exercise, digest):
            raise KeyReusedError
        return AcceptedSubmission(earlier, is_new=False)
    _put_in_line(connection, added.id)
    data = {"person": owner.id, "exercise": exercise, "source_hash": digest}
    events.append(connection, owner.id, events.SUBMITTED, added.id, data)
    return AcceptedSubmission(added, is_new=True)


def find(connection: Connection, submission_id: str) -> StoredSubmission | None:
    """Return a submission."""
    row = connection.execute(_ONE, {"of": submission_id}).one_or_none()
    return StoredSubmission(*row) if row else None


def read_source(connection: Connection, source_hash: str) -> str:
    """Return a source."""
    return str(connection.execute(_TEXT, {"of": source_hash}).scalar_one())


def next_waiting(connection: Connection, most: int) -> list[StoredSubmission]:
    """Return submissions that wait to be graded, the oldest first, at most so many."""
    rows = connection.execute(_NEXT_WAITING, {"most": most})
    return [StoredSubmission(*row) for row in rows]


def find_waiting(connection: Connection, submission_id: str) -> StoredSubmission | None:
    """Return a submission if it waits to be graded."""
    row = connection.execute(_WAITING_ONE, {"of": submission_id}).one_or_none()
    return StoredSubmission(*row) if row else None


def count_waiting(connection: Connection) -> tuple[int, int]:
    """Return how many wait to be graded, and how many wait for staff."""
    by_kind = select(waiting.c.parked, func.count()).group_by(waiting.c.parked)
    counts = {bool(parked): int(n) for parked, n in connection.execute(by_kind)}
    return counts.get(False, 0), counts.get(True, 0)


def waiting_before(connection: Connection, submission_id: str) -> int:
    """Return how many submissions will be graded before one that waits, at most `COUNTED`."""
    return int(connection.execute(_WAITING_BEFORE, {"of": submission_id}).scalar_one())


def place(connection: Connection, submission_id: str) -> int | None:
    """Return a submission's place in the line, from 0 and at most `COUNTED`.

    None if it is parked, or does not wait.
    """
    if find_waiting(connection, submission_id) is None:
        return None
    return waiting_before(connection, submission_id)


def oldest_waiting(connection: Connection) -> int | None:
    """Return when the oldest submission that waits was received, in microseconds."""
    return connection.execute(_OLDEST).scalar_one_or_none()


def mark_for_review(connection: Connection, submission_id: str, reason: str) -> None:
    """Mark a submission that could not be graded as parked: staff has to look at it."""
    change = update(waiting).where(waiting.c.submission_id == submission_id).values(parked=True)
    if connection.execute(change).rowcount:
        events.append(
            connection, events.GRADER, events.PARKED, submission_id, {"reason": reason[:500]}
        )


def release(connection: Connection, submission_id: str, *, actor: str) -> bool:
    """Let a parked submission wait again; return false if it is not parked."""
    change = (
        update(waiting)
        .where(waiting.c.submission_id == submission_id, waiting.c.parked.is_(True))
        .values(parked=False)
    )
    if not connection.execute(change).rowcount:
        return False
    events.append(connection, actor, events.RELEASED, submission_id, {})
    return True


def take_out_of_line(connection: Connection, submission_id: str) -> bool:
    """Take a submission off the list; return false if another process did before."""
    return bool(connection.execute(_NO_LONGER, {"of": submission_id}).rowcount)


def requeue_lost_submissions(connection: Connection) -> list[str]:
    """Let submissions wait that have no verdict and do not wait; return their ids."""
    lost = (
        select(submission.c.id)
        .outerjoin(publication, publication.c.submission_id == submission.c.id)
        .outerjoin(waiting, waiting.c.submission_id == submission.c.id)
        .where(publication.c.submission_id.is_(None), waiting.c.submission_id.is_(None))
        .order_by(submission.c.id)
    )
    submission_ids = list(connection.execute(lost).scalars())
    for each in submission_ids:
        _put_in_line(connection, each)
    return submission_ids


def _put_in_line(connection: Connection, submission_id: str) -> None:
    connection.execute(insert(waiting), {"submission_id": submission_id, "parked": False})


def list_submissions(
    connection: Connection,
    *,
    exercise: str | None = None,
    person_name: str | None = None,
    state: State | None = None,
    before: str | None = None,
    most: int = 50,
) -> list[SubmissionEntry]:
    """Return submissions, the newest first, that are older than that of the id `before`."""
    number, _, *rest = COLUMNS
    of_verdict = (verdict.c.outcome, verdict.c.score, verdict.c.max_score)
    query = (
        select(number, person.c.name, *rest, _STATE, *of_verdict, PUBLIC_NAME)
        .join(person, person.c.id == submission.c.person_id)
        .outerjoin(publication, publication.c.submission_id == submission.c.id)
        .outerjoin(verdict, SAME_KEY)
        .outerjoin(waiting, waiting.c.submission_id == submission.c.id)
    )
    if exercise is not None:
        query = query.where(submission.c.exercise == exercise)
    if person_name is not None:
        query = query.where(person.c.name == person_name)
    if state == "graded":
        query = query.where(publication.c.submission_id.is_not(None))
    elif state is not None:
        parked = waiting.c.parked.is_(state == "parked")
        query = query.where(waiting.c.submission_id.is_not(None), parked)
    if before is not None:
        query = query.where(submission.c.id < before)
    rows = connection.execute(query.order_by(submission.c.id.desc()).limit(most))
    return [SubmissionEntry(*tuple(row)) for row in rows]


def stuck(
    connection: Connection, least: int, exercise: str | None = None
) -> dict[str, list[Stuck]]:
    """Return by exercise the students who failed it so many times and never passed.

    Those with the most failures come first.
    """
    failed, latest = func.count().label("failed"), func.max(submission.c.id).label("latest")
    conditions = (
        submission.c.person_id == grade.c.person_id,
        submission.c.exercise == grade.c.exercise,
    )
    query = (
        select(grade.c.exercise, person.c.name, PUBLIC_NAME.label("public_name"), failed, latest)
        .join(person, person.c.id == grade.c.person_id)
        .join(submission, and_(*conditions))
        .join(publication, publication.c.submission_id == submission.c.id)
        .where(person.c.role == "student", grade.c.passed.is_(False))
        .group_by(grade.c.exercise, person.c.id)
        .having(failed >= least)
        .order_by(failed.desc(), person.c.name)
    )
    if exercise is not None:
        query = query.where(grade.c.exercise == exercise)
    by_exercise: dict[str, list[Stuck]] = {}
    for row in connection.execute(query):
        by_exercise.setdefault(row.exercise, []).append(Stuck(*row[1:]))
    return by_exercise


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
