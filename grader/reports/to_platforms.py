"""Result files of platforms that grade the submissions of one student together.

- Classroom 50: result.json, version 1. Only the runner's environment tells classroom, assignment
  and submission. The runner itself stamps owner, kind and time; they are included so that the file
  is complete without it. A fault is 0 of 0 points without a test, as are the runner's own errors.
- Exercism: results.json, version 3. A fault is its `error`, which only tells why nothing ran.
- Gradescope: results.json. A fault has no score, so that Gradescope asks for a new run. If hidden
  results are held back, the text for all tests does not mention them either.
- PrairieLearn: results.json. A fault is not gradable, so it costs the student no attempt.
"""

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final, TypeAlias

from grader.definitions.wording import plural, shorten
from grader.grading.results.verdict import Outcome, TestResult
from grader.reports.document import document, help_lines, plain_lines
from grader.reports.phrases import (
    FAULT_FOR_LEARNERS,
    printed_output,
    strip_controls,
    submission_name,
    summary,
    test_label,
    to_one_line,
)
from grader.reports.report import Batch, HiddenTests, Report

_Object: TypeAlias = dict[str, Any]

_HELD_BACK: Final[Mapping[HiddenTests, str]] = {
    "hidden": "their results are not shown",
    "after_due_date": "their results are shown after the due date",
    "after_published": "their results are shown when grades are published",
}
_CLASSROOM_OUTPUT = 2000  # longest output of a test, in characters
_EXERCISM_MESSAGE, _EXERCISM_OUTPUT = 65_535, 500  # longest texts, in characters
_TRUNCATED = " [Output was truncated. Please limit to 500 chars]"
_EXERCISM_FILE, _PRAIRIELEARN_FILE = 500_000, 1_000_000  # largest files, in bytes
# Longest text, in characters, if the file would otherwise be too large.
_SHORT_TEXT = 1_000
_NO_LIMIT = 1 << 30  # characters, more than any text has
_EXERCISM_STATUS = {Outcome.PASSED: "pass", Outcome.FAILED: "fail"}


def classroom50(batch: Batch) -> str:
    """Render Classroom 50's result.json."""
    tests: list[_Object] = []
    for report, name, test in _tests(batch):
        if test is None:
            about = {"test-name": name, "message": to_one_line(report.message)}
            tests.append({**about, "passed": False, "score": 0, "max-score": 0})
            continue
        entry: _Object = {
            "test-name": name,
            "passed": test.outcome is Outcome.PASSED,
            "score": test.points,
            "max-score": test.max_points,
        }
        if test.message:
            entry["message"] = to_one_line(test.message)
        if output := printed_output(test):
            entry["output"] = output[:_CLASSROOM_OUTPUT]
        tests.append(entry)
    fault = bool(batch.faults)
    graded_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(batch.ended))
    commit = os.environ.get("COMMIT_URL", "")
    owner = os.environ.get("USERNAME") or os.environ.get("GITHUB_ACTOR") or "unknown"
    return _text(
        {
            "schema": "classroom50/result/v1",
            "classroom": os.environ.get("CLASSROOM", ""),
            "assignment": os.environ.get("ASSIGNMENT", ""),
            "assignment_type": os.environ.get("MODE") or "individual",
            "owner": owner,
            "submission": os.environ.get("SUBMISSION_TAG", ""),
            "commit": commit,
            "release": os.environ.get("RELEASE_URL", ""),
            "review": os.environ.get("REVIEW_URL") or commit,
            "datetime": graded_at,
            "graded_at": graded_at,
            "score": 0 if fault else batch.score,
            "max-score": 0 if fault else batch.max_score,
            "tests": [] if fault else tests,
        }
    )


def exercism(batch: Batch) -> str:
    """Render Exercism's results.json."""
    return _fitting(partial(_exercism_data, batch), _EXERCISM_FILE, _EXERCISM_MESSAGE)


def _exercism_data(batch: Batch, max_length: int) -> _Object:
    if batch.faults:
        return _exercism_error(FAULT_FOR_LEARNERS, max_length)
    tests: list[_Object] = []
    for report in batch:
        verdict = report.verdict
        if verdict is None or verdict.message:  # the program did not run
            if not batch.is_single:
                about = {"name": submission_name(report), "status": "error"}
                tests.append({**about, "message": shorten(_failure(report), max_length)})
            continue
        helps = help_lines(verdict)
        for test in verdict.tests:
            status = _EXERCISM_STATUS.get(test.outcome, "error")
            entry = {"name": _prefix(report, batch) + test_label(test), "status": status}
            message = [shorten(to_one_line(test.message), max_length)]
            # Exercism shows only the first failure, so it carries the explanation of all.
            if status != "pass":
                message, helps = [*helps, *message], []
            if text := "\n".join(filter(None, message)):
                entry["message"] = shorten(text, max_length)
            if output := printed_output(test):
                entry["output"] = shorten(output, _EXERCISM_OUTPUT, _TRUNCATED)
            tests.append(entry)
    if not tests:
        reasons = "\n".join(map(_failure, batch))
        return _exercism_error(reasons or "There was nothing to grade.", max_length)
    status = "pass" if all(test["status"] == "pass" for test in tests) else "fail"
    return {"version": 3, "status": status, "message": None, "tests": tests}


def _exercism_error(message: str, max_length: int) -> _Object:
    return {"version": 3, "status": "error", "message": shorten(message, max_length), "tests": []}


