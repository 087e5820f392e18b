"""Shares the processor's cores out among the processes of a build.

Each talks with a sandbox of its own, and the two hand over faster on one core than across two.
"""

import contextlib
import os
from collections.abc import Iterator


@contextlib.contextmanager
def kept_to_core(number: int, processes: int) -> Iterator[None]:
    """Keep this process to one core meanwhile, and for good what it starts.

    It may roam if not every core gets equally many processes, and where the host refuses.

    Args:
        number: Of this process, from 0.
        processes: How many there are.
    """
    before = os.sched_getaffinity(0)
    cores = sorted(before)
    _bind(before if processes % len(cores) else {cores[number % len(cores)]})
    try:
        yield
    finally:
        _bind(before)


def _bind(cores: set[int]) -> None:
    with contextlib.suppress(OSError):
        os.sched_setaffinity(0, cores)
