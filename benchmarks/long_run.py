"""Thousands of submissions through one worker, looked at now and then: `memory` and `scaling`."""

import functools
from dataclasses import dataclass, field

from benchmarks.commands import in_fresh_process
from benchmarks.pools import Meter, open_with_spare
from benchmarks.processes import Memory, memory, zygote_and_spare
from benchmarks.result_tables import Cost, cost_of
from benchmarks.workload import exercises, new_jobs
from grader.definitions.exercise import Exercise
from grader.grading.workers.pool import WorkerPool

_COMPARE_AT = (100, 1_000, 10_000)
_WARM_UP = 25
_BLOCK = 30


@dataclass(frozen=True, slots=True)
class Look:
    """The memory of a worker and its sandbox after so many submissions, where it can be read."""

    graded: int
    worker: Memory | None
    zygote: Memory | None
    sandbox: Memory | None  # the zygote with its spare child


@dataclass(frozen=True, slots=True)
class Comparison:
    """The cost of the next submissions, for the worker and a fresh one that takes turns with it."""

    graded: int
    worker: Cost
    fresh: Cost


@dataclass(frozen=True, slots=True)
class LongRun:
    """One worker's life."""

    looks: list[Look] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)


def of_either_length(*, quick: bool) -> LongRun:
    """Grade a thousand submissions, or ten thousand, the first time that this is called."""
    return _long_run(1_000, 500, 4) if quick else _long_run(10_000, 1_000, 10)


@functools.cache
def _long_run(total: int, step: int, turns: int) -> LongRun:
    return in_fresh_process(_grade, total, step, turns)


def _grade(total: int, step: int, turns: int) -> LongRun:
    (exercise,) = exercises(1)
    run = LongRun()
    graded = 0
    # Never replaced, unlike in a batch: what piles up must show.
    with WorkerPool(1, open_with_spare, jobs_per_worker=2 * total) as pool:
        for stop in sorted({_COMPARE_AT[0], *range(step, total + 1, step)}):
            Meter(pool).grade(new_jobs(exercise, stop - graded))
            graded = stop
            run.looks.append(_look(pool, graded))
            if stop in _COMPARE_AT:
                run.comparisons.append(_compare(pool, graded, exercise, turns))
                graded += turns * _BLOCK
    return run


def _look(pool: WorkerPool, graded: int) -> Look:
    (worker,) = pool.pids
    zygote, spare = zygote_and_spare(worker)
    return Look(graded, memory([worker]), memory([zygote]), memory([zygote, spare]))


def _compare(pool: WorkerPool, graded: int, exercise: Exercise, turns: int) -> Comparison:
    with WorkerPool(1, open_with_spare) as fresh:
        Meter(fresh).grade(new_jobs(exercise, _WARM_UP))
        meters = Meter(pool), Meter(fresh)
        for _ in range(turns):
            for meter in meters:
                meter.grade(new_jobs(exercise, _BLOCK))
        worker, other = (cost_of(meter.blocks) for meter in meters)
    return Comparison(graded, worker, other)
