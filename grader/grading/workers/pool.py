"""Worker processes that grade and may be killed at any time.

The parent reads files and definitions, dispatches jobs and collects results; it runs neither
authors' code nor submissions. A worker is a fork of the parent that starts a sandbox, gives up its
rights (`confine`) and runs the engine until it is told to stop. Its messages are read as JSON,
since a hostile definition may have compromised it. If a worker dies, its job goes to a new worker;
after three tries the job is reported as a grader fault. A worker that is still busy when the
submission's time is over is killed, and the verdict is made from its journal.
"""

import contextlib
import functools
import gc
import importlib
import json
import math
import os
import pickle
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, Self

from grader.errors import DefinitionError, EtudeError, GraderFault, SandboxFault
from grader.grading.jobs import Job, Result
from grader.grading.results.journal import BEGAN, Journal
from grader.grading.results.verdict import Verdict
from grader.grading.results.verdict_json import full_data, verdict_from_full_data
from grader.grading.run.best_effort import log_feedback_errors
from grader.sandbox.channel import Channel
from grader.sandbox.fork import Fork, receive_requests
from grader.sandbox.limits import GRACE_SECONDS, HIGHEST_LIMITS, PREPARE_SECONDS
from grader.sandbox.printable import inert

if TYPE_CHECKING:
    from grader.sandbox.process import Sandbox

MAX_TRIES = 3  # workers that may fail at one job

JOBS_PER_WORKER = 5_000
"""The number of jobs after which a worker and its sandbox are replaced, so that leaks stay small.
"""

# The exceptions that malformed data of a worker can raise.
_MALFORMED = (KeyError, TypeError, ValueError, AttributeError, RecursionError)


@dataclass(slots=True)
class _QueuedJob:
    """A job, with the number of workers that have failed at it."""

    job: Job
    failures: int = 0


class JobSource:
    """A source of jobs. It is asked again after each result, so a result may lead to new jobs."""

    wake: int | None = None
    """A descriptor that becomes readable when a new job may have arrived during grading."""

    def job_for(self, worker: int) -> Job | None:
        """Return the next job for the worker with a number, or None if there is none now."""
        raise NotImplementedError


class _InOrder(JobSource):
    def __init__(self, jobs: Iterable[Job]) -> None:
        self._jobs = iter(jobs)

    def job_for(self, worker: int) -> Job | None:  # noqa: ARG002  every worker gets the same jobs
        return next(self._jobs, None)


