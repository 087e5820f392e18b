"""The recovery of a result from the journal of a worker that ran out of time and was killed."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from grader.errors import DefinitionError
from grader.grading.feedback import outcome_sentences
from grader.grading.jobs import Job, Result
from grader.grading.program.loaded_program import ending_problem
from grader.grading.results import journal
from grader.grading.results.verdict_json import result_from_data, verdict_from_full_data
from grader.grading.run.best_effort import BestEffort
from grader.grading.run.disclosure import not_run_result, timed_out_result
from grader.grading.run.submission_run import make_verdict, order_tests
from grader.sandbox.answers import Cause, ChildGoneError
from grader.sandbox.limits import PREPARE_SECONDS


def recover_result(job: Job, entries: Sequence[tuple[str, Any]], sandbox: str) -> Result:
    """Return a verdict with the results so far, and "timed out" for the test that was running.

    Raises:
        KeyError, TypeError, ValueError: The entries are malformed or belong to another job.
    """
    content = dict(entries)
    if journal.BEGAN not in content:
        message = f"computing its inputs and expected values takes more than {PREPARE_SECONDS:g} s"
        return DefinitionError.at(job.exercise.where, message)
    if journal.VERDICT in content:
        return verdict_from_full_data(content[journal.VERDICT])
    tests = order_tests(job.exercise)
    seconds = job.limits.wall_seconds
    best_effort = BestEffort()
    if journal.LOADED not in content:
        problem = ending_problem(ChildGoneError(Cause.WALL_TIME, f"{seconds:g} s"))
        message = best_effort.sentence(problem.sentence, outcome_sentences.NO_SENTENCE)
        return make_verdict(
            job.exercise,
            job.submission,
            {test.id: not_run_result(test, message) for test in tests},
            sandbox=sandbox,
            problem=replace(problem, sentence=lambda: message),
            feedback_errors=best_effort.feedback_errors,
        )
    finished = [result_from_data(data) for kind, data in entries if kind == journal.RESULT]
    results = {result.id: result for result in finished}
    if list(results) != [test.id for test in tests[: len(finished)]]:
        raise ValueError("not the results of this job's tests")
    unfinished = tests[len(finished) :]
    if job.options.stop_at_failure:
        del unfinished[1:]
    for test in unfinished[:1]:
        results[test.id] = timed_out_result(job.exercise, test, seconds, best_effort)
    for test in unfinished[1:]:
        results[test.id] = not_run_result(test)
    return make_verdict(
        job.exercise,
        job.submission,
        results,
        sandbox=sandbox,
        output=content[journal.LOADED],
        feedback_errors=best_effort.feedback_errors,
    )
