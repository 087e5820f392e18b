"""Use of CPU and memory by processes, as the kernel counts it."""

import os
import resource
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

TICK = 1 / os.sysconf("SC_CLK_TCK")
"""Seconds; the kernel rounds each process's total to it, so only long measurements mean much."""

_TRIES = 1000

_MB_IN_KIB = 1000 * 1000 / 1024


@dataclass(frozen=True, slots=True)
class _Process:
    pid: int
    parent: int
    name: str
    cpu: float  # seconds, with the children that it has waited for


def _read(entry: str) -> _Process | None:
    try:
        line = Path("/proc", entry, "stat").read_text()
    except OSError:  # it has ended meanwhile
        return None
    head, _, tail = line.rpartition(")")  # a name may hold spaces and parentheses
    fields = tail.split()
    ticks = sum(int(field) for field in fields[11:15])  # utime, stime, cutime, cstime
    return _Process(int(entry), int(fields[1]), head.partition("(")[2], ticks * TICK)


def _every_process() -> list[_Process]:
    read = (_read(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal())
    return [process for process in read if process is not None]


def _tree(root: int) -> Iterator[_Process]:
    """Yield a process and its descendants, parents first."""
    every = _every_process()
    children: dict[int, list[_Process]] = {}
    for process in every:
        children.setdefault(process.parent, []).append(process)
    waiting = deque(process for process in every if process.pid == root)
    while waiting:
        process = waiting.popleft()
        yield process
        waiting.extend(children.get(process.pid, ()))


def children_of_this() -> set[int]:
    """Return the processes whose parent is this one."""
    return children_of(os.getpid())


def children_of(pid: int) -> set[int]:
    """Return the processes whose parent is that one."""
    return {process.pid for process in _every_process() if process.parent == pid}


def tree_cpu(root: int) -> float:
    """Return the CPU seconds of a process and of all it started, ended children included."""
    return sum(process.cpu for process in _tree(root))


def own_cpu() -> float:
    """Return the CPU seconds of this process and of all it started."""
    waited_for = resource.getrusage(resource.RUSAGE_CHILDREN)
    alive = sum(process.cpu for process in _tree(os.getpid()) if process.pid != os.getpid())
    return time.process_time() + waited_for.ru_utime + waited_for.ru_stime + alive


@dataclass(frozen=True, slots=True)
class Memory:
    """Memory of one process or several, in MB of a million bytes."""

    pss: float  # what several processes share counts in parts
    rss: float  # what several processes share counts in full for each


def memory(pids: Sequence[int]) -> Memory | None:
    """Add up what these processes hold; None if only root may look at one of them."""
    try:
        each = [_rollup(pid) for pid in pids]
    except PermissionError:
        return None
    return Memory(sum(found["Pss:"] for found in each), sum(found["Rss:"] for found in each))


def _rollup(pid: int) -> dict[str, float]:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    pairs = (line.split()[:2] for line in lines)
    return {name: int(kib) / _MB_IN_KIB for name, kib in pairs}


def zygote_and_spare(worker: int) -> tuple[int, int]:
    """Return the zygote below an idle worker, and the child that it keeps for the next submission.

    Raises:
        TimeoutError: it does not come down to one child.
    """
    for _ in range(_TRIES):
        below = [process for process in _tree(worker) if process.pid != worker]
        zygote = next(process.pid for process in below if process.name != "bwrap")
        children = [process.pid for process in below if process.parent == zygote]
        if len(children) == 1:
            return zygote, children[0]
        time.sleep(0.01)  # the last submission's child is on its way out
    raise TimeoutError(f"the zygote has {len(children)} children instead of a spare one")
