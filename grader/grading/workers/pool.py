"""Grades submissions in worker processes that may be killed at any time.

The parent reads files and definitions, hands out jobs and collects results; it never runs an
author's code, let alone a learner's. A worker is a fork of it that starts a sandbox, gives up what
`confine` takes away, and runs the engine until it is told to stop. What a worker sends is read as
JSON, since a definition from elsewhere may have taken it over. A worker that dies loses nothing:
its job goes to a fresh one, and after three tries is reported as a grader fault. A worker that is
still at a job when the submission's time is over is ended, and the verdict made from its notes.
"""

import contextlib
import functools
import gc
import importlib
import json
import math
import multiprocessing
import os
import pickle
import signal
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self, runtime_checkable

from grader.errors import DefinitionError, GraderFault, Location, Problem, SandboxFault
from grader.grading.results.evidence import Evidence
from grader.grading.results.jobs import Job, Result
from grader.grading.results.verdict import Verdict
from grader.grading.results.verdict_json import verdict_data, verdict_from_data
from grader.grading.session.journal import BEGAN, Journal
from grader.grading.session.lru_cache import MOST_EXERCISES, LruCache
from grader.sandbox.limits import GRACE_SECONDS, MOST, PREPARE_SECONDS

if TYPE_CHECKING:
    from grader.definitions.exercise import Exercise
    from grader.sandbox.process import Sandbox

MAX_TRIES = 3

JOBS_PER_WORKER = 5_000
"""Then a fresh worker with a fresh sandbox takes over, so that nothing can pile up."""

_GO_HOME = b""
_LONGEST_MESSAGE = 64 << 20
_FORK = multiprocessing.get_context("fork")

# What is raised by data that is not in the form that a worker writes.
_NONSENSE = (KeyError, TypeError, ValueError, AttributeError, RecursionError)


@dataclass(slots=True)
class _Ticket:
    """A job on its way, and how often a worker has failed at it."""

    job: Job
    failures: int = 0


@runtime_checkable
class JobSource(Protocol):
    """Gives jobs one by one. It is asked again after each result, so results may lead to jobs."""

    def job_for(self, worker: int) -> Job | None:
        """Return the job that a worker, by its number from 0, had better do next; None for now."""


@runtime_checkable
class Doorbell(Protocol):
    """A source of jobs that come from elsewhere while others are being graded."""

    @property
    def doorbell(self) -> Connection:
        """Becomes readable when there may be another job."""


class _InOrder:
    """Jobs that any worker may do."""

    def __init__(self, jobs: Iterable[Job]) -> None:
        self._jobs = iter(jobs)

    def job_for(self, _worker: int) -> Job | None:
        return next(self._jobs, None)