class WorkerPool:
    """Worker processes that grade. Use as a context manager: the first worker starts with it.

    Args:
        workers: The number of submissions that are graded at once.
        open_sandbox: Called in each worker to start its sandbox, with `packages` if the exercises
            of its jobs name any; it may raise `SandboxFault`.
        jobs_per_worker: The number of jobs after which a worker is replaced.
        preload: Whether this process imports the engine, so that its workers share the import. For
            a single job it is faster if the worker imports it while this process continues.
    """

    def __init__(
        self,
        workers: int,
        open_sandbox: "Callable[..., Sandbox]",
        jobs_per_worker: int = JOBS_PER_WORKER,
        *,
        preload: bool = True,
    ) -> None:
        self._preload = preload
        self._size = workers
        self._open_sandbox = open_sandbox
        self._jobs_per_worker = jobs_per_worker
        self._workers: list[_Worker] = []
        self._retries: deque[_QueuedJob] = deque()
        self._sandbox_works = False
        self._packages = frozenset[str]()  # packages of all exercises so far

    def __enter__(self) -> Self:
        if self._preload:
            importlib.import_module("grader.grading.session.engine")
        self._start_worker()
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            if worker.queued is None:
                worker.fork.ask_to_end()
            else:
                worker.fork.process.kill()  # its result is no longer needed
        for worker in self._workers:
            worker.stop()
        self._workers.clear()

    @property
    def pids(self) -> list[int]:
        """The process ids of the workers."""
        return [worker.fork.process.pid or 0 for worker in self._workers]

    def grade(self, jobs: Iterable[Job] | JobSource) -> Iterator[tuple[Job, Result]]:
        """Grade all jobs and yield each result as it comes, in no particular order.

        Args:
            jobs: The jobs in the order in which to start them, or a source of jobs.

        Raises:
            SandboxFault: There is no sandbox on this host.
        """
        source = jobs if isinstance(jobs, JobSource) else _InOrder(jobs)
        while self._dispatch(source):
            busy = [worker for worker in self._workers if worker.queued]
            wakes = [source.wake] if source.wake is not None and len(busy) < self._size else []
            channels = [worker.fork.channel.fileno() for worker in busy]
            due = min(worker.due for worker in busy)
            wait([*channels, *wakes], timeout=max(due - time.monotonic(), 0))
            for worker in busy:
                queued = worker.queued
                if worker.fork.channel.is_ready():
                    result = self._result(worker)
                elif worker.is_overdue():
                    result = self._result_from_journal(worker)
                else:
                    continue
                if result is not None and queued is not None:
                    yield queued.job, result

    def _dispatch(self, source: JobSource) -> bool:
        """Send a job to every idle worker; return whether any worker is busy."""
        while True:
            idle = next((worker for worker in self._workers if worker.queued is None), None)
            if idle is None and len(self._workers) >= self._size:
                return True
            if self._retries:
                queued = self._retries.popleft()
            else:
                job = source.job_for(idle.number if idle else self._free_number())
                if job is None:
                    return any(worker.queued for worker in self._workers)
                queued = _QueuedJob(job)
            self._packages |= set(queued.job.exercise.packages)
            if idle is not None and not idle.packages.issuperset(queued.job.exercise.packages):
                self._stop_worker(idle)  # a running sandbox cannot get more packages
                idle = None
            worker = idle or self._start_worker()
            if not worker.send_job(queued):  # the worker died while it was idle
                self._stop_worker(worker)
                self._retries.append(queued)

    def _result(self, worker: "_Worker") -> Result | None:
        """Read a worker's message; return its result, or None if the job is not finished."""
        queued = worker.queued
        message = worker.receive()
        match message:
            case {"ready": str(sandbox)}:
                self._sandbox_works = True
                # The time of its first job starts now, since the worker was starting until now.
                worker.sandbox, worker.job_began = sandbox, time.monotonic()
                return None
            case {"no sandbox": str(cause)} if not self._sandbox_works:
                raise SandboxFault(cause)
            case {"verdict": _} | {"problems": _} if queued is not None and message is not None:
                result = _parse_result(message, queued.job)
                if result is not None:
                    worker.queued = None
                    if worker.done >= self._jobs_per_worker:
                        self._stop_worker(worker)
                    return result
        return self._failure(worker, message)

    def _result_from_journal(self, worker: "_Worker") -> Result | None:
        """Kill a worker whose time is over; return the result in its journal, or None."""
        from grader.grading.workers.journal_recovery import recover_result  # rarely needed

        worker.fork.process.kill()
        worker.fork.process.join()
        assert worker.queued is not None  # a worker without a job is never late
        if not worker.sandbox:  # the worker had not finished its start
            return self._failure(worker, None)
        job = worker.queued.job
        try:
            result = recover_result(job, worker.journal.entries(), worker.sandbox)
            if isinstance(result, Verdict):
                _check_hashes(result, job)
                log_feedback_errors(result)
        except _MALFORMED:
            return self._failure(worker, None)
        self._stop_worker(worker)
        return result

    def _failure(self, worker: "_Worker", message: dict[str, Any] | None) -> Result | None:
        """Stop a worker that failed; return a fault after the last try, or None to try again."""
        self._stop_worker(worker)
        queued = worker.queued
        assert queued is not None  # only busy workers are read
        queued.failures += 1
        if queued.failures < MAX_TRIES:
            self._retries.append(queued)
            return None
        cause = "the worker process died"
        if message is not None:
            cause = inert(
                str(message.get("fault") or message.get("no sandbox") or "the worker sent nonsense")
            )
        return GraderFault(f"given up after {MAX_TRIES} tries: {cause}")

    def _start_worker(self) -> "_Worker":
        number = self._free_number()
        # A worker and its sandbox never run at the same time, so both are bound to one core to
        # share its cache. If the workers cannot be spread evenly over the cores, they are not
        # bound, since a core could be idle while jobs wait.
        cores = sorted(os.sched_getaffinity(0))
        core = None if self._size % len(cores) else cores[number % len(cores)]
        open_sandbox = self._open_sandbox
        if self._packages:
            open_sandbox = functools.partial(open_sandbox, packages=self._packages)
        journal = Journal()
        fork = Fork(functools.partial(_work, journal, core, open_sandbox), [journal.descriptor])
        worker = _Worker(number, self._packages, fork, journal)
        self._workers.append(worker)
        return worker

    def _free_number(self) -> int:
        taken = {worker.number for worker in self._workers}
        return next(number for number in range(self._size) if number not in taken)

    def _stop_worker(self, worker: "_Worker") -> None:
        self._workers.remove(worker)
        worker.stop()


