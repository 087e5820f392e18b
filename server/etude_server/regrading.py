"""Grades stored submissions again under a fixed exercise: a preview first, then the regrade.

A published verdict is never lowered unless that was asked for: a submission whose new verdict is
worse keeps the one it has, and the event log says so.
"""

import random
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import TYPE_CHECKING, Final, Protocol, Self

import structlog
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from etude_server.grading import Grading, GradingRequest, Notify
from etude_server.store import regrades, verdicts
from etude_server.store.database import Database, cause_of
from etude_server.store.regrades import Ending, Mark, PublishedVerdict, Regrade, RegradeChange
from etude_server.store.verdicts import StoredVerdict
from grader.definitions.exercise import Exercise
from grader.errors import EtudeError, GraderFault, UsageError
from grader.grading.workers.grading_pool import DRAIN_SECONDS

if TYPE_CHECKING:
    from etude_server.catalog import Catalog
    from etude_server.job_queue import JobQueue

_AGAIN_SECONDS: Final = 10.0  # after the store failed
_UNDONE_AT_ONCE: Final = 100  # submissions in one transaction: others write between two

_log = structlog.get_logger(__name__)


class GradingContext(Protocol):
    """The parts needed to plan a regrade; a server that does not grade has them, too."""

    @property
    def catalog(self) -> "Catalog":
        """The exercises."""

    @property
    def database(self) -> Database:
        """The store."""

    @property
    def queue(self) -> "JobQueue | None":
        """The job queue, on PostgreSQL."""


@dataclass(frozen=True, slots=True)
class RegradePlan:
    """The exercise as it is now, and the version whose verdicts are replaced."""

    exercise: Exercise
    from_hash: str


@dataclass(slots=True)
class Preview:
    """The changes that a regrade would make."""

    plan: RegradePlan
    sources: int  # distinct ones
    submissions: int
    tried: int  # of the sources
    submissions_tried: int = 0
    changes: list[RegradeChange] = field(default_factory=list)
    faults: int = 0  # of what was tried: could not be graded
    ungraded: int = 0  # sources that the run has still to grade
    seconds: float | None = None  # which that takes; None if unknown


@dataclass(frozen=True, slots=True)
class Concurrency:
    """The number of sources graded at once, and the time to stop."""

    ahead: int = 2  # sources in hand at once for each worker
    stopping: Callable[[], bool] = lambda: False  # says when to stop before the end
    tell: Callable[[], None] = lambda: None  # after each source


_ALONE: Final = Concurrency()
BESIDE_SUBMISSIONS: Final = Concurrency(ahead=1)
"""Beside submissions: a source in hand for each worker, so that they never wait for more."""


def plan(context: GradingContext, exercise: str, from_hash: str = "") -> RegradePlan:
    """Return the plan of a regrade.

    The version to leave may be named by its first characters, or left out if there is one.

    Raises:
        UsageError: there is no such exercise or version, or nothing would be another.
    """
    definition = context.catalog.find(exercise)
    if definition is None:
        raise UsageError(f"there is no exercise {exercise!r}")
    with context.database.read() as connection:
        known = regrades.versions(connection).get(exercise, {})
        for each in regrades.running(connection, exercise):  # perhaps only its end is missing
            known.setdefault(each.from_hash, 0)
    if from_hash and definition.digest.startswith(from_hash):
        raise UsageError(f"{exercise} is still that version: nothing would change")
    known.pop(definition.digest, None)
    found = [digest for digest in known if digest.startswith(from_hash)]
    if len(found) == 1:
        return RegradePlan(definition, found[0])
    there = ", ".join(f"{digest[:12]} ({count})" for digest, count in sorted(known.items()))
    if not there:
        raise UsageError(f"no published verdict of {exercise} is of an older version")
    wanted = f"{len(found) or 'no'} of them begin with {from_hash!r}" if from_hash else "which?"
    raise UsageError(
        f"verdicts of {exercise} are published of these older versions (for so many submissions): "
        f"{there}; {wanted}"
    )


