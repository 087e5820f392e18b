"""CPU of the engine for each submission, beside a bare pool."""

import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from benchmarks.pools import Meter, open_without_spare
from benchmarks.result_tables import Aim, Block, Cost, Row, Section, cost_of, ms
from benchmarks.service.stage import (
    EXERCISE,
    Running,
    Stores,
    accept_many,
    exercise,
    new_source,
    running,
)
from grader.grading.jobs import Job
from grader.grading.submissions.submission import Submission
from grader.grading.workers.pool import WorkerPool

_WARM_UP = 50

_NOTES = """\
- Submissions that lie in the store already, {block} a block, until the last verdict is published;
  the ways took turns. Bare pool: the same number by the pool of `etude grade`, nothing kept.
- CPU of the server or worker with all its grading processes, and of the database server.
- The grading is that of `{exercise}`; the engine's part does not depend on what is
  graded, so it is a smaller share of an exercise that takes longer.
"""


def measure(stores: Stores, *, quick: bool) -> Section:
    """Measure a bare pool and a service of one worker in turns."""
    rounds, block = (3, 60) if quick else (8, 200)
    rows: list[Row] = []
    aims: list[Aim] = []
    for dialect in stores.dialects:
        with ExitStack() as stack:
            pool = stack.enter_context(WorkerPool(1, open_without_spare))
            service = stack.enter_context(running(stores.make(dialect), 1))
            bare, ours = _take_turns(pool, service, rounds, block)
        extra = [
            b.cpu / len(b.walls) - a.cpu / len(a.walls) for a, b in zip(bare, ours, strict=True)
        ]
        base, cost = cost_of(bare), cost_of(ours)
        share = 100 * median(extra) / base.cpu
        rows += [_row(f"{dialect}: bare pool", base, base), _row(f"{dialect}: service", cost, base)]
        aims.append(Aim(f"overhead, {dialect}, CPU of the grading's", share, 10, "%"))
    header = ("way", "wall ms", "least CPU ms", "CPU ms", "CPU ratio")
    notes = _NOTES.format(block=block, exercise=EXERCISE)
    return Section("overhead: the engine beside the grading", header, rows, notes, aims)


def _take_turns(
    pool: WorkerPool, service: Running, rounds: int, block: int
) -> tuple[list[Block], list[Block]]:
    Meter(pool).grade(_jobs(_WARM_UP))
    _drain(service, _WARM_UP)
    meter, ours = Meter(pool), []
    for _ in range(rounds):
        meter.grade(_jobs(block))
        ours.append(_drain(service, block))
    return meter.blocks, ours


def _drain(service: Running, block: int) -> Block:
    """Grade everything that waits in the store."""
    accept_many(service.database, block)
    cpu, begin = service.cpu(), time.perf_counter()
    service.wait_until_graded()
    wall = time.perf_counter() - begin
    return Block([wall / block] * block, service.cpu() - cpu)


def _jobs(number: int) -> list[Job]:
    """Make jobs ahead, because that is not part of the grading."""
    path, ours = Path(f"{EXERCISE}.py"), exercise()
    texts = [new_source().encode() for _ in range(number)]
    return [Job(ours, Submission.from_bytes(path, text)) for text in texts]


def _row(way: str, cost: Cost, base: Cost) -> Row:
    return way, ms(cost.best), ms(cost.least_cpu), ms(cost.cpu), f"{cost.cpu / base.cpu:.2f}"
