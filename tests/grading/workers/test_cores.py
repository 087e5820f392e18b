"""Workers share the processor's cores out among themselves where that goes evenly."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.cli.options import sandbox_opener
from grader.definitions.exercise import Exercise
from grader.grading.jobs import Job
from grader.grading.results.verdict import Verdict
from grader.grading.submissions.submission import Submission
from grader.grading.workers.pool import JobSource, WorkerPool
from grader.sandbox.process import open_sandbox


@pytest.fixture
def two_cores() -> Iterator[set[int]]:
    """Leave this process two cores, so that two workers are as many as there are."""
    before = os.sched_getaffinity(0)
    if len(before) == 1:
        pytest.skip("this machine has one core")
    chosen = set(sorted(before)[:2])
    os.sched_setaffinity(0, chosen)
    try:
        yield chosen
    finally:
        os.sched_setaffinity(0, before)


def job(exercise: Exercise) -> Job:
    """Return a submission that passes."""
    source = b"def double(x):\n    return 2 * x\n"
    return Job(exercise, Submission.from_bytes(Path("double.py"), source))


class OneEach(JobSource):
    """Gives each worker one job."""

    def __init__(self, exercise: Exercise, workers: int) -> None:
        self._jobs = dict.fromkeys(range(workers), job(exercise))

    def job_for(self, worker: int) -> Job | None:
        """Return the worker's job, if it has not had it."""
        return self._jobs.pop(worker, None)


def grade_one_each(pool: WorkerPool, exercise: Exercise, workers: int) -> None:
    """Afterwards each worker has graded something."""
    results = [result for _, result in pool.grade(OneEach(exercise, workers))]
    assert [isinstance(result, Verdict) for result in results] == [True] * workers


def family(pid: int) -> dict[int, set[int]]:
    """Return on which cores a process and its descendants may run; without those that ended."""
    try:
        found = {pid: os.sched_getaffinity(pid)}
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):
        return {}
    for child in children:
        found |= family(int(child))
    return found


def cores_of(pids: list[int]) -> list[set[int]]:
    """Return on which cores each worker, or a process below it, may run."""
    return [set[int]().union(*family(pid).values()) for pid in pids]


def _wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_as_many_workers_as_cores_have_one_each(two_cores: set[int], double: Exercise) -> None:
    """With all processes of their sandboxes."""
    with WorkerPool(2, open_sandbox) as pool:
        grade_one_each(pool, double, 2)
        assert all(len(family(pid)) > 1 for pid in pool.pids)
        assert sorted(map(sorted, cores_of(pool.pids))) == [[core] for core in sorted(two_cores)]
    assert os.sched_getaffinity(0) == two_cores


@pytest.mark.parametrize("workers", [1, 3])
def test_workers_that_do_not_go_into_the_cores_may_use_any(
    two_cores: set[int], double: Exercise, workers: int
) -> None:
    """Otherwise a core would be idle while two workers share another one."""
    with WorkerPool(workers, open_sandbox) as pool:
        grade_one_each(pool, double, workers)
        assert cores_of(pool.pids) == [two_cores] * workers


@pytest.mark.slow
def test_a_worker_that_replaces_another_takes_its_core(
    two_cores: set[int], double: Exercise
) -> None:
    """The workers stay spread over the cores."""
    with WorkerPool(2, open_sandbox) as pool:
        grade_one_each(pool, double, 2)
        killed, other = pool.pids
        cores_before = cores_of([killed, other])
        os.kill(killed, signal.SIGKILL)
        # So many that the other worker has not graded all of them when the death is noticed.
        results = [result for _, result in pool.grade([job(double)] * 64)]
        assert [isinstance(result, Verdict) for result in results] == [True] * 64
        (new,) = set(pool.pids) - {other}
        assert new != killed
        _wait_until(lambda: cores_of([new, other]) == cores_before)  # it may just have begun
    assert cores_before[0] | cores_before[1] == two_cores


def test_a_machine_that_binds_nobody_grades_all_the_same(
    two_cores: set[int], double: Exercise, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some hosts refuse; then its workers roam."""

    def refused(_pid: int, _cores: set[int]) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "sched_setaffinity", refused)
    with WorkerPool(2, open_sandbox) as pool:
        grade_one_each(pool, double, 2)
        assert cores_of(pool.pids) == [two_cores] * 2
    monkeypatch.undo()


@pytest.mark.parametrize(("workers", "ahead"), [(1, True), (2, False)])
def test_children_are_forked_ahead_where_a_core_is_left(
    two_cores: set[int], workers: int, ahead: bool
) -> None:
    """On a machine that is busy with workers it would only take time from them."""
    assert len(two_cores) == 2
    with sandbox_opener(unsafe=False, workers=workers)() as sandbox:
        assert sandbox.keeps_spare_child == ahead
