"""Verdicts: written once, and published to each submission that they hold for."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    and_,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
)

from grader.grading.results.verdict import Verdict
from grader.grading.results.verdict_json import FAULT, verdict_data
from grader.service.store import events, mistakes, people, unsent_scores
from grader.service.store.ids import first_at, id_at, now
from grader.service.store.submissions import Submitted, no_longer_waiting
from grader.service.store.tables import (
    SAME_KEY,
    attempt,
    event,
    grade,
    mistake,
    publication,
    share,
    source,
    submission,
    verdict,
)
from grader.service.store.upsert import (
    Columns,
    insert_all_unless_there,
    insert_each_unless_there,
    put,
    put_all,
    put_from,
)

MOST_FAULTS: Final = 3
"""After so many a submission waits for staff."""


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
        share(verdict.c.score, verdict.c.max_score).desc(),
        submission.c.id,
    )
    .limit(1)
)
_GRADED_BY: Final = select(grade.c.submission_id).where(
    grade.c.person_id == bindparam("person"), grade.c.exercise == bindparam("of")
)
_FIND_OR_TEXT: Final = (
    select(source.c.hash, source.c.text, verdict)
    .outerjoin(
        verdict,
        and_(
            verdict.c.exercise_hash.in_(bindparam("exercises", expanding=True)),
            verdict.c.source_hash == source.c.hash,
            verdict.c.grader_version == bindparam("grader_version"),
        ),
    )
    .where(source.c.hash.in_(bindparam("sources", expanding=True)))
)
_ATTEMPT: Final = insert(attempt).returning(attempt.c.id)  # so that several are one statement


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
    """Write one verdict down, as `keep_all` does."""
    (kept,) = keep_all(connection, [(made, run)])
    return kept


def keep_all(connection: Connection, made: Sequence[tuple[Verdict, Run]]) -> list[Kept]:
    """Write verdicts down; where one with the same key is there already, that one holds.

    Args:
        connection: of a transaction that writes.
        made: each verdict, and who made it.

    Returns:
        Those that hold, in the same order.
    """
    if not made:
        return []
    ours: dict[Key, tuple[Kept, str]] = {}  # with the exercise's id
    for each, _ in made:
        kept = _kept_of(each)
        ours.setdefault(kept.key, (kept, each.exercise))
    # Sorted, lest two wait for each other crosswise.
    rows = [_verdict_row(*ours[key]) for key in sorted(ours, key=_in_order)]
    written = insert_each_unless_there(connection, verdict, rows)
    is_new = {Key(row.exercise_hash, row.source_hash, row.grader_version) for row in written}
    connection.execute(_ATTEMPT, [_attempt_row(each, run) for each, run in made])
    holds = {
        key: kept if key in is_new else _find(connection, key) for key, (kept, _) in ours.items()
    }
    return [holds[_key_of(each)] for each, _ in made]


def note_fault(
    connection: Connection, exercise_hash: str, source_hash: str, run: Run, message: str
) -> int:
    """Write down that grading failed, through no fault of the submission; return how often."""
    row = _attempt(exercise_hash, source_hash, run, FAULT, _writable(message[:2000]))
    connection.execute(_ATTEMPT, row)
    counted = select(func.count()).where(
        attempt.c.exercise_hash == exercise_hash,
        attempt.c.source_hash == source_hash,
        attempt.c.outcome == FAULT,
    )
    return int(connection.execute(counted).scalar_one())


def prune_attempts(connection: Connection, before: int, most: int) -> int:
    """Forget diagnostics that ended before a time; return how many, at most so many at once."""
    # By the ids, which sort by that time: a million of runs would be looked through else.
    old = select(attempt.c.id).where(attempt.c.id < first_at(before))
    old = old.order_by(attempt.c.id).limit(most)
    return connection.execute(delete(attempt).where(attempt.c.id.in_(old))).rowcount


def find(connection: Connection, key: Key) -> Kept | None:
    """Return the verdict of a key."""
    return _one(connection, _FIND, _key_columns(key))


def find_or_texts(connection: Connection, keys: Collection[Key]) -> dict[Key, Kept | str]:
    """Return the verdicts of keys; of those that have none, the sources that are to be graded.

    Args:
        connection: of a transaction.
        keys: all of one version of the grader.
    """
    (version,) = {key.grader_version for key in keys}
    asked = {
        "exercises": sorted({key.exercise_hash for key in keys}),
        "sources": sorted({key.source_hash for key in keys}),
        "grader_version": version,
    }
    found: dict[Key, Kept] = {}
    texts: dict[str, str] = {}
    for row in connection.execute(_FIND_OR_TEXT, asked):
        texts[row.hash] = row.text
        if row.exercise_hash is not None:
            kept = _kept(row)
            found[kept.key] = kept
    return {key: found[key] if key in found else texts[key.source_hash] for key in keys}


def published(connection: Connection, submission_id: str) -> Kept | None:
    """Return the verdict that holds for a submission; None while it is pending."""
    return _one(connection, _PUBLISHED, {"submission_id": submission_id})


def publish_waiting(connection: Connection, submitted: Submitted, kept: Kept) -> bool:
    """Let a verdict hold for a submission that waits for one; false if it waits no more."""
    return bool(publish_all_waiting(connection, [(submitted, kept)]))


def publish_all_waiting(
    connection: Connection, wanted: Sequence[tuple[Submitted, Kept]]
) -> set[str]:
    """Let verdicts hold for the submissions that wait for them.

    Whoever takes one off the list publishes, so that of two who graded it only one does.

    Args:
        connection: of a transaction that writes.
        wanted: submissions and the verdict of each.

    Returns:
        The ids of those that did wait.
    """
    ours = {submitted.id: (submitted, kept) for submitted, kept in wanted}
    taken = no_longer_waiting(connection, list(ours))
    _publish_all(connection, [ours[each] for each in ours if each in taken], events.GRADER)
    return taken


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
    _publish_all(connection, [(submitted, kept)], actor, {"regrade": regrade, "before": before})


_NOTHING_BEFORE: Final[Mapping[str, Any]] = {"regrade": None, "before": None}


def _publish_all(
    connection: Connection,
    wanted: Sequence[tuple[Submitted, Kept]],
    actor: str,
    why: Mapping[str, Any] = _NOTHING_BEFORE,
) -> None:
    """Do as `publish` does for each, in as many statements as for one; no submission twice."""
    if not wanted:
        return
    # One at a time for each person, or of two grades the worse might be computed last.
    people.hold(connection, sorted({submitted.person_id for submitted, _ in wanted}))
    told = [(submitted.id, {**_told(submitted, kept), **why}) for submitted, kept in wanted]
    seqs = events.append_each(connection, actor, events.PUBLISHED, told)
    held = {
        submitted.id: {
            "submission_id": submitted.id,
            "event_seq": seqs[submitted.id],
            **_key_columns(kept.key),
        }
        for submitted, kept in wanted
    }
    is_new = insert_all_unless_there(connection, publication, [held[each] for each in sorted(held)])
    first = [each for each in wanted if each[0].id in is_new]
    _improve_grades(connection, first, seqs)
    mistakes.note_all(
        connection,
        [(who.person_id, who.exercise, kept.body) for who, kept in first if not kept.passed],
    )
    for submitted, kept in wanted:
        if submitted.id not in is_new:
            _replace(connection, submitted, kept, held[submitted.id])


def _told(submitted: Submitted, kept: Kept) -> dict[str, Any]:
    return {
        "person": submitted.person_id,
        "exercise": submitted.exercise,
        **_key_columns(kept.key),
        "outcome": kept.outcome,
        "score": kept.score,
        "max_score": kept.max_score,
        "xp": kept.xp,
    }


def _replace(
    connection: Connection, submitted: Submitted, kept: Kept, held: Mapping[str, Any]
) -> None:
    """Let a verdict hold where another held, perhaps the best one."""
    replaced = published(connection, submitted.id)
    assert replaced is not None  # noqa: S101  a verdict is never deleted
    put(connection, publication, held)
    if _is_graded_by(connection, submitted):
        refresh_grade(connection, submitted.person_id, submitted.exercise)
    else:  # the best one still holds; to look at all would take long where there are many
        _improve_grades(connection, [(submitted, kept)], {submitted.id: held["event_seq"]})
    mistakes.follow(connection, submitted.person_id, submitted.exercise, replaced.body, kept.body)


def _is_graded_by(connection: Connection, submitted: Submitted) -> bool:
    """Tell whether a submission is the best of its person's in its exercise."""
    own = {"person": submitted.person_id, "of": submitted.exercise}
    return connection.execute(_GRADED_BY, own).scalar_one_or_none() == submitted.id


