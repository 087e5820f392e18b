"""The grading process of the service."""

from pathlib import Path

import pytest

from etude_server.catalog import Catalog
from grader.definitions.collection import load_exercise_file
from grader.definitions.exercise import Exercise
from grader.errors import DefinitionError
from grader.grading.jobs import Job
from grader.grading.results.verdict import Outcome
from grader.grading.submissions.submission import Submission
from grader.grading.workers.grading_process import GradingProcess
from tests.conftest import DOUBLE
from tests.server.conftest import EXERCISES


def _job(exercise: Exercise) -> Job:
    source = exercise.solution.encode()
    return Job(exercise, Submission.from_bytes(Path(f"{exercise.id}.py"), source))


def test_its_process_imports_nothing_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server may be started where students' files lie."""
    (tmp_path / "grader.py").write_text("raise SystemExit('imported from there')")
    monkeypatch.chdir(tmp_path)
    exercise = next(iter(Catalog.load(EXERCISES).exercises.values()))
    with GradingProcess(1) as pool:
        assert pool.grade(_job(exercise)).result().outcome is Outcome.PASSED


def test_an_authors_code_may_multiply_large_matrices(tmp_path: Path) -> None:
    """BLAS takes several threads for them, which a worker may not start."""
    path = tmp_path / "double.yaml"
    large = "y = rng.standard_normal((400, 400))\n      x = (y @ y)[0, :5]"
    path.write_text(DOUBLE.replace("x = rng.standard_normal(5)", large))
    with GradingProcess(1) as pool:
        verdict = pool.grade(_job(load_exercise_file(path))).result(timeout=30)
    assert verdict.outcome is Outcome.PASSED


def test_an_authors_mistake_comes_back_with_its_place(tmp_path: Path) -> None:
    """The service parks the submission and shows the problem with file, line and column."""
    path = tmp_path / "double.yaml"
    path.write_text(DOUBLE.replace("x = rng.standard_normal(5)", "x = 1 / 0"))
    with GradingProcess(1) as pool:
        error = pool.grade(_job(load_exercise_file(path))).exception(timeout=30)
    assert isinstance(error, DefinitionError)
    assert "given raises ZeroDivisionError" in error.problems[0].message
    assert error.problems[0].where.path == path
