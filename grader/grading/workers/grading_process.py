"""The grading process of a service or a notebook, which takes jobs and returns futures.

Any thread may submit jobs. If the process dies, each job that it had in hand is a suspect: it is
graded again alone, so that a submission that kills the process does not harm others. After three
tries the job ends in a grader fault.
"""

import contextlib
import json
import os
import pickle
import socket
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Self

from grader.errors import DefinitionError, GraderFault, SandboxFault
from grader.grading.jobs import Job
from grader.grading.results.verdict_json import verdict_from_data
from grader.grading.workers.pool import MAX_TRIES
from grader.sandbox.channel import Channel
from grader.sandbox.limits import ONE_BLAS_THREAD
from grader.sandbox.printable import inert

if TYPE_CHECKING:
    from grader.grading.results.verdict import Verdict

# The only environment variables that the grading process gets: nothing with an address or a
# password of the service.
_ENVIRONMENT: Final = frozenset(
    ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "VIRTUAL_ENV", "PYTHONPATH")
)

# Niceness 5 is a third of the normal scheduling weight, or a quarter of a core that it shares with
# one other process. It must not be less, since the wall-clock limit of a submission is only about
# three times its CPU limit.
_NICENESS: Final = 5
_MAX_NICENESS: Final = 19  # the highest value that Linux knows

_CLOSED: Final = "the grading process is closed"

DRAIN_SECONDS: Final = 2.0
"""Seconds that a stopping service waits for jobs in hand. Other jobs are graded after a restart."""

_END_SECONDS: Final = 1.0  # time for an idle process to end by itself, before it is killed


@dataclass(slots=True)
class _PendingJob:
    """A job that is not finished, with the number of times that the process died on it."""

    job: Job
    future: "Future[Verdict]"
    deaths: int = 0


