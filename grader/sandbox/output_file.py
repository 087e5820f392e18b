"""A file in memory for the output of a process. Its size is fixed, which limits the output."""

import contextlib
import fcntl
import io
import os
import sys
from typing import Final

from grader.sandbox.printable import inert

WORKER_PREFIX: Final = "worker: "
"""Prefix of each line that a confined process printed, to mark it as foreign and harmless."""

# From linux/fcntl.h; Python's fcntl module has these names only since 3.13.
_F_ADD_SEALS, _F_SEAL_SEAL, _F_SEAL_SHRINK, _F_SEAL_GROW = 1033, 1, 2, 4


class OutputFile:
    """The output file. A copy of the descriptor in the printing process shares its position."""

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
        """Return the output between two values of `size`."""
        return os.pread(self.descriptor, max(end - begin, 0), begin)

    def echo(self) -> None:
        """Write the output so far to our standard error, and start again."""
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
    """Redirect the standard output and the standard error of this process to a descriptor."""
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    stream = io.TextIOWrapper(
        _UntilFull(2, "w", closefd=False), "utf-8", "backslashreplace", write_through=True
    )
    sys.stdout = sys.stderr = stream


class _UntilFull(io.FileIO):
    """A stream that silently drops output beyond the size of the file."""

    def write(self, data: "bytes | memoryview") -> int:  # type: ignore[override]  # takes less than any buffer
        """Write as much as there is room for."""
        remaining = memoryview(data)
        with contextlib.suppress(OSError):
            while remaining:
                remaining = remaining[super().write(remaining) :]
        return len(data)
