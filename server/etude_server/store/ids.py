"""Ids that sort by creation time: UUIDs of version 7 (RFC 9562, section 5.7)."""

import os
import threading
import time
import uuid
from datetime import UTC, datetime
from typing import Annotated, Final, TypeAlias

from pydantic import PlainSerializer

DAY: Final = 24 * 60 * 60 * 1_000_000
"""Microseconds in a day."""

_LAST: Final = datetime.max.replace(microsecond=0, tzinfo=UTC).timestamp()
_last = 0
_lock = threading.Lock()


def now() -> int:
    """Return the current time in microseconds since 1970, UTC."""
    return time.time_ns() // 1000


def utc(at: int) -> datetime:
    """Return a time in microseconds since 1970 as a datetime, clamped to its range."""
    return datetime.fromtimestamp(min(max(at / 1e6, 0), _LAST), UTC)


Moment: TypeAlias = Annotated[int, PlainSerializer(utc, return_type=datetime)]
"""A time in microseconds since 1970, serialized to JSON as RFC 3339."""


def new_id() -> str:
    """Return an id that sorts after every id that this process made before.

    If the clock is set back, ids continue from the latest time seen.
    """
    global _last  # noqa: PLW0603  one clock for the process
    with _lock:
        _last = max(_last + 1, now())
        stamp = _last
    return id_at(stamp)


def id_at(at: int) -> str:
    """Return an id that sorts by a time in microseconds since 1970, UTC.

    The time takes 48 bits of milliseconds, and 12 bits of 4096ths of a millisecond in rand_a.
    """
    milliseconds, rest = divmod(at, 1000)
    stamp = milliseconds << 80 | rest * 4096 // 1000 << 64
    random = int.from_bytes(os.urandom(8), "big") & ((1 << 62) - 1)
    return str(uuid.UUID(int=stamp | 0x7 << 76 | 0b10 << 62 | random))
