"""Verdicts: written once, and published to each submission that they hold for."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Float,
    Row,
    Select,
    and_,
    bindparam,
    case,
    cast,
    delete,
    func,
    insert,
    or_,
    select,
)

from grader.grading.records import FAULT, verdict_data
from grader.grading.verdict import Verdict
from grader.service.store import events, mistakes, scores
from grader.service.store.ids import new_id, now
from grader.service.store.insertion import Columns, insert_unless_there, put, put_from
from grader.service.store.submissions import Submitted, no_longer_waiting
from grader.service.store.tables import (
    SAME_KEY,
    attempt,
    event,
    grade,
    mistake,
    person,
    publication,
    source,
    submission,
    verdict,
)

MOST_FAULTS: Final = 3
"""After so many a submission waits for staff."""


def _share(score: ColumnElement[int], most: ColumnElement[int]) -> ColumnElement[Any]:
    return cast(score, Float) / case((most > 0, most), else_=1)


# Made once: to put a statement together takes longer than to execute it.
_FIND: Final = select(verdict).where(
    verdict.c.exercise_hash == bindparam("exercise_hash"),
    verdict.c.source_hash == bindparam("source_hash"),
    verdict.c.grader_version == bindparam("grader_version"),
)
_PUBLISHED: Final = (
    select(verdict)
    .join(publication, SAME_KEY)
    .where(publication.c.submission_id == bindparam("submission_id"))
)
_LOCK_PERSON: Final = (
    select(person.c.id).where(person.c.id == bindparam("person_id")).with_for_update(key_share=True)
)
_BEST: Final = (
    select(
        submission.c.person_id,
        submission.c.exercise,
        submission.c.id,
        verdict.c.score,
        verdict.c.max_score,
        verdict.c.outcome == "passed",
        verdict.c.xp,
        publication.c.event_seq,
    )
    .join(publication, publication.c.submission_id == submission.c.id)
    .join(verdict, SAME_KEY)
    .where(submission.c.person_id == bindparam("person"), submission.c.exercise == bindparam("of"))
    .order_by(
        (verdict.c.outcome == "passed").desc(),
        _share(verdict.c.score, verdict.c.max_score).desc(),
        submission.c.id,
    )
    .limit(1)
)
_FIND_OR_TEXT: Final = (
    select(source.c.text, verdict)
    .outerjoin(
        verdict,
        and_(
            verdict.c.exercise_hash == bindparam("exercise_hash"),
            verdict.c.source_hash == source.c.hash,
            verdict.c.grader_version == bindparam("grader_version"),
        ),
    )
    .where(source.c.hash == bindparam("source_hash"))
)
_ATTEMPT: Final = insert(attempt)


@dataclass(frozen=True, slots=True)
class Key:
    """What a verdict depends on, and nothing else."""

    exercise_hash: str
    source_hash: str
    grader_version: str


@dataclass(frozen=True, slots=True)
class Kept:
    """A verdict as it is kept."""

    key: Key
    outcome: str
    score: int
    max_score: int
    xp: int
    body: Mapping[str, Any]  # etude/verdict/v1
    at: int  # microseconds since 1970

    @property
    def passed(self) -> bool:
        """Whether the submission solves the exercise."""
        return self.outcome == "passed"


@dataclass(frozen=True, slots=True)
class Run:
    """Which worker graded, and when: diagnostics."""

    worker: str
    started_at: int
    ended_at: int


def keep(connection: Connection, made: Verdict, run: Run) -> Kept:
    """Write a verdict down. If one with its key is there already, that one holds."""
    key = Key(made.exercise_hash, made.submission_hash, made.grader_version)
    outcome, body = made.outcome.value, verdict_data(made)
    values: dict[str, Any] = {
        "exercise_hash": key.exercise_hash,
        "source_hash": key.source_hash,
        "grader_version": key.grader_version,
        "exercise": made.exercise,
        "outcome": outcome,
        "score": made.score,
        "max_score": made.max_score,
        "xp": made.xp,
        "body": json.dumps(body),
        "at": now(),
    }
    is_new = insert_unless_there(connection, verdict, values)
    _note_attempt(connection, key.exercise_hash, key.source_hash, run, outcome=outcome)
    if is_new:
        return Kept(key, outcome, made.score, made.max_score, made.xp, body, values["at"])
    found = find(connection, key)
    assert found is not None  # noqa: S101  a verdict is never deleted
    return found


def note_fault(
    connection: Connection, exercise_hash: str, source_hash: str, run: Run, message: str
) -> int:
    """Write down that grading failed, through no fault of the submission; return how often."""
    _note_attempt(connection, exercise_hash, source_hash, run, outcome=FAULT, message=message)
    counted = select(func.count()).where(
        attempt.c.exercise_hash == exercise_hash,
        attempt.c.source_hash == source_hash,
        attempt.c.outcome == FAULT,
    )
    return int(connection.execute(counted).scalar_one())


def prune_attempts(connection: Connection, before: int, most: int) -> int:
    """Forget diagnostics that ended before a time; return how many, at most so many at once."""
    old = select(attempt.c.id).where(attempt.c.ended_at < before).order_by(attempt.c.id).limit(most)
    return connection.execute(delete(attempt).where(attempt.c.id.in_(old))).rowcount


def find(connection: Connection, key: Key) -> Kept | None:
    """Return the verdict of a key."""
    return _one(connection, _FIND, asdict(key))


def find_or_text(connection: Connection, key: Key) -> Kept | str:
    """Return the verdict of a key; while there is none, the source that is to be graded."""
    row = connection.execute(_FIND_OR_TEXT, asdict(key)).one()
    return str(row.text) if row.exercise_hash is None else _kept(row)


def published(connection: Connection, submission_id: str) -> Kept | None:
    """Return the verdict that holds for a submission; None while it is pending."""
    return _one(connection, _PUBLISHED, {"submission_id": submission_id})


def publish_waiting(connection: Connection, submitted: Submitted, kept: Kept) -> bool:
    """Let a verdict hold for a submission that waits for one; false if it waits no more.

    Whoever takes it off the list publishes, so that of two who graded it only one does.
    """
    if not no_longer_waiting(connection, submitted.id):
        return False
    publish(connection, submitted, kept)
    return True


def publish(
    connection: Connection,
    submitted: Submitted,
    kept: Kept,
    *,
    actor: str = events.GRADER,
    regrade: str | None = None,
    before: Mapping[str, Any] | None = None,
) -> None:
    """Let a verdict hold for a submission from now on, and its person's grade follow.

    Args:
        connection: of a transaction that writes.
        submitted: the submission.
        kept: the verdict.
        actor: who brought that about.
        regrade: the id of the regrade that did.
        before: what the verdict says that held until now.
    """
    if connection.dialect.name != "sqlite":  # which has one writer anyway
        # One at a time for each person, or of two grades the worse might be computed last.
        connection.execute(_LOCK_PERSON, {"person_id": submitted.person_id})
    data = {
        "person": submitted.person_id,
        "exercise": submitted.exercise,
        "exercise_hash": kept.key.exercise_hash,
        "source_hash": kept.key.source_hash,
        "grader_version": kept.key.grader_version,
        "outcome": kept.outcome,
        "score": kept.score,
        "max_score": kept.max_score,
        "xp": kept.xp,
        "regrade": regrade,
        "before": before,
    }
    seq = events.append(connection, actor, events.PUBLISHED, submitted.id, data)
    held = {"submission_id": submitted.id, "event_seq": seq, **asdict(kept.key)}
    if insert_unless_there(connection, publication, held):
        _improve_grade(connection, submitted, kept, seq)
        if not kept.passed:
            mistakes.note(connection, submitted.person_id, submitted.exercise, kept.body)
    else:  # another verdict held, perhaps the best one
        replaced = published(connection, submitted.id)
        assert replaced is not None  # noqa: S101  a verdict is never deleted
        put(connection, publication, held)
        refresh_grade(connection, submitted.person_id, submitted.exercise)
        mistakes.follow(
            connection, submitted.person_id, submitted.exercise, replaced.body, kept.body
        )


def _improve_grade(
    connection: Connection, submitted: Submitted, kept: Kept, event_seq: int
) -> None:
    """Let a grade follow one more verdict, however many there are already."""
    values = {
        "person_id": submitted.person_id,
        "exercise": submitted.exercise,
        "submission_id": submitted.id,
        "score": kept.score,
        "max_score": kept.max_score,
        "passed": kept.passed,
        "xp": kept.xp,
        "event_seq": event_seq,
    }
    if put(connection, grade, values, _is_better):
        scores.note(connection, submitted.person_id, submitted.exercise)


def _is_better(new: Columns) -> ColumnElement[bool]:
    """Order grades as `_BEST` does."""
    mine, held = _share(new.score, new.max_score), _share(grade.c.score, grade.c.max_score)
    better = or_(mine > held, and_(mine == held, new.submission_id < grade.c.submission_id))
    return or_(new.passed > grade.c.passed, and_(new.passed == grade.c.passed, better))


def refresh_grade(connection: Connection, person_id: str, exercise: str) -> None:
    """Compute a grade anew: the best published verdict, and of equal ones the first.

    Points of two versions of an exercise are not compared, but which share of them was earned.
    """
    own = {"person": person_id, "of": exercise}
    if put_from(connection, grade, _BEST, own):
        scores.note(connection, person_id, exercise)


def rebuild(connection: Connection) -> int:
    """Make the projections again from the event log; return how many publications there are."""
    for projection in (publication, grade, mistake):
        connection.execute(delete(projection))
    told = select(event.c.seq, event.c.subject, event.c.data).where(
        event.c.kind == events.PUBLISHED
    )
    owners: set[tuple[str, str]] = set()
    latest: dict[str, tuple[Key, int]] = {}
    for row in connection.execute(told.order_by(event.c.seq)):
        data = json.loads(row.data)
        key = Key(data["exercise_hash"], data["source_hash"], data["grader_version"])
        latest[row.subject] = (key, row.seq)
        owners.add((data["person"], data["exercise"]))
    for submission_id, (key, seq) in latest.items():
        held = {"submission_id": submission_id, "event_seq": seq, **asdict(key)}
        put(connection, publication, held)
    for person_id, exercise in sorted(owners):
        refresh_grade(connection, person_id, exercise)
        mistakes.refresh(connection, person_id, exercise)
    return len(latest)


def _note_attempt(
    connection: Connection,
    exercise_hash: str,
    source_hash: str,
    run: Run,
    *,
    outcome: str,
    message: str = "",
) -> None:
    connection.execute(
        _ATTEMPT,
        {
            "id": new_id(),
            "exercise_hash": exercise_hash,
            "source_hash": source_hash,
            "worker": run.worker,
            "started_at": run.started_at,
            "ended_at": run.ended_at,
            "outcome": outcome,
            "message": message[:2000],
        },
    )


def _one(connection: Connection, chosen: Select[Any], values: Mapping[str, str]) -> Kept | None:
    row = connection.execute(chosen, dict(values)).one_or_none()
    return _kept(row) if row is not None else None


def _kept(row: Row[Any]) -> Kept:
    key = Key(row.exercise_hash, row.source_hash, row.grader_version)
    body = json.loads(row.body)
    return Kept(key, row.outcome, row.score, row.max_score, row.xp, body, row.at)
