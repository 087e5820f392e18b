"""The settings of a server."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from etude_server.oidc import Provider
from grader.definitions.exercise import Exercise
from grader.sandbox.limits import SOURCE_CAP

MAX_BODY: Final = 4 * SOURCE_CAP
"""Bytes of a request. Escaped as JSON, the largest source may take twice its size and more."""


@dataclass(frozen=True, slots=True)
class Settings:
    """A server's settings."""

    database_url: str
    exercises: Path
    site: Path | None = None  # the built site, to be served; none if another server does that
    solution: Callable[[Exercise], dict[str, Any]] | None = None  # as the site's pages show it
    host: str = "127.0.0.1"
    port: int = 8000
    health_host: str = "127.0.0.1"
    health_port: int | None = None  # /metrics is answered there alone, if it is given
    workers: int = 2
    public_url: str = ""  # as browsers reach it; the scheme decides whether cookies are Secure
    max_body: int = MAX_BODY
    per_minute: int = 30  # submissions of one person; 0 refuses none
    queue_seconds: float = 120.0  # no more are accepted once the oldest waited so long; 0: always
    oidc: Provider | None = None  # by which people of the roster sign in
    keep_days: int = 90  # how long diagnostics of single runs are kept

    @property
    def is_https(self) -> bool:
        """True if browsers reach the service by HTTPS."""
        return self.public_url.startswith("https://")