class Pool:
    """Worker processes that grade. Use as a context manager: the first worker starts with it.

    Args:
        workers: how many submissions are graded at once.
        open_sandbox: called in each worker to start its sandbox; it may raise `SandboxFault`.
        jobs_per_worker: after so many a worker is replaced.
        preload: whether this process imports the engine, which its workers then share. For one job
            the worker does it, while this process does other things.
    """

    def __init__(
        self,
        workers: int,
        open_sandbox: "Callable[[], Sandbox]",
        jobs_per_worker: int = JOBS_PER_WORKER,
        *,
        preload: bool = True,
    ) -> None:
        self._preload = preload
        self._size = workers
        self._open_sandbox = open_sandbox
        self._jobs_per_worker = jobs_per_worker
        self._workers: list[_Worker] = []
        self._definitions = LruCache[bytes](MOST_EXERCISES)  # as they are sent
        self._again: deque[_Ticket] = deque()
        self._anyone_was_ready = False

    def __enter__(self) -> Self:
        if self._preload:
            importlib.import_module("grader.grading.session.engine")
        self._hire()
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            if worker.ticket is None:
                worker.send_home()
            else:
                worker.kill()  # nobody waits for its result any more
        for worker in self._workers:
            worker.stop()
        self._workers.clear()

    @property
    def pids(self) -> list[int]:
        """The worker processes."""
        return [worker.pid for worker in self._workers]

    def grade(self, jobs: "Iterable[Job] | JobSource") -> Iterator[tuple[Job, Result]]:
        """Grade all jobs and yield each result as it comes, in no particular order.

        Args:
            jobs: in the order in which they are begun, or a source of them.

        Raises:
            SandboxFault: there is no sandbox on this host.
        """
        waiting = jobs if isinstance(jobs, JobSource) else _InOrder(jobs)
        while self._hand_out(waiting):
            busy = {worker.connection: worker for worker in self._workers if worker.ticket}
            bell = self._bell(waiting, len(busy))
            due = min(worker.due for worker in busy.values())
            ready = wait([*busy, *bell], timeout=max(due - time.monotonic(), 0))
            for connection, worker in busy.items():
                ticket = worker.ticket
                if connection in ready:
                    result = self._result(worker)
                elif worker.is_late():
                    result = self._result_of_late(worker)
                else:
                    continue
                if result is not None and ticket is not None:
                    yield ticket.job, result

    def _bell(self, waiting: "JobSource", busy: int) -> list[Connection]:
        """Return what else to listen to, while there is anyone to do another job."""
        listens = busy < self._size and isinstance(waiting, Doorbell)
        return [waiting.doorbell] if listens else []  # type: ignore[attr-defined]

    def _hand_out(self, waiting: "JobSource") -> bool:
        """Give every idle worker a job; tell whether any is at work."""
        while True:
            idle = next((worker for worker in self._workers if worker.ticket is None), None)
            if idle is None and len(self._workers) >= self._size:
                return True
            number = idle.number if idle else self._free_number()
            ticket = self._again.popleft() if self._again else _next_ticket(waiting, number)
            if ticket is None:
                return any(worker.ticket for worker in self._workers)
            if not (idle or self._hire()).take(ticket):  # it died while it had nothing to do
                self._dismiss(idle or self._workers[-1])
                self._again.append(ticket)

    def _result(self, worker: "_Worker") -> Result | None:
        """Read a worker's message; None if its ticket is not settled by it."""
        ticket = worker.ticket
        message = worker.receive()
        match message:
            case {"ready": str(sandbox)}:
                self._anyone_was_ready = True
                worker.is_ready_in(sandbox)
                return None
            case {"no sandbox": str(cause)} if not self._anyone_was_ready:
                raise SandboxFault(cause)
            case {"verdict": _} | {"problems": _} if ticket is not None and message is not None:
                result = _read(message, ticket.job)
                if result is not None:
                    worker.ticket = None
                    if worker.done >= self._jobs_per_worker:
                        self._dismiss(worker)
                    return result
        return self._failure(worker, message)

    def _result_of_late(self, worker: "_Worker") -> Result | None:
        """End a worker whose job's time is over; None if the job is not settled by its notes."""
        if worker.connection.poll():  # it was just not asked
            return self._result(worker)
        from grader.grading.workers.interrupted import result_of  # noqa: PLC0415  few jobs need it

        worker.end()
        try:
            assert worker.ticket is not None  # noqa: S101  one without is never late
            if not worker.sandbox:  # it did not even start
                return self._failure(worker, None)
            job = worker.ticket.job
            result = result_of(job, worker.journal.notes(), worker.sandbox)
            if isinstance(result, Verdict):
                _check_hashes(result, job)
        except _NONSENSE:
            return self._failure(worker, None)
        self._dismiss(worker)
        return result

    def _failure(self, worker: "_Worker", message: dict[str, Any] | None) -> Result | None:
        """Replace a worker that failed at its job; None if the job is to be tried again."""
        self._dismiss(worker)
        ticket = worker.ticket
        assert ticket is not None  # noqa: S101  a worker without one is not listened to
        ticket.failures += 1
        if ticket.failures < MAX_TRIES:
            self._again.append(ticket)
            return None
        return GraderFault(f"given up after {MAX_TRIES} tries: {_cause(message)}")

    def _hire(self) -> "_Worker":
        number = self._free_number()
        # One waits while the others work: a worker and its sandbox hand over faster, and find their
        # memory cached, on one core. They are bound only if every core gets equally many workers,
        # or one could be idle beside a queue.
        cores = sorted(os.sched_getaffinity(0))
        core = None if self._size % len(cores) else cores[number % len(cores)]
        worker = _Worker(number, core, self._definitions, self._open_sandbox)
        self._workers.append(worker)
        return worker

    def _free_number(self) -> int:
        taken = {worker.number for worker in self._workers}
        return next(number for number in range(self._size) if number not in taken)

    def _dismiss(self, worker: "_Worker") -> None:
        self._workers.remove(worker)
        worker.stop()


