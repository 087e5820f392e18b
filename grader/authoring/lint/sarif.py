"""Reports in SARIF 2.1.0, which code hosts show beside the lines of a change."""

import hashlib
from collections import Counter
from pathlib import Path
from typing import Any, Final

from grader.authoring.lint.catalogue import CATALOGUE
from grader.authoring.lint.lint_report import explanation
from grader.authoring.lint.rule import LintFinding, RuleDescription
from grader.authoring.lint.run import LintReport

_SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


def sarif(report: LintReport, version: str, root: Path) -> dict[str, Any]:
    """Return a report as a SARIF log; paths below the root are relative to it."""
    seen: Counter[str] = Counter()
    driver = {
        "name": "etude lint",
        "version": version,
        "rules": [_rule(about) for about in CATALOGUE.values()],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, root, seen) for finding in report.findings],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(about: RuleDescription) -> dict[str, Any]:
    return {
        "id": about.code,
        "name": "".join(word.capitalize() for word in about.name.split("-")),
        "shortDescription": {"text": about.summary},
        "fullDescription": {"text": about.explanation},
        "help": {"text": about.explanation, "markdown": explanation(about)},
        "defaultConfiguration": {"level": about.level},
    }


def _result(finding: LintFinding, root: Path, seen: Counter[str]) -> dict[str, Any]:
    uri = _uri(finding.where.path, root)
    region = {"startLine": finding.where.line, "startColumn": finding.where.column}
    return {
        "ruleId": finding.about.code,
        "ruleIndex": list(CATALOGUE).index(finding.about.code),
        "level": finding.about.level,
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}],
        "partialFingerprints": {"finding/v1": _fingerprint(finding, uri, seen)},
    }


def _uri(path: Path, root: Path) -> str:
    whole = path.absolute()
    if whole.is_relative_to(root.absolute()):
        base = root.absolute().as_uri().rstrip("/") + "/"
        return whole.as_uri().removeprefix(base)
    return whole.as_uri()


def _fingerprint(finding: LintFinding, uri: str, seen: Counter[str]) -> str:
    """Return what stays the same when lines above the finding come and go."""
    known = f"{finding.about.code}\n{uri}\n{finding.message}"
    seen[known] += 1
    return hashlib.sha256(f"{known}\n{seen[known]}".encode()).hexdigest()[:32]
