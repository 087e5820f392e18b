"""A confined, forked process that runs authors' code for its parent."""

import contextlib
import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias

from grader.errors import DefinitionError, EtudeError, GraderFault
from grader.sandbox.channel import Channel
from grader.sandbox.confine import confine_this_process
from grader.sandbox.fork import Fork, receive_requests
from grader.sandbox.printable import inert
from grader.sandbox.process import Sandbox

AnswerRequest: TypeAlias = Callable[[bytes, Sandbox], bytes]
"""A function that answers a request. It may raise a `DefinitionError` or a `GraderFault`."""

_ANSWER, _PROBLEMS, _FAULT = b"A", b"P", b"F"  # the first byte of each message of the process


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
        self,
        answer: AnswerRequest,
        open_sandbox: Callable[[], Sandbox],
        readable: Sequence[Path] = (),
    ) -> None:
        self._serve = partial(_serve, answer, open_sandbox, readable)
        self._fork = Fork(self._serve)

    def ask(self, request: bytes) -> bytes:
        """Return the answer to a request; see `receive`."""
        self.send(request)
        return self.receive()

    def send(self, request: bytes) -> None:
        """Send a request that is not empty, whose answer `receive` returns."""
        with contextlib.suppress(OSError):  # `receive` reports that the process is gone
            self._fork.channel.send(request)

    def receive(self) -> bytes:
        """Wait for the answer to the request that was sent.

        Raises:
            DefinitionError: The author's code cannot be run.
            GraderFault: There is no sandbox, or the process is gone.
        """
        message = self._fork.receive()
        if message is None:
            self._fork.stop()
            self._fork = Fork(self._serve)
            raise GraderFault("the process that runs authors' code has ended")
        kind, content = message[:1], message[1:]
        if kind == _ANSWER:
            return content
        if kind == _PROBLEMS:
            with contextlib.suppress(TypeError, ValueError, RecursionError):
                raise DefinitionError.from_data(json.loads(content), inert)
        raise GraderFault(inert(content.decode("utf-8", "replace")))

    def close(self) -> None:
        """End the process."""
        self._fork.stop()


def _serve(
    answer: AnswerRequest,
    open_sandbox: Callable[[], Sandbox],
    readable: Sequence[Path],
    channel: Channel,
) -> None:
    sandbox: Sandbox | None = None
    with contextlib.ExitStack() as stack:
        for request in receive_requests(channel):
            try:
                if sandbox is None:
                    opened = stack.enter_context(open_sandbox())
                    confine_this_process(readable)
                    sandbox = opened  # set only after the confinement succeeded
                reply = _ANSWER + answer(request, sandbox)
            except DefinitionError as error:
                reply = _PROBLEMS + json.dumps(error.data()).encode()
            except EtudeError as error:
                reply = _FAULT + str(error).encode()
            except Exception as error:  # noqa: BLE001  a bug of ours, reported to the parent
                reply = _FAULT + f"{type(error).__name__}: {error}".encode()
            channel.send(reply)
