"""What brings waiting submissions to the desk: a thread of the server, or a queue on PostgreSQL.

The store says what is pending; an executor is only told sooner than it would find out.
"""

from collections.abc import Sequence
from typing import Protocol

from sqlalchemy import Connection


class Doorbell(Protocol):
    """How the part that takes submissions in tells an executor."""

    def enqueue(self, connection: Connection, submission_ids: Sequence[str]) -> None:
        """Tell of submissions in the transaction that takes them in."""

    def ring(self) -> None:
        """Tell that such a transaction is committed."""


class Executor(Doorbell, Protocol):
    """Something that grades what waits, until it is stopped."""

    def start(self) -> None:
        """Begin to grade."""

    def stop(self) -> None:
        """Finish what is being graded, and begin nothing more."""

    @property
    def trouble(self) -> str | None:
        """Why nothing is graded at the moment, if that is so."""