class GradingProcess:
    """The grading process. Use as a context manager, and create it before any secret is read.

    Args:
        workers: The number of submissions that are graded at once.
        stderr: The descriptor for the log of the process; by default our own stderr.
    """

    def __init__(self, workers: int, stderr: int | None = None) -> None:
        self.workers = workers
        self._stderr = stderr
        self._changed = threading.Condition()  # guards all of the following
        self._pending_jobs: dict[int, _PendingJob] = {}
        self._unsent: deque[int] = deque()
        self._in_flight: set[int] = set()
        self._last_job_id = 0
        self._is_closed = False
        self._unavailable_reason: str | None = None
        self._channel, self._process = self._start()
        threading.Thread(target=self._send_all, name="grading-sender", daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """The process id of the grading process."""
        return self._process.pid

    @property
    def unavailable_reason(self) -> str | None:
        """The reason why this host cannot grade anything, or None."""
        return self._unavailable_reason

    def grade(self, job: Job) -> "Future[Verdict]":
        """Grade a job.

        Returns:
            A future with the verdict, a `DefinitionError` or a `GraderFault`. A `SandboxFault` is a
            fault of this host, independent of the job.
        """
        future: Future[Verdict] = Future()
        with self._changed:
            if self._is_closed or self._unavailable_reason is not None:
                future.set_exception(SandboxFault(self._unavailable_reason or _CLOSED))
                return future
            self._last_job_id += 1
            self._pending_jobs[self._last_job_id] = _PendingJob(job, future)
            self._unsent.append(self._last_job_id)
            self._changed.notify_all()
        return future

    def close(self) -> None:
        """End the process; unfinished jobs get a `SandboxFault` and are graded later."""
        with self._changed:
            if self._is_closed:
                return
            self._is_closed = True
            self._channel.shut_down()
            self._changed.notify_all()
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()  # its workers end too, by PR_SET_PDEATHSIG
            self._process.wait()
        self._give_up(_CLOSED)

    def _start(self) -> "tuple[Channel, subprocess.Popen[bytes]]":
        ours, theirs = socket.socketpair()
        environment = {name: value for name, value in os.environ.items() if name in _ENVIRONMENT}
        with theirs:
            command = [
                "-m",
                "grader.grading.workers.grading_process_main",
                str(theirs.fileno()),
                str(self.workers),
            ]
            process = subprocess.Popen(  # noqa: S603  our own module
                [sys.executable, "-P", *command],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stderr=self._stderr,
                # Its workers are forks, in which BLAS would start its threads again. After
                # `confine` a worker may not start threads.
                env={**environment, **ONE_BLAS_THREAD},
            )
        # Its children inherit the lower priority, so that the service keeps answering requests.
        niceness = min(os.getpriority(os.PRIO_PROCESS, 0) + _NICENESS, _MAX_NICENESS)
        os.setpriority(os.PRIO_PROCESS, process.pid, niceness)
        channel = Channel(ours)
        threading.Thread(
            target=self._listen, args=(channel,), name="grading-listener", daemon=True
        ).start()
        return channel, process

    def _send_all(self) -> None:
        """Send jobs. This runs in a thread of its own, since sending may block."""
        while True:
            with self._changed:
                while not self._may_send():
                    if self._is_closed or self._unavailable_reason is not None:
                        return
                    self._changed.wait()
                job_id = self._unsent.popleft()
                self._in_flight.add(job_id)
                channel, job = self._channel, self._pending_jobs[job_id].job
            with contextlib.suppress(OSError):  # the listener also finds the connection broken
                channel.send(pickle.dumps(replace(job, tag=job_id)))

    def _may_send(self) -> bool:
        """Return whether a job waits that may be sent now: a suspect is graded alone."""
        next_jobs = [*self._in_flight, *[*self._unsent][:1]]
        is_alone = any(self._pending_jobs[job_id].deaths for job_id in next_jobs)
        return bool(self._unsent) and not (is_alone and self._in_flight)

    def _listen(self, channel: Channel) -> None:
        """Receive results until the connection breaks; then start another process."""
        while (data := channel.receive()) is not None:
            message = json.loads(data)
            if "no sandbox" in message:
                self._unavailable_reason = str(message["no sandbox"])
                break
            with self._changed:
                pending = self._pending_jobs.pop(message["job"])
                self._in_flight.discard(message["job"])
                self._changed.notify_all()
            _settle(pending.future, pending.job, message)
        channel.close()
        # The process has died, or there is no sandbox on this host.
        if self._unavailable_reason is not None:
            with self._changed:
                self._changed.notify_all()
            self._give_up(self._unavailable_reason)
            return
        self._process.wait()
        with self._changed:
            if self._is_closed:
                return
            self._channel, self._process = self._start()
            lost: list[Future[Verdict]] = []
            # Each becomes a suspect, up to `MAX_TRIES` times. The first is sent first again.
            for job_id in sorted(self._in_flight, reverse=True):
                pending = self._pending_jobs[job_id]
                pending.deaths += 1
                if pending.deaths < MAX_TRIES:
                    self._unsent.appendleft(job_id)
                else:
                    lost.append(self._pending_jobs.pop(job_id).future)
            self._in_flight.clear()
            self._changed.notify_all()
        for future in lost:
            reason = f"given up after {MAX_TRIES} tries: the grading process died"
            future.set_exception(GraderFault(reason))

    def _give_up(self, reason: str) -> None:
        with self._changed:
            unfinished = [pending.future for pending in self._pending_jobs.values()]
            self._pending_jobs.clear()
            self._unsent.clear()
            self._in_flight.clear()
        for future in unfinished:
            future.set_exception(SandboxFault(reason))


def _settle(future: "Future[Verdict]", job: Job, message: Mapping[str, Any]) -> None:
    if "problems" in message:
        future.set_exception(DefinitionError.from_data(message["problems"], inert))
    elif "verdict" in message:
        verdict = verdict_from_data(message["verdict"])
        asked = (job.exercise.digest, job.submission.digest)
        if (verdict.exercise_hash, verdict.submission_hash) == asked:
            future.set_result(verdict)
        else:
            future.set_exception(GraderFault("the grading process answered for another submission"))
    else:
        future.set_exception(GraderFault(str(message.get("fault"))))
