"""A course's own reference: what the oracle has of it, and what a submission has not."""

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.definitions.collection import load_exercise_file
from grader.errors import DefinitionError
from grader.grading.jobs import Job
from grader.grading.results.verdict import Outcome
from grader.grading.submissions.submission import Submission
from grader.grading.workers.pool import WorkerPool
from grader.sandbox.process import Sandbox, open_sandbox
from tests.conftest import DOUBLE
from tests.grading.conftest import grade

Course = Callable[..., Path]


@pytest.fixture
def course(tmp_path: Path) -> Course:
    """Write a course whose exercise compares with the course's reference, in two ways."""

    def write(name: str = "answers", helper: str = "return 2 * x") -> Path:
        folder = tmp_path / name
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / "course.yaml").write_text(f"title: T\nreference: {name}\n")
        (folder / name / "__init__.py").write_text("")
        (folder / name / "helper.py").write_text(f"def twice(x):\n    {helper}\n")
        module = "from .helper import twice\n\n\ndef double(x):\n    return twice(x)\n"
        (folder / name / "numbers.py").write_text(module)
        text = DOUBLE.replace("{double: {}}", f"{{double: {{reference: {name}.numbers:double}}}}")
        text = text.replace("expect: [2.0, 4.0]", "expect: reference")
        text = text.replace(
            "call: double(x) - 2 * x\n    expect: [0.0, 0.0, 0.0, 0.0, 0.0]",
            f"call: double(x)\n    expect: {{expression: {name}.helper.twice(x)}}",
        )
        (folder / "double.yaml").write_text(text)
        return folder / "double.yaml"

    return write


def submitted(source: str) -> Submission:
    return Submission(Path("double.py"), source, "0" * 64)


RIGHT = "def double(x):\n    return 2 * x\n"


def test_a_worker_computes_expected_values_with_the_course_s_reference(course: Course) -> None:
    """Its modules import each other there, though a worker can read none of the course's files."""
    exercise = load_exercise_file(course())
    with WorkerPool(1, open_sandbox) as pool:
        jobs = [Job(exercise, submitted(RIGHT)), Job(exercise, submitted("double = abs\n"))]
        outcomes = [result.outcome for _, result in pool.grade(jobs)]  # type: ignore[union-attr]  # no fault
    assert outcomes == [Outcome.PASSED, Outcome.FAILED]


def test_courses_in_one_worker_do_not_mix(course: Course, sandbox: Sandbox) -> None:
    """Each exercise is compared with its own course, also where two packages have one name."""
    twice = load_exercise_file(course())
    assert grade(twice, submitted(RIGHT), sandbox).outcome is Outcome.PASSED
    thrice = load_exercise_file(course(helper="return 3 * x"))
    assert grade(thrice, submitted(RIGHT), sandbox).outcome is Outcome.FAILED
    assert grade(twice, submitted(RIGHT), sandbox).outcome is Outcome.PASSED


def test_a_submission_can_neither_import_nor_read_the_reference(
    course: Course, each_sandbox: Sandbox
) -> None:
    """Not by its name, not from its folder, not from modules that are loaded."""
    path = course()
    source = f"""
import sys


def double(x):
    found = [name for name in sys.modules if name.partition(".")[0] == "answers"]
    sys.path.insert(0, {str(path.parent)!r})
    try:
        from answers.numbers import double as found
        return found(x)
    except ImportError:
        pass
    try:
        found = open({str(path.parent / "answers" / "numbers.py")!r}).read()
    except OSError:
        pass
    return 2 * x if found else None
"""
    exercise = load_exercise_file(path)
    verdict = grade(exercise, submitted(source), each_sandbox)
    assert all(result.outcome is Outcome.FAILED for result in verdict.tests)


@pytest.mark.parametrize(
    ("helper", "message"),
    [("return x.nonsense", "AttributeError"), ("return 1\n\n\nraise OSError('why')", "why")],
)
def test_a_reference_that_fails_is_the_author_s_error(
    course: Course, sandbox: Sandbox, helper: str, message: str
) -> None:
    """When it is called, and already when it is imported."""
    exercise = load_exercise_file(course(helper=helper))
    with pytest.raises(DefinitionError, match=message):
        grade(exercise, submitted(RIGHT), sandbox)
