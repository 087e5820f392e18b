"""A worker's notes about its job, in memory that it shares with its parent.

A worker that computes in NumPy's own code does not answer. When its parent ends it, the notes hold
the results up to then.
"""

import json
import os
from typing import Any, Final

BEGAN: Final = "began"
"""The submission's time begins: seconds on the clock that processes share."""

LOADED: Final = "loaded"
"""The submission's output while it was loaded."""

RESULT: Final = "result"
"""The result of one test."""

VERDICT: Final = "verdict"
"""The verdict, before the diagnosis."""

_MAX_BYTES: Final = 64 << 20


class Journal:
    """The notes. Created before the worker is forked, so that both processes have it."""

    def __init__(self) -> None:
        import fcntl  # no system but Unix has it, and this module has constants

        self.descriptor = os.memfd_create("journal", os.MFD_CLOEXEC)
        fcntl.fcntl(self.descriptor, fcntl.F_SETFL, os.O_APPEND)

    def clear(self) -> None:
        """Delete all notes, before a job begins."""
        os.ftruncate(self.descriptor, 0)

    def add(self, kind: str, content: Any) -> None:
        """Add a note."""
        os.write(self.descriptor, json.dumps([kind, content]).encode() + b"\n")

    def notes(self) -> list[tuple[str, Any]]:
        """Return the notes so far, read as data: the worker may have been taken over.

        Raises:
            ValueError: They are malformed.
        """
        *lines, _not_whole = os.pread(self.descriptor, _MAX_BYTES, 0).split(b"\n")
        return [(str(kind), content) for kind, content in map(json.loads, lines)]

    def close(self) -> None:
        """Free the memory."""
        os.close(self.descriptor)
