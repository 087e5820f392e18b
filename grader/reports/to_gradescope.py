"""Gradescope's results.json. A fault has no score in it, so Gradescope asks for a new run.

Where the results of hidden tests are held back, the text for all tests says nothing of them either.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from grader.grading.results.verdict import Outcome
from grader.reports.document import document, plain_lines
from grader.reports.formats import Renderer
from grader.reports.phrases import (
    FAULT_FOR_LEARNERS,
    clean,
    count,
    line,
    name_of,
    output_of,
    submission_name,
    summary,
)
from grader.reports.report import Batch, HiddenTests, Report

_HELD_BACK: Final[Mapping[HiddenTests, str]] = {
    "hidden": "their results are not shown",
    "after_due_date": "their results are shown after the due date",
    "after_published": "their results are shown when grades are published",
}


def many(batch: Batch) -> str:
    """Return one student's submissions, one or several, as one."""
    about = []
    for report in batch:
        extra: dict[str, Any] = {"exercise": line(report.exercise), "outcome": report.outcome}
        if (verdict := report.verdict) is not None:
            extra |= {
                "diagnosis": [] if verdict.diagnosis is None else list(verdict.diagnosis.ids),
                "sandbox": verdict.sandbox,
                "exercise_hash": verdict.exercise_hash,
                "submission_hash": verdict.submission_hash,
                "grader_version": verdict.grader_version,
            }
        about.append(extra)
    data: dict[str, Any] = {
        "execution_time": round(batch.seconds, 3),
        "output": "\n\n".join(_output(report, batch) for report in batch),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "extra_data": {"etude": about},
    }
    if not batch.faults:
        tests = [test for report in batch for test in _tests(report, batch)]
        numbered = [{**test, "number": str(number)} for number, test in enumerate(tests, 1)]
        data = {"score": batch.score, **data, "tests": numbered}
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _output(report: Report, batch: Batch) -> str:
    head = [] if batch.is_single else [submission_name(report)]
    if report.verdict is None:
        reason = FAULT_FOR_LEARNERS if report.is_fault else line(report.message)
        return "\n".join([*head, reason])
    verdict = report.verdict
    total, sections = summary(verdict), list(document(verdict))
    hidden = sum(test.hidden for test in verdict.tests)
    if hidden and batch.hidden_tests != "visible":
        # A diagnosis or an example may come from hidden tests; so does the sum of the points.
        sections = list(document(replace(verdict, diagnosis=None, example=None)))
        visible = [test for test in verdict.tests if not test.hidden]
        passed = sum(test.outcome is Outcome.PASSED for test in visible)
        total = (
            f"{passed} of {count(len(visible), 'visible test')} passed. "
            f"{count(hidden, 'hidden test')}: {_HELD_BACK[batch.hidden_tests]}."
        )
    printed = ["Your code printed:", clean(verdict.output)] if verdict.output.strip() else []
    return "\n".join([*head, total, *plain_lines(*sections), *printed])


def _tests(report: Report, batch: Batch) -> list[dict[str, Any]]:
    if report.verdict is None:
        about = {"name": submission_name(report), "output": line(report.message)}
        return [{**about, "score": 0, "max_score": 0, "status": "failed"}]
    prefix = "" if batch.is_single else f"{line(report.exercise)}: "
    tests = []
    for test in report.verdict.tests:
        passed = test.outcome is Outcome.PASSED
        printed = "" if passed else output_of(test)
        parts = [line(test.message), f"Your code printed:\n{printed}" if printed.strip() else ""]
        result = {
            "name": prefix + name_of(test),
            "score": test.points,
            "max_score": test.max_points,
            "status": "passed" if passed else "failed",
            "output": "\n\n".join(filter(None, parts)),
            "visibility": batch.hidden_tests if test.hidden else "visible",
            "extra_data": {"id": test.id, "hidden": test.hidden, "outcome": test.outcome.value},
        }
        tests.append(result)
    return tests


RENDERER = Renderer(many)
