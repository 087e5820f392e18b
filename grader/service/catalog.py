"""The exercises that the service grades, as they were when it was started."""

from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from grader.course.schedule import read_schedule
from grader.definitions.collection import Collection
from grader.definitions.exercise import Exercise
from grader.definitions.files import SCHEDULE_FILE, folders_in
from grader.definitions.track import Track
from grader.service.store import events, schedules
from grader.service.store.database import Database


@dataclass(frozen=True, slots=True)
class Catalog:
    """A collection's exercises by their ids."""

    tracks: tuple[Track, ...]
    exercises: Mapping[str, Exercise]

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Load a collection.

        Raises:
            UsageError, DefinitionError: there is none, or something in it is not valid.
        """
        tracks = tuple(Collection.load(folder).tracks)
        exercises = {str(each.id): each for track in tracks for each in track.exercises}
        return cls(tracks, exercises)

    def store_schedule(self, database: Database, folder: Path) -> bool:
        """Have the store know the schedule beside the tracks; return whether that changed it.

        Raises:
            DefinitionError: it is not valid.
        """
        paths = (each / SCHEDULE_FILE for each in folders_in(folder))
        tracks = {
            str(each.definition.id): [str(exercise.id) for exercise in each.exercises]
            for each in self.tracks
        }
        found = [read_schedule(path, tracks) for path in paths if path.exists()]
        with database.write() as connection:
            return schedules.store(connection, dict(ChainMap(*found)), actor=events.GRADER)

    def find(self, exercise: str) -> Exercise | None:
        """Return an exercise by its id."""
        return self.exercises.get(exercise)