def preview(
    grading: Grading,
    wanted: RegradePlan,
    *,
    sample: int | None = None,
    concurrency: Concurrency = _ALONE,
) -> Preview:
    """Preview what a regrade would change, by some of its sources or all; publish nothing.

    The verdicts are stored, so that the run itself has less to do.
    """
    exercise = wanted.exercise
    versions = (exercise.id, wanted.from_hash, exercise.digest)
    with grading.database.read() as connection:
        everything = regrades.sources(connection, exercise.id, wanted.from_hash)
        count = regrades.versions(connection).get(exercise.id, {}).get(wanted.from_hash, 0)
        before = regrades.count_ungraded(connection, *versions)
    chosen = everything
    if sample is not None and sample < len(everything):
        # The same sources each time: two previews of one state agree.
        chosen = random.Random(exercise.digest).sample(everything, sample)  # noqa: S311  no secret
    seen = Preview(wanted, len(everything), count, len(chosen))
    began = time.monotonic()

    made: dict[str, StoredVerdict] = {}
    faults: set[str] = set()

    def request(source_hash: str, notify: Notify) -> GradingRequest:
        return GradingRequest(
            exercise.id,
            source_hash,
            lambda _connection, kept: made.update({source_hash: kept}),
            lambda _connection, _reason: faults.add(source_hash),
            notify,
        )

    _grade_all(grading, chosen, request, concurrency)
    seconds = time.monotonic() - began
    seen.faults = len(faults)
    with grading.database.read() as connection:
        for source_hash in filter(made.get, chosen):
            for each in regrades.published_verdicts(
                connection, exercise.id, wanted.from_hash, source_hash
            ):
                seen.submissions_tried += 1
                change = _change(each, made[source_hash])
                if change.effect != "same":
                    seen.changes.append(change)
        seen.ungraded = regrades.count_ungraded(connection, *versions)
        known = regrades.seconds_each(connection, wanted.from_hash)
    if before > seen.ungraded:
        seen.seconds = seconds / (before - seen.ungraded) * seen.ungraded
    elif known is not None:
        seen.seconds = known / grading.pool.workers * seen.ungraded
    return seen


def begin(
    context: GradingContext, wanted: RegradePlan, *, by: str, reason: str, allow_lower: bool = False
) -> Regrade:
    """Store a regrade, or return the one like it that was interrupted.

    On PostgreSQL it is in the queue from then on, too.

    Raises:
        UsageError: no reason is given, or another regrade is in the way.
    """
    if not reason.strip():
        raise UsageError("a regrade needs a reason: those whose grade changes will ask for it")
    with context.database.write() as connection:
        begun = regrades.begin(
            connection,
            exercise=wanted.exercise.id,
            from_hash=wanted.from_hash,
            to_hash=wanted.exercise.digest,
            by=by,
            reason=reason.strip(),
            allow_lower=allow_lower,
        )
        open_sources = regrades.open_sources(connection, begun)
    if context.queue is not None:
        context.queue.defer_regrade(begun.id, open_sources)
    return begun


def end(context: GradingContext, regrade_id: str, state: Ending, *, actor: str) -> bool:
    """End a regrade, and delete what is left of it in the queue; return whether it was running."""
    with context.database.write() as connection:
        is_ended = regrades.end(connection, regrade_id, state, actor=actor)
    if is_ended and context.queue is not None:
        context.queue.cancel_regrade(regrade_id)
    return is_ended


def undo(context: GradingContext, regrade_id: str, *, by: str, reason: str) -> Regrade:
    """Publish again the verdicts that a regrade replaced, as a regrade in the other direction.

    What was published for a submission since then stays. It may be interrupted and run again.

    Raises:
        UsageError: there is no such regrade, it has not ended, or another is in the way.
    """
    with context.database.read() as connection:
        done = regrades.find(connection, regrade_id)
        if done is None or done.state == "running":
            raise UsageError(f"there is no regrade {regrade_id!r} that has ended")
        replaced = list(regrades.published_by(connection, regrade_id))
    if not reason.strip():
        raise UsageError("an undo needs a reason: those whose grade changes will ask for it")
    with context.database.write() as connection:
        begun = regrades.begin(
            connection,
            exercise=done.exercise,
            from_hash=done.to_hash,
            to_hash=done.from_hash,
            by=by,
            reason=f"undo of {regrade_id}: {reason.strip()}",
            allow_lower=True,
            with_sources=False,
        )
    for start in range(0, len(replaced), _UNDONE_AT_ONCE):
        with context.database.write() as connection:
            for submitted, seq in replaced[start : start + _UNDONE_AT_ONCE]:
                held = verdicts.published(connection, submitted.id)
                kept = verdicts.before_event(connection, submitted.id, seq)
                if held is not None and kept is not None:
                    before = Mark(held.outcome, held.score, held.max_score).data
                    verdicts.publish(
                        connection, submitted, kept, actor=by, regrade=begun.id, before=before
                    )
    end(context, begun.id, "finished", actor=by)
    return begun


def run(grading: Grading, begun: Regrade, concurrency: Concurrency = _ALONE) -> None:
    """Grade what is not done yet and publish it; may be interrupted anywhere and run again.

    Raises:
        UsageError: the exercise is not the version any more that it was begun for.
        GraderFault: some sources could not be graded; they are left for another run.
        SandboxFault: nothing can be graded on this host.
    """
    check_version(grading, begun)
    database, faults = grading.database, set[str]()
    with database.read() as connection:
        open_sources = regrades.open_sources(connection, begun)

    def is_over() -> bool:
        with database.read() as connection:
            found = regrades.find(connection, begun.id)
        return found is None or found.state != "running" or concurrency.stopping()

    def request(source_hash: str, notify: Notify) -> GradingRequest:
        return for_source(begun, source_hash, notify, lambda *_: faults.add(source_hash))

    # From the end: workers of the queue begin at the beginning.
    _grade_all(
        grading,
        reversed(open_sources),
        request,
        Concurrency(concurrency.ahead, is_over, concurrency.tell),
    )
    if is_over():
        return
    if faults:
        what = "one source" if len(faults) == 1 else f"{len(faults)} sources"
        raise GraderFault(
            f"{what} could not be graded; all others are done, and the same regrade goes on "
            "with what is left when it is run again"
        )
    end(grading, begun.id, "finished", actor=begun.by)


