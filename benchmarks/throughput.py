"""A batch: submissions a second with one worker and with two."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Final

from benchmarks.commands import in_fresh_process
from benchmarks.machine import cores
from benchmarks.pools import Meter, open_with_spare, open_without_spare
from benchmarks.result_tables import Aim, Cost, Row, Section, cost_of, ms
from benchmarks.workload import exercises, new_jobs
from grader.grading.workers.pool import WorkerPool

_WARM_UP = 50
_WAYS: Final = ("1 on one core", "1", "2")

_NOTES = """\
- The pools took turns, {block} submissions each.
- 1 on one core: worker and child take turns on a core of their own, as each of two workers does.
  That is what two workers are compared with.
- 1: as `etude grade --jobs 1` has it; on the core that is left, its next child is forked ahead.
- cores used: what the pool got at the median rate.
- at most: what the cores could do with nothing else to do, cores / least CPU.
- Two workers / one on one core: {paired:.2f} (median of pairs), {best:.2f} (best / best).
- Two workers / one that may use both: {paired_spare:.2f} and {best_spare:.2f}.
"""


@dataclass(frozen=True, slots=True)
class _Rate:
    """The result of a pool of one size."""

    workers: str
    rates: list[float]  # submissions a second, block by block
    cost: Cost


def measure(*, quick: bool) -> Section:
    """Measure pools of one worker, with and without a spare child, and of two, in turns."""
    rounds, block = (3, 150) if quick else (8, 300)
    found = in_fresh_process(_take_turns, rounds, block)
    alone, one, two = (rate.rates for rate in found)
    paired = _paired(two, alone)
    notes = _NOTES.format(
        block=block,
        best=max(two) / max(alone),
        paired=paired,
        best_spare=max(two) / max(one),
        paired_spare=_paired(two, one),
    )
    rows = [_row(rate) for rate in found]
    aims = [
        Aim("throughput: best with two workers", max(two), 200, "/s", at_least=True),
        Aim("throughput: two workers / one on one core", paired, 1.8, at_least=True),
    ]
    header = (
        "workers",
        "best /s",
        "median /s",
        "least CPU ms",
        "CPU ms",
        "cores used",
        "at most /s",
    )
    return Section(
        "throughput: submissions a second",
        header,
        rows,
        notes,
        aims,
    )


def _take_turns(rounds: int, block: int) -> list[_Rate]:
    (exercise,) = exercises(1)
    rates: list[list[float]] = [[] for _ in _WAYS]
    with ExitStack() as stack:
        pools = [
            stack.enter_context(_on_one_core()),
            stack.enter_context(WorkerPool(1, open_with_spare)),
            stack.enter_context(WorkerPool(2, open_without_spare)),
        ]
        for pool in pools:
            Meter(pool).grade(new_jobs(exercise, _WARM_UP))
        meters = [Meter(pool) for pool in pools]
        for _ in range(rounds):
            for meter, mine in zip(meters, rates, strict=True):
                mine.append(block / meter.grade(new_jobs(exercise, block)))
        costs = [cost_of(meter.blocks) for meter in meters]
    return [_Rate(*each) for each in zip(_WAYS, rates, costs, strict=True)]


@contextmanager
def _on_one_core() -> Iterator[WorkerPool]:
    """Open a pool whose only worker takes this process to have one core."""
    all_cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(all_cores)})
    with WorkerPool(1, open_without_spare) as pool:
        os.sched_setaffinity(0, all_cores)
        yield pool


def _paired(ours: list[float], theirs: list[float]) -> float:
    return median(a / b for a, b in zip(ours, theirs, strict=True))


def _row(rate: _Rate) -> Row:
    rates = f"{max(rate.rates):.0f}", f"{median(rate.rates):.0f}"
    least, cpu = rate.cost.least_cpu, rate.cost.cpu
    used, most = f"{median(rate.rates) * cpu:.2f}", f"{cores() / least:.0f}"
    return rate.workers, *rates, ms(least), ms(cpu), used, most
