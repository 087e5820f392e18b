"""The machine: what it is, and how busy others keep it while we measure."""

import contextlib
import os
import platform
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from benchmarks.processes import TICK, own_cpu


def cores() -> int:
    """Return how many cores we may use."""
    return len(os.sched_getaffinity(0))


def facts() -> list[str]:
    """Describe the machine, naming neither host nor paths."""
    return [
        f"{cores()} cores: {_processor()}",
        f"Linux {platform.release()}, {_bubblewrap()}",
        *(f"{name} {version}" for name, version in _versions().items()),
    ]


def _versions() -> dict[str, str]:
    packages = {"NumPy": "numpy", "pytest": "pytest"}
    found = {name: version(package) for name, package in packages.items()}
    return {"Python": platform.python_version(), **found}


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.machine()


def _bubblewrap() -> str:
    path = shutil.which("bwrap")
    if path is None:
        return "no bubblewrap"
    return subprocess.check_output([path, "--version"], text=True).strip()  # noqa: S603  our own command


@dataclass(slots=True)
class Elsewhere:
    """The number of cores that other processes kept busy while a section was measured."""

    cores: float = 0.0


@contextlib.contextmanager
def watch_elsewhere() -> Iterator[Elsewhere]:
    """Measure the CPU time that was spent, but not by us; what we started must have ended."""
    seen = Elsewhere()
    ours, everyone, begin = own_cpu(), _machine_cpu(), time.perf_counter()
    yield seen
    spent = (_machine_cpu() - everyone) - (own_cpu() - ours)
    seen.cores = max(spent, 0.0) / (time.perf_counter() - begin)


def _machine_cpu() -> float:
    """Return the CPU seconds of all cores, with what a host took away from a virtual machine."""
    with Path("/proc/stat").open(encoding="ascii") as lines:
        counted = [int(field) for field in next(lines).split()[1:9]]
    user, nice, system, _idle, _waiting, irq, softirq, steal = counted
    return (user + nice + system + irq + softirq + steal) * TICK
