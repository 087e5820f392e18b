"""An audit as JSON: everything that was found."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from grader.audit.reports.audit_phrases import headline
from grader.audit.result import Audit

_FORMAT: Final = 1


def audit_json(audits: Sequence[Audit]) -> str:
    """Return a JSON object with one entry for each assignment."""
    found = {"format": _FORMAT, "audits": [_entry(audit) for audit in audits]}
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def _entry(audit: Audit) -> dict[str, Any]:
    about = audit.assignment
    return {
        "name": about.name,
        "kind": about.kind,
        "solution": about.solution,
        "source": about.source,
        "tests": list(about.tests),
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
        "notes": list(about.notes),
    }
