"""The grading process: a pool of workers behind one connection, without credentials or threads.

The process is started before a service reads any secret, and with a reduced environment. So
neither authors' code in its workers nor a submission in a sandbox can find a secret. It is run as
`python -m grader.grading.workers.grading_process_main DESCRIPTOR WORKERS`.
"""

import json
import os
import pickle
import signal
import socket
import sys
from multiprocessing.connection import wait
from typing import Any

from grader.errors import DefinitionError, SandboxFault
from grader.grading.jobs import Job
from grader.grading.results.verdict import Verdict
from grader.grading.results.verdict_json import verdict_data
from grader.grading.workers.pool import JobSource, WorkerPool
from grader.sandbox.channel import Channel
from grader.sandbox.process import open_sandbox


class _Inbox(JobSource):
    """The jobs that are received over the connection, each with its id as the tag."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self.wake = channel.fileno()
        self.is_closed = False

    def job_for(self, worker: int) -> Job | None:  # noqa: ARG002  every worker gets the same jobs
        """Return the next job if one has arrived, otherwise None."""
        if self.is_closed or not self._channel.is_ready():
            return None
        message = self._channel.receive()
        if message is None:
            self.is_closed = True
            return None
        job: Job = pickle.loads(message)  # noqa: S301  the parent is trusted
        return job


def main(descriptor: int, workers: int) -> int:
    """Grade jobs until the connection is closed; report over it if there is no sandbox."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    channel = Channel(socket.socket(fileno=descriptor))
    inbox = _Inbox(channel)

    def send(message: dict[str, Any]) -> None:
        channel.send(json.dumps(message).encode())

    try:
        with WorkerPool(workers, open_sandbox) as pool:
            while not inbox.is_closed:
                wait([descriptor])
                for job, result in pool.grade(inbox):
                    reply: dict[str, Any]
                    if isinstance(result, Verdict):
                        reply = {"verdict": verdict_data(result)}
                    elif isinstance(result, DefinitionError):
                        reply = {"problems": result.data()}
                    else:
                        reply = {"fault": str(result)}
                    send({"job": job.tag, **reply})
    except SandboxFault as fault:
        send({"no sandbox": str(fault)})
        return 3
    except (BrokenPipeError, ConnectionResetError):
        return 0  # the parent closed the connection
    return 0


if __name__ == "__main__":
    status = main(int(sys.argv[1]), int(sys.argv[2]))
    sys.stdout.flush()
    os._exit(status)  # faster, since nothing here needs an exit handler
