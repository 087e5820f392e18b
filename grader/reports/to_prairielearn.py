"""PrairieLearn's results.json. A fault is not gradable, which costs the student no attempt."""

import json
from typing import Any

from grader.reports.formats import Renderer
from grader.reports.phrases import (
    FAULT_FOR_LEARNERS,
    NO_SANDBOX,
    clean,
    cut,
    example_of,
    help_of,
    line,
    name_of,
    output_of,
    summary,
    whose,
)
from grader.reports.report import Batch, Report

_FILE = 1_000_000  # bytes
_SHORT = 1_000  # characters of a message or an output, where the file would be too long
_NO_LIMIT = 1 << 30


def one(report: Report) -> str:
    """Return the results of one submission."""
    return _results(Batch((report,)), prefixed=False)


def many(batch: Batch) -> str:
    """Return the results of one student's several exercises as one submission."""
    return _results(batch, prefixed=True)


def _results(batch: Batch, *, prefixed: bool) -> str:
    text = json.dumps(_data(batch, _NO_LIMIT, prefixed=prefixed), indent=2, ensure_ascii=False)
    if len(text.encode()) >= _FILE:
        text = json.dumps(_data(batch, _SHORT, prefixed=prefixed), ensure_ascii=False)
    return text + "\n"


def _data(batch: Batch, most: int, *, prefixed: bool) -> dict[str, Any]:
    if batch.faults:
        fault = FAULT_FOR_LEARNERS
        return {"gradable": False, "message": fault, "format_errors": [fault]}
    said, tests = [], []
    for report in batch:
        head = [whose(report)] if prefixed else []
        verdict = report.verdict
        if verdict is None:
            said.append("\n".join([*head, line(report.message)]))
            continue
        unsafe = [NO_SANDBOX] if verdict.sandbox == "none" else []
        message = [line(verdict.message)] if verdict.message else []
        helps = [*help_of(verdict), *example_of(verdict)]
        said.append("\n".join([*head, summary(verdict), *unsafe, *message, *helps]))
        prefix = f"{line(report.exercise)}: " if prefixed else ""
        tests += [
            {
                "name": prefix + test.id,
                "description": name_of(test),
                "points": test.points,
                "max_points": test.max_points,
                "message": cut(line(test.message), most),
                "output": cut(output_of(test), most),
            }
            for test in verdict.tests
        ]
    output = "\n".join(clean(verdict.output) for verdict in batch.verdicts if verdict.output)
    return {
        "gradable": True,
        "score": batch.score / batch.max_score if batch.max_score else 0.0,
        "message": "\n\n".join(cut(each, most) for each in said),
        "output": cut(output, most),
        "tests": tests,
    }


RENDERER = Renderer("prairielearn", one, many)
