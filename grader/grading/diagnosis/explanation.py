"""The explanation of a verdict that did not pass: a diagnosis and a small example."""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from grader.grading.results.verdict import Diagnosis, Outcome, SmallExample, Verdict
from grader.grading.run.submission_run import SubmissionRun


def explain(
    verdict: Verdict,
    run: SubmissionRun,
    known_mistake: Callable[[], Diagnosis | None],
    first_expression: Callable[[], Diagnosis | None] = lambda: None,
    small_example: Callable[[], SmallExample | None] = lambda: None,
) -> Verdict:
    """Add a diagnosis and a small example to a verdict.

    A verdict that passed, or whose tests could not run, is returned unchanged.

    Args:
        known_mistake: Searches for a known mistake that explains all failures.
        first_expression: Searches for the first expression whose value occurs in no right program.
        small_example: Searches for a small call whose result is wrong.
    """
    if verdict.outcome is Outcome.PASSED or verdict.message:
        return verdict
    make, until = run.best_effort.make, run.deadline
    if run.exercise.kind == "test":
        known_mistake = partial(_surviving_misconception, run)
    diagnosis = make("diagnosis", known_mistake, None)
    if run.exercise.kind not in ("write", "fix"):  # an example would tell a prediction's answer
        return replace(verdict, diagnosis=diagnosis)
    example = None
    if diagnosis is None and time.monotonic() < until:
        diagnosis = make("first expression", first_expression, None)
    diagnosis = make("lines of the diagnosis", lambda: run.lines.diagnosis(diagnosis), None)
    if time.monotonic() < until:
        example = make("small example", small_example, None)
    return replace(verdict, diagnosis=diagnosis, example=example)


def _surviving_misconception(run: SubmissionRun) -> Diagnosis | None:
    """Return the first misconception that a suite does not reject."""
    messages = {raw.got: test for test, raw in run.observed.items() if isinstance(raw.got, str)}
    for misconception in run.exercise.misconceptions:
        if misconception.id in messages:
            tests = (messages[misconception.id],)
            return Diagnosis(
                "misconception", misconception.id, misconception.feedback, misconception.hint, tests
            )
    return None