def _failure(report: Report) -> str:
    return to_one_line(report.message if report.verdict is None else report.verdict.message)


def gradescope(batch: Batch) -> str:
    """Render Gradescope's results.json."""
    about = []
    for report in batch:
        extra: _Object = {"exercise": to_one_line(report.exercise), "outcome": report.outcome}
        if (verdict := report.verdict) is not None:
            extra |= {
                "diagnosis": [] if verdict.diagnosis is None else list(verdict.diagnosis.ids),
                "sandbox": verdict.sandbox,
                "exercise_hash": verdict.exercise_hash,
                "submission_hash": verdict.submission_hash,
                "grader_version": verdict.grader_version,
            }
        about.append(extra)
    data: _Object = {
        "execution_time": round(batch.seconds, 3),
        "output": "\n\n".join(_gradescope_output(report, batch) for report in batch),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "extra_data": {"etude": about},
    }
    if batch.faults:
        return _text(data)
    tests: list[_Object] = []
    for report, name, test in _tests(batch):
        if test is None:
            message = {"name": name, "output": to_one_line(report.message)}
            tests.append({**message, "score": 0, "max_score": 0, "status": "failed"})
            continue
        passed = test.outcome is Outcome.PASSED
        printed = "" if passed else printed_output(test)
        parts = [
            to_one_line(test.message),
            f"Your code printed:\n{printed}" if printed.strip() else "",
        ]
        entry = {
            "name": name,
            "score": test.points,
            "max_score": test.max_points,
            "status": "passed" if passed else "failed",
            "output": "\n\n".join(filter(None, parts)),
            "visibility": batch.hidden_tests if test.hidden else "visible",
            "extra_data": {"id": test.id, "hidden": test.hidden, "outcome": test.outcome.value},
        }
        tests.append(entry)
    numbered_tests = [{**test, "number": str(number)} for number, test in enumerate(tests, 1)]
    return _text({"score": batch.score, **data, "tests": numbered_tests})


def _gradescope_output(report: Report, batch: Batch) -> str:
    verdict = report.verdict
    if verdict is None:
        reason = FAULT_FOR_LEARNERS if report.is_fault else to_one_line(report.message)
        return "\n".join([*_head(report, batch), reason])
    total, sections = summary(verdict), list(document(verdict))
    hidden = sum(test.hidden for test in verdict.tests)
    if hidden and batch.hidden_tests != "visible":
        # A diagnosis or example may come from hidden tests, and so may the sum of points.
        sections = list(document(replace(verdict, diagnosis=None, example=None)))
        visible = [test for test in verdict.tests if not test.hidden]
        passed = sum(test.outcome is Outcome.PASSED for test in visible)
        total = (
            f"{passed} of {plural(len(visible), 'visible test')} passed. "
            f"{plural(hidden, 'hidden test')}: {_HELD_BACK[batch.hidden_tests]}."
        )
    printed = (
        ["Your code printed:", strip_controls(verdict.output)] if verdict.output.strip() else []
    )
    return "\n".join([*_head(report, batch), total, *plain_lines(*sections), *printed])


def prairielearn(batch: Batch) -> str:
    """Render PrairieLearn's results.json."""
    return _fitting(partial(_prairielearn_data, batch), _PRAIRIELEARN_FILE, _NO_LIMIT)


def _prairielearn_data(batch: Batch, max_length: int) -> _Object:
    if batch.faults:
        fault = FAULT_FOR_LEARNERS
        return {"gradable": False, "message": fault, "format_errors": [fault]}
    texts = []
    for report in batch:
        lines = [to_one_line(report.message)]
        if report.verdict is not None:
            lines = [summary(report.verdict), *plain_lines(*document(report.verdict))]
        texts.append(shorten("\n".join([*_head(report, batch), *lines]), max_length))
    output = "\n".join(
        strip_controls(verdict.output) for verdict in batch.verdicts if verdict.output
    )
    return {
        "gradable": True,
        "score": batch.score / batch.max_score if batch.max_score else 0.0,
        "message": "\n\n".join(texts),
        "output": shorten(output, max_length),
        "tests": [
            {
                "name": f"{_prefix(report, batch)}{test.id}",
                "description": test_label(test),
                "points": test.points,
                "max_points": test.max_points,
                "message": shorten(to_one_line(test.message), max_length),
                "output": shorten(printed_output(test), max_length),
            }
            for report, _, test in _tests(batch)
            if test is not None
        ],
    }


def _tests(batch: Batch) -> Iterator[tuple[Report, str, TestResult | None]]:
    """Yield each test with its name, or None for a submission without a verdict."""
    for report in batch:
        if report.verdict is None:
            yield report, submission_name(report), None
        else:
            for test in report.verdict.tests:
                yield report, _prefix(report, batch) + test_label(test), test


def _head(report: Report, batch: Batch) -> list[str]:
    return [] if batch.is_single else [submission_name(report)]


def _prefix(report: Report, batch: Batch) -> str:
    return "" if batch.is_single else f"{to_one_line(report.exercise)}: "


def _fitting(make: Callable[[int], _Object], largest: int, max_length: int) -> str:
    """Return JSON with texts up to this length, or shorter if the file would be too large."""
    text = _text(make(max_length))
    if len(text.encode()) > largest:
        return json.dumps(make(_SHORT_TEXT), ensure_ascii=False) + "\n"
    return text


def _text(data: _Object) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"
