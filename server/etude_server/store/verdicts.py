"""Verdicts: stored once, and published for each submission to which they apply."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

from sqlalchemy import Connection, Select, and_, bindparam, delete, func, insert, select

from etude_server.store import events, people, unsent_scores
from etude_server.store.database import allow_changes, insert_if_absent, upsert
from etude_server.store.ids import make_id_at, now
from etude_server.store.submissions import StoredSubmission, dequeue_submission
from etude_server.store.tables import (
    IS_PUBLISHED_VERDICT,
    event,
    grade,
    grading_run,
    make_share,
    mistake,
    person,
    publication,
    source,
    submission,
    verdict,
)
from grader.course.statistics import MistakeCounts, make_row
from grader.grading.results.verdict import Verdict
from grader.grading.results.verdict_json import FAULT, verdict_data

IS_ERASED: Final = "is_erased"
"""The key in a verdict's body that marks the removal of quotes from an erased person's program."""

# Built once, because building a statement takes longer than executing it.
_SELECT_VERDICT: Final = select(verdict).where(
    verdict.c.exercise_hash == bindparam("exercise_hash"),
    verdict.c.source_hash == bindparam("source_hash"),
    verdict.c.grader_version == bindparam("grader_version"),
)
_LOCK_SOURCE: Final = (
    select(source.c.hash).where(source.c.hash == bindparam("hash")).with_for_update(read=True)
)
_SELECT_LATEST: Final = (
    select(verdict)
    .where(
        verdict.c.exercise_hash == bindparam("exercise_hash"),
        verdict.c.source_hash == bindparam("source_hash"),
    )
    .order_by(verdict.c.at.desc())
    .limit(1)
)
_SELECT_PUBLISHED: Final = (
    select(verdict)
    .join(publication, IS_PUBLISHED_VERDICT)
    .where(publication.c.submission_id == bindparam("submission_id"))
)
_SELECT_BEST: Final = (
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
    .join(verdict, IS_PUBLISHED_VERDICT)
    .where(
        submission.c.person_id == bindparam("person_id"),
        submission.c.exercise == bindparam("exercise"),
    )
    .order_by(
        (verdict.c.outcome == "passed").desc(),
        make_share(verdict.c.score, verdict.c.max_score).desc(),
        submission.c.id,
    )
    .limit(1)
)
_INSERT_GRADING_RUN: Final = insert(grading_run)
_MAX_NAME_LENGTH: Final = 200  # longest name of a mistake, as in its column


@dataclass(frozen=True, slots=True)
class VerdictKey:
    """The inputs that determine a verdict."""

    exercise_hash: str
    source_hash: str
    grader_version: str


@dataclass(frozen=True, slots=True)
class StoredVerdict:
    """A verdict in the store."""

    key: VerdictKey
    outcome: str
    score: int
    max_score: int
    xp: int
    body: Mapping[str, Any]  # etude/verdict/v1
    at: int  # microseconds since 1970

    @property
    def passed(self) -> bool:
        """True if the submission solves the exercise."""
        return self.outcome == "passed"


@dataclass(frozen=True, slots=True)
class GradingRun:
    """The worker that graded, and the times, for diagnostics."""

    worker: str
    started_at: int
    ended_at: int


def store_verdict(connection: Connection, result: Verdict, run: GradingRun) -> StoredVerdict:
    """Store a verdict and its run; return the first one with this key, which counts.

    A verdict whose texts were erased is replaced, because someone else has submitted the same
    program.
    """
    key = VerdictKey(result.exercise_hash, result.submission_hash, result.grader_version)
    # An erasure of this source comes before or after this, so that it finds all verdicts to erase.
    connection.execute(_LOCK_SOURCE, {"hash": key.source_hash})
    body, outcome = verdict_data(result), result.outcome.value
    stored_verdict = StoredVerdict(
        key, outcome, result.score, result.max_score, result.xp, body, now()
    )
    row = {
        **asdict(key),
        "exercise": result.exercise,
        "outcome": outcome,
        "score": stored_verdict.score,
        "max_score": stored_verdict.max_score,
        "xp": stored_verdict.xp,
        "body": json.dumps(body),
        "at": stored_verdict.at,
    }
    # Read first: if two transactions locked the table, neither could allow changes.
    earlier_verdict = find_verdict(connection, key)
    if earlier_verdict is None:
        if insert_if_absent(connection, verdict, row):
            _store_mistakes(connection, key, result)
        else:
            earlier_verdict = find_verdict(connection, key)
    _record_run(connection, key.exercise_hash, key.source_hash, run, outcome)
    if earlier_verdict is not None and IS_ERASED not in earlier_verdict.body:
        return earlier_verdict
    if earlier_verdict is not None:
        with allow_changes(connection, "verdict"):
            upsert(connection, verdict, row)
    return stored_verdict


def record_fault(
    connection: Connection, exercise_hash: str, source_hash: str, run: GradingRun, message: str
) -> None:
    """Record a grading fault, which is not the submission's."""
    # PostgreSQL accepts only UTF-8 without NUL.
    storable_message = (
        message[:2000].encode(errors="backslashreplace").decode().replace("\0", "\\0")
    )
    _record_run(connection, exercise_hash, source_hash, run, FAULT, storable_message)


