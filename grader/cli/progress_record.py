"""The record of the learner's progress, as commands use it: what fails costs the record alone."""

import itertools
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.definitions.files import TRACK_FILE, exists, files_by_folder, folders_in
from grader.errors import EtudeError
from grader.progress.history import History
from grader.progress.status import NextUp, next_open, next_up, standings
from grader.progress.store import RecordError, Store

if TYPE_CHECKING:
    from collections.abc import Iterable

    from grader.definitions.collection import Collection
    from grader.definitions.exercise import Exercise, ExerciseId
    from grader.definitions.track import TrackDefinition

_SHORT = 0.25  # seconds that a verdict may wait for another command's writing


def read_history(*, hurried: bool = False) -> History:
    """Return what is recorded; nothing, with a warning, if that cannot be read."""
    try:
        return (Store(patience=_SHORT) if hurried else Store()).read()
    except RecordError as error:
        warn(f"your progress cannot be read: {error}")
        return History()


def keep(history: History, what: str) -> bool:
    """Add to the record; if that fails, say what is lost and return false."""
    try:
        Store().add(history)
    except RecordError as error:
        warn(f"{what} is not recorded: {error}")
        return False
    return True


def warn(message: str) -> None:
    """Print one line to stderr."""
    click.echo(f"etude: {' '.join(message.split())}", err=True)


def track_beside(exercise: "Exercise") -> "TrackDefinition | None":
    """Return the track in whose folder an exercise lies, if it lists it."""
    track = _track(exercise.where.path.absolute().parent)
    return track if track is not None and exercise.id in track.exercises else None


def next_exercise(exercise: "Exercise", history: History) -> "ExerciseId | None":
    """Return what comes after an exercise: in its track, or else in another of the collection."""
    closed = {name for name, found in standings(history).items() if found.closed}
    here = track_beside(exercise)
    if here is None:
        return None
    from grader.definitions.collection import resolve  # with all that reads and checks YAML

    folder = exercise.where.path.absolute().parent.parent

    def requires(name: "ExerciseId") -> "tuple[ExerciseId, ...]":
        try:
            return resolve(name, folder).requires
        except EtudeError:  # somebody else's mistake: not now
            return ()

    others = (track for track in _tracks(folder) if track.id != here.id)
    for track in itertools.chain([here], others):
        found = next_open(track.exercises, closed, exercise.id, requires)
        if found is not None:
            return found
    return None


def upcoming(collection: "Collection", history: History) -> NextUp | None:
    """Return the exercise of a collection to do now; None if all are done."""
    needed = {each.id: each.requires for each in collection.exercises}
    return next_up(history, tuple(needed), needed.__getitem__)


def lesson_before(exercise: "Exercise", following: "ExerciseId") -> str | None:
    """Return the id of the lesson that leads into the next exercise, if a new one does."""
    track = track_beside(exercise)
    for lesson in track.lessons if track is not None else ():
        if following in lesson.exercises:
            return None if exercise.id in lesson.exercises else lesson.id
    return None


def suffix(exercises: Path | None) -> str:
    """Return what a command to copy needs to find the same collection, with a space before it."""
    if exercises is None or os.environ.get("ETUDE_EXERCISES") == str(exercises):
        return ""
    import shlex

    return f" --exercises {shlex.quote(str(exercises))}"


def _tracks(folder: Path) -> "Iterable[TrackDefinition]":
    try:
        folders = [each for each in files_by_folder(folder) if each not in folders_in(folder)]
    except EtudeError:
        return
    for below in folders:
        track = _track(below)
        if track is not None:
            yield track


def _track(folder: Path) -> "TrackDefinition | None":
    """Return the track in a folder; none if it has none that is valid."""
    path = folder / TRACK_FILE
    if not exists(path):
        return None
    from grader.definitions.decode import decode
    from grader.definitions.track import TrackDefinition
    from grader.definitions.yaml_source import read

    try:
        return decode(read(path), TrackDefinition)
    except EtudeError:
        return None
