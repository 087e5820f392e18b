"""The exercises that the service grades; SIGHUP reads them again."""

import os
import signal
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import structlog

from grader.definitions.collection import Collection
from grader.definitions.exercise import Exercise
from grader.definitions.track import Track
from grader.errors import DefinitionError, UsageError

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Catalog:
    """A collection's exercises by their ids."""

    tracks: tuple[Track, ...]
    exercises: Mapping[str, Exercise]
    folder: Path = Path()

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Load a collection.

        Raises:
            UsageError, DefinitionError: there is none, or something in it is not valid.
        """
        tracks = tuple(Collection.load(folder).tracks)
        exercises = {str(each.id): each for track in tracks for each in track.exercises}
        return cls(tracks, exercises, folder)

    def find(self, exercise: str) -> Exercise | None:
        """Return an exercise by its id."""
        return self.exercises.get(exercise)

    def reload(self) -> None:
        """Read the collection again; keep the exercises as they were if it is not valid."""
        try:
            fresh = Catalog.load(self.folder)
        except (UsageError, DefinitionError) as error:
            _log.error("the exercises stay as they were", reason=str(error))
        else:
            self.tracks, self.exercises = fresh.tracks, fresh.exercises
            _log.info("the exercises were read again", exercises=len(self.exercises))

    def reload_on_hangup(self) -> None:
        """Reload at each SIGHUP; on a terminal that signal still ends the process."""
        if not os.isatty(0):
            signal.signal(
                signal.SIGHUP, lambda *_: threading.Thread(target=self.reload, daemon=True).start()
            )
