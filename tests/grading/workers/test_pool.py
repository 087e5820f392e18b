"""Workers may die: no submission is lost, none is graded twice, and a fault is never a verdict."""

import os
import signal
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from grader.definitions.collection import load_exercise_file
from grader.definitions.exercise import Exercise
from grader.errors import DefinitionError, GraderFault, SandboxFault
from grader.grading.jobs import Job
from grader.grading.results.verdict import Verdict
from grader.grading.submissions.read_submission import read_file
from grader.grading.submissions.submission import Submission
from grader.grading.workers.pool import MAX_TRIES, WorkerPool
from grader.sandbox.process import Sandbox, open_sandbox


def job(exercise: Exercise, number: int, body: str = "return 2 * x") -> Job:
    source = f"# {number}\ndef double(x):\n    {body}\n"
    return Job(exercise, Submission.from_bytes(Path(f"{number}.py"), source.encode()))


def names(jobs: list[Job]) -> list[str]:
    return sorted(j.submission.path.name for j in jobs)


@pytest.mark.parametrize("workers", [1, 2])
def test_every_job_gets_its_own_verdict(double: Exercise, workers: int) -> None:
    """Right and wrong ones mixed, over one worker and over two."""
    jobs = [job(double, n, "return 2 * x" if n % 3 else "return x") for n in range(30)]
    with WorkerPool(workers, open_sandbox) as pool:
        results = list(pool.grade(jobs))
    assert names([j for j, _ in results]) == names(jobs)
    for done, result in results:
        assert isinstance(result, Verdict)
        number = int(done.submission.path.stem)
        assert result.outcome == ("passed" if number % 3 else "failed")
        assert result.submission_hash == done.submission.digest


def test_a_killed_worker_loses_nothing(double: Exercise) -> None:
    """Its submission is graded by another one; all verdicts come, none twice."""
    jobs = [job(double, n) for n in range(40)]
    done: list[Job] = []
    with WorkerPool(2, open_sandbox) as pool:
        for finished, result in pool.grade(jobs):
            done.append(finished)
            assert isinstance(result, Verdict)
            if len(done) in (5, 20):
                os.kill(pool.pids[0], signal.SIGKILL)
    assert names(done) == names(jobs)


