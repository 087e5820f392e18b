"""Ids that sort by when they were made: UUIDs of version 7 (RFC 9562, section 5.7)."""

import os
import threading
import time
import uuid

_last = 0
_lock = threading.Lock()


def now() -> int:
    """Return the time in microseconds since 1970, UTC."""
    return time.time_ns() // 1000


def new_id() -> str:
    """Return an id that sorts behind every id that this process made before.

    Also when the clock is set back: it then counts on from the latest time that it has seen.
    """
    global _last  # noqa: PLW0603  one clock for the process
    with _lock:
        _last = max(_last + 1, now())
        stamp = _last
    milliseconds, rest = divmod(stamp, 1000)
    # 48 bits of milliseconds, then in rand_a the thousandth of it, as the RFC's method 3 does.
    fraction = rest * 4096 // 1000
    random = int.from_bytes(os.urandom(8), "big") & ((1 << 62) - 1)
    value = milliseconds << 80 | 0x7 << 76 | fraction << 64 | 0b10 << 62 | random
    return str(uuid.UUID(int=value))
