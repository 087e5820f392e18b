"""The formats of an audit by name, including those for machines: JSON, SARIF and the badge."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from html import escape
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import quote

from grader.audit.reports.document import html, markdown, text
from grader.audit.reports.phrases import headline, percent, sort_checks
from grader.audit.result import GROUPS, Audit, Survivor
from grader.authoring.sarif import SarifResult, make_log
from grader.reports.phrases import to_one_line

_FORMAT: Final = 1  # version of the JSON format
_LABEL: Final = "wrong answers rejected"  # text on the badge
_GOOD, _FAIR = 0.95, 0.8
_COLUMN: Final = 6.2  # average width of a character, in pixels
_PADDING: Final = 12
_RULES: Final = {
    "known-mistake": "A known mistake passes all tests.",
    "survivor": "A changed solution passes all tests.",
    "check": "The tests have a weakness that no changed solution shows.",
}


def audit_json(audits: Sequence[Audit]) -> str:
    """Return a JSON object with one entry per assignment."""
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
            **{name: [*map(_survivor_data, getattr(audit, name))] for name in GROUPS},
            "notes": list(audit.assignment.notes),
        }
        for audit in audits
    ]
    report = {"format": _FORMAT, "audits": entries}
    return json.dumps(report, indent=2, ensure_ascii=False) + "\n"


def _survivor_data(survivor: Survivor) -> dict[str, object]:
    data = asdict(survivor)
    del data["operator"], data["test_name"]
    return data


def sarif(audits: Sequence[Audit]) -> str:
    """Return a SARIF log with one result per hole."""
    results = []
    for audit in audits:
        uri = audit.assignment.source or audit.assignment.solution
        holes = [
            ("check", to_one_line(check.sentence), 1)
            for check in sort_checks(audit.checks)
            if check.verdict == "hole"
        ]
        for survivor in audit.survivors:
            message = f"All tests pass with this change: {to_one_line(survivor.change)}."
            if survivor.example is not None:
                message += f" {to_one_line(survivor.example)} tells it from the solution."
            rule = "known-mistake" if survivor.misconception else "survivor"
            holes.append((rule, message, survivor.line))
        # Lines of a notebook's cells are not lines of its file.
        has_lines = PurePosixPath(uri).suffix == ".py"
        results += [
            SarifResult(rule, "warning", message, quote(uri), line if has_lines else 1)
            for rule, message, line in holes
        ]
    rules = {name: {"shortDescription": {"text": summary}} for name, summary in _RULES.items()}
    log = make_log("etude audit", rules, results, "hole/v1")
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def badge(audits: Sequence[Audit]) -> str:
    """Return an SVG badge with the share of wrong programs that the tests reject."""
    killed = sum(audit.killed for audit in audits)
    tried = sum(audit.distinguishable for audit in audits)
    value = percent(killed, tried).replace(" ", "") if tried else "none"
    share = killed / tried if tried else 0.0
    has_holes = any(audit.has_holes for audit in audits)
    good = "#17693a" if share >= _GOOD and not has_holes else "#7a4a00"
    colour = good if share >= _FAIR else "#a02d20"
    left, right = (round(len(text) * _COLUMN) + _PADDING for text in (_LABEL, value))
    name = escape(f"{_LABEL}: {value}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
        f'aria-label="{name}">\n<title>{name}</title>\n'
        f'<rect width="{left + right}" height="20" rx="3" fill="#3a4346"/>\n'
        f'<path d="M{left} 0h{right - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3H{left}z" '
        f'fill="{colour}"/>\n'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" '
        'font-size="11">\n'
        f'<text x="{left / 2:g}" y="14" textLength="{left - _PADDING}">{_LABEL}</text>\n'
        f'<text x="{left + right / 2:g}" y="14">{value}</text>\n'
        "</g>\n</svg>\n"
    )


FORMATS: Final[Mapping[str, Callable[[Sequence[Audit]], str]]] = {
    "text": text,
    "markdown": markdown,
    "json": audit_json,
    "sarif": sarif,
    "html": html,
    "badge": badge,
}
"""Pure functions that format the audits of one command."""
