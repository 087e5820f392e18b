"""A submission's place to run in the page: the same process, since the browser is the sandbox.

Requests and answers go through the same code as in the sandbox, and encoded as there, so that
types, copies, errors and the cap on what is printed are the same.
"""

import contextlib
import io
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from grader.browser.apart import Apart
from grader.sandbox.answers import (
    Answer,
    Cause,
    ChildGoneError,
    ForgedError,
    Raised,
    read_answer,
)
from grader.sandbox.inside import wire
from grader.sandbox.inside.serving import Output, Server
from grader.sandbox.interface import Child, Ending
from grader.sandbox.limits import ANSWERS_CAP, Limits
from grader.sandbox.printable import printable

_TOO_LARGE: Final = (
    "array is too big",
    "cannot fit 'int' into an index-sized integer",
    "iterator is too large",
    "Maximum allowed dimension exceeded",
    "Maximum allowed size exceeded",
)


class _InMemory(Output):
    """Output that is kept here."""

    def __init__(self, cap: int) -> None:
        super().__init__(cap)
        self.data = bytearray()

    @property
    def position(self) -> int:
        return len(self.data)

    def put(self, data: bytes) -> None:
        self.data += data


class PageChild(Child):
    """One submission in this process; no other may be at work meanwhile."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._output = _InMemory(limits.output)
        self._server = Server(self._output)
        self._apart = Apart()
        self._requests = self._weight = 0

    def start(self) -> None:
        """Do nothing: it is ready, and its page watches the clock."""

    @property
    def printed(self) -> int:
        """How many bytes have been printed so far."""
        return len(self._output.data)

    @property
    def lost(self) -> int:
        """How many bytes more were printed, beyond the cap."""
        return self._output.lost

    def forget_output(self) -> None:
        """Begin anew with what is printed, as with a new cell of a lesson."""
        self._output = _InMemory(self.limits.output)

    def output(self, begin: int, end: int) -> str:
        """Return what was printed between two values of `printed`."""
        return printable(self._output.data[begin:end].decode("utf-8", "replace"), keep="\n\t")

    def end(self) -> Ending:
        """Forget the submission. What it used is not counted here."""
        self.close()
        return Ending(0, 0.0, 0)

    def close(self) -> None:
        """Forget the submission."""
        self._apart.forget()

    def _ask(self, operation: str, *arguments: object, measure: bool = False) -> Answer:
        self._requests += 1
        request = (operation, *arguments)
        frame = wire.encode([self._requests, *(("measure", *request) if measure else request)])
        answer = self._answer(*_parts(frame))
        try:
            header, body = _parts(answer)
            self._weigh(header, body)
            answered = read_answer(wire.decode(header, body), self._requests, measured=measure)
        except (wire.MalformedError, ForgedError) as error:
            raise ChildGoneError(Cause.PROTOCOL, str(error)) from error
        return _without_memory(answered) if isinstance(answered, Raised) else answered

    def _answer(self, header: bytes, body: bytes) -> list[bytes | memoryview]:
        """Have a request answered; what would end a process of its own is an end here too."""
        try:
            with self._in_its_hands():
                return self._server.answer(header, body)
        except BaseException as error:
            raise ChildGoneError(Cause.EXIT, type(error).__name__) from error

    @contextlib.contextmanager
    def _in_its_hands(self) -> Iterator[None]:
        """Give the submission all that it would have to itself, for the time of a request."""
        streams = sys.stdin, sys.stdout, sys.stderr
        self._apart.enter()
        try:
            sys.stdin = io.StringIO()
            self._server.print_to(self._output)
            yield
        finally:
            sys.stdin, sys.stdout, sys.stderr = streams
            self._apart.leave()

    def _weigh(self, header: bytes, body: bytes) -> None:
        self._weight += len(header) + len(body)
        if self._weight > ANSWERS_CAP:
            raise wire.MalformedError("answers of too many bytes")


class InPage:
    """Gives children in this process."""

    def child(self, limits: Limits) -> PageChild:
        """Return a child that has run nothing yet; the one before it must be done."""
        return PageChild(limits)


def _without_memory(raised: Raised) -> Raised:
    """Take sizes beyond 32 bits, which Python counts with in a browser, for want of memory."""
    if not raised.message.startswith(_TOO_LARGE):
        return raised
    return replace(raised, bases=(*raised.bases, MemoryError.__name__))


def _parts(frame: list[bytes | memoryview]) -> tuple[bytes, bytes]:
    """Return header and body of a frame.

    Raises:
        MalformedError: it is over the caps.
    """
    prefix, header, *body = map(bytes, frame)
    wire.lengths(prefix)
    return header, b"".join(body)
