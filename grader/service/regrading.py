"""Grades stored submissions again under a mended exercise: first what it would change, then it.

A published verdict is never lowered unless that was asked for: a submission whose new verdict is
worse keeps the one it has, and the event log says so.
"""

import random
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, Self

import structlog
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from grader import __version__
from grader.definitions.exercise import Exercise
from grader.errors import EtudeError, GraderFault, SandboxFault, UsageError
from grader.grading.results.jobs import Job
from grader.grading.results.submission import Submission
from grader.service import regrade_jobs
from grader.service.catalog import Catalog
from grader.service.executors import queue
from grader.service.grading import Grading
from grader.service.grading_pool import DRAIN_SECONDS
from grader.service.store import regrades, submissions, verdicts
from grader.service.store.database import Database
from grader.service.store.ids import now
from grader.service.store.regrades import Change, Ending, Holding, Mark, Regrade
from grader.service.store.submissions import Submitted
from grader.service.store.verdicts import Kept, Key, Run

if TYPE_CHECKING:
    from concurrent.futures import Future

    from grader.grading.results.verdict import Verdict

_AGAIN_SECONDS: Final = 10.0  # after the store failed

_log = structlog.get_logger(__name__)


class Books(Protocol):
    """What planning a regrade takes: a server that grades nothing itself has it, too."""

    @property
    def database(self) -> Database:
        """The store."""

    @property
    def catalog(self) -> Catalog:
        """The exercises as they are now."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be graded again, and as what."""

    exercise: Exercise
    from_hash: str

    def key_of(self, source_hash: str) -> Key:
        """Return what the new verdict of a source is kept by."""
        return Key(self.exercise.digest, source_hash, __version__)


@dataclass(slots=True)
class Preview:
    """What a regrade would do."""

    plan: Plan
    sources: int  # distinct ones
    submissions: int
    tried: int  # of the sources
    submissions_tried: int = 0
    changes: list[Change] = field(default_factory=list)
    faults: int = 0  # of what was tried: could not be graded
    ungraded: int = 0  # sources that the run has still to grade
    seconds: float | None = None  # which that takes; None if nobody knows


@dataclass(frozen=True, slots=True)
class Pace:
    """How a regrade goes about it.

    Attributes:
        ahead: sources in hand at once for each worker.
        stopping: says when to stop before the end.
        tell: is called after each source.
    """

    ahead: int = 2
    stopping: Callable[[], bool] = lambda: False
    tell: Callable[[], None] = lambda: None


BESIDE: Final = Pace(ahead=1)
"""Beside submissions: a source in hand for each worker, so that they never wait for more."""


def plan(books: Books, exercise: str, from_hash: str = "") -> Plan:
    """Find what a regrade is about.

    Args:
        books: the store and the exercises.
        exercise: its id.
        from_hash: the version to leave, or its first characters; may be left out if there is one.

    Raises:
        UsageError: there is no such exercise or version, or nothing would be another.
    """
    definition = books.catalog.find(exercise)
    if definition is None:
        raise UsageError(f"there is no exercise {exercise!r}")
    with books.database.read() as connection:
        known = regrades.versions(connection).get(exercise, {})
        for each in regrades.running(connection, exercise):  # perhaps only its end is missing
            known.setdefault(each.from_hash, 0)
    if from_hash and definition.digest.startswith(from_hash):
        raise UsageError(f"{exercise} is still that version: nothing would change")
    known.pop(definition.digest, None)
    found = [digest for digest in known if digest.startswith(from_hash)]
    if len(found) == 1:
        return Plan(definition, found[0])
    there = ", ".join(f"{digest[:12]} ({count})" for digest, count in sorted(known.items()))
    if not there:
        raise UsageError(f"no published verdict of {exercise} is of an older version")
    wanted = f"{len(found) or 'no'} of them begin with {from_hash!r}" if from_hash else "which?"
    raise UsageError(
        f"verdicts of {exercise} are published of these older versions (for so many submissions): "
        f"{there}; {wanted}"
    )


def preview(
    grading: Grading, wanted: Plan, *, sample: int | None = None, pace: Pace | None = None
) -> Preview:
    """Say what a regrade would change; nothing that anyone sees changes.

    Verdicts that this needs are kept, so that the run itself has less to do.

    Args:
        grading: the store and the desk.
        wanted: what would be graded again.
        sample: how many sources to try; all by default.
        pace: how to go about it.
    """
    pace = pace or Pace()
    exercise = wanted.exercise
    with grading.database.read() as connection:
        everything = regrades.sources(connection, exercise.id, wanted.from_hash)
        count = regrades.versions(connection).get(exercise.id, {}).get(wanted.from_hash, 0)
        before = _ungraded(connection, wanted)
    chosen = everything
    if sample is not None and sample < len(everything):
        # The same sources each time: two previews of one state agree.
        chosen = random.Random(exercise.digest).sample(everything, sample)  # noqa: S311  no secret
    seen = Preview(wanted, len(everything), count, len(chosen))
    began = time.monotonic()
    for source_hash, kept in graded(grading, wanted, chosen, pace):
        if kept is None:
            seen.faults += 1
        else:
            _foresee(grading, seen, source_hash, kept)
        pace.tell()
    seconds = time.monotonic() - began
    with grading.database.read() as connection:
        seen.ungraded = _ungraded(connection, wanted)
        each = regrades.seconds_each(connection, wanted.from_hash)
    if before > seen.ungraded:
        seen.seconds = seconds / (before - seen.ungraded) * seen.ungraded
    elif each is not None:
        seen.seconds = each / grading.desk.workers * seen.ungraded
    return seen


