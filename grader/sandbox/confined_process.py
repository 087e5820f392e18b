"""A confined, forked process that runs authors' code for its parent."""

import contextlib
import gc
import json
import multiprocessing
import signal
from collections.abc import Callable, Sequence
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TypeAlias

from grader.errors import DefinitionError, EtudeError, GraderFault
from grader.sandbox.confine import confine_this_process, leave_parent
from grader.sandbox.inside import syscalls
from grader.sandbox.limits import MAX_WORKER_OUTPUT_BYTES
from grader.sandbox.output_file import OutputFile
from grader.sandbox.printable import inert
from grader.sandbox.process import Sandbox

Answer: TypeAlias = Callable[[bytes, Sandbox], bytes]
"""A function that answers a request. It may raise a `DefinitionError` or a `GraderFault`."""

_FORK = multiprocessing.get_context("fork")
_MAX_MESSAGE_BYTES = 64 << 20  # bytes of one answer, in case the process is compromised

# The first byte of each message, to the process and from it.
_END, _ASK = b"E", b"A"
_ANSWER, _PROBLEMS, _FAULT = b"A", b"P", b"F"


class ConfinedProcess:
    """A process that starts a sandbox at its first request, and is confined from then on.

    Its messages are read only as data, since authors' code may have compromised it. If it ends
    early, the next request goes to a new process.

    Args:
        answer: Called in the process for each request.
        open_sandbox: Called in the process to start its sandbox.
        readable: Further files and folders that the confined process may read.
    """

    def __init__(
        self, answer: Answer, open_sandbox: Callable[[], Sandbox], readable: Sequence[Path] = ()
    ) -> None:
        self._answer = answer
        self._open_sandbox = open_sandbox
        self._readable = readable
        self._start()

    def _start(self) -> None:
        self._connection, theirs = _FORK.Pipe()
        self._output = OutputFile(MAX_WORKER_OUTPUT_BYTES)
        serve = partial(_serve, theirs, self._connection, self._output)
        arguments = (self._answer, self._open_sandbox, self._readable)
        self._process = _FORK.Process(target=serve, args=arguments, daemon=True)
        self._process.start()
        theirs.close()

    def ask(self, request: bytes) -> bytes:
        """Return the answer to a request; see `receive`."""
        self.send(request)
        return self.receive()

    def send(self, request: bytes) -> None:
        """Send a request, whose answer `receive` returns."""
        with contextlib.suppress(OSError):  # `receive` reports that the process is gone
            self._connection.send_bytes(_ASK + request)

    def receive(self) -> bytes:
        """Wait for the answer to the request that was sent.

        Raises:
            DefinitionError: The author's code cannot be run.
            GraderFault: There is no sandbox, or the process is gone.
        """
        try:
            message = self._connection.recv_bytes(_MAX_MESSAGE_BYTES)
        except (EOFError, OSError) as error:
            self.close()
            self._start()
            raise GraderFault("the process that runs authors' code has ended") from error
        self._output.echo()
        kind, content = message[:1], message[1:]
        if kind == _ANSWER:
            return content
        if kind == _PROBLEMS:
            with contextlib.suppress(TypeError, ValueError, RecursionError):
                raise DefinitionError.from_data(json.loads(content), inert)
        raise GraderFault(inert(content.decode("utf-8", "replace")))

    def close(self) -> None:
        """End the process."""
        with contextlib.suppress(OSError):
            self._connection.send_bytes(_END)
        self._connection.close()
        self._process.join(2)
        self._process.kill()
        self._process.join()
        self._process.close()
        self._output.echo()
        self._output.close()


def _serve(
    connection: Connection,
    parents: Connection,
    output: OutputFile,
    answer: Answer,
    open_sandbox: Callable[[], Sandbox],
    readable: Sequence[Path],
) -> None:
    gc.freeze()  # finalizers of the parent's garbage would close descriptors of this process
    # Two ways to end with the parent: while idle by the closed connection, while busy by a signal.
    parents.close()
    syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
    leave_parent({connection.fileno()}, output.descriptor)
    sandbox: Sandbox | None = None
    with contextlib.ExitStack() as stack, contextlib.suppress(EOFError, BrokenPipeError):
        while (message := connection.recv_bytes()) != _END:
            try:
                if sandbox is None:
                    opened = stack.enter_context(open_sandbox())
                    confine_this_process(readable)
                    sandbox = opened  # set only after the confinement succeeded
                reply = _ANSWER + answer(message[1:], sandbox)
            except DefinitionError as error:
                reply = _PROBLEMS + json.dumps(error.data()).encode()
            except EtudeError as error:
                reply = _FAULT + str(error).encode()
            except Exception as error:  # noqa: BLE001  a bug of ours, reported to the parent
                reply = _FAULT + f"{type(error).__name__}: {error}".encode()
            connection.send_bytes(reply)
