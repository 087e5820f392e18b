"""JSON Lines: what `etude grade --output` writes, a line for each submission."""

import json

from grader.reports.formats import Renderer
from grader.reports.report import Batch, Report


def one(report: Report) -> str:
    """Return a verdict or a fault as one line."""
    return json.dumps(report.data()) + "\n"


def many(batch: Batch) -> str:
    """Return a line for each submission."""
    return "".join(map(one, batch))


RENDERER = Renderer(many, one)
