"""The control connection to a zygote; answers come in the order of the requests."""

import json
import socket
from collections.abc import Callable, Sequence
from typing import Any

from grader.errors import SandboxFault
from grader.sandbox.limits import CONTROL_SECONDS

_LONGEST_MESSAGE = 1 << 16


class Control:
    """The trusted side's end of the connection.

    Args:
        connection: a SEQPACKET socket; closed by `close`.
        name: the backend's, for errors.
        last_words: returns why the zygote has ended.
    """

    def __init__(self, connection: socket.socket, name: str, last_words: Callable[[], str]) -> None:
        self.name = name
        self._connection = connection
        self._last_words = last_words
        self._sent = self._answered = 0
        self._answers: dict[int, dict[str, Any]] = {}
        self._unwanted: set[int] = set()

    def close(self) -> None:
        """Close the connection, which ends the zygote."""
        self._connection.close()

    def send(self, request: bytes, descriptors: Sequence[int] = ()) -> int:
        """Send a request (see `grader.sandbox.inside.zygote`), do not wait.

        Returns:
            the request's number, for `answer`.

        Raises:
            SandboxFault: the zygote is gone.
        """
        try:
            socket.send_fds(self._connection, [request], descriptors)
        except OSError as error:
            raise SandboxFault(f"the {self.name} sandbox is gone: {error}") from error
        self._sent += 1
        return self._sent

    def answer(self, number: int) -> dict[str, Any]:
        """Wait for the answer to a request.

        Raises:
            SandboxFault: the zygote is gone, or too slow.
        """
        while number not in self._answers:
            message = self.receive(CONTROL_SECONDS)
            self._answered += 1
            if self._answered in self._unwanted:
                self._unwanted.discard(self._answered)
            else:
                self._answers[self._answered] = message
        return self._answers.pop(number)

    def disregard(self, number: int) -> None:
        """Drop the answer to a request when it comes."""
        if self._answers.pop(number, None) is None:
            self._unwanted.add(number)

    def receive(self, seconds: float) -> dict[str, Any]:
        """Wait for the next message.

        Raises:
            SandboxFault: none came in time, or the zygote is gone.
        """
        try:
            self._connection.settimeout(seconds)
            message = self._connection.recv(_LONGEST_MESSAGE)
        except TimeoutError as error:
            slow = f"the {self.name} sandbox did not answer in {seconds:g} s"
            raise SandboxFault(slow) from error
        except OSError as error:
            raise SandboxFault(f"the {self.name} sandbox is gone: {error}") from error
        if not message:
            raise SandboxFault(f"the {self.name} sandbox ended: {self._last_words()}")
        answer: dict[str, Any] = json.loads(message)
        return answer
