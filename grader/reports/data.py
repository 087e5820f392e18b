"""Verdicts as plain data: what `--format json` prints. The widest of the formats, and versioned."""

from typing import Any

from grader.grading.verdict import TestResult, Verdict

SCHEMA = "etude/verdict/v1"


def verdict_data(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as an object of JSON types."""
    return {
        "schema": SCHEMA,
        "exercise": verdict.exercise,
        "outcome": verdict.outcome.value,
        "score": verdict.score,
        "max_score": verdict.max_score,
        "xp": verdict.xp,
        "message": verdict.message,
        "line": verdict.line,
        "output": verdict.output,
        "tests": [_test_data(test) for test in verdict.tests],
        "sandbox": verdict.sandbox,
        "exercise_hash": verdict.exercise_hash,
        "submission_hash": verdict.submission_hash,
        "grader_version": verdict.grader_version,
    }


def _test_data(test: TestResult) -> dict[str, Any]:
    return {
        "id": test.id,
        "description": test.description,
        "hidden": test.hidden,
        "outcome": test.outcome.value,
        "points": test.points,
        "max_points": test.max_points,
        "message": test.message,
        "line": test.line,
        "output": test.output,
    }


def fault_data(exercise: str, message: str) -> dict[str, Any]:
    """Return a grader fault as an object: it has no score, since nothing was judged."""
    return {"schema": SCHEMA, "exercise": exercise, "outcome": "grader fault", "message": message}
