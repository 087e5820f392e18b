"""Event streams: one poll of the store serves all of them."""

import asyncio
import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from fastapi.concurrency import run_in_threadpool
from sqlalchemy.exc import SQLAlchemyError

from etude_server.store import submissions
from etude_server.store.database import Database

_LOOK_SECONDS: Final = 0.2
_REST_FACTOR: Final = 10  # a look that takes long is followed by a rest of so many times as long
_LONGEST_REST: Final = 2.0  # seconds, also behind a look that the store kept waiting


@dataclass(slots=True)
class WatchedSubmission:
    """A submission that streams report on. Only the event loop's thread uses it."""

    streams: int = 0
    place: int | None = None  # how many are before it, by the last poll
    gone: asyncio.Event = field(default_factory=asyncio.Event)  # it waits no longer


class Watcher:
    """Polls the line of submissions while there are streams."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._watched: dict[str, WatchedSubmission] = {}
        self._looking: asyncio.Task[None] | None = None
        self.is_ending = False

    def end(self) -> None:
        """End all streams soon: a server that stops would wait for them."""
        self.is_ending = True

    @property
    def watched(self) -> frozenset[str]:
        """The submissions that have streams."""
        return frozenset(self._watched)

    @contextlib.contextmanager
    def watch(self, submission_id: str) -> Iterator[WatchedSubmission]:
        """Poll a submission for as long as the context lasts."""
        watched = self._watched.setdefault(submission_id, WatchedSubmission())
        watched.streams += 1
        if self._looking is None or self._looking.done():
            self._looking = asyncio.get_running_loop().create_task(self._look())
        try:
            yield watched
        finally:
            watched.streams -= 1
            if not watched.streams:
                del self._watched[submission_id]

    async def _look(self) -> None:
        while self._watched:
            began = time.monotonic()
            with contextlib.suppress(SQLAlchemyError):  # the database is away: no place has changed
                places = await run_in_threadpool(self._places, tuple(self._watched))
                for name, place in places.items():
                    if watched := self._watched.get(name):
                        watched.place = place
                        if place is None:
                            watched.gone.set()
            rest = _REST_FACTOR * (time.monotonic() - began)
            await asyncio.sleep(min(max(_LOOK_SECONDS, rest), _LONGEST_REST))

    def _places(self, names: tuple[str, ...]) -> dict[str, int | None]:
        with self._database.read() as connection:
            return submissions.places(connection, names)
