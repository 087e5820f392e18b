"""Ids that sort by creation time: UUIDs of version 7 (RFC 9562, section 5.7)."""

import os
import threading
import time
import uuid
from datetime import UTC, datetime
from typing import Annotated, Final, TypeAlias

from pydantic import PlainSerializer

DAY_MICROSECONDS: Final = 24 * 60 * 60 * 1_000_000
"""Microseconds in a day."""

_MAX_TIMESTAMP: Final = datetime.max.replace(microsecond=0, tzinfo=UTC).timestamp()
_last_stamp = 0
_lock = threading.Lock()


def now() -> int:
    """Return the current time in microseconds since 1970, UTC."""
    return time.time_ns() // 1000


def to_datetime(microseconds: int) -> datetime:
    """Return a time in microseconds since 1970 as a datetime, clamped to its range."""
    return datetime.fromtimestamp(min(max(microseconds / 1e6, 0), _MAX_TIMESTAMP), UTC)


def to_microseconds(seconds: float | None) -> int | None:
    """Convert a time in seconds since 1970 to the store's microseconds."""
    return None if seconds is None else round(seconds * 1_000_000)


def to_seconds(microseconds: int | None) -> float | None:
    """Convert a time of the store to seconds since 1970."""
    return None if microseconds is None else microseconds / 1_000_000


Moment: TypeAlias = Annotated[int, PlainSerializer(to_datetime, return_type=datetime)]
"""A time in microseconds since 1970, serialized to JSON as RFC 3339."""


def make_id() -> str:
    """Return an id that sorts after every id that this process made before.

    If the clock is set back, ids continue from the latest time seen.
    """
    global _last_stamp  # noqa: PLW0603  one clock for the process
    with _lock:
        _last_stamp = max(_last_stamp + 1, now())
        stamp = _last_stamp
    return make_id_at(stamp)


def make_id_at(microseconds: int) -> str:
    """Return an id that sorts by a time in microseconds since 1970, UTC.

    The time takes 48 bits of milliseconds, and 12 bits of 4096ths of a millisecond in rand_a.
    """
    milliseconds, remainder = divmod(microseconds, 1000)
    stamp = milliseconds << 80 | remainder * 4096 // 1000 << 64
    random = int.from_bytes(os.urandom(8), "big") & ((1 << 62) - 1)
    return str(uuid.UUID(int=stamp | 0x7 << 76 | 0b10 << 62 | random))
