"""The settings of a server."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from etude_server.oidc import Provider
from grader.definitions.exercise import Exercise
from grader.sandbox.limits import MAX_SOURCE_BYTES

MAX_BODY: Final = 4 * MAX_SOURCE_BYTES
"""Largest request in bytes: JSON escapes may more than double the largest source."""


@dataclass(frozen=True, slots=True)
class Settings:
    """A server's settings."""

    database_url: str
    exercises: tuple[Path, ...]
    site: Path | None = None  # the built site to serve, or None
    # Renders an exercise's solution as the site's pages do.
    solution: Callable[[Exercise], dict[str, Any]] | None = None
    host: str = "127.0.0.1"
    port: int = 8000
    health_host: str = "127.0.0.1"
    health_port: int | None = None  # if set, /metrics is served only there
    workers: int = 2
    # Address for browsers; its scheme decides whether cookies are Secure.
    public_url: str = ""
    max_body: int = MAX_BODY
    per_minute: int = 30  # submissions per person and minute; 0 for no limit
    # Submissions are refused while the oldest has waited longer; 0 for no limit.
    queue_seconds: float = 120.0
    # The provider by which people on the roster sign in.
    oidc: Provider | None = None
    keep_days: int = 90  # days for which diagnostics of single runs are kept

    @property
    def is_https(self) -> bool:
        """True if browsers use HTTPS."""
        return self.public_url.startswith("https://")
