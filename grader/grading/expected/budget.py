"""The budgets of a call, in multiples of what the reference uses for the same call."""

import gc
import time
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from grader.definitions.exercise import Budget
from grader.grading.comparison.ladder import Difference, Rung, bytes_in
from grader.sandbox.answers import Usage
from grader.sandbox.limits import RESULT_SLACK, RESULT_TIMES, UNKNOWN_RESULT

TIME_FLOOR = 0.05
"""Seconds that every call may take: below it noise would decide."""

MEMORY_FLOOR = 64 << 10
"""Bytes that every call may allocate: a few small arrays and Python's own bookkeeping."""


def largest_result(inputs: Mapping[str, Any], expected: object, returned: int | None) -> int:
    """Return the most bytes that the arrays in a submission's result may have in one draw.

    Args:
        inputs: of the draw.
        expected: what comes out of the draw.
        returned: the bytes of the largest result of the reference, or of the solution, on the way
            to it; None if neither was asked.
    """
    known = max(bytes_in(dict(inputs)), bytes_in(expected), returned or 0)
    return RESULT_TIMES * known + (UNKNOWN_RESULT if returned is None else RESULT_SLACK)


def measured(rehearsal: Callable[[], object], action: Callable[[], object]) -> Usage:
    """Return the usage of an action in this process, measured as in the sandbox.

    A first run fills the memory that Python and NumPy keep for small objects, so that the second
    always allocates the same.

    Args:
        rehearsal: the same as the action, with inputs of its own.
        action: what is measured.
    """
    was_enabled = gc.isenabled()
    gc.disable()  # the collector empties the memory that is kept for reuse
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


def together(usages: Sequence[Usage]) -> Usage:
    """Return the usage of the calls of one expression: their total time and largest peak."""
    return Usage(
        sum(usage.cpu_seconds for usage in usages),
        max((usage.peak_bytes for usage in usages), default=0),
    )


def over_budget(budget: Budget, used: Usage, known: Usage, by: str) -> Difference | None:
    """Return the difference if a submission used more than it may.

    Args:
        budget: the multiples allowed.
        used: by the submission.
        known: what the reference or the solution used.
        by: which of the two.
    """
    if budget.memory is not None:
        most = max(budget.memory * known.peak_bytes, MEMORY_FLOOR)
        if used.peak_bytes > most:
            amounts = used.peak_bytes, known.peak_bytes
            facts = {"amounts": amounts, "by": by, "allowed": budget.memory}
            return Difference(Rung.BUDGET, "memory", facts)
    if budget.time is not None:
        most = max(budget.time * known.cpu_seconds, TIME_FLOOR)
        if used.cpu_seconds > most:
            spans = used.cpu_seconds, known.cpu_seconds
            facts = {"amounts": spans, "by": by, "allowed": budget.time}
            return Difference(Rung.BUDGET, "time", facts)
    return None
