"""Regrades: their sources, progress and changes."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Annotated, Any, Final, Literal, Self, TypeAlias

from pydantic import Field
from sqlalchemy import Connection, ScalarSelect, and_, exists, func, insert, select, update

from etude_server.store import events, submissions
from etude_server.store.ids import Moment, make_id, now
from etude_server.store.submissions import StoredSubmission
from etude_server.store.tables import (
    IS_PUBLISHED_VERDICT,
    PUBLIC_NAME,
    event,
    grading_run,
    make_actor_name,
    person,
    publication,
    regrade_source,
    source,
    submission,
    verdict,
)
from etude_server.store.tables import regrade as regrade_table
from grader.errors import UsageError
from grader.grading.results.verdict_json import FAULT

RegradeState: TypeAlias = Literal["running", "finished", "cancelled"]
EndState: TypeAlias = Literal["finished", "cancelled"]
Effect: TypeAlias = Literal["same", "raised", "lowered"]


@dataclass(frozen=True, slots=True)
class RegradeTerms:
    """The exercise and versions of a regrade, and who begins it on which terms."""

    exercise: str
    from_hash: str
    to_hash: str
    by: str  # a person's id, or a user of the command line
    reason: str
    allow_lower: bool


@dataclass(frozen=True, slots=True)
class Regrade(RegradeTerms):
    """A regrade and its progress."""

    id: str
    state: RegradeState
    created_at: Moment
    ended_at: Moment | None
    by_name: str  # the name that others see
    done: int  # number of finished sources
    sources: int


def _count_sources(*conditions: Any) -> ScalarSelect[int]:
    condition = regrade_source.c.regrade_id == regrade_table.c.id
    return select(func.count()).where(condition, *conditions).scalar_subquery()


# Fields of `Regrade` that are not columns of its table.
_COMPUTED_COLUMNS: Final[dict[str, Any]] = {
    "by_name": make_actor_name(regrade_table.c.by),
    "done": _count_sources(regrade_source.c.done.is_(True)),
    "sources": _count_sources(),
}
_REGRADE_COLUMNS = tuple(
    _COMPUTED_COLUMNS[field.name]
    if field.name in _COMPUTED_COLUMNS
    else regrade_table.c[field.name]
    for field in fields(Regrade)
)


@dataclass(frozen=True, slots=True)
class VerdictSummary:
    """The outcome and points of a verdict."""

    outcome: str
    score: int
    max_score: int

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Return the summary that an event's data describe."""
        return cls(str(data["outcome"]), int(data["score"]), int(data["max_score"]))

    @property
    def rank(self) -> tuple[bool, float]:
        """The sort key among verdicts of any version: passed or not, then the share of points."""
        return self.outcome == "passed", self.score / max(self.max_score, 1)


@dataclass(frozen=True, slots=True)
class RegradeChange:
    """A submission whose verdict changes under a fixed exercise."""

    submission: str
    person: str
    # The name that others see.
    public_name: Annotated[str, Field(serialization_alias="display_name")]
    before: VerdictSummary
    after: VerdictSummary
    effect: Effect
    held: bool = False  # True if the verdict would have been lowered, and was kept
    event: int = 0  # the event's number in the log; 0 in a preview


def _find_effect(before: VerdictSummary, after: VerdictSummary) -> Effect:
    if after.rank == before.rank:
        return "same"
    return "raised" if after.rank > before.rank else "lowered"


def count_published_versions(connection: Connection) -> dict[str, dict[str, int]]:
    """Return the number of submissions per exercise and version of their published verdict."""
    digest = publication.c.exercise_hash
    counts_by_hash = select(digest, func.count().label("number")).group_by(digest).subquery()
    # One verdict of a version identifies its exercise, so no submission is read.
    condition = verdict.c.exercise_hash == counts_by_hash.c.exercise_hash
    exercise_of_hash = select(verdict.c.exercise).where(condition).limit(1).scalar_subquery()
    counts: dict[str, dict[str, int]] = {}
    rows = connection.execute(
        select(exercise_of_hash, counts_by_hash.c.exercise_hash, counts_by_hash.c.number)
    )
    for exercise, version, number in rows:
        counts.setdefault(exercise, {})[version] = number
    return counts


def list_sources_published_by(connection: Connection, regrade_id: str) -> list[str]:
    """Return the sources whose submissions still have the verdict of a regrade, in order."""
    query = (
        select(publication.c.source_hash, event.c.data)
        .join(event, event.c.seq == publication.c.event_seq)
        .where(event.c.seq > _select_first_event(regrade_id))
    )
    rows = connection.execute(query).all()
    return sorted(
        {row.source_hash for row in rows if json.loads(row.data)["regrade"] == regrade_id}
    )


