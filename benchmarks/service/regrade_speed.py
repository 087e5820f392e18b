"""A fixed test: stored submissions graded again, with one worker and with two."""

import dataclasses
import tempfile
import time

from benchmarks.commands import in_fresh_process
from benchmarks.machine import cores
from benchmarks.result_tables import Row, Section
from benchmarks.service.stage import (
    EXERCISE,
    Stores,
    accept_many,
    catalog,
    exercise,
    wait_until_graded,
)
from etude_server.actions import regrades as actions
from etude_server.catalog import Catalog
from etude_server.grading import GradingService
from etude_server.local_executor import LocalExecutor
from etude_server.store.database import Database
from etude_server.store.migrate import upgrade_store
from grader.definitions.exercise import Exercise
from grader.grading.workers.grading_process import GradingProcess

_NIGHT = 8 * 60 * 60

_NOTES = """\
- {number:,} submissions, each of another source, under an exercise of which one test was taken
  away; the verdict, its publication and the mark of what is done are durable for each. On SQLite,
  where the pool has one worker or two.
- full night: what that rate comes to in eight hours. Identical sources are graded once, so that a
  million submissions are fewer.
"""


def measure(stores: Stores, *, quick: bool) -> Section:  # noqa: ARG001  all sections are called so
    """Grade a store again, twice over."""
    number = 150 if quick else 2_000
    rates = in_fresh_process(_rates, number, (1, 2))
    rows: list[Row] = [
        (f"{workers}", f"{rate:.0f}", f"{rate / rates[0]:.2f}", f"{rate * _NIGHT:,.0f}")
        for workers, rate in zip((1, 2), rates, strict=True)
    ]
    header = ("workers", "regraded /s", "ratio", "full night")
    title = f"regrade: stored submissions a second, on {cores()} cores"
    return Section(title, header, rows, _NOTES.format(number=number))


def _rates(number: int, sizes: tuple[int, ...]) -> list[float]:
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/etude.db"
        whole = catalog()
        first = exercise()
        _fill(url, whole, number)
        versions = [first, *(_mended(first, size) for size in sizes)]
        return [
            number / _timed(url, whole, before, after, size)
            for before, after, size in zip(versions, versions[1:], sizes, strict=False)
        ]


def _fill(url: str, whole: Catalog, number: int) -> None:
    """Make a store with that many graded submissions."""
    with GradingProcess(2) as pool, Database(url) as database:
        upgrade_store(database)
        with LocalExecutor(GradingService(database, whole, pool)) as executor:
            accept_many(database, number)
            executor.notify([])
            wait_until_graded(database)


def _timed(url: str, whole: Catalog, before: Exercise, after: Exercise, workers: int) -> float:
    mended = dataclasses.replace(whole, exercises={**whole.exercises, EXERCISE: after})
    with GradingProcess(workers) as pool, Database(url) as database:
        grading = GradingService(database, mended, pool)
        wanted = actions.plan_regrade(grading, EXERCISE, before.digest)
        actions.preview_regrade(grading, wanted, sample=10)  # also warms up what grades
        begun = actions.start_regrade(grading, wanted, by="bench", reason="a test was taken away")
        begin = time.perf_counter()
        actions.run_regrade(grading, begun)
        return time.perf_counter() - begin


def _mended(whole: Exercise, version: int) -> Exercise:
    return dataclasses.replace(whole, tests=whole.tests[:-1], digest=f"{version:064x}")
