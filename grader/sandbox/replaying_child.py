"""A child whose recorded requests can be sent again to another one."""

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, TypeAlias

from grader.sandbox.inside import wire
from grader.sandbox.interface import Frame, FramedChild, RequestMode
from grader.sandbox.limits import Limits

_Message: TypeAlias = tuple[bytes, bytes]
"""A header without the number of its request, and a body."""

_OBJECTS: Final = (b'["h",', b'["f",', b'["k",')  # tags of handles, which one child alone knows


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its answer."""

    request: _Message
    answer: _Message

    @property
    def is_repeatable(self) -> bool:
        """True if it was answered, not by a callback, and only plain data crossed."""
        # Quotes inside JSON strings are escaped, so these bytes can only be a tag.
        headers = self.request[0], self.answer[0]
        is_answer = self.answer[0].startswith(b",")
        return is_answer and not any(tag in header for header in headers for tag in _OBJECTS)

    @property
    def size(self) -> int:
        """The size of both messages in bytes."""
        return sum(map(len, self.request + self.answer))


class ReplayingChild(FramedChild):
    """A child that records exchanges, and can be sent the requests of recorded ones."""

    def __init__(self, limits: Limits, start_seconds: float) -> None:
        super().__init__(limits, start_seconds)
        self._record: list[Exchange] | None = None
        # The number, the request and the answer of each replayed request that was not asked yet.
        self._ahead = deque[tuple[int, _Message, Frame]]()

    def replay(self, exchanges: Sequence[Exchange]) -> bool:
        """Send recorded requests again; return whether all answers are the recorded ones.

        If one is not, the requests that are asked next get the answers that have come.
        """
        if self._ending is not None:
            return False
        self.start()
        for exchange in exchanges:
            number = self._next_number()
            header, body = exchange.request
            header = b'["l",%d%b' % (number, header)
            self._send([wire.prefix(len(header), len(body)) + header + body])
            frame = self._next_frame()
            self._ahead.append((number, exchange.request, frame))
            if _without_number(number, *frame) != exchange.answer:
                return False
        self._ahead.clear()
        return True

    @contextmanager
    def recording(self) -> Iterator[list[Exchange]]:
        """Record all exchanges until the context ends; none if one of them cannot be repeated."""
        exchanges: list[Exchange] = []
        self._record = exchanges
        try:
            yield exchanges
        finally:
            self._record = None
            self._ahead.clear()

    def _exchange(self, mode: RequestMode, words: Sequence[object]) -> tuple[int, Frame]:
        if self._record is None:
            return super()._exchange(mode, words)
        ahead = self._take_ahead(mode, words)
        if ahead is None:
            number = self._next_number()
            request = mode.request(number, words)
            message = _without_number(number, *request[1:])
            self._send(request)
            frame = self._next_frame()
        else:
            number, message, frame = ahead
        if self._record is not None:  # encoding an object asks about it, which may end the record
            exchange = Exchange(message, _without_number(number, *frame))
            self._record.append(exchange)
            if not exchange.is_repeatable:
                self._record.clear()
                self._record = None
        return number, frame

    def _take_ahead(
        self, mode: RequestMode, words: Sequence[object]
    ) -> tuple[int, _Message, Frame] | None:
        """Return the next replayed request and its answer, if it is the one that is asked."""
        if self._ahead:
            number, sent, _ = ahead = self._ahead.popleft()
            if _without_number(number, *mode.request(number, words)[1:]) == sent:
                return ahead
            self._ahead.clear()  # the author's expression made another request this time
        return None


def _without_number(
    number: int, header: bytes | bytearray | memoryview, *body: bytes | bytearray | memoryview
) -> _Message:
    return bytes(header).removeprefix(b'["l",%d' % number), b"".join(body)
