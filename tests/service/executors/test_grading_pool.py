"""Exercises that the grading process keeps."""

from pathlib import Path

import pytest

from grader.definitions.exercise import Exercise
from grader.grading.results.jobs import Job
from grader.grading.results.submission import Submission
from grader.grading.results.verdict import Outcome
from grader.service.catalog import Catalog
from grader.service.grading_pool import GradingPool
from tests.service.conftest import EXERCISES

_TURNS = (0, 1, 2, 3, 0, 1, 1, 3, 2, 0)


@pytest.fixture
def four() -> list[Exercise]:
    """Exercises."""
    return list(Catalog.load(EXERCISES).exercises.values())[:4]


@pytest.fixture
def jobs(four: list[Exercise]) -> list[Job]:
    """Model answers of them in turns."""
    return [_job(four[number]) for number in _TURNS]


def _job(exercise: Exercise) -> Job:
    source = exercise.solution.encode()
    return Job(exercise, Submission.from_bytes(Path(f"{exercise.id}.py"), source))


def test_its_process_imports_nothing_from_the_working_directory(
    jobs: list[Job], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server may be started where students' files lie."""
    (tmp_path / "grader.py").write_text("raise SystemExit('imported from there')")
    monkeypatch.chdir(tmp_path)
    with GradingPool(1) as pool:
        assert pool.grade(jobs[0]).result().outcome is Outcome.PASSED
