"""The budgets of a call, in multiples of the reference's usage for the same call."""

import gc
import time
import tracemalloc
from collections.abc import Callable, Sequence

from grader.definitions.exercise import Budget
from grader.grading.comparison.compare import Difference
from grader.grading.results.raw_result import DifferenceKind
from grader.sandbox.answers import Usage

TIME_FLOOR = 0.05
"""CPU seconds that every call may use. Below this, noise would decide."""

MEMORY_FLOOR = 64 << 10
"""Bytes that every call may allocate, for a few small arrays and Python's own bookkeeping."""


def measure(rehearsal: Callable[[], object], action: Callable[[], object]) -> Usage:
    """Return the usage of an action in this process, measured as in the sandbox.

    A first run fills the free lists of Python and NumPy for small objects, so that the second run
    always allocates the same.

    Args:
        rehearsal: The same action with inputs of its own, for the first run.
    """
    was_enabled = gc.isenabled()
    gc.disable()  # a collection would empty the free lists
    try:
        rehearsal()
        tracemalloc.start()
        try:
            begin = time.thread_time()
            action()
            taken = time.thread_time() - begin
            return Usage(taken, tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    finally:
        if was_enabled:
            gc.enable()


def total_usage(usages: Sequence[Usage]) -> Usage:
    """Return the total time and the largest peak of the calls of one expression."""
    return Usage(
        sum(usage.cpu_seconds for usage in usages),
        max((usage.peak_bytes for usage in usages), default=0),
    )


def find_excess(budget: Budget, used: Usage, usual: Usage, by: str) -> Difference | None:
    """Return the difference if a submission exceeded its budget, or None.

    Args:
        usual: The usage of the reference or the solution.
        by: The name of that program for the sentence: "reference" or "solution".
    """
    limits = (
        ("memory", budget.memory, used.peak_bytes, usual.peak_bytes, MEMORY_FLOOR),
        ("time", budget.time, used.cpu_seconds, usual.cpu_seconds, TIME_FLOOR),
    )
    for resource, times, amount, usual_amount, floor in limits:
        if times is not None and amount > max(times * usual_amount, floor):
            facts = {"amounts": (amount, usual_amount), "by": by, "allowed": times}
            return Difference(DifferenceKind.BUDGET, resource, facts)
    return None
