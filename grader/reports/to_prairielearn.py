"""PrairieLearn's results.json. A fault is not gradable, which costs the student no attempt."""

import json
from typing import Any

from grader.reports.document import document, plain_lines
from grader.reports.formats import Renderer
from grader.reports.phrases import (
    FAULT_FOR_LEARNERS,
    clean,
    cut,
    line,
    name_of,
    output_of,
    submission_name,
    summary,
)
from grader.reports.report import Batch

_FILE = 1_000_000  # bytes
_SHORT_TEXT = 1_000  # characters of a message or an output, where the file would be too long
_NO_LIMIT = 1 << 30


def many(batch: Batch) -> str:
    """Return one student's submissions, one or several, as one."""
    text = json.dumps(_data(batch, _NO_LIMIT), indent=2, ensure_ascii=False)
    if len(text.encode()) >= _FILE:
        text = json.dumps(_data(batch, _SHORT_TEXT), ensure_ascii=False)
    return text + "\n"


def _data(batch: Batch, most: int) -> dict[str, Any]:
    if batch.faults:
        fault = FAULT_FOR_LEARNERS
        return {"gradable": False, "message": fault, "format_errors": [fault]}
    texts, tests = [], []
    for report in batch:
        head = [] if batch.is_single else [submission_name(report)]
        verdict = report.verdict
        if verdict is None:
            texts.append("\n".join([*head, line(report.message)]))
            continue
        texts.append("\n".join([*head, summary(verdict), *plain_lines(*document(verdict))]))
        prefix = "" if batch.is_single else f"{line(report.exercise)}: "
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
        "message": "\n\n".join(cut(each, most) for each in texts),
        "output": cut(output, most),
        "tests": tests,
    }


RENDERER = Renderer(many)