def check_version(context: GradingContext, begun: Regrade) -> None:
    """Raise `UsageError` if the exercise is not the version that a regrade was begun for."""
    exercise = context.catalog.find(begun.exercise)
    if exercise is None or exercise.digest != begun.to_hash:
        raise UsageError(f"{begun.exercise} is not version {begun.to_hash[:12]} here")


def find_open(database: Database, regrade_id: str, source_hash: str) -> Regrade | None:
    """Return a running regrade in which a source is still to be done; None otherwise."""
    with database.read() as connection:
        begun = regrades.find(connection, regrade_id)
        is_open = (
            begun is not None
            and begun.state == "running"
            and source_hash in regrades.open_sources(connection, begun, only=source_hash)
        )
        return begun if is_open else None


def end_if_done(context: GradingContext, begun: Regrade) -> None:
    """End a regrade whose sources are all done."""
    with context.database.read() as connection:
        done, count = regrades.progress(connection, begun.id)
    if done == count:
        end(context, begun.id, "finished", actor=begun.by)


def for_source(
    begun: Regrade,
    source_hash: str,
    notify: Notify,
    give_up: Callable[[Connection, str], object] = lambda _connection, _reason: None,
) -> GradingRequest:
    """Return the request to grade a source of a regrade again.

    The new verdict is published for each submission that it does not lower, or may.
    """

    def publish(connection: Connection, kept: StoredVerdict) -> None:
        if not regrades.claim(connection, begun.id, source_hash):
            return
        found = regrades.published_verdicts(
            connection, begun.exercise, begun.from_hash, source_hash
        )
        for each in list(found):
            change = _change(each, kept)
            if change.effect == "lowered" and not begun.allow_lower:
                regrades.hold(connection, begun, each, change.after)
                continue
            verdicts.publish(
                connection,
                each.submitted,
                kept,
                actor=begun.by,
                regrade=begun.id,
                before=each.mark.data,
            )

    return GradingRequest(begun.exercise, source_hash, publish, give_up, notify)


def _grade_all(
    grading: Grading,
    source_hashes: Iterable[str],
    request: Callable[[str, Notify], GradingRequest],
    concurrency: Concurrency,
) -> None:
    """Grade sources, some at once, and wait for all that were begun.

    Raises:
        SandboxFault: nothing can be graded on this host.
        SQLAlchemyError: the store failed.
    """
    over: SimpleQueue[Exception | None] = SimpleQueue()
    failure: Exception | None = None
    in_hand = 0

    def wait_for_one() -> None:
        nonlocal failure, in_hand
        failure = over.get() or failure
        in_hand -= 1
        concurrency.tell()

    for source_hash in source_hashes:
        if in_hand >= concurrency.ahead * grading.pool.workers:
            wait_for_one()
        if failure is not None or concurrency.stopping():
            break
        in_hand += 1
        grading.begin(request(source_hash, over.put))
    while in_hand:
        wait_for_one()
    if failure is not None:
        raise failure


class Regrader:
    """Runs regrades in a server, beside its submissions. Use as a context manager.

    One that an earlier server, or a command, was interrupted in goes on at the start. On PostgreSQL
    it does nothing: there the workers of the regrade lane do.
    """

    def __init__(self, grading: Grading) -> None:
        self.grading = grading
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="regrader", daemon=True)

    def __enter__(self) -> Self:
        if self.grading.database.is_sqlite:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._wake.set()
        if self._thread.ident is not None:
            self._thread.join(DRAIN_SECONDS)
            if self._thread.is_alive():  # it waits for the pool
                self.grading.pool.close()
            self._thread.join()

    def wake(self) -> None:
        """Look for regrades at once."""
        self._wake.set()

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._wake.clear()
            pause = None
            try:
                with self.grading.database.read() as connection:
                    open_ones = regrades.running(connection)
                for each in open_ones:
                    try:
                        run(self.grading, each, Concurrency(1, self._stopping.is_set))
                    except EtudeError as error:  # what is left waits for another wake, or start
                        _log.warning("a regrade has not ended", regrade=each.id, reason=str(error))
            except SQLAlchemyError as error:
                _log.error("the store failed", error=cause_of(error))
                pause = _AGAIN_SECONDS
            self._wake.wait(pause)


def _change(held: PublishedVerdict, kept: StoredVerdict) -> RegradeChange:
    after = Mark(kept.outcome, kept.score, kept.max_score)
    return RegradeChange(held.submitted.id, held.person, held.shown, held.mark, after)
