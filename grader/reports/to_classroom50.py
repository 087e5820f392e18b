"""Classroom 50's result.json, version 1.

Which classroom, assignment and submission it is, only the environment of its runner tells. The
runner stamps owner, kind and time of the submission itself; they are here so that the file is whole
without it. A fault is 0 of 0 points without a test, as the runner's own errors are.
"""

import json
import os
import time
from typing import Any

from grader.grading.results.verdict import Outcome
from grader.reports.formats import Renderer
from grader.reports.phrases import line, name_of, output_of, submission_name
from grader.reports.report import Batch

_MOST_OUTPUT = 2000  # characters of what a test printed


def many(batch: Batch) -> str:
    """Return one student's submissions, one or several, as one."""
    fault = bool(batch.faults)
    tests: list[dict[str, Any]] = []
    for report in batch:
        if report.verdict is None:
            about = {"test-name": submission_name(report), "message": line(report.message)}
            tests.append({**about, "passed": False, "score": 0, "max-score": 0})
            continue
        prefix = "" if batch.is_single else f"{line(report.exercise)}: "
        for test in report.verdict.tests:
            result: dict[str, Any] = {
                "test-name": prefix + name_of(test),
                "passed": test.outcome is Outcome.PASSED,
                "score": test.points,
                "max-score": test.max_points,
            }
            if test.message:
                result["message"] = line(test.message)
            if output := output_of(test):
                result["output"] = output[:_MOST_OUTPUT]
            tests.append(result)
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(batch.ended))
    commit = os.environ.get("COMMIT_URL", "")
    owner = os.environ.get("USERNAME") or os.environ.get("GITHUB_ACTOR") or "unknown"
    data = {
        "schema": "classroom50/result/v1",
        "classroom": os.environ.get("CLASSROOM", ""),
        "assignment": os.environ.get("ASSIGNMENT", ""),
        "assignment_type": os.environ.get("MODE") or "individual",
        "owner": owner,
        "submission": os.environ.get("SUBMISSION_TAG", ""),
        "commit": commit,
        "release": os.environ.get("RELEASE_URL", ""),
        "review": os.environ.get("REVIEW_URL") or commit,
        "datetime": when,
        "graded_at": when,
        "score": 0 if fault else batch.score,
        "max-score": 0 if fault else batch.max_score,
        "tests": [] if fault else tests,
    }
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


RENDERER = Renderer(many)
