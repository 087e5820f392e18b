"""SARIF 2.1.0, the format in which code hosts show findings beside changed lines."""

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from grader import __version__

_SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


@dataclass(frozen=True, slots=True)
class SarifResult:
    """A finding at a place; `uri` is a path in the repository, or an absolute URI."""

    rule: str
    level: str
    message: str
    uri: str
    line: int = 1
    column: int | None = None


def make_uri(root: Path, path: Path) -> str:
    """Return a file's path in its repository or below `root`, or else its absolute URI."""
    file = Path(os.path.abspath(path))  # noqa: PTH100  removes `..`, but keeps links
    top = next((parent for parent in file.parents if (parent / ".git").exists()), root.absolute())
    return file.as_uri().removeprefix(top.as_uri().rstrip("/") + "/")


def make_log(
    tool: str, rules: Mapping[str, Mapping[str, Any]], results: Iterable[SarifResult], mark: str
) -> dict[str, Any]:
    """Return a SARIF log of one run.

    Args:
        rules: The SARIF properties of each rule, by id.
        mark: The name of the fingerprints, which stay the same if lines above change.
    """
    seen: Counter[str] = Counter()
    entries = []
    for result in results:
        key = f"{result.rule}\n{result.uri}\n{result.message}"
        seen[key] += 1
        fingerprint = hashlib.sha256(f"{key}\n{seen[key]}".encode()).hexdigest()[:32]
        region = {"startLine": max(result.line, 1)}
        if result.column is not None:
            region["startColumn"] = result.column
        physical_location = {"artifactLocation": {"uri": result.uri}, "region": region}
        entries.append(
            {
                "ruleId": result.rule,
                "ruleIndex": list(rules).index(result.rule),
                "level": result.level,
                "message": {"text": result.message},
                "locations": [{"physicalLocation": physical_location}],
                "partialFingerprints": {mark: fingerprint},
            }
        )
    described = [{"id": name, **about} for name, about in rules.items()]
    driver = {"name": tool, "version": __version__, "rules": described}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": entries}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
