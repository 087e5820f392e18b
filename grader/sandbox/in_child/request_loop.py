"""The loop that answers requests about the one submission of this process."""

import faulthandler
import gc
import os
import signal
import socket
from typing import NoReturn

from . import wire
from .cpu_limit import SIGXCPU, CpuLimitHandler
from .operations import FILE_NAME
from .streams import Stdout
from .submission_server import SubmissionServer

_READ_AHEAD, _MAX_READ = 1 << 12, 1 << 20
_STDOUT = 1
_SIGPROF = int(signal.SIGPROF)
_HELD_UP = 0.7  # seconds after the limit; the handler needs less if it can run

# Sent when the child is isolated, before any code of the submission runs.
_GREETING = wire.encode([0, "ok", None])


class RequestLoop:
    """A server of requests about one submission, created in the zygote and used in a child."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._server = SubmissionServer(Stdout(_STDOUT, 0), self._ask)
        self._received = bytearray()

    def serve(self, output: int, output_cap: int, cpu_seconds: int) -> NoReturn:
        """Send the greeting, then answer requests until the trusted side closes the connection."""
        self._server.print_to(Stdout(output, output_cap))
        signal.signal(SIGXCPU, CpuLimitHandler(FILE_NAME, cpu_seconds, self._stop))
        # While C code runs, Python's handlers do not. Then a traceback is written to the output.
        faulthandler.register(_SIGPROF, output, all_threads=False)
        signal.setitimer(signal.ITIMER_PROF, cpu_seconds + _HELD_UP)
        gc.enable()
        self._connection.sendall(_GREETING)
        while True:
            self.answer_next()

    def answer_next(self) -> None:
        """Wait for a request and answer it. A small one takes one system call in each direction."""
        self._connection.sendall(self._server.answer(*self._next()))

    def _ask(self, frame: bytes) -> tuple[bytearray, bytearray]:
        self._connection.sendall(frame)
        return self._next()

    def _next(self) -> tuple[bytearray, bytearray]:
        header, body = wire.lengths(self._take(wire.PREFIX_BYTES))
        return self._take(header), self._take(body)

    def _stop(self, report: dict[str, object]) -> NoReturn:
        self._connection.sendall(self._server.stop_report(report))
        os._exit(0)

    def _take(self, length: int) -> bytearray:
        while len(self._received) < length:
            size = max(length - len(self._received), _READ_AHEAD)
            piece = self._connection.recv(min(size, _MAX_READ))
            if not piece:
                os._exit(0)  # the trusted side closed the connection
            self._received += piece
        taken = self._received[:length]
        del self._received[:length]
        return taken