@pytest.mark.slow
def test_a_job_that_kills_its_workers_is_given_up_as_a_fault(
    double: Exercise, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After three tries; the jobs around it are graded."""
    from grader.grading.run.submission_run import SubmissionRun

    whole = SubmissionRun.load

    def deadly(self: SubmissionRun) -> None:
        if "poison" in self.submission.source:
            os._exit(9)  # a confined worker may send no signal, not even to itself
        whole(self)

    monkeypatch.setattr(SubmissionRun, "load", deadly)
    jobs = [job(double, 1), job(double, 2, "return 'poison'"), job(double, 3)]
    with WorkerPool(1, open_sandbox) as pool:
        results = {j.submission.path.stem: result for j, result in pool.grade(jobs)}
    assert isinstance(results["2"], GraderFault)
    assert f"given up after {MAX_TRIES} tries: the worker process died" in str(results["2"])
    assert isinstance(results["1"], Verdict)
    assert isinstance(results["3"], Verdict)


def test_a_fault_of_ours_is_reported_after_the_last_try(
    double: Exercise, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The result says what the worker met."""
    from grader.grading.run.submission_run import SubmissionRun

    def broken(_: SubmissionRun) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(SubmissionRun, "load", broken)
    with WorkerPool(1, open_sandbox) as pool:
        ((_, result),) = pool.grade([job(double, 1)])
    assert isinstance(result, GraderFault)
    assert str(result) == f"given up after {MAX_TRIES} tries: RuntimeError: a bug"


def test_a_working_directory_that_was_removed_is_not_needed(
    double: Exercise, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A deployment may remove the folder that a server was started in; files are found as before."""
    (tmp_path / "work").mkdir()
    (tmp_path / "double.py").write_text("def double(x):\n    return 2 * x\n")
    monkeypatch.chdir(tmp_path / "work")
    (tmp_path / "work").rmdir()
    with WorkerPool(1, open_sandbox) as pool:
        read = Job(double, read_file(tmp_path / "double.py"))
        results = [result for _, result in pool.grade([job(double, 1), read])]
    assert [isinstance(each, Verdict) and each.outcome for each in results] == ["passed", "passed"]


def test_a_broken_sandbox_is_replaced(double: Exercise) -> None:
    """When the zygote is killed, the submission is graded in a new one."""
    jobs = [job(double, n) for n in range(20)]
    with WorkerPool(1, open_sandbox) as pool:
        results = []
        for done in pool.grade(jobs):
            results.append(done)
            if len(results) == 3:
                for pid in list(children(pool.pids[0])):
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
    assert names([j for j, _ in results]) == names(jobs)
    assert all(isinstance(result, Verdict) for _, result in results)


def children(pid: int) -> Iterator[int]:
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread that has just ended
            yield from map(int, (task / "children").read_text().split())


@pytest.mark.slow
def test_workers_are_replaced_after_so_many_jobs(double: Exercise) -> None:
    """Nothing can pile up in one; the change loses nothing."""
    jobs = [job(double, n) for n in range(10)]
    seen = set()
    with WorkerPool(1, open_sandbox, jobs_per_worker=3) as pool:
        done = []
        for finished, _ in pool.grade(jobs):
            done.append(finished)
            seen.update(pool.pids)
    assert names(done) == names(jobs)
    assert len(seen) >= 3


def test_no_sandbox_stops_the_batch_with_its_cause(double: Exercise) -> None:
    """Nothing is retried when nothing can work."""

    def none() -> Sandbox:
        raise SandboxFault("no sandbox: not here")

    with WorkerPool(2, none) as pool, pytest.raises(SandboxFault, match="not here"):
        list(pool.grade([job(double, 1)]))


def test_an_author_s_code_has_neither_network_nor_files_nor_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A definition from elsewhere is graded by a process that can do no harm, and imports late."""
    monkeypatch.setenv("ETUDE_TEST_VALUE", "secret")
    (tmp_path / "neighbour").write_text("secret")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.1)
        port = listener.getsockname()[1]
        path = tmp_path / "evil.yaml"
        path.write_text(
            "id: evil\ntitle: Evil\ndifficulty: beginner\nxp: 1\ninstructions: i\n"
            "defines: {double: {}}\nstarter: ''\nsolution: ''\nexplanation: e\ntests:\n"
            "  - id: only\n    call: double(x)\n    expect: 2\n    given: |\n"
            "      import os, socket\n      x = 1\n      parent = os.getppid()\n"
            f"      for attempt in (lambda: socket.create_connection(('127.0.0.1', {port}), 1),\n"
            f"                      lambda: open({str(tmp_path / 'stolen')!r}, 'w'),\n"
            f"                      lambda: open({str(tmp_path / 'neighbour')!r}),\n"
            f"                      lambda: open({str(path)!r}),\n"
            f"                      lambda: os.listdir({str(Path.home())!r}),\n"
            "                      lambda: open('/proc/self/environ'),\n"
            "                      lambda: open(f'/proc/{parent}/environ'),\n"
            "                      lambda: os.execv('/bin/true', ['true'])):\n"
            "          try:\n              attempt()\n              x = 2\n"
            "          except OSError:\n              pass\n"
            "      left = [name for name in os.environ if not name.startswith(('PYTEST_', 'MPL', 'MATPLOTLIBRC'))]\n"
            "      if left or os.read(0, 1):\n          x = 3\n"
            "      import numpy.polynomial.hermite, reference.gpt, sqlite3\n"
        )
        with WorkerPool(1, open_sandbox) as pool:
            ((_, result),) = pool.grade([job(load_exercise_file(path), 1)])
        with pytest.raises(TimeoutError):
            listener.accept()
    assert isinstance(result, Verdict), result
    assert result.outcome == "passed"
    assert not (tmp_path / "stolen").exists()


def test_an_author_s_mistake_comes_back_with_its_place(tmp_path: Path) -> None:
    """A definition that cannot be run is not retried, and keeps file, line and column."""
    path = tmp_path / "bad.yaml"
    path.write_text(
        "id: bad\ntitle: Bad\ndifficulty: beginner\nxp: 1\ninstructions: i\ndefines: {double: {}}\n"
        "starter: ''\nsolution: ''\nexplanation: e\n"
        "tests: [{id: only, given: 'x = 1 / 0', call: double(x), expect: 1}]\n"
    )
    with WorkerPool(1, open_sandbox) as pool:
        ((_, result),) = pool.grade([job(load_exercise_file(path), 1)])
    assert isinstance(result, DefinitionError)
    assert str(result).startswith(f"{path}:10:9: test 'only': given raises ZeroDivisionError")
