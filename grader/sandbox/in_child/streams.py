"""The standard output and standard error of a submission."""

import contextlib
import io
import os
from collections.abc import Iterator
from typing import Any


class OutputLimitError(Exception):
    """The submission has reached its output limit."""


class _Stream(io.TextIOBase):
    """A standard stream with the attributes of Python's own that programs use."""

    encoding, errors, mode = "utf-8", "backslashreplace", "w"

    @property
    def buffer(self) -> "_Bytes":
        """The underlying stream of bytes."""
        return _Bytes(self)

    def writable(self) -> bool:
        """Return True."""
        return True

    def reconfigure(self, **_: object) -> None:
        """Do nothing: the stream is always UTF-8."""


class _Bytes(io.BufferedIOBase):
    """A binary buffer that writes to a stream."""

    def __init__(self, stream: _Stream) -> None:
        self._stream = stream

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._stream.write(bytes(data).decode("utf-8", "replace"))
        return len(data)


class Stdout(_Stream):
    """A standard output that writes unbuffered to a descriptor, up to a limit."""

    name = "<stdout>"

    def __init__(self, descriptor: int, cap: int) -> None:
        self._descriptor = descriptor
        self.left = cap
        self.lost = 0  # bytes beyond the cap

    @property
    def position(self) -> int:
        """The number of bytes written."""
        return os.lseek(self._descriptor, 0, os.SEEK_CUR)

    def put(self, data: bytes) -> None:
        """Write bytes that are within the limit."""
        os.write(self._descriptor, data)

    def write(self, text: str) -> int:
        """Write a text up to the limit.

        Raises:
            OutputLimitError: The text exceeds the limit.
        """
        data = text.encode("utf-8", "backslashreplace")
        self.put(data[: self.left])
        self.left -= len(data)
        if self.left < 0:
            self.lost -= self.left
            self.left = 0
            raise OutputLimitError("too much output")
        return len(text)


class Stderr(_Stream):
    """A standard error that is part of the output, or held back while output is compared."""

    name = "<stderr>"

    def __init__(self, output: Stdout) -> None:
        self._output = output
        self._pieces: list[str] | None = None
        self._room = 0

    def write(self, text: str) -> int:
        """Write a text to the output, or hold it back; see `Stdout.write` for the error."""
        if self._pieces is None:
            return self._output.write(text)
        self._pieces.append(text)
        self._room -= len(text)
        if self._room < 0:
            raise OutputLimitError("too much output")
        return len(text)

    @contextlib.contextmanager
    def held_back(self) -> Iterator[None]:
        """Hold back the text written during the block, and write it at the end."""
        if self._pieces is not None:  # nested, in a callback of the trusted side
            yield
            return
        self._pieces, self._room = [], self._output.left
        try:
            yield
        finally:
            pieces, self._pieces = "".join(self._pieces), None
            if pieces:
                self._output.write(pieces)
