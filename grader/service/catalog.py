"""The exercises that the service grades, as they were when it was started."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from grader.definitions.collection import Collection
from grader.definitions.exercise import Exercise
from grader.definitions.track import Track


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

    def find(self, exercise: str) -> Exercise | None:
        """Return an exercise by its id."""
        return self.exercises.get(exercise)
