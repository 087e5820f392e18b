"""What a track is: an ordered walk through exercises."""
# ruff: noqa: RUF009  _doc declares a field, as dataclasses.field does

from dataclasses import dataclass
from typing import NewType

from grader.definitions.exercise import Exercise, ExerciseId, _doc
from grader.errors import Location

TrackId = NewType("TrackId", str)


@dataclass(frozen=True, slots=True)
class TrackDefinition:
    """`track.yaml`: names the track and the order of its exercises."""

    where: Location
    id: TrackId = _doc("Lower-case words joined by hyphens; the name of the folder.")
    title: str = _doc("The heading of the track's page.")
    description: str = _doc("Markdown: what one can do after the track.")
    exercises: tuple[ExerciseId, ...] = _doc("The exercises in order.")


@dataclass(frozen=True, slots=True)
class Track:
    """A track with its exercises loaded, in order."""

    definition: TrackDefinition
    exercises: tuple[Exercise, ...]

    @property
    def xp(self) -> int:
        """What the whole track earns."""
        return sum(exercise.xp for exercise in self.exercises)
