"""Regrades: their sources, progress and changes."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias

from sqlalchemy import Connection, ScalarSelect, and_, exists, func, insert, select, update

from etude_server.store import events, submissions
from etude_server.store.ids import new_id, now
from etude_server.store.submissions import Submitted
from etude_server.store.tables import (
    SAME_KEY,
    SHOWN,
    attempt,
    event,
    person,
    publication,
    regrade,
    regrade_source,
    shown_actor,
    source,
    submission,
    verdict,
)
from grader import __version__
from grader.errors import UsageError
from grader.grading.results.verdict_json import FAULT

State: TypeAlias = Literal["running", "finished", "cancelled"]
Ending: TypeAlias = Literal["finished", "cancelled"]
Effect: TypeAlias = Literal["same", "raised", "lowered"]


@dataclass(frozen=True, slots=True)
class Regrade:
    """One regrade."""

    id: str
    exercise: str
    from_hash: str
    to_hash: str
    by: str  # a person's id, or a user of the command line
    reason: str
    allow_lower: bool
    state: State
    created_at: int  # microseconds since 1970
    ended_at: int | None
    by_name: str  # as others read it


_COLUMNS = (*regrade.columns, shown_actor(regrade.c.by))


@dataclass(frozen=True, slots=True)
class Mark:
    """The outcome and points of a verdict."""

    outcome: str
    score: int
    max_score: int

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Return the mark that `data`, or a verdict's event, describes."""
        return cls(str(data["outcome"]), int(data["score"]), int(data["max_score"]))

    @property
    def data(self) -> dict[str, Any]:
        """The mark as data of an event."""
        return {"outcome": self.outcome, "score": self.score, "max_score": self.max_score}

    @property
    def rank(self) -> tuple[bool, float]:
        """Its order among marks of any version: passed or not, then the share of points."""
        return self.outcome == "passed", self.score / max(self.max_score, 1)


@dataclass(frozen=True, slots=True)
class RegradeChange:
    """A submission whose verdict changes under a fixed exercise."""

    submission_id: str
    person: str
    shown: str  # the person's name that others read
    before: Mark
    after: Mark
    held: bool = False  # it would have been lowered, and was left as it is
    event: int = 0  # the number of the event that says so; 0 if it has not happened

    @property
    def effect(self) -> Effect:
        """True if it is better or worse."""
        if self.before.rank == self.after.rank:
            return "same"
        return "raised" if self.after.rank > self.before.rank else "lowered"


@dataclass(frozen=True, slots=True)
class PublishedVerdict:
    """A submission and its published verdict."""

    submitted: Submitted
    person: str
    shown: str  # the person's name that others read
    mark: Mark


def versions(connection: Connection) -> dict[str, dict[str, int]]:
    """Return by exercise the versions of published verdicts, and the number of submissions."""
    digest = publication.c.exercise_hash
    counted = select(digest, func.count().label("number")).group_by(digest).subquery()
    # Any verdict of a version says whose it is: no submission is read.
    own = verdict.c.exercise_hash == counted.c.exercise_hash
    whose = select(verdict.c.exercise).where(own).limit(1).scalar_subquery()
    found: dict[str, dict[str, int]] = {}
    rows = connection.execute(select(whose, counted.c.exercise_hash, counted.c.number))
    for exercise, version, number in rows:
        found.setdefault(exercise, {})[version] = number
    return found


def published_by(connection: Connection, regrade_id: str) -> Iterator[tuple[Submitted, int]]:
    """Yield each submission that has its verdict by a regrade, and the event that published it."""
    chosen = (
        select(*submissions.COLUMNS, event.c.seq, event.c.data)
        .join(publication, publication.c.submission_id == submission.c.id)
        .join(event, event.c.seq == publication.c.event_seq)
        .where(event.c.seq > _begun(regrade_id))
        .order_by(submission.c.person_id, submission.c.id)
    )
    for row in connection.execute(chosen).all():
        if json.loads(row.data)["regrade"] == regrade_id:
            yield Submitted(*row[:5]), row.seq


def _begun(regrade_id: str) -> ScalarSelect[int]:
    return select(func.min(event.c.seq)).where(event.c.subject == regrade_id).scalar_subquery()


def sources(connection: Connection, exercise: str, from_hash: str) -> list[str]:
    """Return the distinct sources whose published verdict is of one version, in order.

    Those that were erased with their person are not graded again.
    """
    chosen = (
        select(publication.c.source_hash)
        .join(submission, submission.c.id == publication.c.submission_id)
        .join(source, source.c.hash == publication.c.source_hash)
        .where(submission.c.exercise == exercise, publication.c.exercise_hash == from_hash)
        .where(source.c.text != "")
        .distinct()
        .order_by(publication.c.source_hash)
    )
    return [str(each) for each in connection.execute(chosen).scalars()]


