"""An audit as JSON: everything that was found."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

from grader.audit.reports.audit_phrases import headline
from grader.audit.result import Audit

_FORMAT: Final = 1


def audit_json(audits: Sequence[Audit]) -> str:
    """Return a JSON object with one entry for each assignment."""
    entries = [
        {
            "name": audit.assignment.name,
            "kind": audit.assignment.kind,
            "solution": audit.assignment.solution,
            "source": audit.assignment.source,
            "tests": list(audit.assignment.tests),
            "has_holes": audit.has_holes,
            "headline": headline(audit),
            "killed": audit.killed,
            "distinguishable": audit.distinguishable,
            "score": audit.score,
            "misconceptions": audit.misconceptions,
            "seconds": audit.seconds,
            "checks": [asdict(check) for check in audit.checks],
            "survivors": [asdict(each) for each in audit.survivors],
            "equivalent": [asdict(each) for each in audit.equivalent],
            "accepted": [asdict(each) for each in audit.accepted],
            "notes": list(audit.assignment.notes),
        }
        for audit in audits
    ]
    found = {"format": _FORMAT, "audits": entries}
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"
