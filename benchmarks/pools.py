"""Grades with the worker pool of `etude grade`, and counts the time and the CPU of it."""

import time
from collections.abc import Callable, Iterable
from itertools import pairwise

from benchmarks.processes import tree_cpu
from benchmarks.result_tables import Block
from benchmarks.workload import require_passed
from grader.grading.jobs import Job, Result
from grader.grading.workers.pool import WorkerPool
from grader.sandbox.process import Sandbox, open_sandbox


def open_with_spare() -> Sandbox:
    """Start the strongest sandbox as a batch does."""
    return open_sandbox(keep_spare_child=True)


def open_without_spare() -> Sandbox:
    """Start the strongest sandbox so that a worker and its children take turns."""
    return open_sandbox()


class Meter:
    """Counts what a pool uses from now on: its workers, their sandboxes, and our part in it."""

    def __init__(self, pool: WorkerPool) -> None:
        self.blocks: list[Block] = []
        self._pool = pool
        self._workers = self._workers_cpu()

    def grade(self, jobs: Iterable[Job], check: Callable[[Result], None] = require_passed) -> float:
        """Grade jobs as one block and return the seconds that they took together.

        Args:
            jobs: the work.
            check: raises for a result with which no figure means anything.

        Raises:
            WrongVerdictError: one did not pass.
        """
        own, begin = time.process_time(), time.perf_counter()
        ends = [begin]
        for _, result in self._pool.grade(jobs):
            check(result)
            ends.append(time.perf_counter())
        own = time.process_time() - own
        before, self._workers = self._workers, self._workers_cpu()
        intervals = [end - start for start, end in pairwise(ends)]
        self.blocks.append(Block(intervals, own + self._workers - before))
        return ends[-1] - begin

    def _workers_cpu(self) -> float:
        return sum(tree_cpu(pid) for pid in self._pool.pids)
