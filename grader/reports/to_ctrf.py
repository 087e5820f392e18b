"""Common Test Report Format, for tools that compare runs; points are in `labels`."""

import json
from collections import Counter
from typing import Any, Final

from grader import __version__
from grader.grading.results.verdict import Outcome
from grader.reports.phrases import printed_output, submission_name, test_label, to_one_line
from grader.reports.report import Batch, Report

_VERSION: Final = "1.0.0"
_STATUS: Final = {Outcome.PASSED: "passed", Outcome.NOT_RUN: "skipped"}
_STATUSES: Final = ("passed", "failed", "skipped", "pending", "other")


def render_batch(batch: Batch) -> str:
    """Return a report of all tests of all submissions; a fault is a test with status `other`."""
    tests = [test for report in batch for test in _tests(report)]
    counts = Counter(test["status"] for test in tests)
    summary = {
        "tests": len(tests),
        **{status: counts[status] for status in _STATUSES},
        "suites": len(batch.reports),
        "start": round(batch.began * 1000),
        "stop": round(batch.ended * 1000),
        # With a fault, the sum would leave out submissions that could not be judged.
        "extra": {} if batch.faults else {"score": batch.score, "max_score": batch.max_score},
    }
    sandboxes = {report.verdict.sandbox for report in batch if report.verdict is not None}
    unsafe = {"extra": {"sandbox": "none"}} if "none" in sandboxes else {}
    results: dict[str, Any] = {
        "tool": {"name": "etude", "version": __version__},
        "summary": summary,
        "tests": tests,
        "environment": {"healthy": not batch.faults, **unsafe},
    }
    data = {
        "reportFormat": "CTRF",
        "specVersion": _VERSION,
        "generatedBy": "etude",
        "results": results,
    }
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _tests(report: Report) -> list[dict[str, Any]]:
    suite = [to_one_line(part) for part in (report.student, report.exercise) if part] or ["etude"]
    path = {"filePath": to_one_line(report.file)} if report.file else {}
    verdict = report.verdict
    if verdict is None:
        status = "other" if report.is_fault else "failed"
        whole = _test(submission_name(report), status, report.outcome, to_one_line(report.message))
        return [{**whole, "suite": suite, **path}]
    tests = []
    if verdict.message:
        tests.append(_test("load", "failed", verdict.outcome.value, to_one_line(verdict.message)))
        if verdict.line is not None:
            tests[0]["line"] = verdict.line
    for test in verdict.tests:
        status = _STATUS.get(test.outcome, "failed")
        entry = _test(test_label(test), status, test.outcome.value, to_one_line(test.message))
        entry["duration"] = round((test.seconds or 0) * 1000)
        entry["labels"] = {
            "id": test.id,
            "points": test.points,
            "max_points": test.max_points,
            "hidden": test.hidden,
        }
        if test.line is not None:
            entry["line"] = test.line
        if output := printed_output(test):
            entry["stdout"] = output.splitlines()
        tests.append(entry)
    return [{**test, "suite": suite, **path} for test in tests]


def _test(name: str, status: str, raw: str, message: str) -> dict[str, Any]:
    extra = {"message": message} if message else {}
    return {"name": name, "status": status, "duration": 0, "rawStatus": raw, **extra}