def _record_run(
    connection: Connection,
    exercise_hash: str,
    source_hash: str,
    run: GradingRun,
    outcome: str,
    message: str = "",
) -> None:
    row = {"exercise_hash": exercise_hash, "source_hash": source_hash, **asdict(run)}
    row |= {"id": make_id_at(run.ended_at), "outcome": outcome, "message": message}
    connection.execute(_INSERT_GRADING_RUN, row)


def delete_old_grading_runs(connection: Connection, before: int, limit: int) -> int:
    """Delete diagnostics that ended before a time, at most `limit`; return the number."""
    # The ids sort by that time; without this condition the database would scan every run.
    old_ids = select(grading_run.c.id).where(grading_run.c.id < make_id_at(max(before, 0)))
    old_ids = old_ids.order_by(grading_run.c.id).limit(limit)
    return connection.execute(delete(grading_run).where(grading_run.c.id.in_(old_ids))).rowcount


def find_verdict(connection: Connection, key: VerdictKey) -> StoredVerdict | None:
    """Return the verdict with this key, or None."""
    return _fetch_verdict(connection, _SELECT_VERDICT, asdict(key))


def find_latest_verdict(
    connection: Connection, exercise_hash: str, source_hash: str
) -> StoredVerdict | None:
    """Return the latest verdict on a source under an exercise's version, by any grader version."""
    return _fetch_verdict(
        connection, _SELECT_LATEST, {"exercise_hash": exercise_hash, "source_hash": source_hash}
    )


def find_published_verdict(connection: Connection, submission_id: str) -> StoredVerdict | None:
    """Return a submission's published verdict, or None while it is pending."""
    return _fetch_verdict(connection, _SELECT_PUBLISHED, {"submission_id": submission_id})


def publish_if_waiting(
    connection: Connection, stored_submission: StoredSubmission, stored_verdict: StoredVerdict
) -> bool:
    """Publish a verdict for a waiting submission; return False if it is no longer waiting.

    Of two processes that graded it, the one that dequeues it publishes.
    """
    if not dequeue_submission(connection, stored_submission.id):
        return False
    publish_verdict(connection, stored_submission, stored_verdict)
    return True


def publish_verdict(
    connection: Connection,
    stored_submission: StoredSubmission,
    stored_verdict: StoredVerdict,
    *,
    actor: str = events.GRADER,
    regrade: str | None = None,
    before: Mapping[str, Any] | None = None,
) -> None:
    """Publish a verdict for a submission, and update the person's grade.

    `actor` and `regrade` name the cause, and `before` describes the verdict so far.
    """
    person_id, exercise = stored_submission.person_id, stored_submission.exercise
    # One at a time per person, or the worse of two grades might be computed last.
    people.lock_person(connection, person_id)
    key = asdict(stored_verdict.key)
    data = {
        "person": person_id,
        "exercise": exercise,
        **key,
        "outcome": stored_verdict.outcome,
        "score": stored_verdict.score,
        "max_score": stored_verdict.max_score,
        "xp": stored_verdict.xp,
        "regrade": regrade,
        "before": before,
    }
    seq = events.append_event(connection, actor, events.PUBLISHED, stored_submission.id, data)
    publication_row = {"submission_id": stored_submission.id, "event_seq": seq, **key}
    upsert(connection, publication, publication_row)
    refresh_grade(connection, person_id, exercise)


