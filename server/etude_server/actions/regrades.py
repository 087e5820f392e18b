"""Regrades: stored submissions graded again under a fixed exercise.

A preview is a regrade that publishes nothing, and an undo is a regrade to the previous version. A
published verdict is lowered only on request: otherwise a submission whose new verdict is worse
keeps the old one, and the event log records that.
"""

import random
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import asdict, dataclass
from typing import Any, Final, Protocol

from sqlalchemy import Connection

from etude_server.actions.grades import require_text
from etude_server.catalog import Catalog
from etude_server.grading import Grading, GradingRequest
from etude_server.store import regrades, verdicts
from etude_server.store.database import Database
from etude_server.store.regrades import Ending, Mark, Regrade, RegradeChange
from etude_server.store.verdicts import StoredVerdict
from grader.definitions.exercise import Exercise
from grader.errors import GraderFault, UsageError

_MAX_REASON_LENGTH: Final = 2_000  # most characters of a reason


class RegradeQueue(Protocol):
    """The queue in which regrades wait for grading."""

    def defer_regrade(self, regrade_id: str, source_hashes: Sequence[str]) -> None:
        """Queue the open sources of a regrade."""

    def cancel_regrade(self, regrade_id: str) -> None:
        """Remove a regrade's waiting jobs."""


class RegradeHost(Protocol):
    """The parts of a server or command that a regrade needs."""

    @property
    def catalog(self) -> Catalog:
        """The catalogue of exercises."""

    @property
    def database(self) -> Database:
        """The store's database."""

    @property
    def queue(self) -> RegradeQueue | None:
        """The queue of regrades, or None if only a command grades."""


@dataclass(frozen=True, slots=True)
class RegradePlan:
    """The current exercise, and the version whose verdicts are replaced."""

    exercise: Exercise
    from_hash: str


@dataclass(frozen=True, slots=True)
class Preview:
    """The changes that a regrade would make."""

    exercise: str
    from_hash: str
    to_hash: str
    sources: int  # number of distinct sources
    submissions: int
    tried: int  # number of sources that were graded
    submissions_tried: int
    changes: list[RegradeChange]
    faults: int  # number of sources that could not be graded
    ungraded: int  # number of sources that the run still has to grade
    seconds: float | None  # estimated duration of the run; None if unknown


def plan(host: RegradeHost, exercise: str, from_hash: str = "") -> RegradePlan:
    """Return the plan of a regrade.

    `from_hash` may be a prefix, or empty if there is only one other version.

    Raises:
        UsageError: The exercise or version does not exist, or nothing would change.
    """
    definition = host.catalog.need(exercise)
    with host.database.read() as connection:
        versions = regrades.versions(connection).get(exercise, {})
        # The run may only lack its last step.
        for regrade in regrades.running(connection, exercise):
            versions.setdefault(regrade.from_hash, 0)
    if from_hash and definition.digest.startswith(from_hash):
        raise UsageError(f"{exercise} is still that version: nothing would change")
    versions.pop(definition.digest, None)
    matches = [digest for digest in versions if digest.startswith(from_hash)]
    if len(matches) == 1:
        return RegradePlan(definition, matches[0])
    there = ", ".join(f"{digest[:12]} ({count})" for digest, count in sorted(versions.items()))
    if not there:
        raise UsageError(f"no published verdict of {exercise} is of an older version")
    which = f"{len(matches) or 'no'} of them begin with {from_hash!r}" if from_hash else "which?"
    raise UsageError(
        f"verdicts of {exercise} are published of these older versions (for so many submissions): "
        f"{there}; {which}"
    )


def preview(
    grading: Grading,
    planned: RegradePlan,
    *,
    sample: int | None = None,
    tell: Callable[[], object] = lambda: None,
) -> Preview:
    """Grade some or all sources of a regrade, and return the changes; publish nothing.

    The verdicts are stored, so that the run itself has less to do.

    Args:
        tell: Called after each source.
    """
    exercise, from_hash = planned.exercise, planned.from_hash
    with grading.database.read() as connection:
        sources = regrades.sources(connection, exercise.id, from_hash)
        submissions = regrades.versions(connection).get(exercise.id, {}).get(from_hash, 0)
    tried = sources
    if sample is not None and sample < len(sources):
        # A seeded sample, so that two previews of the same state agree.
        tried = random.Random(exercise.digest).sample(sources, sample)  # noqa: S311  no secret
    changes: dict[str, list[RegradeChange]] = {}
    faults: set[str] = set()

    def request(source_hash: str) -> GradingRequest:
        def note(connection: Connection, verdict: StoredVerdict) -> None:
            pairs = regrades.find_changes(
                connection, exercise.id, from_hash, source_hash, _mark(verdict)
            )
            changes[source_hash] = [change for _, change in pairs]

        return GradingRequest(exercise.id, source_hash, note, lambda *_: faults.add(source_hash))

    _grade_all(grading, map(request, tried), tell=tell)
    with grading.database.read() as connection:
        seconds = regrades.seconds_each(connection, exercise.digest)
    ungraded = len(sources) - len(tried) + len(faults)
    lines = [change for source_hash in tried for change in changes.get(source_hash, ())]
    return Preview(
        exercise=exercise.id,
        from_hash=from_hash,
        to_hash=exercise.digest,
        sources=len(sources),
        submissions=submissions,
        tried=len(tried),
        submissions_tried=len(lines),
        changes=[change for change in lines if change.effect != "same"],
        faults=len(faults),
        ungraded=ungraded,
        seconds=None if seconds is None else seconds / grading.pool.workers * ungraded,
    )