def _select_first_event(regrade_id: str) -> ScalarSelect[int]:
    return select(func.min(event.c.seq)).where(event.c.subject == regrade_id).scalar_subquery()


def list_sources(connection: Connection, exercise: str, from_hash: str) -> list[str]:
    """Return the distinct sources whose published verdict is of one version, in order.

    Erased sources are not graded again.
    """
    query = (
        select(publication.c.source_hash)
        .join(submission, submission.c.id == publication.c.submission_id)
        .join(source, source.c.hash == publication.c.source_hash)
        .where(submission.c.exercise == exercise, publication.c.exercise_hash == from_hash)
        .where(source.c.text != "")
        .distinct()
        .order_by(publication.c.source_hash)
    )
    return list(connection.execute(query).scalars())


def compute_mean_seconds(connection: Connection, exercise_hash: str) -> float | None:
    """Return the average time to grade a source, in seconds, or None if unknown."""
    average = func.avg(grading_run.c.ended_at - grading_run.c.started_at)
    microseconds = connection.scalar(
        select(average).where(grading_run.c.exercise_hash == exercise_hash)
    )
    return None if microseconds is None else float(microseconds) / 1_000_000


def find_changes(
    connection: Connection, exercise: str, from_hash: str, source_hash: str, after: VerdictSummary
) -> list[tuple[StoredSubmission, RegradeChange]]:
    """Return the changes by a new verdict on a source, including submissions that stay.

    Only submissions whose published verdict is of the version `from_hash` count.
    """
    verdict_columns = (verdict.c.outcome, verdict.c.score, verdict.c.max_score)
    query = (
        select(
            *submissions.SUBMISSION_COLUMNS,
            person.c.name,
            PUBLIC_NAME,
            *verdict_columns,
        )
        .join(publication, publication.c.submission_id == submission.c.id)
        .join(verdict, IS_PUBLISHED_VERDICT)
        .join(person, person.c.id == submission.c.person_id)
        .where(
            submission.c.exercise == exercise,
            publication.c.exercise_hash == from_hash,
            publication.c.source_hash == source_hash,
        )
        .order_by(person.c.id, submission.c.id)  # the order in which people are locked
    )
    changes = []
    for row in connection.execute(query).all():
        before = VerdictSummary(row.outcome, row.score, row.max_score)
        change = RegradeChange(
            submission=row.id,
            person=row.name,
            public_name=row.public_name,
            before=before,
            after=after,
            effect=_find_effect(before, after),
        )
        changes.append((StoredSubmission(*row[: len(submissions.SUBMISSION_COLUMNS)]), change))
    return changes


def store_regrade(
    connection: Connection, terms: RegradeTerms, source_hashes: Sequence[str]
) -> Regrade:
    """Store a regrade with its sources, or return the equal one that has not ended.

    Raises:
        UsageError: A running regrade has another target version or rule for lower verdicts.
    """
    for running in list_running_regrades(connection, terms.exercise):
        if running.from_hash != terms.from_hash:
            continue
        if (running.to_hash, running.allow_lower) != (terms.to_hash, terms.allow_lower):
            lowers = "with" if running.allow_lower else "without"
            raise UsageError(
                f"regrade {running.id} to version {running.to_hash[:12]}, {lowers} --allow-lower, "
                f"has not ended; let it end, or cancel it: etude regrade --cancel {running.id}"
            )
        return running
    regrade_id = make_id()
    data = asdict(terms)
    columns = {"id": regrade_id, "state": "running", "created_at": now()}
    connection.execute(insert(regrade_table).values({**data, **columns}))
    rows = [
        {"regrade_id": regrade_id, "source_hash": source_hash, "done": False}
        for source_hash in source_hashes
    ]
    if rows:
        connection.execute(insert(regrade_source), rows)
    actor = data.pop("by")
    data["sources"] = len(rows)
    events.append_event(connection, actor, events.REGRADE_BEGUN, regrade_id, data)
    stored = find_regrade(connection, regrade_id)
    assert stored is not None  # it has just been inserted
    return stored


def find_regrade(connection: Connection, regrade_id: str) -> Regrade | None:
    """Return the regrade with this id, or None."""
    row = connection.execute(
        select(*_REGRADE_COLUMNS).where(regrade_table.c.id == regrade_id)
    ).first()
    return Regrade(*row) if row is not None else None


def list_regrades(
    connection: Connection, *, before: str | None = None, limit: int | None = None
) -> list[Regrade]:
    """Return at most `limit` regrades, the newest first, older than `before`."""
    query = select(*_REGRADE_COLUMNS).order_by(regrade_table.c.id.desc()).limit(limit)
    if before is not None:
        query = query.where(regrade_table.c.id < before)
    return [Regrade(*row) for row in connection.execute(query)]


