"""The grading process: a pool of workers behind one connection, without credentials or threads.

It is started before the service reads any secret, with an environment of its own, so that neither
an author's code in its workers nor a submission in their sandboxes has anything to find. Run as
`python -m grader.grading.workers.pool_process DESCRIPTOR WORKERS`.
"""

import functools
import json
import os
import pickle
import signal
import sys
from multiprocessing.connection import Connection
from typing import Any

from grader.errors import DefinitionError, SandboxFault
from grader.grading.results.jobs import Job
from grader.grading.results.verdict import Verdict
from grader.grading.results.verdict_json import verdict_data
from grader.grading.session.lru_cache import MAX_EXERCISES
from grader.grading.workers.pool import JobSource, Pool
from grader.sandbox.process import open_sandbox


class _Inbox(JobSource):
    """Jobs as they are received, each with a number."""

    def __init__(self, line: Connection) -> None:
        self._line = self.wake = line
        self.is_closed = False
        self._exercise = functools.lru_cache(MAX_EXERCISES)(pickle.loads)  # from our parent
        self._numbers: dict[int, tuple[Job, int]] = {}  # by the identity of the job, kept alive

    def wait(self) -> None:
        """Wait until there is a job, or the connection is closed."""
        try:
            self._line.poll(None)
        except OSError:
            self.is_closed = True

    def job_for(self, worker: int) -> Job | None:  # noqa: ARG002  any worker may do it
        """Return the next job if one has come."""
        try:
            if self.is_closed or not self._line.poll():
                return None
            message = self._line.recv_bytes()
        except (EOFError, OSError):
            self.is_closed = True
            return None
        number, definition, *rest = pickle.loads(message)  # noqa: S301  from our parent
        job = Job(self._exercise(definition), *rest)
        self._numbers[id(job)] = (job, number)
        return job

    def pop_number(self, job: Job) -> int:
        """Return the number of a job that is done."""
        return self._numbers.pop(id(job))[1]


def main(descriptor: int, workers: int) -> int:
    """Grade jobs until the connection is closed; report over it if nothing can be graded here."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then hangs up
    with Connection(descriptor) as line:
        inbox = _Inbox(line)
        try:
            with Pool(workers, open_sandbox) as pool:
                while not inbox.is_closed:
                    inbox.wait()
                    for job, result in pool.grade(inbox):
                        reply: dict[str, Any]
                        if isinstance(result, Verdict):
                            reply = {"verdict": verdict_data(result)}
                        elif isinstance(result, DefinitionError):
                            reply = {"definition": str(result)}
                        else:
                            reply = {"fault": str(result)}
                        _say(line, {"number": inbox.pop_number(job), **reply})
        except SandboxFault as fault:
            _say(line, {"no sandbox": str(fault)})
            return 3
        except (BrokenPipeError, ConnectionResetError):
            return 0  # the parent has hung up
    return 0


def _say(line: Connection, message: dict[str, Any]) -> None:
    line.send_bytes(json.dumps(message).encode())


if __name__ == "__main__":
    status = main(int(sys.argv[1]), int(sys.argv[2]))
    sys.stdout.flush()
    os._exit(status)  # nothing here has an ending of its own to wait for
