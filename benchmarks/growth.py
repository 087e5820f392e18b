"""The cost of a submission after many others, and among many exercises."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import cycle, islice

from benchmarks import long_run
from benchmarks.commands import in_fresh_process
from benchmarks.pools import Meter, open_with_spare
from benchmarks.processes import Memory, memory
from benchmarks.result_tables import COST_CELLS, COST_RATIOS, Aim, Block, Cost, Section, cost_of
from benchmarks.workload import exercises, new_job, new_jobs
from grader.definitions.exercise import Exercise
from grader.grading.jobs import Job
from grader.grading.workers.pool import WorkerPool

_BLOCK, _WARM_UP = 50, 25
_FLAT = 1.1


_NOTES = """\
- Through one worker with a spare child; CPU of every process that takes part.
- after n: a worker that has graded n; ratios to a fresh one that took turns with it.
- among n: equally many submissions, at least two for each exercise, go to n exercises in turn;
  ratios to one exercise. An exercise's first submission waits for its expected values. known: the
  later half, where nothing comes for the first time.
- The worker holds {held} (PSS); part of it is the definitions, which it shares with its parent.
"""


@dataclass(frozen=True, slots=True)
class _Spread:
    """The cost of submissions that go to so many exercises in turn."""

    exercises: int
    all: Cost
    known: Cost  # the later half, when the worker has met every exercise
    worker: Memory | None  # at the end


def measure(*, quick: bool) -> Section:
    """Compare many with few."""
    comparisons = long_run.of_either_length(quick=quick).comparisons
    sizes = (1, 10, 100) if quick else (1, 10, 100, 1_000)
    spreads = in_fresh_process(_take_turns, sizes)
    few, many = spreads[0], spreads[-1]
    rows = [
        (f"after {each.graded:,}", *each.worker.cells(), *each.worker.ratios(each.fresh))
        for each in comparisons
    ]
    rows += [
        (f"among {each.exercises:,}", *each.all.cells(), *each.all.ratios(few.all))
        for each in spreads
    ]
    rows += [
        (f"among {each.exercises:,}, known", *each.known.cells(), *each.known.ratios(few.known))
        for each in spreads
    ]
    held = f"{_mb(few.worker)} after 1 exercise, {_mb(many.worker)} after {many.exercises:,}"
    last = comparisons[-1]
    aims = [
        Aim(f"scaling: CPU after {last.graded:,} / fresh", last.worker.cpu / last.fresh.cpu, _FLAT),
        Aim(f"scaling: CPU, {many.exercises:,} exercises / 1", many.all.cpu / few.all.cpu, _FLAT),
        Aim("scaling: the same, all known", many.known.cpu / few.known.cpu, _FLAT),
    ]
    header = ("case", *COST_CELLS, *COST_RATIOS)
    return Section(
        "scaling: one submission among many", header, rows, _NOTES.format(held=held), aims
    )


def _take_turns(sizes: Sequence[int]) -> list[_Spread]:
    defined = exercises(sizes[-1])
    (other,) = exercises(1, slug="warm-up")
    with ExitStack() as stack:
        pools = [stack.enter_context(WorkerPool(1, open_with_spare)) for _ in sizes]
        for pool in pools:
            Meter(pool).grade(new_jobs(other, _WARM_UP))
        streams = [_jobs(defined[:size]) for size in sizes]
        first, later = (_half(pools, streams, sizes[-1]) for _ in range(2))
        held = [memory(pool.pids) for pool in pools]
    return [
        _Spread(size, cost_of(begin + end), cost_of(end), mb)
        for size, begin, end, mb in zip(sizes, first, later, held, strict=True)
    ]


def _mb(held: Memory | None) -> str:
    return f"{held.pss:.1f} MB" if held else "?"


def _jobs(among: Sequence[Exercise]) -> Iterator[Job]:
    return map(new_job, cycle(among))


def _half(
    pools: Sequence[WorkerPool], streams: Sequence[Iterator[Job]], number: int
) -> list[list[Block]]:
    """Run the pools in turns until each has graded so many."""
    meters = [Meter(pool) for pool in pools]
    for begin in range(0, number, _BLOCK):
        for meter, stream in zip(meters, streams, strict=True):
            meter.grade(islice(stream, min(_BLOCK, number - begin)))
    return [meter.blocks for meter in meters]
