"""The interface of a child: a place where one submission runs and answers requests.

In the sandbox it is a `ChildProcess`, and without one a `PortableChild`. In a browser, which is a
sandbox itself, it is a `PageChild` in the same process.
"""

import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

from grader.errors import SandboxFault
from grader.sandbox.answers import (
    Answer,
    Cause,
    ChildGoneError,
    ForgedError,
    read_answer,
    read_call_back,
)
from grader.sandbox.in_child import wire
from grader.sandbox.in_child.sharing import SHARES, Sharing
from grader.sandbox.limits import MAX_ANSWER_BYTES, Limits


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a child, with its resource usage as counted by the kernel."""

    status: int  # exit code, or the negative number of a signal
    cpu: float  # CPU time in seconds
    peak_kib: int  # peak memory in KiB


class Peer(wire.ObjectTable, Protocol):
    """The objects of the trusted side that are not plain data."""

    def call_back(self, number: int, args: list[Any], kwargs: dict[Any, Any]) -> list[object]:
        """Call a function on behalf of the submission; return a status and the value."""

    def change(self, own: Any, contents: Any, is_ours: bool) -> None:
        """Repeat on our object the change that the submission made to its copy."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """The encoding of one request and its answers: additional results, and objects.

    Args:
        with_usage: Whether to measure the call, see the answer's `usage`. This slows down a call
            that makes many allocations.
        with_warnings: Whether the value is `[value, warnings, bytes printed]`.
        watched: Filled with the containers and arrays of the request. The value is then
            `[value, changes]`.
        sharing: Our end of the sharing of objects, if objects are shared.
        peer: The keeper of objects that are not plain data.
    """

    with_usage: bool = False
    with_warnings: bool = False
    watched: wire.Shared | None = None
    sharing: Sharing | None = None
    peer: Peer | None = None

    def request(self, number: int, arguments: Sequence[object]) -> bytes:
        """Return the frame of a request."""
        options = {
            "usage": self.with_usage,
            "warnings": self.with_warnings,
            "changes": self.watched is not None,
        }
        request = [number, *(word for word, is_asked in options.items() if is_asked), *arguments]
        return self.message(request, self.watched)

    def message(self, payload: list[Any], watched: wire.Shared | None = None) -> bytes:
        """Return a frame for the submission."""
        if self.sharing is not None:
            return self.sharing.send(payload, self.peer)
        return wire.encode(payload, self.peer, watched)

    def decode(self, header: bytes | bytearray, body: bytes | bytearray) -> object:
        """Decode a message of the submission, and repeat its changes on our shared objects.

        Raises:
            MalformedError: The message is malformed.
        """
        if self.sharing is not None and self.peer is not None and header.startswith(SHARES):
            return self.sharing.receive(header, body, None, self.peer.change)
        return wire.decode(header, body)


PLAIN = Exchange()


class Child(ABC):
    """A place where one submission runs.

    Any method may raise `ChildGoneError` or `SandboxFault`.
    """

    limits: Limits

    @abstractmethod
    def start(self) -> None:
        """Wait until the child is ready, then start its wall clock."""

    def put_files(self, contents: Mapping[str, bytes]) -> Answer:
        """Provide read-only files: in the working folder, or in memory without such a folder."""
        return self.ask("put_files", dict(contents))

    def load(self, source: str, names: Sequence[str]) -> Answer:
        """Run the submission's source; on success, the value describes the names it defines."""
        return self.ask("load", source, list(names))

    def call(
        self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any], exchange: Exchange = PLAIN
    ) -> Answer:
        """Call one of the submission's functions with copies of the arguments."""
        return self.ask("call", name, list(args), dict(kwargs), exchange=exchange)

    @property
    @abstractmethod
    def output_size(self) -> int:
        """The number of bytes printed so far."""

    @abstractmethod
    def output(self, begin: int = 0, end: int | None = None) -> str:
        """Return the text printed between two values of `output_size`, by default all of it."""

    @property
    def output_full(self) -> bool:
        """True if the output has reached its limit."""
        return self.output_size >= self.limits.output

    @abstractmethod
    def end(self) -> Ending:
        """End the child with everything it started, and wait for it; may be called twice."""

    def end_forger(self, message: str) -> ChildGoneError:
        """End the child after an answer that is not valid, and return the error."""
        self.end()
        return ChildGoneError(Cause.PROTOCOL, message)

    @abstractmethod
    def close(self) -> None:
        """End the child and everything it started, without waiting; free its resources."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @abstractmethod
    def ask(self, operation: str, *arguments: object, exchange: Exchange = PLAIN) -> Answer:
        """Send a request and return its answer; see `OPERATIONS` in `in_child.operations`."""


class ChildFactory(Protocol):
    """A factory of children, one for each submission."""

    backend_name: str  # the name that a verdict gives

    def child(self, limits: Limits) -> Child:
        """Return a new child."""


class GradingSandbox(ChildFactory, Protocol):
    """A sandbox with the packages that exercises ask for."""

    packages: frozenset[str]  # modules that submissions may import besides NumPy


class FramedChild(Child):
    """A child that exchanges frames, see `in_child.wire`.

    Args:
        start_seconds: The number of seconds after which a start counts as failed.
    """

    def __init__(self, limits: Limits, start_seconds: float) -> None:
        self.limits = limits
        self._start_seconds = start_seconds
        self._deadline: float | None = None  # set by `start`, since the start is not counted
        self._ending: Ending | None = None
        self._received = bytearray()
        self._requests = self._answered_bytes = 0

    def start(self) -> None:
        """Wait until the child is ready, then start its wall clock.

        A failure before the child's first message is the sandbox's fault, since the submission has
        not run yet. A later failure is the submission's.
        """
        if self._deadline is not None:
            return
        self._deadline = time.monotonic() + self._start_seconds
        try:
            self._verify_answer(self._next_message(PLAIN), 0)
        except ChildGoneError as error:
            raise SandboxFault(f"{self._not_ready}: {error}") from error
        self._deadline = time.monotonic() + self.limits.wall_seconds

    @property
    @abstractmethod
    def _not_ready(self) -> str:
        """The message of the fault for a child that does not start."""

    @property
    def _remaining_seconds(self) -> float:
        """The seconds until the deadline; negative after it."""
        return (self._deadline or 0) - time.monotonic()

    def _take(self, length: int) -> bytearray:
        """Remove bytes from the buffer of received bytes and return them."""
        taken = self._received[:length]
        del self._received[:length]
        return taken

    def _exit_error(self, status: int) -> ChildGoneError:
        """Return the error for an exit status, in which a negative number is a signal."""
        if status >= 0:
            return ChildGoneError(Cause.EXIT, str(status))
        names = {each.value: each.name for each in signal.Signals}  # lacks real-time signals
        return ChildGoneError(Cause.SIGNAL, names.get(-status, f"signal {-status}"))

    @abstractmethod
    def _send(self, frame: bytes) -> None:
        """Send a frame."""

    @abstractmethod
    def _receive(self, length: int) -> bytearray:
        """Return the next bytes."""

    def ask(self, operation: str, *arguments: object, exchange: Exchange = PLAIN) -> Answer:
        """Send a request and return its answer; see `Child.ask`."""
        if self._ending is not None:
            raise ChildGoneError(Cause.EXIT, "it has already ended")
        self.start()
        self._requests += 1
        number = self._requests
        self._send(exchange.request(number, (operation, *arguments)))
        while True:
            tree = self._next_message(exchange)
            if (called := read_call_back(tree)) is None:
                return self._verify_answer(tree, number, with_usage=exchange.with_usage)
            if exchange.peer is None:
                raise self.end_forger("a call of no function")
            try:
                answered = exchange.peer.call_back(*called)
            except BaseException:
                self.end()  # the child is still waiting for an answer
                raise
            self._send(exchange.message(["returned", *answered]))

    def _next_message(self, exchange: Exchange) -> object:
        """Receive a message of the submission and decode it."""
        try:
            header, body = wire.lengths(self._receive(wire.PREFIX_BYTES))
            self._answered_bytes += header + body
            if self._answered_bytes > MAX_ANSWER_BYTES:
                raise self.end_forger("answers of too many bytes")
            return exchange.decode(self._receive(header), self._receive(body))
        except wire.MalformedError as error:
            raise self.end_forger(str(error)) from error

    def _verify_answer(self, tree: object, number: int, *, with_usage: bool = False) -> Answer:
        """Return the answer in a message."""
        try:
            return read_answer(tree, number, with_usage=with_usage)
        except ForgedError as error:
            raise self.end_forger(str(error)) from error
