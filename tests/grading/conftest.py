"""Small exercises made from a few fields, graded in the real sandbox."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
import yaml

from grader.authoring.lint.lint_report import lint
from grader.authoring.targets import TargetGroup
from grader.definitions.collection import load_exercise_file
from grader.definitions.exercise import Exercise
from grader.grading.jobs import Job, JobOptions
from grader.grading.results.verdict import Outcome, TestResult, Verdict
from grader.grading.session.engine import Engine
from grader.grading.submissions.submission import Submission
from grader.sandbox.interface import GradingSandbox
from grader.sandbox.limits import Limits
from grader.sandbox.process import Sandbox
from tests.grading.checks.plain_pytest import Probe, passes_in_plain_python

Fields: TypeAlias = dict[str, object]
Make: TypeAlias = Callable[..., Exercise]
GradeOne: TypeAlias = Callable[..., TestResult]
GradeAll: TypeAlias = Callable[..., Verdict]
Agree: TypeAlias = Callable[[Probe], None]

PLAIN = JobOptions()
SOLUTION = "import numpy as np\n\n\ndef f(x):\n    return 2.0 * x\n"


def grade(
    exercise: Exercise,
    submission: Submission | str,
    sandbox: GradingSandbox,
    limits: Limits | None = None,
    options: JobOptions = PLAIN,
) -> Verdict:
    """Grade one submission, or its source, in an engine of its own."""
    if isinstance(submission, str):
        submission = Submission.from_program(exercise, submission)
    return Engine(sandbox).grade(Job(exercise, submission, limits, options))


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Load an exercise about `f` with these tests and fields."""

    def load(*tests: Fields, solution: str = SOLUTION, **fields: object) -> Exercise:
        given = {
            "id": "small",
            "title": "Small",
            "difficulty": "beginner",
            "xp": 1,
            "instructions": "Write `f`.",
            "defines": {"f": {}},
            "starter": "def f(x):\n    ...\n",
            "tests": [{"id": f"test-{n}", **test} for n, test in enumerate(tests)],
            "solution": solution,
            "explanation": "e",
            **fields,
        }
        path = tmp_path / "small.yaml"
        without_anchors = json.loads(json.dumps(given))
        path.write_text(yaml.safe_dump(without_anchors, sort_keys=False))
        return load_exercise_file(path)

    return load


@pytest.fixture
def grade_all(make: Make, sandbox: Sandbox) -> GradeAll:
    """Grade a source against an exercise with these tests."""

    def verdict(source: str, *tests: Fields, **fields: object) -> Verdict:
        return grade(make(*tests, **fields), source, sandbox)

    return verdict


@pytest.fixture
def grade_one(grade_all: GradeAll) -> GradeOne:
    """Grade a source against one test, and return its result."""

    def result(source: str, test: Fields, **fields: object) -> TestResult:
        verdict = grade_all(source, test, **fields)
        assert not verdict.message, verdict.message
        return verdict.tests[0]

    return result


@pytest.fixture
def agree(make: Make, sandbox: Sandbox, capsys: pytest.CaptureFixture[str]) -> Agree:
    """Check that plain Python and the grader agree on a probe, or that lint refuses it."""

    def check(probe: Probe) -> None:
        fixtures: dict[str, Any] = {"capsys": capsys}
        exercise = make(probe.fields, defines=probe.defines, solution=probe.right)
        if probe.refused:
            report = lint([TargetGroup((exercise.where.path,))], codes=frozenset({"ETU314"}))
            assert any(probe.refused in finding.message for finding in report.findings)
            return
        for program, is_right in ((probe.right, True), (probe.wrong, False)):
            if program:
                assert passes_in_plain_python(probe, program, fixtures) is is_right
                verdict = grade(exercise, program, sandbox)
                assert not verdict.message, verdict.message
                (result,) = verdict.tests
                assert (result.outcome is Outcome.PASSED) is is_right, result.message

    return check
