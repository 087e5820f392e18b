"""The loop that answers requests about one submission through pipes, on any system.

The submission has all rights of its user, so this is only for a learner's own code.
"""

import io
import os
import sys
from typing import NoReturn

from . import wire
from .operations import hide_launcher
from .streams import Stdout
from .submission_server import SubmissionServer

# Sent when the process is ready, before any code of the submission runs.
_GREETING = wire.encode([0, "ok", None])


class _Pipes:
    """The two pipes, moved away from standard input and output."""

    def __init__(self) -> None:
        self._requests = os.fdopen(os.dup(0), "rb")
        self._answers = os.fdopen(os.dup(1), "wb")
        nowhere = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1):
            os.dup2(nowhere, standard)
        sys.stdin = io.StringIO()

    def send(self, frame: bytes) -> None:
        self._answers.write(frame)
        self._answers.flush()

    def next(self) -> tuple[bytes, bytes]:
        header, body = wire.lengths(self._take(wire.PREFIX_BYTES))
        return self._take(header), self._take(body)

    def ask(self, frame: bytes) -> tuple[bytes, bytes]:
        self.send(frame)
        return self.next()

    def _take(self, length: int) -> bytes:
        data = self._requests.read(length)
        if len(data) < length:
            os._exit(0)  # the trusted side closed the pipe
        return data


def main(output: str, cap: int) -> NoReturn:
    """Send the greeting, then answer requests until the pipe is closed.

    Args:
        output: The path of the file for the submission's output.
        cap: The maximum size of this file in bytes.
    """
    pipes = _Pipes()
    file = open(output, "wb", buffering=0)  # noqa: SIM115, PTH123  open until the process ends
    server = SubmissionServer(Stdout(file.fileno(), cap), pipes.ask)
    server.print_to(Stdout(file.fileno(), cap))
    hide_launcher(os.getcwd())  # noqa: PTH109  no pathlib in here
    pipes.send(_GREETING)
    while True:
        pipes.send(server.answer(*pipes.next()))
