"""Exercism's results.json, version 3. A fault is its `error`, which only says why nothing ran."""

import json
from typing import Any

from grader.grading.results.verdict import Outcome
from grader.reports.document import help_lines
from grader.reports.formats import Renderer
from grader.reports.phrases import (
    FAULT_FOR_LEARNERS,
    cut,
    line,
    name_of,
    output_of,
    submission_name,
)
from grader.reports.report import Batch, Report

_MESSAGE = 65_535  # characters
_OUTPUT = 500
_FILE = 500_000  # bytes
_SHORT_MESSAGE = 1_000  # characters of a message, where the file would be too long
_TRUNCATED = " [Output was truncated. Please limit to 500 chars]"
_STATUS = {Outcome.PASSED: "pass", Outcome.FAILED: "fail"}


def many(batch: Batch) -> str:
    """Return one student's submissions, one or several, as one."""
    data = _data(batch, _MESSAGE)
    text = json.dumps(data, indent=2, ensure_ascii=False)
    if len(text.encode()) >= _FILE:
        text = json.dumps(_data(batch, _SHORT_MESSAGE), ensure_ascii=False)
    return text + "\n"


def _data(batch: Batch, most: int) -> dict[str, Any]:
    if batch.faults:
        return _error(FAULT_FOR_LEARNERS, most)
    tests: list[dict[str, Any]] = []
    for report in batch:
        verdict = report.verdict
        if verdict is None or verdict.message:  # nothing ran
            if not batch.is_single:
                reason = cut(_reason(report), most)
                tests.append(
                    {"name": submission_name(report), "status": "error", "message": reason}
                )
            continue
        prefix = f"{line(report.exercise)}: " if not batch.is_single else ""
        failed = None
        for test in verdict.tests:
            status = _STATUS.get(test.outcome, "error")
            result = {"name": prefix + name_of(test), "status": status}
            if test.message:
                result["message"] = cut(line(test.message), most)
            if output := output_of(test):
                result["output"] = cut(output, _OUTPUT, _TRUNCATED)
            if status != "pass" and failed is None:
                # Only the first failure is shown, so it carries what explains all.
                failed = result
                explanation = [*help_lines(verdict), result.get("message", "")]
                result["message"] = cut("\n".join(filter(None, explanation)), most)
            tests.append(result)
    if not tests:
        return _error("\n".join(map(_reason, batch)) or "There was nothing to grade.", most)
    status = "pass" if all(test["status"] == "pass" for test in tests) else "fail"
    return {"version": 3, "status": status, "message": None, "tests": tests}


def _error(message: str, most: int) -> dict[str, Any]:
    return {"version": 3, "status": "error", "message": cut(message, most), "tests": []}


def _reason(report: Report) -> str:
    return line(report.message if report.verdict is None else report.verdict.message)


RENDERER = Renderer(many)
