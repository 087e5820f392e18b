"""A batch: submissions a second with one worker and with two."""

from contextlib import ExitStack
from dataclasses import dataclass
from statistics import median

from benchmarks.commands import in_fresh_process
from benchmarks.machine import cores
from benchmarks.pools import Meter, open_with_spare
from benchmarks.report import Aim, Cost, Row, Section, cost_of, ms
from benchmarks.workload import exercises, new_jobs
from grader.grading.pool import Pool

_WARM_UP = 50
_WORKERS = (1, 2)

_NOTES = """\
- The pools took turns, {block} submissions each; a worker forks its next child ahead.
- cores used: what the pool got at the median rate; one worker with its spare child can use more
  than one, two cannot use more than there are.
- at most: what the cores could do with nothing else to do, cores / least CPU.
- Two workers / one: {paired:.2f} (median of pairs), {best:.2f} (best / best).
"""


@dataclass(frozen=True, slots=True)
class _Rate:
    """What a pool of one size did."""

    workers: int
    rates: list[float]  # submissions a second, block by block
    cost: Cost


def measure(*, quick: bool) -> Section:
    """Let pools of one worker and of two take turns."""
    rounds, block = (3, 150) if quick else (8, 300)
    found = in_fresh_process(_take_turns, rounds, block)
    one, two = (rate.rates for rate in found)
    paired = median(b / a for a, b in zip(one, two, strict=True))
    rows = [_row(rate) for rate in found]
    aims = [
        Aim("throughput: best with two workers", max(two), 200, "/s", at_least=True),
        Aim("throughput: two workers / one", paired, 1.8, at_least=True),
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
        _NOTES.format(block=block, best=max(two) / max(one), paired=paired),
        aims,
    )


def _take_turns(rounds: int, block: int) -> list[_Rate]:
    (exercise,) = exercises(1)
    rates: list[list[float]] = [[] for _ in _WORKERS]
    with ExitStack() as stack:
        pools = [stack.enter_context(Pool(size, open_with_spare)) for size in _WORKERS]
        for pool in pools:
            Meter(pool).grade(new_jobs(exercise, _WARM_UP))
        meters = [Meter(pool) for pool in pools]
        for _ in range(rounds):
            for meter, mine in zip(meters, rates, strict=True):
                mine.append(block / meter.grade(new_jobs(exercise, block)))
        costs = [cost_of(meter.blocks) for meter in meters]
    return [_Rate(*each) for each in zip(_WORKERS, rates, costs, strict=True)]


def _row(rate: _Rate) -> Row:
    rates = f"{max(rate.rates):.0f}", f"{median(rate.rates):.0f}"
    least, cpu = rate.cost.least_cpu, rate.cost.cpu
    used, most = f"{median(rate.rates) * cpu:.2f}", f"{cores() / least:.0f}"
    return str(rate.workers), *rates, ms(least), ms(cpu), used, most
