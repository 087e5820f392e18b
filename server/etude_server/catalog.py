"""The exercises that the service grades, read again at SIGHUP."""

import os
import signal
import threading
from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import structlog

from etude_server.store import events, schedules
from etude_server.store.database import Database
from grader.course.schedule import Schedule, read_schedule
from grader.definitions.collection import Collection
from grader.definitions.exercise import Exercise
from grader.definitions.files import SCHEDULE_FILE
from grader.definitions.track import Track
from grader.errors import DefinitionError, UsageError

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Catalog:
    """A collection's exercises by id."""

    tracks: tuple[Track, ...]
    exercises: Mapping[str, Exercise]
    folders: tuple[Path, ...] = ()

    @classmethod
    def load(cls, *folders: Path) -> Self:
        """Load a collection.

        Raises:
            UsageError, DefinitionError: There is no collection, or something in it is invalid.
        """
        tracks = tuple(Collection.load(*folders).tracks)
        for course in {
            exercise.course.where: exercise.course
            for track in tracks
            for exercise in track.exercises
            if exercise.course
        }.values():
            for problem in course.problem_by_package.values():
                _log.warning(
                    "a package is missing, and exercises that need it are not graded",
                    problem=str(problem),
                )
        exercises = {str(exercise.id): exercise for track in tracks for exercise in track.exercises}
        return cls(tracks, exercises, folders)

    def store_schedule(self, database: Database, *folders: Path) -> bool:
        """Store the schedule beside the tracks; return whether anything changed.

        Raises:
            DefinitionError: The schedule is invalid.
        """
        paths = (track_folder / SCHEDULE_FILE for track_folder in folders)
        tracks = {
            str(track.definition.id): [str(exercise.id) for exercise in track.exercises]
            for track in self.tracks
        }
        schedules_read = [read_schedule(path, tracks) for path in paths if path.exists()]
        windows = ChainMap(*(dict(schedule.windows) for schedule in schedules_read))
        extensions = ChainMap(*(dict(schedule.extensions) for schedule in schedules_read))
        with database.write() as connection:
            is_changed = schedules.store_schedule(connection, windows, actor=events.GRADER)
            unknown_names = schedules.store_extensions(
                connection, Schedule(windows, extensions=extensions), actor=events.GRADER
            )
        for name in unknown_names:
            _log.warning(
                "the schedule extends a due date for someone who is not on the roster", student=name
            )
        return is_changed

    def find(self, exercise: str) -> Exercise | None:
        """Return the exercise with this id, or None."""
        return self.exercises.get(exercise)

    def require(self, exercise: str) -> Exercise:
        """Return the exercise with this id, or raise `UsageError`."""
        definition = self.find(exercise)
        if definition is None:
            raise UsageError(f"there is no exercise {exercise!r}")
        return definition

    def reload(self, database: Database | None = None) -> None:
        """Read the collection again; keep the current one if the new one is invalid.

        A worker passes no database, because the server stores the schedule.
        """
        try:
            fresh = Catalog.load(*self.folders)
            if database is not None:
                fresh.store_schedule(database, *self.folders)
        except (UsageError, DefinitionError) as error:
            _log.error("the exercises stay as they were", reason=str(error))
        else:
            self.tracks, self.exercises = fresh.tracks, fresh.exercises
            _log.info("the exercises were read again", exercises=len(self.exercises))

    def reload_on_hangup(self, database: Database | None = None) -> None:
        """Reload at each SIGHUP, except on a terminal, where that signal still ends the process."""

        def start_reload(*_: object) -> None:
            threading.Thread(target=self.reload, args=[database], daemon=True).start()

        if not os.isatty(0):
            signal.signal(signal.SIGHUP, start_reload)
