"""A worker's journal of its job, in memory that it shares with its parent.

A worker that is busy inside NumPy cannot answer. When its parent ends it, the journal still holds
the results up to that moment.
"""

import json
import os
from collections.abc import Callable
from typing import Any, Final, TypeAlias

BEGAN: Final = "began"
"""The start of the submission's time, in seconds of the monotonic clock that processes share."""

LOADED: Final = "loaded"
"""The output of the submission while it was loaded."""

RESULT: Final = "result"
"""The result of one test."""

VERDICT: Final = "verdict"
"""The verdict, before the diagnosis."""

Record: TypeAlias = Callable[[str, Any], None]
"""A function that adds an entry of a kind with its content, such as `Journal.record`."""

_MAX_BYTES: Final = 64 << 20  # bytes that the parent reads, in case the worker is compromised


def record_nothing(_kind: str, _content: object) -> None:
    """Add no entry: no other process waits for the verdict."""


class Journal:
    """A worker's journal. Created before the fork, so that both processes have the descriptor."""

    def __init__(self) -> None:
        import fcntl  # Unix only; the constants above are imported on every system

        self.descriptor = os.memfd_create("journal", os.MFD_CLOEXEC)
        fcntl.fcntl(self.descriptor, fcntl.F_SETFL, os.O_APPEND)

    def clear(self) -> None:
        """Delete all entries, before a job begins."""
        os.ftruncate(self.descriptor, 0)

    def record(self, kind: str, content: Any) -> None:
        """Add an entry."""
        os.write(self.descriptor, json.dumps([kind, content]).encode() + b"\n")

    def entries(self) -> list[tuple[str, Any]]:
        """Return the entries so far, which are not trusted: the worker may be compromised.

        Raises:
            ValueError: They are malformed.
        """
        *lines, _not_whole = os.pread(self.descriptor, _MAX_BYTES, 0).split(b"\n")
        return [(str(kind), content) for kind, content in map(json.loads, lines)]

    def close(self) -> None:
        """Free the memory."""
        os.close(self.descriptor)
