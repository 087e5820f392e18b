"""Definitions of tracks: ordered walks through exercises."""

from dataclasses import dataclass
from pathlib import Path
from typing import NewType

from grader.definitions.exercise import Exercise, ExerciseId, _doc
from grader.errors import Location

TrackId = NewType("TrackId", str)
LessonId = NewType("LessonId", str)


@dataclass(frozen=True, slots=True)
class LessonDefinition:
    """A lesson of a track: `lessons/<nn>-<id>.md` beside the `track.yaml`."""

    where: Location
    id: LessonId = _doc("Lower-case words joined by hyphens; the name of the file.")
    title: str = _doc("The heading of the lesson's page.")
    exercises: tuple[ExerciseId, ...] = _doc("The exercises it leads into, in order.", default=())


@dataclass(frozen=True, slots=True)
class TrackDefinition:
    """`track.yaml`: names the track and the order of its lessons and exercises."""

    where: Location
    id: TrackId = _doc("Lower-case words joined by hyphens; the name of the folder.")
    title: str = _doc("The heading of the track's page.")
    description: str = _doc("Markdown: what one can do after the track.")
    exercises: tuple[ExerciseId, ...] = _doc("The exercises in order.")
    lessons: tuple[LessonDefinition, ...] = _doc(
        "The lessons in order; each leads into some of the exercises.", default=()
    )
    requires: tuple[TrackId, ...] = _doc(
        "Tracks to have done before: a collection has them first. Else tracks come in the order of "
        "their folders' names.",
        default=(),
    )
    xp: int | None = _doc("What all exercises earn together; checked when stated.", default=None)


@dataclass(frozen=True, slots=True)
class Track:
    """A track with its exercises loaded, in order."""

    definition: TrackDefinition
    exercises: tuple[Exercise, ...]
    lessons: tuple[Path, ...] = ()  # the files, in the order of the definition

    @property
    def xp(self) -> int:
        """The XP of the whole track."""
        return sum(exercise.xp for exercise in self.exercises)