def seconds_each(connection: Connection, exercise_hash: str) -> float | None:
    """Return how long grading a source has taken on average; None if that is unknown."""
    taken = select(func.avg(attempt.c.ended_at - attempt.c.started_at)).where(
        attempt.c.exercise_hash == exercise_hash
    )
    found = connection.execute(taken).scalar()
    return None if found is None else float(found) / 1_000_000


def published_verdicts(
    connection: Connection, exercise: str, from_hash: str, source_hash: str
) -> Iterator[PublishedVerdict]:
    """Yield each submission of a source whose verdict is of one version."""
    mark = (verdict.c.outcome, verdict.c.score, verdict.c.max_score)
    chosen = (
        select(*submissions.COLUMNS, person.c.name, SHOWN, *mark)
        .join(publication, publication.c.submission_id == submission.c.id)
        .join(verdict, SAME_KEY)
        .join(person, person.c.id == submission.c.person_id)
        .where(
            submission.c.exercise == exercise,
            publication.c.exercise_hash == from_hash,
            publication.c.source_hash == source_hash,
        )
    )
    # By person: all transactions lock several persons in this order.
    for row in connection.execute(chosen.order_by(person.c.id, submission.c.id)):
        yield PublishedVerdict(Submitted(*row[:5]), row[5], row[6], Mark(*tuple(row)[7:]))


def begin(
    connection: Connection,
    *,
    exercise: str,
    from_hash: str,
    to_hash: str,
    by: str,
    reason: str,
    allow_lower: bool,
    with_sources: bool = True,
) -> Regrade:
    """Store a regrade with all its sources, or return the one like it that has not ended.

    Without sources it is an undo, which grades nothing.

    Raises:
        UsageError: one that is not ended goes elsewhere, or treats lower verdicts otherwise.
    """
    for other in running(connection, exercise):
        if other.from_hash != from_hash:
            continue
        if (other.to_hash, other.allow_lower) != (to_hash, allow_lower):
            lowers = "with" if other.allow_lower else "without"
            raise UsageError(
                f"regrade {other.id} to version {other.to_hash[:12]}, {lowers} --allow-lower, has "
                f"not ended; let it end, or cancel it: etude regrade --cancel {other.id}"
            )
        return other
    regrade_id = new_id()
    told: dict[str, Any] = {
        "exercise": exercise,
        "from_hash": from_hash,
        "to_hash": to_hash,
        "reason": reason,
        "allow_lower": allow_lower,
    }
    own = {"id": regrade_id, "by": by, "state": "running", "created_at": now()}
    connection.execute(insert(regrade).values({**told, **own}))
    rows = [
        {"regrade_id": regrade_id, "source_hash": each, "done": False}
        for each in (sources(connection, exercise, from_hash) if with_sources else ())
    ]
    if rows:
        connection.execute(insert(regrade_source), rows)
    told["sources"] = len(rows)
    events.append(connection, by, events.REGRADE_BEGUN, regrade_id, told)
    begun = find(connection, regrade_id)
    assert begun is not None  # it was inserted just now
    return begun


def find(connection: Connection, regrade_id: str) -> Regrade | None:
    """Return a regrade."""
    row = connection.execute(select(*_COLUMNS).where(regrade.c.id == regrade_id)).first()
    return Regrade(*row) if row is not None else None


def listed(
    connection: Connection, *, before: str | None = None, most: int | None = None
) -> list[Regrade]:
    """Return regrades, the newest first, those older than one, at most so many."""
    chosen = select(*_COLUMNS).order_by(regrade.c.id.desc()).limit(most)
    if before is not None:
        chosen = chosen.where(regrade.c.id < before)
    return [Regrade(*row) for row in connection.execute(chosen)]


def running(connection: Connection, exercise: str | None = None) -> list[Regrade]:
    """Return the regrades that have not ended, of one exercise or of all, the oldest first."""
    chosen = select(*_COLUMNS).where(regrade.c.state == "running").order_by(regrade.c.id)
    if exercise is not None:
        chosen = chosen.where(regrade.c.exercise == exercise)
    return [Regrade(*row) for row in connection.execute(chosen)]