def refresh_grade(connection: Connection, person_id: str, exercise: str) -> None:
    """Recompute a grade: the best published verdict, and the first among equals.

    The share of points is compared, because versions of an exercise may have different points.
    """
    best = connection.execute(_SELECT_BEST, {"person_id": person_id, "exercise": exercise}).one()
    is_of_person = (grade.c.person_id == person_id, grade.c.exercise == exercise)
    if connection.execute(select(grade).where(*is_of_person)).one_or_none() != best:
        upsert(connection, grade, dict(zip(grade.columns.keys(), best, strict=True)))
        unsent_scores.queue_grade(connection, person_id, exercise)


def rebuild_projections(connection: Connection) -> int:
    """Rebuild the projections from the event log; return the number of publications."""
    for projection in (publication, grade):
        connection.execute(delete(projection))
    log = select(event.c.seq, event.c.subject, event.c.data).where(event.c.kind == events.PUBLISHED)
    owners: set[tuple[str, str]] = set()
    latest_verdicts: dict[str, tuple[VerdictKey, int]] = {}
    for row in connection.execute(log.order_by(event.c.seq)):
        data = json.loads(row.data)
        key = VerdictKey(data["exercise_hash"], data["source_hash"], data["grader_version"])
        latest_verdicts[row.subject] = (key, row.seq)
        owners.add((data["person"], data["exercise"]))
    for submission_id, (key, seq) in latest_verdicts.items():
        publication_row = {"submission_id": submission_id, "event_seq": seq, **asdict(key)}
        upsert(connection, publication, publication_row)
    for person_id, exercise in sorted(owners):
        refresh_grade(connection, person_id, exercise)
    return len(latest_verdicts)


def _fetch_verdict(
    connection: Connection, query: Select[Any], values: Mapping[str, str]
) -> StoredVerdict | None:
    row = connection.execute(query, dict(values)).one_or_none()
    if row is None:
        return None
    key = VerdictKey(row.exercise_hash, row.source_hash, row.grader_version)
    body = json.loads(row.body)
    return StoredVerdict(key, row.outcome, row.score, row.max_score, row.xp, body, row.at)


def _store_mistakes(connection: Connection, key: VerdictKey, verdict: Verdict) -> None:
    """Store the mistakes that a new verdict names, so that counting them reads no verdict."""
    rows = [
        {**asdict(key), "kind": kind, "name": name}
        for kind, name in dict.fromkeys(_iterate_mistakes(verdict))
    ]
    if rows:
        connection.execute(insert(mistake), rows)


def count_mistakes(connection: Connection, exercise: str | None = None) -> dict[str, MistakeCounts]:
    """Return the number of students per mistake, by exercise or for one.

    Each counts once per student, even if the student passed later.
    """
    columns = (submission.c.exercise, mistake.c.kind, mistake.c.name)
    key_columns = (field.name for field in fields(VerdictKey))
    students = func.count(submission.c.person_id.distinct())
    query = (
        select(*columns, students.label("number"))
        .join(person, person.c.id == submission.c.person_id)
        .join(publication, publication.c.submission_id == submission.c.id)
        .join(mistake, and_(*(mistake.c[name] == publication.c[name] for name in key_columns)))
        .where(person.c.role == "student")
        .group_by(*columns)
        .order_by(students.desc(), mistake.c.name)
    )
    if exercise is not None:
        query = query.where(submission.c.exercise == exercise)
    counts: dict[str, MistakeCounts] = {}
    for row in connection.execute(query):
        mistakes = counts.setdefault(row.exercise, MistakeCounts())
        by_kind = {
            "misconception": mistakes.misconceptions,
            "test": mistakes.failed_tests,
            "hint": mistakes.hints,
        }
        by_kind[row.kind][row.name] = row.number
    return counts


def _iterate_mistakes(verdict: Verdict) -> Iterator[tuple[str, str]]:
    row = make_row(verdict)
    # A longer name would fail in PostgreSQL, and then the verdict itself would not be published.
    for name in row.mistakes:
        yield "misconception", name[:_MAX_NAME_LENGTH]
    for name in row.failed_tests:
        yield "test", name[:_MAX_NAME_LENGTH]
    if row.hint is not None:
        yield "hint", str(row.hint)
