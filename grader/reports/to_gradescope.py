"""Gradescope's results.json. A fault has no score in it, so Gradescope asks for a new run."""

import json
from typing import Any

from grader.grading.results.verdict import Outcome, TestResult, Verdict
from grader.reports.formats import Renderer
from grader.reports.phrases import (
    FAULT_FOR_LEARNERS,
    NO_SANDBOX,
    clean,
    example_of,
    help_of,
    line,
    name_of,
    output_of,
    summary,
    whose,
)
from grader.reports.report import Batch, Report


def one(report: Report) -> str:
    """Return the results of one submission."""
    return _results(Batch((report,)), prefixed=False)


def many(batch: Batch) -> str:
    """Return the results of one student's several exercises as one submission."""
    return _results(batch, prefixed=True)


def _results(batch: Batch, *, prefixed: bool) -> str:
    data: dict[str, Any] = {
        "execution_time": round(batch.seconds, 3),
        "output": "\n\n".join(_said(report, prefixed=prefixed) for report in batch),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "extra_data": {"etude": [_extra(report) for report in batch]},
    }
    if not batch.faults:
        tests = [test for report in batch for test in _tests(report, prefixed=prefixed)]
        numbered = [{**test, "number": str(number)} for number, test in enumerate(tests, 1)]
        data = {"score": batch.score, **data, "tests": numbered}
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _said(report: Report, *, prefixed: bool) -> str:
    head = [whose(report)] if prefixed else []
    if report.verdict is None:
        reason = FAULT_FOR_LEARNERS if report.is_fault else line(report.message)
        return "\n".join([*head, reason])
    verdict = report.verdict
    unsafe = [NO_SANDBOX] if verdict.sandbox == "none" else []
    message = [line(verdict.message)] if verdict.message else []
    helps = [*help_of(verdict), *example_of(verdict)]
    printed = ["Your code printed:", clean(verdict.output)] if verdict.output.strip() else []
    return "\n".join([*head, summary(verdict), *unsafe, *message, *helps, *printed])


def _tests(report: Report, *, prefixed: bool) -> list[dict[str, Any]]:
    if report.verdict is None:
        about = {"name": whose(report), "output": line(report.message)}
        return [{**about, "score": 0, "max_score": 0, "status": "failed"}]
    prefix = f"{line(report.exercise)}: " if prefixed else ""
    return [_test(test, prefix) for test in report.verdict.tests]


def _test(test: TestResult, prefix: str) -> dict[str, Any]:
    printed = output_of(test) if test.outcome is not Outcome.PASSED else ""
    said = [line(test.message), f"Your code printed:\n{printed}" if printed.strip() else ""]
    return {
        "name": prefix + name_of(test),
        "score": test.points,
        "max_score": test.max_points,
        "status": "passed" if test.outcome is Outcome.PASSED else "failed",
        "output": "\n\n".join(filter(None, said)),
        "visibility": "visible",
        "extra_data": {"id": test.id, "hidden": test.hidden, "outcome": test.outcome.value},
    }


def _extra(report: Report) -> dict[str, Any]:
    about = {"exercise": line(report.exercise), "outcome": report.outcome}
    return about if report.verdict is None else {**about, **_origin(report.verdict)}


def _origin(verdict: Verdict) -> dict[str, Any]:
    return {
        "diagnosis": [] if verdict.diagnosis is None else list(verdict.diagnosis.ids),
        "sandbox": verdict.sandbox,
        "exercise_hash": verdict.exercise_hash,
        "submission_hash": verdict.submission_hash,
        "grader_version": verdict.grader_version,
    }


RENDERER = Renderer("gradescope", one, many)