def begin(
    books: Books, wanted: Plan, *, by: str, reason: str, allow_lower: bool = False
) -> Regrade:
    """Write a regrade down, or find the one like it that was interrupted.

    On PostgreSQL it is in the queue from then on, too.

    Raises:
        UsageError: no reason is given, or another regrade is in the way.
    """
    if not reason.strip():
        raise UsageError("a regrade needs a reason: those whose grade changes will ask for it")
    database = books.database
    if not database.is_sqlite:
        queue.prepare(database)
    with database.write() as connection:
        begun = regrades.begin(
            connection,
            exercise=wanted.exercise.id,
            from_hash=wanted.from_hash,
            to_hash=wanted.exercise.digest,
            by=by,
            reason=reason.strip(),
            allow_lower=allow_lower,
        )
        if not database.is_sqlite:
            regrade_jobs.enqueue(connection, begun, now())
    return begun


def end(database: Database, regrade_id: str, state: Ending, *, actor: str) -> bool:
    """End a regrade, and take out of the queue what is left of it; false if it has ended."""
    if not database.is_sqlite:
        queue.prepare(database)
    with database.write() as connection:
        is_ended = regrades.end(connection, regrade_id, state, actor=actor)
        if not database.is_sqlite:
            regrade_jobs.drop(connection, regrade_id)
    return is_ended


def run(grading: Grading, begun: Regrade, pace: Pace | None = None) -> None:
    """Grade what is not done yet and publish it; may be interrupted anywhere and run again.

    Args:
        grading: the store and the desk.
        begun: the regrade that was written down.
        pace: how to go about it.

    Raises:
        UsageError: the exercise is not the version any more that it was begun for.
        GraderFault: some sources could not be graded; they are left for another run.
    """
    pace = pace or Pace()
    faults = 0
    # From the end: workers that take chunks from the queue begin at the beginning.
    reached: str | None = None
    while not pace.stopping():
        with grading.database.read() as connection:
            some = regrades.last_open(connection, begun, regrade_jobs.SIZE, before=reached)
        if _has_ended(grading.database, begun):
            return
        if not some:
            _finish(grading, begun, faults)
            return
        faults += do(grading, begun, some, pace)
        reached = some[-1]


def do(grading: Grading, begun: Regrade, source_hashes: Sequence[str], pace: Pace) -> int:
    """Grade some sources again and publish each; return how many could not be graded.

    Raises:
        UsageError: the exercise is not the version here that the regrade was begun for.
        SandboxFault: nothing can be graded on this host.
    """
    exercise = grading.catalog.find(begun.exercise)
    if exercise is None or exercise.digest != begun.to_hash:
        raise UsageError(f"{begun.exercise} is not version {begun.to_hash[:12]} here")
    faults = 0
    for source_hash, kept in graded(grading, Plan(exercise, begun.from_hash), source_hashes, pace):
        if kept is None:
            faults += 1
        else:
            with grading.database.write() as connection:
                if regrades.claim(connection, begun.id, source_hash):
                    _publish(connection, begun, source_hash, kept)
        pace.tell()
    return faults


def do_chunk(grading: Grading, chunk: regrade_jobs.Chunk, stopping: Callable[[], bool]) -> bool:
    """Grade a chunk of a regrade again; the last one ends the regrade.

    Returns:
        False if some of it is left for another worker, or for this one later.

    Raises:
        SandboxFault: nothing can be graded on this host.
    """
    with grading.database.read() as connection:
        begun = regrades.find(connection, chunk.regrade)
        some = chunk.open_sources(connection)
    if begun is None or begun.state != "running":
        return True
    pace = Pace(BESIDE.ahead, lambda: stopping() or _has_ended(grading.database, begun))
    at_once = [[each] for each in some] if chunk.deaths else [some]
    try:
        faults = sum(do(grading, begun, each, pace) for each in at_once)
    except UsageError as error:
        _log.warning("a regrade is of another version", regrade=begun.id, reason=str(error))
        return False
    if faults:
        _log.warning("sources could not be graded", regrade=begun.id, count=faults)
    with grading.database.read() as connection:
        is_over = not chunk.open_sources(connection)
        is_all = not regrades.last_open(connection, begun, 1)
    if is_all:
        end(grading.database, begun.id, "finished", actor=begun.by)
    return is_over


