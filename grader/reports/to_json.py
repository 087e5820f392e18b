"""A complete verdict as JSON, for programs; `etude schema verdict` describes the format."""

import json
from importlib.resources import files

from grader.reports.report import Batch, Report


def report_object(report: Report) -> str:
    """Return a verdict or fault as an object."""
    return json.dumps(report.data(), indent=2) + "\n"


def batch_object(batch: Batch) -> str:
    """Return a batch as one object, including the files that were skipped."""
    data = {
        "verdicts": [report.data() for report in batch],
        "done_before": batch.done_before,
        "not_looked_at": list(batch.not_looked_at),
    }
    return json.dumps(data, indent=2) + "\n"


def batch_lines(batch: Batch) -> str:
    """Return a batch as JSON Lines."""
    return "".join(map(json_line, batch))


def json_line(report: Report) -> str:
    """Return a verdict or fault as one line of JSON."""
    return json.dumps(report.data()) + "\n"


def verdict_schema_text() -> str:
    """Return the published JSON Schema of the formats `json` and `jsonl`."""
    return files("grader.reports").joinpath("verdict.schema.json").read_text("utf-8")
