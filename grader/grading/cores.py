"""Which processor core a worker keeps to, and when a core is left over for its next child.

A submission is a conversation between a worker and the sandbox that it started, in which one waits
while the other works. Both on one core hand over faster than across two, and find their memory in
that core's cache. A process has no way to prefer a core without being bound to it, so workers are
bound only when every core gets equally many of them: then none can be left idle beside a queue.
"""

import os


def cores() -> list[int]:
    """Return the numbers of the processor cores that this process may use."""
    return sorted(os.sched_getaffinity(0))


def core_of(number: int, workers: int) -> int | None:
    """Return the core for a worker, by its number from 0; None if it had better roam."""
    mine = cores()
    return None if workers % len(mine) else mine[number % len(mine)]


def has_core_left(workers: int) -> bool:
    """Tell whether a core is idle beside so many workers, and could fork their next children."""
    return workers < len(cores())
