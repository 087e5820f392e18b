"""Regrades: stored submissions graded again under a fixed exercise.

A preview is a regrade that publishes nothing, and an undo is a regrade to the previous version. A
published verdict is lowered only on request: otherwise a submission whose new verdict is worse
keeps the old one, and the event log records that.
"""

import random
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import asdict, dataclass
from typing import Final, Protocol

from sqlalchemy import Connection

from etude_server.actions.grades import require_text
from etude_server.catalog import Catalog
from etude_server.grading import GradingRequest, GradingService
from etude_server.store import regrades, verdicts
from etude_server.store.database import Database
from etude_server.store.regrades import EndState, Regrade, RegradeChange, VerdictSummary
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
    def regrade_queue(self) -> RegradeQueue | None:
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


def plan_regrade(host: RegradeHost, exercise: str, from_hash: str = "") -> RegradePlan:
    """Return the plan of a regrade.

    `from_hash` may be a prefix, or empty if there is only one other version.

    Raises:
        UsageError: The exercise or version does not exist, or nothing would change.
    """
    definition = host.catalog.require(exercise)
    with host.database.read() as connection:
        versions = regrades.count_published_versions(connection).get(exercise, {})
        # A run that lacks only its last step has no verdict of the old version left.
        for regrade in regrades.list_running_regrades(connection, exercise):
            versions.setdefault(regrade.from_hash, 0)
    if from_hash and definition.digest.startswith(from_hash):
        raise UsageError(f"{exercise} is still that version: nothing would change")
    versions.pop(definition.digest, None)
    matches = [digest for digest in versions if digest.startswith(from_hash)]
    if len(matches) == 1:
        return RegradePlan(definition, matches[0])
    counts = ", ".join(f"{digest[:12]} ({count})" for digest, count in sorted(versions.items()))
    if not counts:
        raise UsageError(f"no published verdict of {exercise} is of an older version")
    hint = f"{len(matches) or 'no'} of them begin with {from_hash!r}" if from_hash else "which?"
    raise UsageError(
        f"verdicts of {exercise} are published of these older versions (for so many submissions): "
        f"{counts}; {hint}"
    )


def preview_regrade(
    grading: GradingService,
    plan: RegradePlan,
    *,
    sample: int | None = None,
    on_progress: Callable[[], object] = lambda: None,
) -> Preview:
    """Grade some or all sources of a regrade, and return the changes; publish nothing.

    The verdicts are stored, so that the run itself has less to do.

    Args:
        on_progress: Called after each source.
    """
    exercise, from_hash = plan.exercise, plan.from_hash
    with grading.database.read() as connection:
        sources = regrades.list_sources(connection, exercise.id, from_hash)
        versions = regrades.count_published_versions(connection).get(exercise.id, {})
    tried = sources
    if sample is not None and sample < len(sources):
        # A seeded sample, so that two previews of the same state agree.
        tried = random.Random(exercise.digest).sample(sources, sample)  # noqa: S311  no secret
    changes: dict[str, list[RegradeChange]] = {}
    faults: set[str] = set()

    def make_request(source_hash: str) -> GradingRequest:
        def collect_changes(connection: Connection, verdict: StoredVerdict) -> None:
            pairs = regrades.find_changes(
                connection, exercise.id, from_hash, source_hash, _summarize_verdict(verdict)
            )
            changes[source_hash] = [change for _, change in pairs]

        return GradingRequest(
            exercise.id, source_hash, collect_changes, lambda *_: faults.add(source_hash)
        )

    _grade_all(grading, map(make_request, tried), on_progress=on_progress)
    with grading.database.read() as connection:
        seconds = regrades.compute_mean_seconds(connection, exercise.digest)
    ungraded_count = len(sources) - len(tried) + len(faults)
    all_changes = [change for source_hash in tried for change in changes.get(source_hash, ())]
    return Preview(
        exercise=exercise.id,
        from_hash=from_hash,
        to_hash=exercise.digest,
        sources=len(sources),
        submissions=versions.get(from_hash, 0),
        tried=len(tried),
        submissions_tried=len(all_changes),
        changes=[change for change in all_changes if change.effect != "same"],
        faults=len(faults),
        ungraded=ungraded_count,
        seconds=None if seconds is None else seconds / grading.process.workers * ungraded_count,
    )


def start_regrade(
    host: RegradeHost, plan: RegradePlan, *, by: str, reason: str, allow_lower: bool = False
) -> Regrade:
    """Store and queue a regrade, or return the equal one that was interrupted.

    Raises:
        UsageError: The reason is missing, or another regrade is running.
    """
    exercise = plan.exercise
    with host.database.read() as connection:
        sources = regrades.list_sources(connection, exercise.id, plan.from_hash)
    terms = regrades.RegradeTerms(
        exercise=exercise.id,
        from_hash=plan.from_hash,
        to_hash=exercise.digest,
        by=by,
        reason=_require_reason(reason),
        allow_lower=allow_lower,
    )
    return _store_and_queue(host, terms, sources)


