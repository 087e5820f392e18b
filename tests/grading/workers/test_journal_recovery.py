"""A submission that keeps its grader computing is ended in time, and is no grader fault.

What the tests compute, a sum over a range, stands for any C code that no signal interrupts.
"""

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from grader.definitions.exercise import Exercise
from grader.errors import DefinitionError, GraderFault
from grader.grading.jobs import Job, JobOptions, Result
from grader.grading.results import journal
from grader.grading.results.journal import Journal
from grader.grading.results.verdict import Outcome, Verdict
from grader.grading.submissions.submission import Submission
from grader.grading.workers.journal_recovery import recover_result
from grader.grading.workers.pool import WorkerPool
from grader.sandbox.limits import Limits
from grader.sandbox.process import open_sandbox
from tests.grading.conftest import Make

LONG = 2_000_000_000  # sums up for half a minute, longer than any test waits
SHORT = Limits(cpu_seconds=1, wall_seconds=1.0)
PLAIN = JobOptions()
PATIENT = Limits(cpu_seconds=20, wall_seconds=60.0)

RIGHT = "def f(x): return x\n"
HOLDS_UP = f"def f(x): return {LONG} if x == 3 else x\n"
SUM = "sum(range(f(x)))"
TESTS: Sequence[dict[str, Any]] = (
    {"given": {"x": 2}, "call": "f(x)", "expect": 2},
    {"given": {"x": 3}, "call": SUM, "expect": 3, "hidden": True},
    {"given": {"x": 4}, "call": "f(x)", "expect": 4, "hidden": True},
    {"given": {"x": 5}, "call": "f(x)", "expect": 5, "hidden": True, "disclose": "nothing"},
)


def job(
    exercise: Exercise, source: str, limits: Limits = PATIENT, options: JobOptions = PLAIN
) -> Job:
    return Job(exercise, Submission.from_bytes(Path("f.py"), source.encode()), limits, options)


def grade_jobs(*jobs: Job) -> list[Result]:
    with WorkerPool(1, open_sandbox) as pool:
        return [result for _, result in pool.grade(jobs)]


def test_the_test_that_ran_timed_out_and_the_next_submission_is_graded(make: Make) -> None:
    """What was found before stands, what comes after was not run; nothing is tried again."""
    exercise = make(*TESTS, solution=RIGHT)
    first, other = grade_jobs(job(exercise, HOLDS_UP, SHORT), job(exercise, RIGHT))
    assert isinstance(first, Verdict)
    assert first.outcome is Outcome.TIMED_OUT
    assert [(test.outcome.value, test.points) for test in first.tests] == [
        ("passed", 1),
        ("timed out", 0),
        ("not run", 0),
        ("failed", 0),
    ]
    assert first.tests[1].message == "Your code took too long for the inputs of this hidden test."
    assert first.tests[3].message == "A hidden test did not pass."
    assert first.sandbox in ("namespaces", "landlock")
    assert isinstance(other, Verdict)
    assert other.outcome is Outcome.PASSED


@pytest.mark.slow
@pytest.mark.parametrize(
    "test",
    [
        {"call": SUM, "expect": 3},
        {"call": SUM, "holds": "deterministic"},
        {"pytest": f"assert {SUM} == 3"},
    ],
)
def test_every_kind_of_test_that_computes_is_ended(make: Make, test: dict[str, Any]) -> None:
    """A visible one says why, and shows nothing that was not there yet."""
    exercise = make({"given": {"x": 3}, **test}, solution=RIGHT)
    (verdict,) = grade_jobs(job(exercise, HOLDS_UP, SHORT))
    assert isinstance(verdict, Verdict)
    (result,) = verdict.tests
    assert result.outcome is Outcome.TIMED_OUT
    assert result.message == "The test did not end within 1 s with what your code returned."


def test_a_diagnosis_that_takes_too_long_is_left_out(make: Make) -> None:
    """The verdict that was found before stands."""
    exercise = make(
        {"given": {"x": 3}, "call": SUM, "expect": 3},
        solution=RIGHT,
        misconceptions=[{"id": "long", "code": HOLDS_UP, "feedback": "It is too long."}],
    )
    (verdict,) = grade_jobs(job(exercise, "def f(x): return x + 0.5\ndef g(): ...", SHORT))
    assert isinstance(verdict, Verdict)
    assert verdict.outcome is Outcome.FAILED
    assert verdict.diagnosis is None


