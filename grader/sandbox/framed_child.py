"""A child at the other end of a connection: frames of requests and answers."""

from abc import abstractmethod
from collections import deque
from collections.abc import Sequence

from grader.sandbox.answers import (
    CALL_BACK,
    Answer,
    Cause,
    ChildGoneError,
    ForgedError,
    read_answer,
    read_call_back,
)
from grader.sandbox.inside import wire
from grader.sandbox.interface import PLAINLY, Asking, Child, Exchange
from grader.sandbox.limits import ANSWERS_CAP

_Frame = tuple[bytearray, bytearray]
"""A header and a body."""


class FramedChild(Child):
    """A child that is sent frames and sends frames."""

    def __init__(self) -> None:
        self._requests = self._weight = 0
        self._repeated = deque[tuple[tuple[bytes, bytes], _Frame]]()

    @abstractmethod
    def _has_ended(self) -> bool:
        """Return whether the child has ended."""

    @abstractmethod
    def _send(self, pieces: list[bytes | memoryview]) -> None:
        """Send the pieces of a frame."""

    @abstractmethod
    def _receive(self, length: int) -> bytearray:
        """Return the next bytes."""

    def _ask(self, operation: str, *arguments: object, asking: Asking = PLAINLY) -> Answer:
        if self._has_ended():
            raise ChildGoneError(Cause.EXIT, "it has already ended")
        self.start()
        frame: _Frame | None = None
        if self._repeated:
            number = self._requests - len(self._repeated) + 1
            sent, frame = self._repeated.popleft()
            request = asking.request(number, (operation, *arguments))
            if _without_number(number, request[1], request[2:]) != sent:
                self._repeated.clear()  # an author's expression asked for something else before
                frame = None
        if frame is None:
            number = self._next_number()
            request = asking.request(number, (operation, *arguments))
            self._send(list(request))
            frame = self._next_frame()
        while True:
            tree = self._decoded(frame, asking.shared)
            if (called := read_call_back(tree)) is None:
                if self.exchanges is not None:
                    asked = _without_number(number, request[1], request[2:])
                    answer = _without_number(number, frame[0], [frame[1]])
                    self.exchanges.append(Exchange(asked, answer))
                return self._believed(tree, number, measured=asking.measure)
            self.exchanges = None  # what is called may do something else the next time
            if asking.peer is None:
                raise self._forged("a call of no function")
            try:
                answered = asking.peer.call_back(*called)
            except BaseException:
                self.end()  # it waits for an answer
                raise
            self._send(wire.encode(["given", *answered], asking.peer))
            frame = self._next_frame()

    def repeat(self, known: Sequence[Sequence[Exchange]]) -> int | None:
        """Send requests again; see `Child.repeat`."""
        if self._has_ended():
            return None
        self.start()
        self._repeated.clear()
        left = list(range(len(known)))
        for step in range(max(map(len, known))):
            number, request = self._next_number(), known[left[0]][step].request
            header = b'["l",%d%b' % (number, request[0])
            self._send([wire.prefix(len(header), len(request[1])) + header + request[1]])
            frame = self._next_frame()
            self._repeated.append((request, frame))
            answer = _without_number(number, frame[0], [frame[1]])
            left = [each for each in left if known[each][step].answer == answer]
            if not left:
                return None
            if len(known[left[0]]) == step + 1:
                break
        self._repeated.clear()
        return left[0]

    def _next_number(self) -> int:
        self._requests += 1
        return self._requests

    def _next_frame(self) -> _Frame:
        """Return the next message, which no one has looked at."""
        try:
            header, body = wire.lengths(self._receive(wire.PREFIX))
        except wire.MalformedError as error:
            raise self._forged(str(error)) from error
        self._weight += header + body
        if self._weight > ANSWERS_CAP:
            raise self._forged("answers of too many bytes")
        return self._receive(header), self._receive(body)

    def _decoded(self, frame: _Frame, shared: wire.Shared | None = None) -> object:
        header, body = frame
        if header.startswith(CALL_BACK):  # its objects are not those of the request
            shared = None
        try:
            return wire.decode(header, body, None, shared)
        except wire.MalformedError as error:
            raise self._forged(str(error)) from error

    def _believed(self, tree: object, number: int, *, measured: bool = False) -> Answer:
        """Return the answer in a message."""
        try:
            return read_answer(tree, number, measured=measured)
        except ForgedError as error:
            raise self._forged(str(error)) from error

    def _forged(self, message: str) -> ChildGoneError:
        self.end()
        return ChildGoneError(Cause.PROTOCOL, message)


def _without_number(
    number: int,
    header: bytes | bytearray | memoryview,
    body: Sequence[bytes | bytearray | memoryview],
) -> tuple[bytes, bytes]:
    """Return the header of a request or an answer behind its number, and the body."""
    return bytes(header).removeprefix(b'["l",%d' % number), b"".join(body)