def _improve_grades(
    connection: Connection, first: Sequence[tuple[Submitted, Kept]], seqs: Mapping[str, int]
) -> None:
    """Let grades follow one more verdict each, or several, however many there are already."""
    best: dict[tuple[str, str], tuple[Submitted, Kept]] = {}
    for submitted, kept in sorted(first, key=_best_first):
        best.setdefault((submitted.person_id, submitted.exercise), (submitted, kept))
    if not best:
        return
    rows = [_grade_row(*best[own], seqs) for own in sorted(best)]
    changed = put_all(connection, grade, rows, _is_better)
    if changed:
        unsent_scores.note_all(connection, {(row.person_id, row.exercise) for row in changed})


def _best_first(each: tuple[Submitted, Kept]) -> tuple[bool, float, str]:
    """Order grades as `_BEST` does."""
    submitted, kept = each
    share = kept.score / (kept.max_score if kept.max_score > 0 else 1)
    return not kept.passed, -share, submitted.id


def _grade_row(submitted: Submitted, kept: Kept, seqs: Mapping[str, int]) -> dict[str, Any]:
    return {
        "person_id": submitted.person_id,
        "exercise": submitted.exercise,
        "submission_id": submitted.id,
        "score": kept.score,
        "max_score": kept.max_score,
        "passed": kept.passed,
        "xp": kept.xp,
        "event_seq": seqs[submitted.id],
    }


