"""Regrades past one machine: a chunk of sources is a job of the queue.

Here, too, the job is only a doorbell. Which sources are open is said by the store, and whoever
publishes claims each of them there; so a job may come twice, late, or for a regrade that has ended.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from typing import Any, Final, Self

from sqlalchemy import Connection, text

from grader.service.executors import queue
from grader.service.store import regrades, verdicts
from grader.service.store.ids import now
from grader.service.store.regrades import Regrade

SIZE: Final = 40
"""Sources of a chunk."""

TASK: Final = "regrade"
"""The task that grades a chunk again: the fields of `Chunk`."""

# One at a time anywhere, so that a source that kills its worker takes no other along.
_SUSPECTS: Final = "regrade suspects"

_IS_QUEUED: Final = text(
    "SELECT EXISTS (SELECT FROM procrastinate_jobs "
    "WHERE task_name = :task AND args->>'regrade' = :regrade)"
)
_DROP: Final = text(
    "DELETE FROM procrastinate_jobs "
    "WHERE task_name = :task AND args->>'regrade' = :regrade AND status = 'todo'"
)
_TAKE: Final = text("DELETE FROM procrastinate_jobs WHERE id = :id AND status = 'doing'")


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some sources of a regrade.

    Attributes:
        regrade: its id.
        first: the first source, by the order of their hashes.
        last: the last one.
        since: sources that could not be graded after this time are left out, in microseconds.
        deaths: workers that died with it in hand; from one on, a source at a time is.
    """

    regrade: str
    first: str
    last: str
    since: int
    deaths: int = 0

    @classmethod
    def from_job(cls, arguments: Mapping[str, Any]) -> Self:
        """Read the arguments of a job."""
        return cls(**arguments)

    def open_sources(self, connection: Connection) -> list[str]:
        """Return what of it is still to be done."""
        found = regrades.find(connection, self.regrade)
        if found is None or found.state != "running":
            return []
        span = (self.first, self.last)
        return regrades.open_sources(connection, found, since=self.since, span=span)


def enqueue(connection: Connection, begun: Regrade, since: int) -> None:
    """Queue what a regrade has still to do, unless it is in the queue already.

    Args:
        connection: of a transaction that writes, on PostgreSQL.
        begun: the regrade.
        since: sources that could not be graded after this time are left out, in microseconds.
    """
    whose = {"task": TASK, "regrade": begun.id}
    if not connection.execute(_IS_QUEUED, whose).scalar():
        sources = regrades.open_sources(connection, begun, since=since)
        _defer(connection, _cut(begun, sources, since))


def enqueue_lost(connection: Connection) -> None:
    """Queue what no job speaks of, but for what could not be graded: the net below the queue."""
    for begun in regrades.running(connection):
        enqueue(connection, begun, begun.created_at)


def drop(connection: Connection, regrade_id: str) -> None:
    """Take out of the queue what nobody has begun."""
    connection.execute(_DROP, {"task": TASK, "regrade": regrade_id})


def put_back(connection: Connection, chunk: Chunk) -> None:
    """Queue a chunk again behind the others, for whoever can do it."""
    _defer(connection, [chunk])


def after_a_death(connection: Connection, job_id: int | None, chunk: Chunk, worker: str) -> None:
    """Let others do what a dead worker had in hand; give up the source that killed three.

    From the second run on one source is in hand at a time, so that it is known which it was.

    Args:
        connection: of a transaction that writes, on PostgreSQL.
        job_id: the job in the queue; nothing is done if another process was faster.
        chunk: what it was about.
        worker: who writes that down.
    """
    if not connection.execute(_TAKE, {"id": job_id}).rowcount:
        return
    begun = regrades.find(connection, chunk.regrade)
    sources = chunk.open_sources(connection)
    if begun is None or not sources:
        return
    deaths = chunk.deaths + 1
    if deaths == 1:
        _defer(connection, [replace(chunk, deaths=deaths)])
        return
    culprit, *others = sources
    if deaths < verdicts.MOST_FAULTS:
        _defer(connection, [replace(chunk, first=culprit, last=culprit, deaths=deaths)])
    else:
        run = verdicts.Run(worker, now(), now())
        verdicts.note_fault(connection, begun.to_hash, culprit, run, "its workers died")
    if others:
        _defer(connection, [replace(chunk, first=others[0], deaths=1)])


def _cut(begun: Regrade, sources: Sequence[str], since: int) -> Iterator[Chunk]:
    for start in range(0, len(sources), SIZE):
        part = sources[start : start + SIZE]
        yield Chunk(begun.id, part[0], part[-1], since)


def _defer(connection: Connection, wanted: Iterable[Chunk]) -> None:
    for is_suspect, alike in groupby(wanted, lambda chunk: chunk.deaths > 0):
        lock = _SUSPECTS if is_suspect else None
        arguments = [asdict(each) for each in alike]
        queue.defer(connection, queue.REGRADE, TASK, arguments, lock=lock)
