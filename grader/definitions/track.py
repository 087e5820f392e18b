"""Tracks, which are ordered lists of exercises and lessons: their definitions and rules."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NewType

from grader.definitions.exercise import SLUG, Exercise, ExerciseId, documented_field
from grader.definitions.files import LESSONS
from grader.definitions.rules.subject import Step
from grader.definitions.wording import did_you_mean, quote
from grader.definitions.yaml_source import Document
from grader.errors import Location, Problem

TrackId = NewType("TrackId", str)
LessonId = NewType("LessonId", str)


@dataclass(frozen=True, slots=True)
class LessonDefinition:
    """A lesson of a track: `lessons/<nn>-<id>.md` beside the `track.yaml`."""

    where: Location
    id: LessonId = documented_field(
        "Lower-case words joined by hyphens; the name of the file.", SLUG
    )
    title: str = documented_field("The heading of the lesson's page.")
    exercises: tuple[ExerciseId, ...] = documented_field(
        "The exercises it leads into, in order.", default=()
    )


@dataclass(frozen=True, slots=True)
class TrackDefinition:
    """`track.yaml`: names the track and the order of its lessons and exercises."""

    where: Location
    id: TrackId = documented_field(
        "Lower-case words joined by hyphens; the name of the folder.", SLUG
    )
    title: str = documented_field("The heading of the track's page.")
    description: str = documented_field("Markdown: what one can do after the track.")
    exercises: tuple[ExerciseId, ...] = documented_field("The exercises in order.")
    lessons: tuple[LessonDefinition, ...] = documented_field(
        "The lessons in order; each leads into some of the exercises.", unique="id", default=()
    )
    requires: tuple[TrackId, ...] = documented_field(
        "Tracks to have done before: a collection has them first. Else tracks come in the order of "
        "their folders' names.",
        default=(),
    )
    xp: int | None = documented_field(
        "What all exercises earn together; checked when stated.", default=None
    )


@dataclass(frozen=True, slots=True)
class Track:
    """A track with its exercises loaded, in order."""

    definition: TrackDefinition
    exercises: tuple[Exercise, ...]
    lessons: tuple[Path, ...] = ()  # files of the lessons, in order of the definition

    @property
    def xp(self) -> int:
        """The XP of the whole track."""
        return sum(exercise.xp for exercise in self.exercises)


@dataclass(frozen=True, slots=True)
class TrackFiles:
    """A track's file, and the files beside it."""

    track: TrackDefinition
    document: Document
    exercises: Mapping[ExerciseId, Exercise | None]  # None for an exercise that is not valid
    paths: Mapping[ExerciseId, Path]
    lessons: Mapping[str, Path]  # files of the lessons, by the id in the name

    def problem(self, message: str, *steps: Step) -> Problem:
        """Return a problem at a place of the track's file."""
        label = next(step for step in reversed(steps) if isinstance(step, str))
        return Problem(self.document.node(*steps).where, f"{label}: {message}")


def check_track(files: TrackFiles) -> Iterator[Problem]:
    """Yield the problems with a track."""
    track, document = files.track, files.document
    folder = document.path.absolute().parent.name
    if track.id != folder:
        message = f"{quote(track.id)} is not the folder's name, {quote(folder)}"
        yield files.problem(message, "id")
    yield from _check_lessons(files)
    first: dict[ExerciseId, int] = {}
    for index, name in enumerate(track.exercises):
        if name in first:
            where = document.node("exercises", first[name]).where
            yield files.problem(f"{quote(name)} is already at {where}", "exercises", index)
        elif name not in files.exercises:
            message = f"no exercise {quote(name)} in this folder"
            hint = did_you_mean(name, files.exercises)
            yield files.problem(message + hint, "exercises", index)
        first.setdefault(name, index)
    for name in files.exercises.keys() - first.keys():
        message = f"exercise {quote(name)} is not listed in {document.path}"
        yield Problem(Location(files.paths[name]), message)
    for name, index in first.items():
        exercise = files.exercises.get(name)
        for required in exercise.requires if exercise else ():
            if first.get(required, -1) > index:
                message = f"{quote(name)} comes before {quote(required)}, which it requires"
                yield files.problem(message, "exercises", index)
    exercises = [files.exercises.get(name) for name in first]
    total = sum(exercise.xp for exercise in exercises if exercise is not None)
    if track.xp is not None and None not in exercises and track.xp != total:
        yield files.problem(f"the exercises earn {total} together, not {track.xp}", "xp")


def _check_lessons(files: TrackFiles) -> Iterator[Problem]:
    track, lessons = files.track, files.track.lessons
    for index, lesson in enumerate(lessons):
        if lesson.id not in files.lessons:
            message = f"no file {LESSONS}/<number>-{lesson.id}.md beside this one"
            hint = did_you_mean(lesson.id, files.lessons)
            yield files.problem(message + hint, "lessons", index, "id")
    for name in files.lessons.keys() - {lesson.id for lesson in lessons}:
        message = f"lesson {quote(name)} is not listed in {files.document.path}"
        yield Problem(Location(files.lessons[name]), message)
    # An exercise belongs to at most one lesson.
    first: dict[ExerciseId, Location] = {}
    for index, lesson in enumerate(lessons):
        for number, name in enumerate(lesson.exercises):
            steps = ("lessons", index, "exercises", number)
            if name not in track.exercises:
                message = f"no exercise {quote(name)} in this track"
                yield files.problem(message + did_you_mean(name, track.exercises), *steps)
            if name in first:
                message = f"{quote(name)} is taken; it is already at {first[name]}"
                yield files.problem(message, *steps)
            first.setdefault(name, files.document.node(*steps).where)
