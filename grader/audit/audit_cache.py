"""Audits on disk, so that of many assignments only those that changed are audited again."""

import json
from dataclasses import asdict
from importlib import metadata

from grader.audit.result import GROUPS, Audit, SuiteCheck, Survivor
from grader.audit.run_audit import AuditResult, Request
from grader.authoring.importing.assignment import Assignment
from grader.disk_cache import Cache, cache_folder, fingerprint, key_of, package_folder

_SOURCES = ("audit", "mutation")


class AuditCache:
    """Audits by all that they are made from. What cannot be read counts as missing."""

    def __init__(self) -> None:
        folder = package_folder("grader")
        made_by = fingerprint([folder / name for name in _SOURCES])
        self._cache = Cache(cache_folder("audit"), made_by)
        # Tests may import any of them.
        packages = {f"{each.name} {each.version}" for each in metadata.distributions()}
        self._packages = "\n".join(sorted(packages))

    def find(self, assignment: Assignment, request: Request) -> AuditResult | None:
        """Return the audit of an assignment, if it is known."""
        entry = self._cache.find(self._key(assignment, request))
        if entry is None:
            return None
        try:
            data = json.loads(entry)
            checks = [{**each, "tests": tuple(each["tests"])} for each in data["checks"]]
            groups = {name: tuple(Survivor(**each) for each in data[name]) for name in GROUPS}
            audit = Audit(
                assignment=assignment,
                checks=tuple(SuiteCheck(**each) for each in checks),
                killed=data["killed"],
                seconds=data["seconds"],
                misconceptions=data["misconceptions"],
                **groups,
            )
            return AuditResult(audit, data["extra_tests"])
        except (ValueError, KeyError, TypeError):
            return None

    def keep(self, assignment: Assignment, request: Request, finished: AuditResult) -> None:
        """Remember an audit."""
        audit = finished.audit
        data = {
            "extra_tests": finished.extra_tests,
            "checks": [asdict(each) for each in audit.checks],
            **{name: [asdict(each) for each in getattr(audit, name)] for name in GROUPS},
            "killed": audit.killed,
            "seconds": audit.seconds,
            "misconceptions": audit.misconceptions,
        }
        self._cache.keep(self._key(assignment, request), json.dumps(data).encode())

    def _key(self, assignment: Assignment, request: Request) -> str:
        options = (sorted(request.accepted), sorted(request.like), request.known)
        parts = (self._packages, *map(repr, (assignment, *options)))
        return key_of(part.encode() for part in parts)
