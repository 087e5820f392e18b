"""Audits on disk, so that only changed assignments are audited again."""

import contextlib
from dataclasses import replace
from importlib import metadata

from grader.audit.result import Audit, SuiteCheck, Survivor
from grader.audit.run import Request
from grader.authoring.sources.assignment import Assignment
from grader.disk_cache import Cache, cache_folder, compute_key, find_package, fingerprint
from grader.sandbox.dataclass_format import DataclassFormat
from grader.sandbox.in_child.wire import UnsupportedValueError

_FORMAT = DataclassFormat(Audit, (SuiteCheck, Survivor), left_out={"assignment": None})
_SOURCES = ("audit", "authoring/verify", "grading/comparison", "grading/diagnosis", "mutation")


class AuditCache:
    """A cache of audits, keyed by all their inputs; an unreadable entry counts as missing."""

    def __init__(self) -> None:
        folder = find_package("grader")
        made_by = fingerprint([folder / name for name in _SOURCES])
        self._cache = Cache(cache_folder("audit"), made_by)
        # The tests may import any installed package.
        packages = {f"{package.name} {package.version}" for package in metadata.distributions()}
        self._packages = "\n".join(sorted(packages))

    def find(self, assignment: Assignment, request: Request) -> Audit | None:
        """Return the stored audit of an assignment, or None."""
        entry = self._cache.find(self._key(assignment, request))
        if entry is None:
            return None
        try:
            return replace(_FORMAT.from_bytes(entry), assignment=assignment)
        except ValueError:
            return None

    def keep(self, audit: Audit, request: Request) -> None:
        """Store an audit, unless it is very large."""
        with contextlib.suppress(UnsupportedValueError):
            content = _FORMAT.to_bytes(audit)
            self._cache.keep(self._key(audit.assignment, request), content)

    def _key(self, assignment: Assignment, request: Request) -> str:
        options = (
            sorted(request.accepted_changes),
            sorted(request.similar_exercises),
            request.exercise_functions,
        )
        parts = (self._packages, *map(repr, (assignment, *options)))
        return compute_key(part.encode() for part in parts)
