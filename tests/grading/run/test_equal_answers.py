"""Draws that pass by the bytes of their answers, in the real sandbox."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from grader.definitions.exercise import Exercise
from grader.grading.checks import Judgement
from grader.grading.checks.call import CallCheck
from grader.grading.checks.output import OutputCheck
from grader.grading.checks.property import PropertyCheck
from grader.grading.checks.pytest_body import PytestCheck
from grader.grading.diagnosis.known_mistakes import Diagnostician
from grader.grading.results.jobs import Job, Result
from grader.grading.results.verdict import Verdict
from grader.grading.session.engine import grade_all
from grader.grading.submissions.submission import Submission
from grader.sandbox.process import Sandbox
from grader.sandbox.replaying_child import ReplayingChild
from tests.grading.conftest import Make

HEAD = "import numpy as np\n\ncalls = 0\n\n\n"
RIGHT = f"{HEAD}def f(x):\n    return 2.0 * x\n"
AT_CALL = f"{HEAD}def f(x):\n    global calls\n    calls += 1\n    if calls == {{}}:\n        {{}}\n    return 2.0 * x\n"
"""A program that does something else in one call; the tests call it 14 times."""

DOES = (
    "raise ValueError('no')", "return 2.0 * x + 1.0", "return x + x + 1e-13", "raise SystemExit",
    "x *= 3.0", "return f", "return [2.0 * x]", "print(calls)",
)  # fmt: skip
OTHERS = (
    f"{HEAD}def f(x):\n    return np.add(x, x)\n",
    f"{HEAD}def f(x):\n    return 2.0 * x + 1e-13\n",
    f"{HEAD}def f(x):\n    return 3.0 * x\n",
    f"{HEAD}def f(x):\n    return x.sum() + 0.0 * x\n",
)


@pytest.fixture
def doubled(make: Make) -> Exercise:
    """Return an exercise with several calls in a draw."""
    drawn = {"given": "x = rng.standard_normal((size, 3))", "call": "f(x)", "seeds": 3}
    return make(
        {"given": {"x": [[1.5, 2.0]]}, "call": "f(x)", "expect": "solution"},
        {**drawn, "expect": "solution", "hidden": True},
        {**drawn, "holds": "permutation_equivariant", "of": ["x"], "hidden": True},
        {**drawn, "call": "f(x) + f(x)", "expect": "solution", "seeds": 2, "hidden": True},
        solution=RIGHT,
        small_examples=False,
    )


def verdicts(exercise: Exercise, sandbox: Sandbox, sources: Sequence[str]) -> list[Verdict]:
    """Grade submissions in one session."""
    found: list[Verdict] = []

    def emit(_: Job, result: Result) -> None:
        assert isinstance(result, Verdict), result
        tests = tuple(replace(test, seconds=None) for test in result.tests)
        found.append(replace(result, tests=tests))

    path = Path("small.py")
    jobs = [Job(exercise, Submission.from_bytes(path, source.encode())) for source in sources]
    grade_all(jobs, sandbox, emit)
    return found


def test_a_known_pass_is_not_judged_again(
    doubled: Exercise, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second right submission is asked, and its answers are only compared as bytes."""
    judged: list[int] = []

    def counted(judge: Callable[..., Judgement]) -> Callable[..., Judgement]:
        def count_and_judge(*words: object) -> Judgement:
            judged.append(1)
            return judge(*words)

        return count_and_judge

    for kind in (CallCheck, OutputCheck, PropertyCheck, PytestCheck):
        monkeypatch.setattr(kind, "judge", counted(kind.judge))
    one, other = verdicts(doubled, sandbox, [RIGHT, f"{RIGHT}\n# mine\n"])
    assert other == replace(one, submission_hash=other.submission_hash)
    assert len(judged) == 1 + 3 + 3 + 2


@pytest.mark.parametrize(
    "call", [7, *(pytest.param(n, marks=pytest.mark.slow) for n in (2, 6, 12))]
)
def test_known_passes_change_no_verdict(
    call: int, doubled: Exercise, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that does something else at any call ends as it does where nothing is known."""
    monkeypatch.setattr(Diagnostician, "diagnose", lambda *_: None)  # it runs other programs
    programs = [RIGHT, *(AT_CALL.format(call, does) for does in DOES), *OTHERS]
    found = verdicts(doubled, sandbox, programs)
    monkeypatch.setattr(ReplayingChild, "replay", lambda *_: False)
    assert found == verdicts(doubled, sandbox, programs)
