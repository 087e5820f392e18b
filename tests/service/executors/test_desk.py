"""What the grading process keeps of the exercises that it is sent."""

import os
import pickle
import socket
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from grader.definitions.exercise import Exercise
from grader.grading.results.jobs import Job
from grader.grading.results.submission import Submission
from grader.grading.results.verdict import Outcome
from grader.service.catalog import Catalog
from grader.service.grading_pool import Desk, _Line
from grader.service.pool_process import _Inbox
from tests.service.conftest import EXERCISES

_TURNS = (0, 1, 2, 3, 0, 1, 1, 3, 2, 0)


@pytest.fixture
def four() -> list[Exercise]:
    """Exercises."""
    return list(Catalog.load(EXERCISES).exercises.values())[:4]


@pytest.fixture
def room(four: list[Exercise], monkeypatch: pytest.MonkeyPatch) -> int:
    """Bytes for about two of them, which is all that there is."""
    bytes_for_two = 5 * max(len(pickle.dumps(each)) for each in four) // 2
    monkeypatch.setattr("grader.service.grading_pool.MOST_OF_DEFINITIONS", bytes_for_two)
    return bytes_for_two


@pytest.fixture
def jobs(four: list[Exercise]) -> list[Job]:
    """Model answers of them in turns."""
    return [_job(four[number]) for number in _TURNS]


def _job(exercise: Exercise) -> Job:
    source = exercise.solution.encode()
    return Job(exercise, Submission.from_bytes(Path(f"{exercise.id}.py"), source))


@pytest.mark.usefixtures("room")
def test_a_definition_that_is_forgotten_is_sent_again(jobs: list[Job]) -> None:
    """Whatever comes back is graded as before, by the same process."""
    with Desk(1) as desk:
        pid = desk.pid
        verdicts = [each.result() for each in [desk.grade(job) for job in jobs]]
        assert desk.pid == pid
    assert {each.outcome for each in verdicts} == {Outcome.PASSED}


def test_its_process_imports_nothing_from_the_working_directory(
    jobs: list[Job], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server may be started where students' files lie."""
    (tmp_path / "grader.py").write_text("raise SystemExit('imported from there')")
    monkeypatch.chdir(tmp_path)
    with Desk(1) as desk:
        assert desk.grade(jobs[0]).result().outcome is Outcome.PASSED


def test_definitions_are_kept_within_a_budget(jobs: list[Job], room: int) -> None:
    """At the other end of the line, however many different ones are graded."""
    ours, theirs = socket.socketpair()
    line, inbox = _Line(ours), _Inbox(Connection(os.dup(theirs.fileno())))
    kept = inbox.exercises
    for number, job in enumerate(jobs):
        line.send_job(number, job)
        taken = inbox.job_for(0)
        assert taken is not None
        assert taken.exercise.digest == job.exercise.digest
        assert sum(len(pickle.dumps(each)) for each in kept.values()) <= room
    line.shutdown()
    inbox.doorbell.close()
    theirs.close()