def _parse_result(message: dict[str, Any], job: Job) -> Result | None:
    """Return the result in a worker's message, or None if malformed or of another job."""
    try:
        if "problems" in message:
            return DefinitionError.from_data(message["problems"], inert)
        verdict = verdict_from_full_data(message["verdict"])
        _check_hashes(verdict, job)
    except _MALFORMED:
        return None
    log_feedback_errors(verdict)
    return verdict


def _check_hashes(verdict: Verdict, job: Job) -> None:
    if verdict.exercise_hash != job.exercise.digest:
        raise ValueError("a verdict about another exercise")
    if verdict.submission_hash != job.submission.digest:
        raise ValueError("a verdict about another submission")


@dataclass(eq=False)
class _Worker:
    """The parent's end of one worker process."""

    number: int
    packages: frozenset[str]  # packages that its sandbox has besides NumPy
    fork: Fork
    journal: Journal
    queued: _QueuedJob | None = None  # the current job
    done: int = 0
    sandbox: str = ""  # name of the backend, empty until the worker is ready
    due: float = math.inf  # time of the next check for a time-out, on the monotonic clock
    job_began: float = field(default_factory=time.monotonic)

    def send_job(self, queued: _QueuedJob) -> bool:
        """Send a job; return False if the worker has died."""
        self.journal.clear()
        try:
            self.fork.channel.send(pickle.dumps(replace(queued.job, tag=None)))
        except OSError:
            return False
        self.queued = queued
        self.done += 1
        self.job_began = time.monotonic()
        self.due = self.job_began + _time_allowed(queued.job)
        return True

    def is_overdue(self) -> bool:
        """Return whether the time of the current job is over."""
        now = time.monotonic()
        if now < self.due or self.queued is None:
            return False
        try:
            began = dict(self.journal.entries()).get(BEGAN)
        except _MALFORMED:
            began = None
        seconds = _time_allowed(self.queued.job)
        if not isinstance(began, float):  # the worker is starting or preparing the exercise
            prepared = self.job_began + PREPARE_SECONDS
            self.due = min(prepared, now + seconds)
            return now >= prepared
        self.due = min(max(began, self.job_began), now) + seconds
        return now >= self.due

    def receive(self) -> dict[str, Any] | None:
        """Return the worker's next message, or None if the worker died."""
        try:
            message = json.loads(self.fork.receive() or b"")
        except ValueError:
            return None
        return message if isinstance(message, dict) else None

    def stop(self) -> None:
        """Ask the worker to end, wait, and kill it if necessary."""
        self.fork.stop()
        self.journal.close()


def _time_allowed(job: Job) -> float:
    """Return the number of seconds for which a submission may occupy its worker."""
    try:
        return job.limits.wall_seconds + GRACE_SECONDS
    except DefinitionError:  # the worker reports the error
        return HIGHEST_LIMITS.wall_seconds


def _work(
    journal: Journal,
    core: int | None,
    open_sandbox: "Callable[..., Sandbox]",
    channel: Channel,
) -> None:
    """Run a worker: start a sandbox, give up rights, and grade jobs until told to stop."""
    from grader.sandbox.confine import confine_this_process

    gc.disable()  # until all is imported; imported objects are never collected
    if core is not None:
        with contextlib.suppress(OSError):  # some hosts refuse; any core works too
            os.sched_setaffinity(0, {core})
    os.chdir("/")  # the current directory may be deleted
    try:
        sandbox = open_sandbox()
    except SandboxFault as fault:
        _send(channel, {"no sandbox": str(fault)})
        return
    with sandbox:
        from grader.grading.session.engine import Engine  # see `preload` in `WorkerPool`

        gc.freeze()
        gc.enable()
        confine_this_process()
        _send(channel, {"ready": sandbox.backend_name})
        engine = Engine(sandbox)
        try:
            for message in receive_requests(channel):
                job: Job = pickle.loads(message)  # noqa: S301  the parent is trusted
                try:
                    result: Result = engine.grade(job, journal.record)
                except EtudeError as error:
                    result = error
                _report(channel, result)
        except Exception as error:  # noqa: BLE001  our bug: report it; the job is tried again
            _send(channel, {"fault": f"{type(error).__name__}: {error}"})
            with contextlib.suppress(OSError):  # there may be no stderr
                traceback.print_exc()


def _report(channel: Channel, result: Result) -> None:
    if isinstance(result, Verdict):
        _send(channel, {"verdict": full_data(result)})
    elif isinstance(result, DefinitionError):
        _send(channel, {"problems": result.data()})
    else:  # the sandbox may be broken; the parent replaces a worker that reports a fault
        _send(channel, {"fault": str(result)})


def _send(channel: Channel, message: dict[str, Any]) -> None:
    channel.send(json.dumps(message).encode())
