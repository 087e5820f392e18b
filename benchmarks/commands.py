"""Starts what is measured: a function in a fresh interpreter, or a command with all it leaves."""

import contextlib
import ctypes
import multiprocessing
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import resource_tracker
from pathlib import Path
from typing import ParamSpec, TypeVar
from unittest.mock import patch

from benchmarks.processes import children_of_this
from grader.sandbox.limits import ONE_BLAS_THREAD

_P = ParamSpec("_P")
_T = TypeVar("_T")

_PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h


def in_fresh_process(function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Call a function in a new interpreter, so that nothing measured earlier is in its memory."""
    context = multiprocessing.get_context("spawn")
    with (
        # A grading process may start no thread. A plain pytest beside it keeps those of its BLAS.
        patch.dict(os.environ, ONE_BLAS_THREAD),
        ProcessPoolExecutor(1, mp_context=context) as executor,
    ):
        return executor.submit(function, *args, **kwargs).result()


@dataclass(frozen=True, slots=True)
class Usage:
    """The time of one command."""

    wall: float  # seconds until the command itself ended
    cpu: float  # seconds, of the command and of everything that it started
    status: int
    printed: str


def adopt_orphans() -> None:
    """Become the parent of descendants that lose theirs, or their CPU time would be lost too."""
    resource_tracker.ensure_running()  # it lives as long as we do: begin with it, not in between
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def run(command: Sequence[str], folder: Path, settings: Mapping[str, str]) -> Usage:
    """Run a command to its end; `adopt_orphans` must have been called before."""
    others = children_of_this()
    with tempfile.TemporaryFile() as output:
        begin = time.perf_counter()
        process = subprocess.Popen(  # noqa: S603  our own commands
            command,
            cwd=folder,
            env={**os.environ, **settings},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        cpu = usage.ru_utime + usage.ru_stime + wait_for_orphans(others)
        output.seek(0)
        return Usage(wall, cpu, process.returncode, output.read().decode(errors="replace"))


def wait_for_orphans(others: set[int]) -> float:
    """Wait until this process has no children but `others`; return the CPU seconds of the rest."""
    cpu = 0.0
    while left := children_of_this() - others:
        for pid in left:
            with contextlib.suppress(ChildProcessError):
                _, _, usage = os.wait4(pid, 0)
                cpu += usage.ru_utime + usage.ru_stime
    return cpu
