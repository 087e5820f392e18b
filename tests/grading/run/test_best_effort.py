"""Verdicts whose sentences, diagnosis or example meet an error of the grader's own."""

from pathlib import Path

import pytest

from grader.definitions.collection import load_exercise_file
from grader.errors import SandboxFault
from grader.grading.diagnosis import (
    diagnostician,
    first_expression,
    line_shapes,
    small_example,
    source_facts,
)
from grader.grading.diagnosis.diagnostician import Diagnostician
from grader.grading.feedback import outcome_sentences, relation_sentences, summarize_values
from grader.grading.jobs import Job, JobOptions
from grader.grading.results.verdict import Outcome, Verdict
from grader.grading.run import program_tester
from grader.grading.run.best_effort import BestEffort
from grader.grading.submissions.submission import Submission
from grader.grading.workers.pool import WorkerPool
from grader.sandbox.limits import Limits
from grader.sandbox.process import Sandbox, open_sandbox
from tests.grading.conftest import Make
from tests.grading.diagnosis.test_diagnostician import ATTENTION, HIDDEN, VISIBLE, graded

TWICE = "def f(x):\n    y = 2.0 * x\n    return y\n"
RAISES = "def f(x):\n    return x.nothing\n"
AN_OBJECT = "def f(x):\n    return object()\n"
ONLY_LARGE = "def f(x):\n    return 3.0 * x if x.size < 7 else 2.0 * x\n"
ENDS = "import os\n\n\ndef f(x):\n    os._exit(0)\n"


def _wrong(make: Make, sandbox: Sandbox, source: str) -> Verdict:
    tests = [{**test, "expect": "solution"} for test in (VISIBLE, {**HIDDEN, "partial": True})]
    exercise = make(*tests, solution="def f(x):\n    return 3.0 * x\n")
    [verdict] = graded(exercise, sandbox, source, options=JobOptions(with_shapes=True))
    return verdict


@pytest.mark.parametrize(
    ("part", "source"),
    [
        ((Diagnostician, "diagnose"), TWICE),
        ((source_facts, "unpack_answer"), TWICE),
        ((first_expression, "find_first_wrong_expression"), TWICE),
        ((first_expression, "find_plain_calls"), TWICE),
        ((line_shapes, "trace_shapes"), TWICE),
        ((small_example, "find_small_example"), ONLY_LARGE),
        ((small_example, "draw_small_inputs"), ONLY_LARGE),
        ((program_tester, "wrong_result_sentence"), TWICE),
        ((relation_sentences, "relation_sentence"), TWICE),
        ((summarize_values, "add_failure_values"), TWICE),
        ((outcome_sentences, "error_sentence"), RAISES),
        ((outcome_sentences, "unsupported_result_sentence"), AN_OBJECT),
        ((outcome_sentences, "hidden_test_sentence"), TWICE),
        ((outcome_sentences, "partial_credit_note"), TWICE),
        ((outcome_sentences, "ended_process_sentence"), ENDS),
        ((outcome_sentences, "ended_process_sentence"), "import os\n\nos._exit(0)\n"),
        ((outcome_sentences, "syntax_error_sentence"), "def f(x:\n"),
        ((outcome_sentences, "error_sentence"), "1 / 0\n"),
        ((outcome_sentences, "missing_name_sentence"), "def g(x):\n    return x\n"),
        ((outcome_sentences, "wrong_kind_sentence"), "f = 1\n"),
    ],
)
def test_an_error_in_a_part_leaves_out_that_part_alone(
    make: Make,
    sandbox: Sandbox,
    monkeypatch: pytest.MonkeyPatch,
    part: tuple[object, str],
    source: str,
) -> None:
    """Outcomes and points are the same without it, and the cause is told."""
    before = _wrong(make, sandbox, source)
    calls = []

    def fail(*_: object, **__: object) -> None:
        calls.append(part)
        raise IndexError("pop from empty list")

    monkeypatch.setattr(*part, fail)
    after = _wrong(make, sandbox, source)
    assert calls
    assert before.outcome is after.outcome is not Outcome.PASSED
    assert [(test.outcome, test.points) for test in after.tests] == [
        (test.outcome, test.points) for test in before.tests
    ]
    assert not before.feedback_errors
    assert all("IndexError in test_best_effort.py" in cause for cause in after.feedback_errors)
    assert after.feedback_errors


@pytest.mark.parametrize("error", [MemoryError(), SandboxFault("no more processes")])
def test_a_diagnosis_for_which_the_machine_has_nothing_left_is_left_out(
    make: Make, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """The verdict is known by then; the next submission meets a broken sandbox by itself."""

    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(diagnostician, "read_source_facts", fail)
    verdict = _wrong(make, sandbox, TWICE)
    assert verdict.outcome is Outcome.FAILED
    assert [cause.partition(" in ")[0] for cause in verdict.feedback_errors] == [
        f"diagnosis: {type(error).__name__}"
    ]


def test_the_causes_of_an_interrupted_job_are_logged(
    make: Make, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker that was ended had noted them with its verdict, and a sentence can fail here."""

    def fail(*_: object) -> None:
        raise IndexError

    monkeypatch.setattr(outcome_sentences, "endless_test_sentence", fail)
    limits = Limits(cpu_seconds=1, wall_seconds=0.5)
    exercise = make({"given": {"x": 2}, "call": "sum(range(f(x)))", "expect": 2})
    submission = Submission.from_bytes(Path("f.py"), b"def f(x): return 2_000_000_000\n")
    with WorkerPool(1, open_sandbox) as pool:
        [(_, verdict)] = pool.grade([Job(exercise, submission, limits)])
    assert isinstance(verdict, Verdict)
    assert verdict.outcome is Outcome.TIMED_OUT
    assert "a part of the feedback failed: sentence: IndexError" in caplog.text


def test_the_cause_is_told_without_the_message() -> None:
    """A message of ours may quote what is hidden."""
    parts = BestEffort()

    def fail() -> str:
        raise ValueError("hidden 42")

    assert parts.make("sentence", fail, "nothing") == "nothing"
    [cause] = parts.feedback_errors
    assert cause.startswith("sentence: ValueError in test_best_effort.py, line ")


@pytest.mark.parametrize(
    "body", ["np.where(mask, -1e9, 0.0)", "np.where(mask, 0.0, -np.inf)", "mask * -1e9"]
)
def test_two_mistakes_that_make_no_program_together_are_no_fault(
    sandbox: Sandbox, body: str
) -> None:
    """Mistakes of a shipped exercise are merged by their tokens, which may not fit together."""
    exercise = load_exercise_file(next(ATTENTION.glob("[0-9]*-mask-conventions.yaml")))
    source = f"import numpy as np\n\n\ndef to_additive(mask):\n    return {body}\n"
    [verdict] = graded(exercise, sandbox, source)
    assert verdict.outcome is not Outcome.PASSED
    assert verdict.feedback_errors == ()