def _is_better(new: Columns) -> ColumnElement[bool]:
    """Order grades as `_BEST` does."""
    mine, held = share(new.score, new.max_score), share(grade.c.score, grade.c.max_score)
    better = or_(mine > held, and_(mine == held, new.submission_id < grade.c.submission_id))
    return or_(new.passed > grade.c.passed, and_(new.passed == grade.c.passed, better))


def refresh_grade(connection: Connection, person_id: str, exercise: str) -> None:
    """Compute a grade anew: the best published verdict, and of equal ones the first.

    Points of two versions of an exercise are not compared, but which share of them was earned.
    """
    own = {"person": person_id, "of": exercise}
    if put_from(connection, grade, _BEST, own):
        unsent_scores.note(connection, person_id, exercise)


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
        held = {"submission_id": submission_id, "event_seq": seq, **_key_columns(key)}
        put(connection, publication, held)
    for person_id, exercise in sorted(owners):
        refresh_grade(connection, person_id, exercise)
        mistakes.refresh(connection, person_id, exercise)
    return len(latest)


def _attempt_row(made: Verdict, run: Run) -> dict[str, Any]:
    return _attempt(made.exercise_hash, made.submission_hash, run, made.outcome.value, "")


def _attempt(
    exercise_hash: str, source_hash: str, run: Run, outcome: str, message: str
) -> dict[str, Any]:
    return {
        "id": id_at(run.ended_at),
        "exercise_hash": exercise_hash,
        "source_hash": source_hash,
        "worker": run.worker,
        "started_at": run.started_at,
        "ended_at": run.ended_at,
        "outcome": outcome,
        "message": message,
    }


def _writable(text: str) -> str:
    """Return a text that quotes anything as PostgreSQL takes it: UTF-8 without a NUL."""
    return text.encode(errors="backslashreplace").decode().replace("\0", "\\0")


def _kept_of(made: Verdict) -> Kept:
    body, outcome = verdict_data(made), made.outcome.value
    return Kept(_key_of(made), outcome, made.score, made.max_score, made.xp, body, now())


def _verdict_row(kept: Kept, exercise: str) -> dict[str, Any]:
    return {
        **_key_columns(kept.key),
        "exercise": exercise,
        "outcome": kept.outcome,
        "score": kept.score,
        "max_score": kept.max_score,
        "xp": kept.xp,
        "body": json.dumps(kept.body),
        "at": kept.at,
    }


def _key_of(made: Verdict) -> Key:
    return Key(made.exercise_hash, made.submission_hash, made.grader_version)


def _in_order(key: Key) -> tuple[str, str, str]:
    return key.exercise_hash, key.source_hash, key.grader_version


def _key_columns(key: Key) -> dict[str, str]:
    return {
        "exercise_hash": key.exercise_hash,
        "source_hash": key.source_hash,
        "grader_version": key.grader_version,
    }


def _find(connection: Connection, key: Key) -> Kept:
    found = find(connection, key)
    assert found is not None  # noqa: S101  a verdict is never deleted
    return found


def _one(connection: Connection, chosen: Select[Any], values: Mapping[str, str]) -> Kept | None:
    row = connection.execute(chosen, dict(values)).one_or_none()
    return _kept(row) if row is not None else None


def _kept(row: Row[Any]) -> Kept:
    key = Key(row.exercise_hash, row.source_hash, row.grader_version)
    body = json.loads(row.body)
    return Kept(key, row.outcome, row.score, row.max_score, row.xp, body, row.at)
