"""The grading of one submission, in a worker as in a page."""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from grader.grading.results.journal import BEGAN, LOADED, RESULT, VERDICT, Record, record_nothing
from grader.grading.results.verdict import Diagnosis, Outcome, SmallExample, Verdict
from grader.grading.results.verdict_json import full_data, result_data
from grader.grading.run.submission_run import SubmissionRun, order_tests


def grade_submission(
    run: SubmissionRun,
    find_mistake: Callable[[SubmissionRun], Diagnosis | None],
    find_expression: Callable[[SubmissionRun], Diagnosis | None] = lambda _: None,
    find_example: Callable[[SubmissionRun], SmallExample | None] = lambda _: None,
    *,
    record: Record = record_nothing,
    stop_at_failure: bool = False,
    with_explanation: bool = True,
) -> Verdict:
    """Load a submission, run the tests, and explain the failures.

    Args:
        find_mistake: Searches for a known mistake that explains all failures.
        find_expression: Searches for the first expression whose value occurs in no right program.
        find_example: Searches for a small call whose result is wrong.
        record: Notes the progress, in case the process is killed.
        stop_at_failure: Whether to stop after the first test that does not pass.

    Raises:
        GraderFault, DefinitionError: A test cannot run with any submission.
    """
    run.prepare()
    record(BEGAN, time.monotonic())
    run.load()
    record(LOADED, run.output)
    for test in order_tests(run.exercise):
        if run.will_restart_child:
            record(BEGAN, time.monotonic())
        result = run.grade_test(test)
        record(RESULT, result_data(result))
        if stop_at_failure and result.outcome is not Outcome.PASSED:
            break
    verdict = run.verdict()
    if not with_explanation or verdict.outcome is Outcome.PASSED or verdict.message:
        return verdict
    record(VERDICT, full_data(verdict))
    run.close()  # threads of the submission would slow the searches down
    make, until = run.best_effort.make, run.deadline
    if run.exercise.asks_for_suite:
        find_mistake = _surviving_misconception
    diagnosis = make("diagnosis", partial(find_mistake, run), None)
    example = None
    # An example would tell the answer of a prediction.
    if run.exercise.kind in ("write", "fix"):
        if diagnosis is None and time.monotonic() < until:
            diagnosis = make("first expression", partial(find_expression, run), None)
        if time.monotonic() < until:
            example = make("small example", partial(find_example, run), None)
    errors = tuple(run.best_effort.feedback_errors)
    return replace(verdict, diagnosis=diagnosis, example=example, feedback_errors=errors)


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
