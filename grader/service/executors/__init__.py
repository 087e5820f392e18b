"""Executors bring waiting submissions to the pool: a local thread, or a queue on PostgreSQL.

The store says what is pending; an executor is only notified sooner than it would look.
"""

from collections.abc import Sequence
from typing import Protocol


class Executor(Protocol):
    """Grades what waits, until it is stopped."""

    def start(self) -> None:
        """Begin to grade."""

    def stop(self) -> None:
        """Finish what is being graded, and begin nothing more."""

    def notify(self, submission_ids: Sequence[str]) -> None:
        """Announce submissions that wait since a transaction that is committed."""

    @property
    def trouble(self) -> str | None:
        """The reason why nothing is graded at the moment, if that is so."""