def _next_ticket(waiting: JobSource, worker: int) -> _Ticket | None:
    job = waiting.job_for(worker)
    return None if job is None else _Ticket(job)


def _cause(message: dict[str, Any] | None) -> str:
    if message is None:
        return "the worker process died"
    return str(message.get("fault") or message.get("no sandbox") or "the worker sent nonsense")


def _read(message: dict[str, Any], job: Job) -> Result | None:
    """Rebuild what a worker says of a job; None if it is nonsense, or of another job."""
    try:
        if "problems" in message:
            return _definition_error(message["problems"])
        verdict = verdict_from_data(message["verdict"])
        if message.get("evidence") is not None:
            verdict = replace(verdict, evidence=Evidence.from_data(message["evidence"]))
        _check_hashes(verdict, job)
    except _NONSENSE:
        return None
    return verdict


def _check_hashes(verdict: Verdict, job: Job) -> None:
    if verdict.exercise_hash != job.exercise.digest:
        raise ValueError("a verdict about another exercise")
    if verdict.submission_hash != job.submission.digest:
        raise ValueError("a verdict about another submission")


def _definition_error(problems: list[Any]) -> DefinitionError:
    return DefinitionError(
        [
            Problem(Location(Path(path), int(line), int(column)), str(message))
            for path, line, column, message in problems
        ]
    )


class _Worker:
    """The parent's end of one worker process."""

    def __init__(
        self,
        number: int,
        core: int | None,
        definitions: LruCache[bytes],
        open_sandbox: "Callable[[], Sandbox]",
    ) -> None:
        self.number = number
        self._definitions = definitions
        self.connection, theirs = _FORK.Pipe()
        self.journal = Journal()
        self.ticket: _Ticket | None = None
        self.done = 0
        self.sandbox = ""  # the name of where it runs submissions, when it is ready to
        self.due = math.inf  # when to see whether its job's time is over
        self._since = time.monotonic()
        self._process = _FORK.Process(
            target=_work,
            args=((theirs, self.connection), self.journal, core, open_sandbox),
            daemon=True,
        )
        self._process.start()
        theirs.close()

    @property
    def pid(self) -> int:
        return self._process.pid or 0

    def take(self, ticket: _Ticket) -> bool:
        """Send a job; False if nobody is there to take it."""
        job = ticket.job
        definition = self._definitions.get(job.exercise.digest, lambda: pickle.dumps(job.exercise))
        message = (definition, job.submission, job.given_limits, job.probe)
        self.journal.clear()
        try:
            self.connection.send_bytes(pickle.dumps(message))
        except OSError:
            return False
        self.ticket = ticket
        self.done += 1
        self._since = time.monotonic()
        self.due = self._since + _seconds_of(job)
        return True

    def is_ready_in(self, sandbox: str) -> None:
        """Take in that it begins with its first job, and where."""
        self.sandbox = sandbox
        self._since = time.monotonic()

    def is_late(self) -> bool:
        """Return whether its job's time is over."""
        now = time.monotonic()
        if now < self.due or self.ticket is None:
            return False
        began, seconds = self._began_at(now), _seconds_of(self.ticket.job)
        if began is None:  # it is still starting, or prepares the exercise
            prepared = self._since + PREPARE_SECONDS
            self.due = min(prepared, now + seconds)
            return now >= prepared
        self.due = began + seconds
        return now >= self.due

    def _began_at(self, now: float) -> float | None:
        """Return when the submission's own time began, by the notes; None if it did not yet."""
        try:
            found = dict(self.journal.notes()).get(BEGAN)
        except _NONSENSE:
            return None
        return min(max(found, self._since), now) if isinstance(found, float) else None

    def end(self) -> None:
        """End it at once, and wait until it is gone."""
        self._process.kill()
        self._process.join()

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()

    def receive(self) -> dict[str, Any] | None:
        """Return the worker's next message; None if it died."""
        try:
            message = json.loads(self.connection.recv_bytes(_LONGEST_MESSAGE))
        except (EOFError, OSError, ValueError):
            return None
        return message if isinstance(message, dict) else None

    def send_home(self) -> None:
        """Tell it to end; not only by hanging up, since others may hold this end of the line."""
        with contextlib.suppress(OSError):
            self.connection.send_bytes(_GO_HOME)
        self.connection.close()

    def stop(self) -> None:
        """Send it home and wait; a worker that does not end by itself is ended."""
        self.send_home()
        self._process.join(2)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self._process.close()
        self.journal.close()