@pytest.mark.slow
def test_what_an_author_computes_is_neither_counted_nor_endless(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inputs may take longer than a submission; what takes far too long is the definition's error."""
    slow = {"given": "import time\ntime.sleep(2.5)\nx = 3", "call": "f(x)", "expect": 3}
    (verdict,) = grade_jobs(job(make(slow, solution=RIGHT), RIGHT, SHORT))
    assert isinstance(verdict, Verdict)
    assert verdict.outcome is not Outcome.TIMED_OUT or "Stopped" in verdict.tests[0].message
    monkeypatch.setattr("grader.grading.workers.pool.PREPARE_SECONDS", 1.0)
    endless = {"given": f"x = sum(range({LONG}))", "call": "f(x)", "expect": 3}
    exercise = make(endless, solution=RIGHT)
    (refused,) = grade_jobs(job(exercise, RIGHT, SHORT))
    assert isinstance(refused, DefinitionError)
    assert str(refused).startswith(f"{exercise.where.path}:1:1: computing its inputs and expected")


@pytest.mark.slow
def test_notes_that_are_none_are_a_fault(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that an author's code has taken over cannot make a verdict by them."""
    monkeypatch.setattr("grader.grading.workers.pool.MAX_TRIES", 1)
    record = Journal.record

    def lie(self: Journal, kind: str, content: object) -> None:
        record(self, kind, {"id": "another"} if kind == journal.RESULT else content)

    monkeypatch.setattr(Journal, "record", lie)
    (result,) = grade_jobs(job(make(*TESTS, solution=RIGHT), HOLDS_UP, SHORT))
    assert isinstance(result, GraderFault)


def test_a_submission_that_is_not_loaded_in_time_has_no_results(make: Make) -> None:
    """Nothing is said of a test; one that stops at the first failure has the first only."""
    exercise = make(*TESTS, solution=RIGHT)
    result = recover_result(job(exercise, RIGHT, SHORT), [(journal.BEGAN, 1.0)], "namespaces")
    assert isinstance(result, Verdict)
    assert result.outcome is Outcome.TIMED_OUT
    assert result.message.startswith("Stopped after 1 s.")
    assert {test.outcome for test in result.tests} == {Outcome.NOT_RUN}
    probed = job(exercise, RIGHT, SHORT, JobOptions(stop_at_failure=True))
    result = recover_result(probed, [(journal.BEGAN, 1.0), (journal.LOADED, "")], "namespaces")
    assert isinstance(result, Verdict)
    assert [test.outcome for test in result.tests] == [Outcome.TIMED_OUT]


def test_a_pool_that_is_left_waits_for_nobody(make: Make) -> None:
    """Ctrl-C while a submission holds a worker ends both at once."""
    exercise = make(*TESTS, solution=RIGHT)
    # A shell starts what it puts in the background with SIGINT ignored, and that is inherited.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    with suppress(KeyboardInterrupt), WorkerPool(1, open_sandbox) as pool:
        (pid,) = pool.pids
        threading.Timer(2, signal.pthread_kill, [threading.get_ident(), signal.SIGINT]).start()
        list(pool.grade([job(exercise, HOLDS_UP)]))
        pytest.fail("it was not interrupted")
    signal.signal(signal.SIGINT, before)
    assert not Path(f"/proc/{pid}").exists()
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - used
    assert used < PATIENT.cpu_seconds / 2


@pytest.mark.slow
def test_a_killed_parent_leaves_no_worker_behind(make: Make) -> None:
    """Neither a worker that computes nor its sandbox outlives it."""
    exercise = make({"given": {"x": 3}, "call": SUM, "expect": 3}, solution=RIGHT)
    program = (
        "import sys\nfrom pathlib import Path\n"
        "from grader.definitions.collection import load_exercise_file\n"
        "from grader.grading.jobs import Job\nfrom grader.grading.workers.pool import WorkerPool\n"
        "from grader.grading.submissions.submission import Submission\n"
        "from grader.sandbox.process import open_sandbox\n"
        f"exercise = load_exercise_file(Path({str(exercise.where.path)!r}))\n"
        f"submission = Submission.from_bytes(Path('f.py'), {HOLDS_UP.encode()!r})\n"
        "with WorkerPool(1, open_sandbox) as pool:\n"
        "    print(*pool.pids, flush=True)\n"
        "    list(pool.grade([Job(exercise, submission)]))\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    with parent.stdout:
        worker = int(parent.stdout.readline())
    _wait_until_it_computes(worker)
    family = [worker, *_descendants(worker)]
    assert len(family) > 1
    parent.kill()
    parent.wait()
    until = time.monotonic() + 10
    while any(Path(f"/proc/{pid}").exists() for pid in family) and time.monotonic() < until:
        time.sleep(0.02)
    left = [pid for pid in family if Path(f"/proc/{pid}").exists()]
    for pid in left:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    assert left == []


def _wait_until_it_computes(pid: int) -> None:
    """Wait until a process has used half a second more than when it had a sandbox."""
    begin = None
    while begin is None or _cpu(pid) < begin + 0.5:
        if begin is None and any(_descendants(pid)):
            begin = _cpu(pid)
        time.sleep(0.02)


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _descendants(pid: int) -> Iterator[int]:
    with suppress(FileNotFoundError, ProcessLookupError):
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            yield int(child)
            yield from _descendants(int(child))