def begin(
    host: RegradeHost, planned: RegradePlan, *, by: str, reason: str, allow_lower: bool = False
) -> Regrade:
    """Store and queue a regrade, or return the equal one that was interrupted.

    Raises:
        UsageError: The reason is missing, or another regrade is running.
    """
    exercise = planned.exercise
    with host.database.read() as connection:
        sources = regrades.sources(connection, exercise.id, planned.from_hash)
    return _begin(
        host, sources, exercise=exercise.id, from_hash=planned.from_hash,
        to_hash=exercise.digest, by=by, reason=_reason(reason), allow_lower=allow_lower,
    )  # fmt: skip


def undo(host: RegradeHost, regrade_id: str, *, by: str, reason: str) -> Regrade:
    """Begin the regrade back to the previous version, which publishes its stored verdicts.

    Submissions stay unchanged if another regrade has replaced their verdict since.

    Raises:
        UsageError: There is no such regrade, it has not ended, or another one is running.
    """
    with host.database.read() as connection:
        done = regrades.find(connection, regrade_id)
        if done is None or done.state == "running":
            raise UsageError(f"there is no regrade {regrade_id!r} that has ended")
        sources = regrades.sources_published_by(connection, regrade_id)
    return _begin(
        host, sources, exercise=done.exercise, from_hash=done.to_hash, to_hash=done.from_hash,
        by=by, reason=f"undo of {regrade_id}: {_reason(reason)}", allow_lower=True,
    )  # fmt: skip


def _reason(text: str) -> str:
    return require_text(text, "a reason, for those whose grade changes", _MAX_REASON_LENGTH)


def _begin(host: RegradeHost, sources: list[str], **values: Any) -> Regrade:
    with host.database.write() as connection:
        begun = regrades.begin(connection, source_hashes=sources, **values)
        open_sources = regrades.open_sources(connection, begun)
    if host.queue is not None:
        host.queue.defer_regrade(begun.id, open_sources)
    return begun


def end(host: RegradeHost, regrade_id: str, state: Ending, *, actor: str) -> bool:
    """Cancel a regrade, or finish it if nothing is left to do; return whether it ended."""
    with host.database.write() as connection:
        has_ended = regrades.end(connection, regrade_id, state, actor=actor)
    if has_ended and host.queue is not None:
        host.queue.cancel_regrade(regrade_id)
    return has_ended


def run(
    grading: Grading,
    begun: Regrade,
    *,
    stopping: Callable[[], bool] = lambda: False,
    tell: Callable[[], object] = lambda: None,
) -> None:
    """Grade and publish the rest of a regrade; it may be interrupted anywhere and run again.

    Args:
        stopping: Returns True to stop before the end.
        tell: Called after each source.

    Raises:
        UsageError: The exercise is no longer the version for which the regrade was begun.
        GraderFault: Some sources could not be graded; they are left for another run.
        SandboxFault: This host cannot grade.
    """
    database, faults = grading.database, set[str]()
    with database.read() as connection:
        open_sources = regrades.open_sources(connection, begun)

    def is_over() -> bool:
        with database.read() as connection:
            return not regrades.is_running(connection, begun.id) or stopping()

    # From the end, because the queue's workers start at the beginning.
    requests = (
        for_source(begun, source, lambda *_, failed=source: faults.add(failed))
        for source in reversed(open_sources)
    )
    _grade_all(grading, requests, stopping=is_over, tell=tell)
    if is_over():
        return
    if faults:
        what = "one source" if len(faults) == 1 else f"{len(faults)} sources"
        raise GraderFault(
            f"{what} could not be graded; all others are done, and the same regrade goes on "
            "with what is left when it is run again"
        )
    end(grading, begun.id, "finished", actor=begun.by)


def for_source(
    begun: Regrade,
    source_hash: str,
    give_up: Callable[[Connection, str], None] = lambda *_: None,
) -> GradingRequest:
    """Return the request to grade one source of a regrade again.

    The new verdict is published for each submission unless it would lower a verdict without
    permission.
    """

    def publish(connection: Connection, verdict: StoredVerdict) -> None:
        if not regrades.claim(connection, begun.id, source_hash):
            return
        for submitted, change in regrades.find_changes(
            connection, begun.exercise, begun.from_hash, source_hash, _mark(verdict)
        ):
            if change.effect == "lowered" and not begun.allow_lower:
                regrades.record_kept_verdict(connection, begun, submitted, change)
                continue
            verdicts.publish_verdict(
                connection,
                submitted,
                verdict,
                actor=begun.by,
                regrade=begun.id,
                before=asdict(change.before),
            )

    return GradingRequest(begun.exercise, source_hash, publish, give_up, version=begun.to_hash)


def _mark(verdict: StoredVerdict) -> Mark:
    return Mark(verdict.outcome, verdict.score, verdict.max_score)


def _grade_all(
    grading: Grading,
    requests: Iterable[GradingRequest],
    *,
    stopping: Callable[[], bool] = lambda: False,
    tell: Callable[[], object],
) -> None:
    """Grade requests, and wait until all that were begun are done.

    At most one source waits for a worker, so that new submissions wait behind only one.

    Raises:
        SandboxFault: This host cannot grade.
        SQLAlchemyError: The store failed.
    """
    in_hand = set[Future[None]]()
    failures: list[BaseException] = []

    def wait_for_one() -> None:
        done, _ = wait(in_hand, return_when=FIRST_COMPLETED)
        in_hand.difference_update(done)
        for future in done:
            failures.extend(filter(None, [future.exception()]))
            tell()

    for request in requests:
        if len(in_hand) > grading.pool.workers:
            wait_for_one()
        if failures or stopping():
            break
        in_hand.add(grading.begin(request))
    while in_hand:
        wait_for_one()
    if failures:
        raise failures[0]