def _seconds_of(job: Job) -> float:
    """Return how long a submission may hold its worker."""
    try:
        return job.limits.wall_seconds + GRACE_SECONDS
    except DefinitionError:  # the worker will say so
        return MOST.wall_seconds


def _work(
    ends: tuple[Connection, Connection],  # its own of the line, and its parent's
    journal: Journal,
    core: int | None,
    open_sandbox: "Callable[[], Sandbox]",
) -> None:
    """The life of a worker: start a sandbox, give up rights, grade until sent home."""
    from grader.sandbox.confine import confine_this_process, leave_parent  # noqa: PLC0415
    from grader.sandbox.inside import syscalls  # noqa: PLC0415

    connection, parents = ends
    gc.freeze()
    gc.enable()
    if core is not None:
        with contextlib.suppress(OSError):  # some hosts refuse; it runs on any core then
            os.sched_setaffinity(0, {core})
    os.chdir("/")  # where it was started may be removed while a server runs, and pytest asks for it
    parents.close()  # or this worker would never notice that its parent is gone
    syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)  # nor while it computes
    leave_parent({connection.fileno(), journal.descriptor})
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then hangs up
    with contextlib.suppress(EOFError, BrokenPipeError):  # the parent has hung up
        try:
            sandbox = open_sandbox()
        except SandboxFault as fault:
            _send(connection, {"no sandbox": str(fault)})
            return
        with sandbox:
            from grader.grading.session.engine import grade_all  # noqa: PLC0415  of many the parent has it

            confine_this_process()
            _send(connection, {"ready": sandbox.backend.name})
            try:
                grade_all(
                    _jobs(connection),
                    sandbox,
                    lambda _, result: _report(connection, result),
                    journal.add,
                )
            except Exception as error:  # noqa: BLE001  a bug of ours: said, and the job tried elsewhere
                _send(connection, {"fault": f"{type(error).__name__}: {error}"})
                with contextlib.suppress(OSError):  # there may be no stderr
                    traceback.print_exc()


def _jobs(connection: Connection) -> Iterator[Job]:
    @functools.lru_cache(MOST_EXERCISES)  # to read one takes as long as to grade with it
    def exercise(definition: bytes) -> "Exercise":
        found: Exercise = pickle.loads(definition)  # noqa: S301  from our parent
        return found

    while True:
        try:
            message = connection.recv_bytes()
        except (EOFError, OSError):
            return
        if message == _GO_HOME:
            return
        definition, *asked = pickle.loads(message)  # noqa: S301  from our parent
        yield Job(exercise(definition), *asked)


def _report(connection: Connection, result: Result) -> None:
    if isinstance(result, Verdict):
        evidence = result.evidence and result.evidence.data()
        _send(connection, {"verdict": verdict_data(result), "evidence": evidence})
    elif isinstance(result, DefinitionError):
        problems = [
            [os.fspath(p.where.path), p.where.line, p.where.column, p.message]
            for p in result.problems
        ]
        _send(connection, {"problems": problems})
    else:  # the sandbox may be broken, so this worker is replaced
        _send(connection, {"fault": str(result)})


def _send(connection: Connection, message: dict[str, Any]) -> None:
    connection.send_bytes(json.dumps(message).encode())
