"""A batch: submissions a second with one worker and with two."""

from contextlib import ExitStack
from dataclasses import dataclass
from statistics import median

from benchmarks.commands import in_fresh_process
from benchmarks.machine import cores
from benchmarks.pools import Meter, open_with_spare, open_without_spare
from benchmarks.report import Aim, Cost, Row, Section, cost_of, ms
from benchmarks.workload import exercises, new_jobs
from grader.grading.pool import Pool

_WARM_UP = 50
_WAYS = {
    "1, no spare": (1, open_without_spare),
    "1": (1, open_with_spare),
    "2": (2, open_with_spare),
}

_NOTES = """\
- The pools took turns, {block} submissions each; a worker forks its next child ahead.
- 1, no spare: worker and child take turns, so that one worker is the work of one core. That is what
  two workers are compared with. A worker with a spare child uses a second core where it is idle.
- cores used: what the pool got at the median rate.
- at most: what the cores could do with nothing else to do, cores / least CPU.
- Two workers / one without a spare: {paired:.2f} (median of pairs), {best:.2f} (best / best).
- The same with a spare: {paired_spare:.2f} and {best_spare:.2f}.
"""


@dataclass(frozen=True, slots=True)
class _Rate:
    """What a pool of one size did."""

    workers: str
    rates: list[float]  # submissions a second, block by block
    cost: Cost


def measure(*, quick: bool) -> Section:
    """Let pools of one worker, with and without a spare child, and of two take turns."""
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
        Aim("throughput: two workers / one without a spare", paired, 1.8, at_least=True),
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
        pools = [stack.enter_context(Pool(*way)) for way in _WAYS.values()]
        for pool in pools:
            Meter(pool).grade(new_jobs(exercise, _WARM_UP))
        meters = [Meter(pool) for pool in pools]
        for _ in range(rounds):
            for meter, mine in zip(meters, rates, strict=True):
                mine.append(block / meter.grade(new_jobs(exercise, block)))
        costs = [cost_of(meter.blocks) for meter in meters]
    return [_Rate(*each) for each in zip(_WAYS, rates, costs, strict=True)]


def _paired(ours: list[float], theirs: list[float]) -> float:
    return median(a / b for a, b in zip(ours, theirs, strict=True))


def _row(rate: _Rate) -> Row:
    rates = f"{max(rate.rates):.0f}", f"{median(rate.rates):.0f}"
    least, cpu = rate.cost.least_cpu, rate.cost.cpu
    used, most = f"{median(rate.rates) * cpu:.2f}", f"{cores() / least:.0f}"
    return rate.workers, *rates, ms(least), ms(cpu), used, most
