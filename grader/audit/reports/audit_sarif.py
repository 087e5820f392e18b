"""An audit in SARIF 2.1.0, which code hosts show beside the lines of the solution."""

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any, Final
from urllib.parse import quote

from grader import __version__
from grader.audit.reports.audit_phrases import in_order, title
from grader.audit.result import Audit
from grader.reports.phrases import line

_SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_RULES: Final = {
    "known-mistake": "A known mistake passes all tests.",
    "survivor": "A changed solution passes all tests.",
    "check": "The tests have a weakness that no changed solution shows.",
}


def sarif(audits: Sequence[Audit]) -> str:
    """Return a SARIF log with a result for each hole."""
    driver = {
        "name": "etude audit",
        "version": __version__,
        "rules": [
            {"id": name, "shortDescription": {"text": text}} for name, text in _RULES.items()
        ],
    }
    results: list[dict[str, Any]] = []
    for audit in audits:
        seen: Counter[str] = Counter()
        results += [
            _result(audit, "check", line(check.sentence), 1, seen)
            for check in in_order(audit.checks)
            if check.verdict == "hole"
        ]
        for survivor in audit.survivors:
            rule = "known-mistake" if survivor.misconception else "survivor"
            said = f"All tests pass with this change: {title(survivor)}."
            if survivor.example is not None:
                said += f" {line(survivor.example)} tells it from the solution."
            results.append(_result(audit, rule, said, survivor.line, seen))
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _result(audit: Audit, rule: str, message: str, at: int, seen: Counter[str]) -> dict[str, Any]:
    about = audit.assignment
    uri = about.source or about.solution
    if PurePosixPath(uri).suffix != ".py":  # a line of a notebook's cells is none of its file
        at = 1
    known = f"{rule}\n{uri}\n{message}"
    seen[known] += 1
    return {
        "ruleId": rule,
        "ruleIndex": list(_RULES).index(rule),
        "level": "warning",
        "message": {"text": message},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": quote(uri)},
                    "region": {"startLine": max(at, 1)},
                }
            }
        ],
        "partialFingerprints": {
            "hole/v1": hashlib.sha256(f"{known}\n{seen[known]}".encode()).hexdigest()[:32]
        },
    }
