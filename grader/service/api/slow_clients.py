"""Connections that are not held open for nothing: a client sends and takes in, or is hung up on.

Each connection is a file of the server's, and it has only so many. Uvicorn closes one on which
nothing comes after an answer; how long a request's head takes, or an answer that is not taken, it
leaves open.
"""

import asyncio
import socket
from functools import partial
from typing import Any, Final, cast

from uvicorn.protocols.http.h11_impl import H11Protocol

_UNSENT: Final[int | None] = getattr(socket, "TCP_NOTSENT_LOWAT", None)  # Linux has it, and macOS
_PROGRESS: Final = 64 << 10  # bytes of an answer that show that somebody takes it


def impatient(seconds: float) -> type[asyncio.Protocol]:
    """Return what uvicorn is to make of each connection.

    Args:
        seconds: for which a request's head may be on its way, or what is left of a body that was
            answered before its end; and in which some of an answer has to be taken.
    """
    return cast("type[asyncio.Protocol]", partial(_Impatient, seconds=seconds))


class _Impatient(H11Protocol):
    def __init__(self, *given: Any, seconds: float, **named: Any) -> None:  # noqa: ANN401  uvicorn's
        super().__init__(*given, **named)
        self._seconds = seconds
        # Each runs while the client has to do that, and nothing else is waited for.
        self._sending: asyncio.TimerHandle | None = None
        self._taking: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
        super().connection_made(transport)
        transport.set_write_buffer_limits(0)  # or the last of an answer would not pause
        if _UNSENT is not None:  # or the kernel would take megabytes, and say nothing for as long
            line = transport.get_extra_info("socket")
            line.setsockopt(socket.IPPROTO_TCP, _UNSENT, _PROGRESS)
        self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._expect_nothing()
        self.resume_writing()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        # While a request is being answered its body is the application's to wait for.
        if self.cycle is None or self.cycle.response_complete:
            self._expect()
        else:
            self._expect_nothing()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch_it_go()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._taking is not None:
            self._taking.cancel()
            self._taking = None

    def _expect(self) -> None:
        """Let the client have so much time, once, however often a bit comes."""
        if self._sending is None:
            self._sending = self.loop.call_later(self._seconds, self.transport.abort)

    def _expect_nothing(self) -> None:
        if self._sending is not None:
            self._sending.cancel()
            self._sending = None

    def _watch_it_go(self) -> None:
        """Look after so much time whether some of what is to be taken has gone."""
        left = self.transport.get_write_buffer_size()
        self._taking = self.loop.call_later(self._seconds, self._look, left)

    def _look(self, before: int) -> None:
        if before - self.transport.get_write_buffer_size() < _PROGRESS:
            self.transport.abort()
        else:
            self._watch_it_go()
