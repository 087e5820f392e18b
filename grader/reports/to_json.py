"""Everything about a verdict as JSON, for programs; `etude schema verdict` describes it."""

import json
from importlib.resources import files

from grader.reports.formats import Renderer
from grader.reports.report import Batch, Report


def one(report: Report) -> str:
    """Return a verdict or a fault as an object."""
    return json.dumps(report.data(), indent=2) + "\n"


def many(batch: Batch) -> str:
    """Return all as one object, with what was left out of the run."""
    data = {
        "verdicts": [report.data() for report in batch],
        "done_before": batch.done_before,
        "not_looked_at": list(batch.not_looked_at),
    }
    return json.dumps(data, indent=2) + "\n"


def verdict_schema_text() -> str:
    """Return the published JSON Schema of what the formats `json` and `jsonl` print."""
    return files("grader.reports").joinpath("verdict.schema.json").read_text("utf-8")


RENDERER = Renderer(many, one)