def count_ungraded(connection: Connection, exercise: str, from_hash: str, to_hash: str) -> int:
    """Return how many distinct sources of one version have no verdict of another yet."""
    there = exists().where(
        verdict.c.exercise_hash == to_hash,
        verdict.c.source_hash == publication.c.source_hash,
        verdict.c.grader_version == __version__,
    )
    counted = (
        select(func.count(publication.c.source_hash.distinct()))
        .join(submission, submission.c.id == publication.c.submission_id)
        .where(submission.c.exercise == exercise, publication.c.exercise_hash == from_hash, ~there)
    )
    return int(connection.execute(counted).scalar_one())


def open_sources(
    connection: Connection, begun: Regrade, *, since: int | None = None, only: str | None = None
) -> list[str]:
    """Return the sources that are still to be done, in order, or `only` this one if it is.

    With `since`, a time in microseconds, those that could not be graded after it are left out.
    """
    chosen = select(regrade_source.c.source_hash).where(
        regrade_source.c.regrade_id == begun.id, regrade_source.c.done.is_(False)
    )
    if only is not None:
        chosen = chosen.where(regrade_source.c.source_hash == only)
    if since is not None:
        failed = exists().where(
            attempt.c.exercise_hash == begun.to_hash,
            attempt.c.source_hash == regrade_source.c.source_hash,
            attempt.c.outcome == FAULT,
            attempt.c.ended_at >= since,
        )
        chosen = chosen.where(~failed)
    ordered = chosen.order_by(regrade_source.c.source_hash)
    return [str(each) for each in connection.execute(ordered).scalars()]


def progress(connection: Connection, regrade_id: str) -> tuple[int, int]:
    """Return how many sources are done, and how many there are."""
    counted = select(func.count().filter(regrade_source.c.done.is_(True)), func.count()).where(
        regrade_source.c.regrade_id == regrade_id
    )
    done, all_of_them = connection.execute(counted).one()
    return int(done), int(all_of_them)


def claim(connection: Connection, regrade_id: str, source_hash: str) -> bool:
    """Mark a source as done, in the transaction that does it.

    Return false if another process was faster, or the regrade has ended.
    """
    runs = exists().where(regrade.c.id == regrade_id, regrade.c.state == "running")
    own = and_(
        regrade_source.c.regrade_id == regrade_id,
        regrade_source.c.source_hash == source_hash,
        regrade_source.c.done.is_(False),
        runs,
    )
    return bool(connection.execute(update(regrade_source).where(own).values(done=True)).rowcount)


def hold(connection: Connection, begun: Regrade, kept: PublishedVerdict, after: Mark) -> None:
    """Record that a submission keeps its verdict, since the new one is worse."""
    told = {
        "person": kept.submitted.person_id,
        "exercise": kept.submitted.exercise,
        "regrade": begun.id,
        "before": kept.mark.data,
        "after": after.data,
    }
    events.append(connection, begun.by, events.HELD, kept.submitted.id, told)


def changes(
    connection: Connection, regrade_id: str, *, after: int = 0, most: int | None = None
) -> Iterator[RegradeChange]:
    """Yield the verdicts that a regrade has changed or held, in order: `most` behind an event."""
    told = (
        select(event.c.seq, event.c.subject, event.c.kind, event.c.data, person.c.name, SHOWN)
        .join(submission, submission.c.id == event.c.subject)
        .join(person, person.c.id == submission.c.person_id)
        .where(
            event.c.kind.in_((events.PUBLISHED, events.HELD)), event.c.seq > _begun(regrade_id),
            event.c.seq > after,
        )
        .order_by(event.c.seq)
    )  # fmt: skip
    left = most
    for row in connection.execute(told):
        if left == 0:
            return
        data = json.loads(row.data)
        if data["regrade"] != regrade_id:
            continue
        held = row.kind == events.HELD
        now_is = Mark.from_data(data["after"] if held else data)
        before = Mark.from_data(data["before"])
        change = RegradeChange(row.subject, row.name, row[-1], before, now_is, held, row.seq)
        if change.effect != "same":
            left = None if left is None else left - 1
            yield change


def end(connection: Connection, regrade_id: str, state: Ending, *, actor: str) -> bool:
    """End a running regrade; return false if it has ended."""
    change = (
        update(regrade)
        .where(regrade.c.id == regrade_id, regrade.c.state == "running")
        .values(state=state, ended_at=now())
    )
    if not connection.execute(change).rowcount:
        return False
    done, all_of_them = progress(connection, regrade_id)
    told = {"state": state, "done": done, "sources": all_of_them}
    events.append(connection, actor, events.REGRADE_ENDED, regrade_id, told)
    return True