def graded(
    grading: Grading, wanted: Plan, source_hashes: Sequence[str], pace: Pace
) -> Iterator[tuple[str, Kept | None]]:
    """Yield each source with its verdict under the mended exercise; None where there is none.

    Raises:
        SandboxFault: nothing can be graded on this host.
    """
    ahead = pace.ahead * grading.desk.workers
    waiting: deque[tuple[str, int, Future[Verdict]]] = deque()
    for source_hash in source_hashes:
        if pace.stopping():
            break
        with grading.database.read() as connection:
            known = verdicts.find(connection, wanted.key_of(source_hash))
            text = "" if known else submissions.text_of(connection, source_hash)
        if known is not None:
            yield source_hash, known
            continue
        if len(waiting) >= ahead:
            yield _kept(grading, wanted, *waiting.popleft())
        path = Path(f"{wanted.exercise.id}.py")
        job = Job(wanted.exercise, Submission.from_bytes(path, text.encode()))
        waiting.append((source_hash, now(), grading.desk.grade(job)))
    while waiting:
        yield _kept(grading, wanted, *waiting.popleft())


class Regrader:
    """Runs regrades in a server, beside its submissions. Use as a context manager.

    One that an earlier server, or a command, was interrupted in goes on at the start. On PostgreSQL
    it does nothing: there the workers of the regrade lane do.

    Args:
        grading: the store and the desk.
    """

    def __init__(self, grading: Grading) -> None:
        self.grading = grading
        self._bell = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="regrader", daemon=True)

    def __enter__(self) -> Self:
        if self.grading.database.is_sqlite:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._bell.set()
        if self._thread.ident is not None:
            self._thread.join(DRAIN_SECONDS)
            if self._thread.is_alive():  # it waits for the desk
                self.grading.desk.close()
            self._thread.join()

    def wake(self) -> None:
        """Look at once for what is to be graded again."""
        self._bell.set()

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._bell.clear()
            pause = None
            try:
                with self.grading.database.read() as connection:
                    open_ones = regrades.running(connection)
                for each in open_ones:
                    self._try(each)
            except SQLAlchemyError as error:
                _log.error("the store failed", error=type(error).__name__)
                pause = _AGAIN_SECONDS
            self._bell.wait(pause)

    def _try(self, begun: Regrade) -> None:
        """Run one as far as it goes; what is left of it waits for another wake, or start."""
        try:
            run(self.grading, begun, Pace(BESIDE.ahead, self._stopping.is_set))
        except EtudeError as error:
            _log.warning("a regrade has not ended", regrade=begun.id, reason=str(error))


def _has_ended(database: Database, begun: Regrade) -> bool:
    with database.read() as connection:
        found = regrades.find(connection, begun.id)
    return found is None or found.state != "running"


def _ungraded(connection: Connection, wanted: Plan) -> int:
    exercise = wanted.exercise
    return regrades.count_ungraded(
        connection, exercise.id, wanted.from_hash, exercise.digest, __version__
    )


def _foresee(grading: Grading, seen: Preview, source_hash: str, kept: Kept) -> None:
    """Note what a new verdict would change."""
    wanted = seen.plan
    with grading.database.read() as connection:
        for each in regrades.holding(
            connection, wanted.exercise.id, wanted.from_hash, [source_hash]
        ):
            seen.submissions_tried += 1
            change = _change(each, kept)
            if change.effect != "same":
                seen.changes.append(change)


def _publish(connection: Connection, begun: Regrade, source_hash: str, kept: Kept) -> None:
    """Let a new verdict hold for each submission that it does not lower, or may."""
    found = regrades.holding(connection, begun.exercise, begun.from_hash, [source_hash])
    for each in list(found):
        change = _change(each, kept)
        if change.effect == "lowered" and not begun.allow_lower:
            regrades.hold(connection, begun, each, change.after)
            continue
        submitted = Submitted(
            each.submission_id, each.person_id, each.exercise, each.source_hash, each.received_at
        )
        before = each.mark.data
        verdicts.publish(
            connection, submitted, kept, actor=begun.by, regrade=begun.id, before=before
        )


def _finish(grading: Grading, begun: Regrade, faults: int) -> None:
    """End a regrade if all of it is done.

    Raises:
        GraderFault: it is not.
    """
    if faults:
        what = "one source" if faults == 1 else f"{faults} sources"
        raise GraderFault(
            f"{what} could not be graded; all others are done, and the same regrade goes on "
            "with what is left when it is run again"
        )
    end(grading.database, begun.id, "finished", actor=begun.by)


def _change(holding: Holding, kept: Kept) -> Change:
    after = Mark(kept.outcome, kept.score, kept.max_score)
    return Change(holding.submission_id, holding.person, holding.mark, after)


def _kept(
    grading: Grading, wanted: Plan, source_hash: str, started: int, future: "Future[Verdict]"
) -> tuple[str, Kept | None]:
    try:
        made = future.result()
    except SandboxFault:
        raise  # of this host, which says nothing about the source
    except EtudeError as error:
        over = Run(grading.worker, started, now())
        key = wanted.key_of(source_hash)
        with grading.database.write() as connection:
            verdicts.note_fault(connection, key.exercise_hash, source_hash, over, str(error))
        return source_hash, None
    with grading.database.write() as connection:
        return source_hash, verdicts.keep(connection, made, Run(grading.worker, started, now()))
