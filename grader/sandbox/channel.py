"""Connections between processes of this host, which carry whole messages.

A process that runs authors' code may be compromised. So a message is limited in size, and one that
has begun must come to its end.
"""

import contextlib
import select
import socket
import struct
import time

_LENGTH = struct.Struct("<Q")  # before each message
_MAX_MESSAGE_BYTES = 64 << 20
_MESSAGE_SECONDS = 10.0  # seconds for the rest of a message that has begun
_MAX_READ = 1 << 20  # bytes that are read at once


class Channel:
    """One end of a connection."""

    def __init__(self, end: socket.socket) -> None:
        self._socket = end
        self._poll = select.poll()
        self._poll.register(end, select.POLLIN)

    def fileno(self) -> int:
        """Return the descriptor of this end."""
        return self._socket.fileno()

    def is_ready(self, seconds: float = 0) -> bool:
        """Return whether a message begins in this time, or the other end is closed."""
        return bool(self._poll.poll(seconds * 1000))

    def send(self, message: bytes) -> None:
        """Send a message.

        Raises:
            OSError: The other end is closed.
        """
        self._socket.sendall(_LENGTH.pack(len(message)) + message)

    def receive(self) -> bytes | None:
        """Wait for the next message.

        Returns:
            None if the other end is closed, or if its message is too long or stops halfway.
        """
        try:
            self._poll.poll()
            deadline = time.monotonic() + _MESSAGE_SECONDS
            (length,) = _LENGTH.unpack(self._read(_LENGTH.size, deadline))
            return self._read(length, deadline) if length <= _MAX_MESSAGE_BYTES else None
        except OSError:
            return None

    def _read(self, length: int, deadline: float) -> bytes:
        data = bytearray()
        while len(data) < length:
            if not self._poll.poll(max(deadline - time.monotonic(), 0) * 1000):
                raise TimeoutError
            piece = self._socket.recv(min(length - len(data), _MAX_READ))
            if not piece:
                raise ConnectionResetError
            data += piece
        return bytes(data)

    def shut_down(self) -> None:
        """End the connection on both sides, also for a thread that is waiting for a message."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close this end."""
        self._socket.close()
