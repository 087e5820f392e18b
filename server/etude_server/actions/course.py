"""The parts of a course that an action needs."""

from collections.abc import Sequence
from typing import Protocol

from etude_server.catalog import Catalog
from etude_server.store.database import Database


class RegradeQueue(Protocol):
    """The place where regrades wait for those who grade them."""

    def defer_regrade(self, regrade_id: str, source_hashes: Sequence[str]) -> None:
        """Queue the open sources of a regrade."""

    def cancel_regrade(self, regrade_id: str) -> None:
        """Forget what is queued of a regrade."""


class Course(Protocol):
    """The exercises, the store and the queue of regrades; None where only a command grades."""

    @property
    def catalog(self) -> Catalog:
        """The exercises."""

    @property
    def database(self) -> Database:
        """The store."""

    @property
    def queue(self) -> RegradeQueue | None:
        """The queue of regrades."""