def list_running_regrades(connection: Connection, exercise: str | None = None) -> list[Regrade]:
    """Return the running regrades of one exercise or all, the oldest first."""
    query = (
        select(*_REGRADE_COLUMNS)
        .where(regrade_table.c.state == "running")
        .order_by(regrade_table.c.id)
    )
    if exercise is not None:
        query = query.where(regrade_table.c.exercise == exercise)
    return [Regrade(*row) for row in connection.execute(query)]


def is_regrade_running(connection: Connection, regrade_id: str) -> bool:
    """Return whether a regrade is running."""
    state = select(regrade_table.c.state).where(regrade_table.c.id == regrade_id)
    return connection.scalar(state) == "running"


def list_open_sources(
    connection: Connection, regrade: Regrade, *, since: int | None = None
) -> list[str]:
    """Return the sources that are still to be done, in order.

    With `since`, a time in microseconds, sources that failed after it are left out.
    """
    query = select(regrade_source.c.source_hash).where(
        regrade_source.c.regrade_id == regrade.id, regrade_source.c.done.is_(False)
    )
    if since is not None:
        has_failed = exists().where(
            grading_run.c.exercise_hash == regrade.to_hash,
            grading_run.c.source_hash == regrade_source.c.source_hash,
            grading_run.c.outcome == FAULT,
            grading_run.c.ended_at >= since,
        )
        query = query.where(~has_failed)
    return list(connection.execute(query.order_by(regrade_source.c.source_hash)).scalars())


def claim_source(connection: Connection, regrade_id: str, source_hash: str) -> bool:
    """Mark a source as done, in the transaction that does it.

    Returns False if another process was faster or the regrade has ended.
    """
    condition = and_(
        regrade_source.c.regrade_id == regrade_id,
        regrade_source.c.source_hash == source_hash,
        regrade_source.c.done.is_(False),
        exists().where(regrade_table.c.id == regrade_id, regrade_table.c.state == "running"),
    )
    return bool(
        connection.execute(update(regrade_source).where(condition).values(done=True)).rowcount
    )


def record_kept_verdict(
    connection: Connection,
    regrade: Regrade,
    stored_submission: StoredSubmission,
    change: RegradeChange,
) -> None:
    """Record that a submission keeps its verdict because the new one is worse."""
    data = {
        "person": stored_submission.person_id,
        "exercise": stored_submission.exercise,
        "regrade": regrade.id,
        "before": asdict(change.before),
        "after": asdict(change.after),
    }
    events.append_event(connection, regrade.by, events.HELD, stored_submission.id, data)


def iterate_changes(
    connection: Connection, regrade_id: str, *, after: int = 0, limit: int | None = None
) -> Iterator[RegradeChange]:
    """Yield the verdicts changed or kept by a regrade, in order: at most `limit` after an event."""
    query = (
        select(event.c.seq, event.c.subject, event.c.kind, event.c.data)
        .add_columns(person.c.name, PUBLIC_NAME)
        .join(submission, submission.c.id == event.c.subject)
        .join(person, person.c.id == submission.c.person_id)
        .where(
            event.c.kind.in_((events.PUBLISHED, events.HELD)),
            event.c.seq > _select_first_event(regrade_id),
            event.c.seq > after,
        )
        .order_by(event.c.seq)
    )
    remaining = limit
    for row in connection.execute(query):
        if remaining == 0:
            return
        data = json.loads(row.data)
        if data["regrade"] != regrade_id:
            continue
        is_held = row.kind == events.HELD
        before = VerdictSummary.from_data(data["before"])
        after_change = VerdictSummary.from_data(data["after"] if is_held else data)
        change = RegradeChange(
            submission=row.subject,
            person=row.name,
            public_name=row.public_name,
            before=before,
            after=after_change,
            effect=_find_effect(before, after_change),
            held=is_held,
            event=row.seq,
        )
        if change.effect != "same":
            remaining = None if remaining is None else remaining - 1
            yield change


def mark_ended(connection: Connection, regrade_id: str, state: EndState, *, actor: str) -> bool:
    """End a running regrade; return False if it has ended or, to finish it, is not done."""
    is_open = exists().where(
        regrade_source.c.regrade_id == regrade_id, regrade_source.c.done.is_(False)
    )
    change = (
        update(regrade_table)
        .where(regrade_table.c.id == regrade_id, regrade_table.c.state == "running")
        .values(state=state, ended_at=now())
    )
    if state == "finished":
        change = change.where(~is_open)
    if not connection.execute(change).rowcount:
        return False
    ended_regrade = find_regrade(connection, regrade_id)
    assert ended_regrade is not None  # it has just been updated
    data = {"state": state, "done": ended_regrade.done, "sources": ended_regrade.sources}
    events.append_event(connection, actor, events.REGRADE_ENDED, regrade_id, data)
    return True