def undo_regrade(host: RegradeHost, regrade_id: str, *, by: str, reason: str) -> Regrade:
    """Begin the regrade back to the previous version, which publishes its stored verdicts.

    Submissions stay unchanged if another regrade has replaced their verdict since.

    Raises:
        UsageError: There is no such regrade, it has not ended, or another one is running.
    """
    with host.database.read() as connection:
        target = regrades.find_regrade(connection, regrade_id)
        if target is None or target.state == "running":
            raise UsageError(f"there is no regrade {regrade_id!r} that has ended")
        sources = regrades.list_sources_published_by(connection, regrade_id)
    terms = regrades.RegradeTerms(
        exercise=target.exercise,
        from_hash=target.to_hash,
        to_hash=target.from_hash,
        by=by,
        reason=f"undo of {regrade_id}: {_require_reason(reason)}",
        allow_lower=True,
    )
    return _store_and_queue(host, terms, sources)


def _require_reason(text: str) -> str:
    return require_text(text, "a reason, for those whose grade changes", _MAX_REASON_LENGTH)


def _store_and_queue(
    host: RegradeHost, terms: regrades.RegradeTerms, source_hashes: Sequence[str]
) -> Regrade:
    with host.database.write() as connection:
        regrade = regrades.store_regrade(connection, terms, source_hashes)
        open_sources = regrades.list_open_sources(connection, regrade)
    if host.regrade_queue is not None:
        host.regrade_queue.defer_regrade(regrade.id, open_sources)
    return regrade


def end_regrade(host: RegradeHost, regrade_id: str, state: EndState, *, actor: str) -> bool:
    """Cancel a regrade, or finish it if nothing is left to do; return whether it ended."""
    with host.database.write() as connection:
        has_ended = regrades.mark_ended(connection, regrade_id, state, actor=actor)
    if has_ended and host.regrade_queue is not None:
        host.regrade_queue.cancel_regrade(regrade_id)
    return has_ended


def run_regrade(
    grading: GradingService,
    regrade: Regrade,
    *,
    should_stop: Callable[[], bool] = lambda: False,
    on_progress: Callable[[], object] = lambda: None,
) -> None:
    """Grade and publish the rest of a regrade; it may be interrupted anywhere and run again.

    Args:
        should_stop: Returns True to stop before the end.
        on_progress: Called after each source.

    Raises:
        UsageError: The exercise is no longer the version for which the regrade was begun.
        GraderFault: Some sources could not be graded; they are left for another run.
        SandboxFault: This host cannot grade.
    """
    database, faults = grading.database, set[str]()
    with database.read() as connection:
        open_sources = regrades.list_open_sources(connection, regrade)

    def is_over() -> bool:
        with database.read() as connection:
            return not regrades.is_regrade_running(connection, regrade.id) or should_stop()

    # From the end, because the queue's workers start at the beginning.
    requests = (
        make_source_request(regrade, source, lambda *_, failed=source: faults.add(failed))
        for source in reversed(open_sources)
    )
    _grade_all(grading, requests, should_stop=is_over, on_progress=on_progress)
    if is_over():
        return
    if faults:
        sources_text = "one source" if len(faults) == 1 else f"{len(faults)} sources"
        raise GraderFault(
            f"{sources_text} could not be graded; all others are done, and the same regrade goes "
            "on with what is left when it is run again"
        )
    end_regrade(grading, regrade.id, "finished", actor=regrade.by)


def make_source_request(
    regrade: Regrade,
    source_hash: str,
    give_up: Callable[[Connection, str], None] = lambda *_: None,
) -> GradingRequest:
    """Return the request to grade one source of a regrade again.

    The new verdict is published for each submission unless it would lower a verdict without
    permission.
    """

    def publish(connection: Connection, verdict: StoredVerdict) -> None:
        if not regrades.claim_source(connection, regrade.id, source_hash):
            return
        for submission, change in regrades.find_changes(
            connection,
            regrade.exercise,
            regrade.from_hash,
            source_hash,
            _summarize_verdict(verdict),
        ):
            if change.effect == "lowered" and not regrade.allow_lower:
                regrades.record_kept_verdict(connection, regrade, submission, change)
                continue
            verdicts.publish_verdict(
                connection,
                submission,
                verdict,
                actor=regrade.by,
                regrade=regrade.id,
                before=asdict(change.before),
            )

    return GradingRequest(
        regrade.exercise, source_hash, publish, give_up, exercise_hash=regrade.to_hash
    )


def _summarize_verdict(verdict: StoredVerdict) -> VerdictSummary:
    return VerdictSummary(verdict.outcome, verdict.score, verdict.max_score)


def _grade_all(
    grading: GradingService,
    requests: Iterable[GradingRequest],
    *,
    should_stop: Callable[[], bool] = lambda: False,
    on_progress: Callable[[], object],
) -> None:
    """Grade requests, and wait until all that were begun are done.

    At most one source waits for a worker, so that new submissions wait behind only one.

    Raises:
        SandboxFault: This host cannot grade.
        SQLAlchemyError: The store failed.
    """
    in_flight = set[Future[None]]()
    errors: list[BaseException] = []

    def wait_for_one() -> None:
        finished, _ = wait(in_flight, return_when=FIRST_COMPLETED)
        in_flight.difference_update(finished)
        for future in finished:
            errors.extend(filter(None, [future.exception()]))
            on_progress()

    for request in requests:
        if len(in_flight) > grading.process.workers:
            wait_for_one()
        if errors or should_stop():
            break
        in_flight.add(grading.start(request))
    while in_flight:
        wait_for_one()
    if errors:
        raise errors[0]
