"""A worker's notes about its job, in memory that it shares with its parent.

A worker that computes in NumPy's own code answers nobody. When its parent ends it, the notes say
what was found until then.
"""

import fcntl
import json
import os
from typing import Any, Final

BEGAN: Final = "began"
"""The submission's time begins now: a number of seconds on the clock that processes share."""

LOADED: Final = "loaded"
"""What the submission printed while it was loaded."""

RESULT: Final = "result"
"""What one test came to."""

VERDICT: Final = "verdict"
"""All of it, before a diagnosis is looked for."""

_MOST_BYTES: Final = 64 << 20


class Journal:
    """The notes. Made before the fork that becomes the worker, so that both have it."""

    def __init__(self) -> None:
        self.descriptor = os.memfd_create("journal", os.MFD_CLOEXEC)
        fcntl.fcntl(self.descriptor, fcntl.F_SETFL, os.O_APPEND)

    def clear(self) -> None:
        """Forget all notes, before a job begins."""
        os.ftruncate(self.descriptor, 0)

    def add(self, kind: str, content: Any) -> None:  # noqa: ANN401  any JSON type
        """Add a note."""
        os.write(self.descriptor, json.dumps([kind, content]).encode() + b"\n")

    def notes(self) -> list[tuple[str, Any]]:
        """Return the notes so far; whatever has become of the worker, they are read as data.

        Raises:
            ValueError: they are none.
        """
        *lines, _not_whole = os.pread(self.descriptor, _MOST_BYTES, 0).split(b"\n")
        return [(str(kind), content) for kind, content in map(json.loads, lines)]

    def close(self) -> None:
        """Give the memory back."""
        os.close(self.descriptor)
