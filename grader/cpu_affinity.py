"""Which processor core a process keeps to, and when a core is left over.

A process that grades, or builds pages, talks with a sandbox that it started: one waits while the
other works. Both on one core hand over faster than across two, and find their memory in that core's
cache. A process has no way to prefer a core without being bound to it, so processes are bound only
when every core gets equally many of them: then none can be left idle beside a queue.
"""

import contextlib
import os
from collections.abc import Iterator


def cores() -> list[int]:
    """Return the numbers of the processor cores that this process may use."""
    return sorted(os.sched_getaffinity(0))


def core_of(number: int, processes: int) -> int | None:
    """Return the core for a process, by its number from 0; None if it had better roam."""
    mine = cores()
    return None if processes % len(mine) else mine[number % len(mine)]


def has_core_left(processes: int) -> bool:
    """Tell whether a core is idle beside so many processes, and could fork their next children."""
    return processes < len(cores())


def keep_to(core: int | None) -> None:
    """Bind this process to a core, and what it starts; it roams on where the host refuses."""
    if core is not None:
        _bind({core})


@contextlib.contextmanager
def kept_to(core: int | None) -> Iterator[None]:
    """Keep this process to a core meanwhile, and for good what it starts; None lets it roam."""
    before = os.sched_getaffinity(0)
    keep_to(core)
    try:
        yield
    finally:
        _bind(before)


def _bind(allowed: set[int]) -> None:
    with contextlib.suppress(OSError):
        os.sched_setaffinity(0, allowed)
