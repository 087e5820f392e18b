"""Connections that are not held open for nothing: a client sends and takes in, or is hung up on.

Each connection is a file of the server's, and it has only so many. Uvicorn closes one that is idle
after an answer; how long a request's head takes, or an answer that is not taken, it leaves open.
"""

import asyncio
from functools import partial
from typing import Any, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


def impatient(seconds: float) -> type[asyncio.Protocol]:
    """Return what uvicorn is to make of each connection.

    Args:
        seconds: for which a request's head may be on its way, or an answer may stand still.
    """
    return cast("type[asyncio.Protocol]", partial(_Impatient, seconds=seconds))


class _Impatient(H11Protocol):
    def __init__(self, *given: Any, seconds: float, **named: Any) -> None:  # noqa: ANN401  uvicorn's
        super().__init__(*given, **named)
        self._head = _Deadline(self, seconds)
        self._answer = _Deadline(self, seconds)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
        super().connection_made(transport)
        self._head.set()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._head.lift()
        self._answer.lift()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:  # there is a bit of a head, perhaps of the next one
            self._head.set()
        else:
            self._head.lift()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._answer.set()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._answer.lift()


class _Deadline:
    """By when something has to have happened, or the connection ends."""

    def __init__(self, protocol: H11Protocol, seconds: float) -> None:
        self._protocol = protocol
        self._seconds = seconds
        self._timer: asyncio.TimerHandle | None = None

    def set(self) -> None:
        """Begin to wait, unless that has begun."""
        if self._timer is None:
            end = self._protocol.transport.abort
            self._timer = self._protocol.loop.call_later(self._seconds, end)

    def lift(self) -> None:
        """Wait no longer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
