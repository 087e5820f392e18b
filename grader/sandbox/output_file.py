"""A file in memory for what a process prints: it cannot grow, so a flood ends at its size."""

import contextlib
import fcntl
import io
import os
import sys
from typing import Final

from grader.sandbox.printable import inert

WORKER_PREFIX: Final = "worker: "
"""Begins each line that a confined process printed: the line is none of ours, and no command."""

# linux/fcntl.h; the fcntl module names them from Python 3.13 on.
_F_ADD_SEALS, _F_SEAL_SEAL, _F_SEAL_SHRINK, _F_SEAL_GROW = 1033, 1, 2, 4


class OutputFile:
    """The file. The process that prints has a copy of the descriptor, and so the same position."""

    def __init__(self, size: int) -> None:
        self._most = size
        self.descriptor = os.memfd_create("output", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(self.descriptor, size)
        fcntl.fcntl(self.descriptor, _F_ADD_SEALS, _F_SEAL_GROW | _F_SEAL_SHRINK | _F_SEAL_SEAL)

    @property
    def size(self) -> int:
        """The number of bytes printed so far."""
        return min(os.lseek(self.descriptor, 0, os.SEEK_CUR), self._most)

    def read(self, begin: int, end: int) -> bytes:
        """Return what was printed between two values of `size`."""
        return os.pread(self.descriptor, max(end - begin, 0), begin)

    def echo(self) -> None:
        """Print on our standard error what was printed so far, and begin again."""
        if size := self.size:
            text = self.read(0, size).decode("utf-8", "replace")
            os.lseek(self.descriptor, 0, os.SEEK_SET)
            text = inert(text, "\n")
            with contextlib.suppress(OSError):
                sys.stderr.write("".join(f"{WORKER_PREFIX}{line}\n" for line in text.splitlines()))
                sys.stderr.flush()

    def close(self) -> None:
        """Free the memory."""
        os.close(self.descriptor)


def print_to(descriptor: int) -> None:
    """Make this the standard output and the standard error of this process."""
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    stream = io.TextIOWrapper(
        _UntilFull(2, "w", closefd=False), "utf-8", "backslashreplace", write_through=True
    )
    sys.stdout = sys.stderr = stream


class _UntilFull(io.FileIO):
    """Drops what the file cannot take: to print a lot is no error."""

    def write(self, data: "bytes | memoryview") -> int:  # type: ignore[override]
        """Write as much as there is room for."""
        rest = memoryview(data)
        with contextlib.suppress(OSError):
            while rest:
                rest = rest[super().write(rest) :]
        return len(data)
