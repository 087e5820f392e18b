"""Exercises and tracks in a folder.

A collection is a folder of tracks, `<track>/track.yaml` with `<track>/<nn>-<id>.yaml` beside it,
and of exercises in no track, `<nn>-<id>.yaml`; the number may be left out. Since a file carries the
id of its exercise in its name, one exercise is found without reading any other.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Final

from grader.definitions.decode import decode
from grader.definitions.exercise import Exercise, ExerciseId
from grader.definitions.exercise_rules import check_exercise, check_slug
from grader.definitions.report import Report
from grader.definitions.source import Document, read
from grader.definitions.track import Track, TrackDefinition
from grader.definitions.wording import did_you_mean, quote
from grader.errors import DefinitionError, Location, UsageError

TRACK_FILE: Final = "track.yaml"

_SUFFIXES: Final = frozenset({".yaml", ".yml"})
_NUMBER: Final = re.compile(r"\d+-(?=.)")


@dataclass(frozen=True, slots=True)
class Collection:
    """All tracks and exercises below a folder."""

    folder: Path
    tracks: tuple[Track, ...]  # in the order of their folders' names
    standalone: tuple[Exercise, ...]  # the exercises in no track, in the order of their file names

    @classmethod
    def load(cls, folder: Path) -> "Collection":
        """Load every track and every exercise below a folder.

        Raises:
            UsageError: There is no such folder.
            DefinitionError: A definition is not valid, or the definitions contradict each other.
        """
        files = _files_by_folder(folder)
        loader = _Loader()
        standalone = loader.exercises(files.pop(folder))
        tracks = [loader.track(below / TRACK_FILE, files[below]) for below in files]
        loader.check_requires()
        loader.report.raise_if_any()
        return cls(
            folder,
            tuple(track for track in tracks if track is not None),
            tuple(exercise for exercise in standalone.values() if exercise is not None),
        )

    @property
    def exercises(self) -> tuple[Exercise, ...]:
        """Every exercise: the tracks' first, in their order."""
        in_tracks = tuple(exercise for track in self.tracks for exercise in track.exercises)
        return in_tracks + self.standalone

    def find(self, name: str) -> Exercise:
        """Return the exercise with an id.

        Raises:
            UsageError: There is none; the closest id is named.
        """
        known = {str(exercise.id): exercise for exercise in self.exercises}
        if name not in known:
            raise _no_exercise(name, list(known), self.folder)
        return known[name]


def load_exercise(path: Path) -> Exercise:
    """Load one exercise from anywhere.

    Raises:
        UsageError: There is no such file.
        DefinitionError: It is not a valid exercise; every problem has its file, line and column.
    """
    exercise, _ = _load(path)
    return exercise


def load_track(path: Path) -> Track:
    """Load a track, given its `track.yaml`, with the exercises in its folder.

    Raises:
        UsageError: There is no such file.
        DefinitionError: The track or an exercise in its folder is not valid.
    """
    if not _exists(path):
        raise UsageError(f"no file '{path}'")
    loader = _Loader()
    track = loader.track(path, _exercise_files(path.parent))
    if track is None or loader.report.problems:
        raise DefinitionError(loader.report.problems)
    return track


def resolve(name_or_path: str, collection_folder: Path) -> Exercise:
    """Load the exercise that a person means: a file of theirs, or an id in the collection.

    Raises:
        UsageError: There is no such file or exercise; the closest id is named.
        DefinitionError: The exercise is not valid.
    """
    path = Path(name_or_path)
    if path.suffix in _SUFFIXES or _exists(path):
        return load_exercise(path)
    files = [path for files in _files_by_folder(collection_folder).values() for path in files]
    named = [path for path in files if _id_in_name(path) == name_or_path]
    if not named:
        raise _no_exercise(name_or_path, [_id_in_name(path) for path in files], collection_folder)
    loader = _Loader()
    (exercise,) = loader.exercises(named).values()
    if exercise is None or loader.report.problems:
        raise DefinitionError(loader.report.problems)
    return exercise


def default_folder() -> Path:
    """Return the exercises that come with Etude: inside an installed package, or in a checkout."""
    package = Path(__file__).parents[1]
    packaged = package / "_content" / "exercises"
    return packaged if packaged.is_dir() else package.parent / "exercises"


class _Loader:
    """Loads files and collects their problems, so that one broken file does not hide the rest."""

    def __init__(self) -> None:
        self.report = Report()
        self._paths: dict[ExerciseId, Path] = {}
        self._requires: dict[ExerciseId, dict[ExerciseId, Location]] = {}

    def exercises(self, paths: Sequence[Path]) -> dict[ExerciseId, Exercise | None]:
        """Load exercise files, by the ids in their names; None is one that is not valid."""
        found: dict[ExerciseId, Exercise | None] = {}
        for path in paths:
            name = _id_in_name(path)
            if name in self._paths:
                first = self._paths[name]
                self.report.add(Location(path), f"exercise {quote(name)} is already in {first}")
                found.setdefault(name, None)
                continue
            self._paths[name] = path
            found[name] = self._exercise(path, name)
        return found

    def track(self, path: Path, paths: Sequence[Path]) -> Track | None:
        """Load a track file and the exercise files beside it."""
        exercises = self.exercises(paths)
        if not _exists(path):
            self.report.add(Location(path), "missing; a folder of exercises needs a track.yaml")
            return None
        try:
            document = read(path)
            definition = decode(document, TrackDefinition)
        except DefinitionError as error:
            self._add_all(error)
            return None
        self._check_track(definition, document, exercises)
        loaded = [exercises.get(name) for name in definition.exercises]
        return Track(definition, tuple(exercise for exercise in loaded if exercise is not None))

    def check_requires(self) -> None:
        """Check that what the exercises require exists and does not go round in a circle."""
        for required in self._requires.values():
            for name, where in required.items():
                if name not in self._paths:
                    message = f"requires: no exercise {quote(name)}"
                    self.report.add(where, message + did_you_mean(name, self._paths))
        try:
            TopologicalSorter(self._requires).prepare()
        except CycleError as error:
            self._add_cycle(error.args[1])

    def _exercise(self, path: Path, name: ExerciseId) -> Exercise | None:
        try:
            exercise, document = _load(path)
        except DefinitionError as error:
            self._add_all(error)
            return None
        self._requires[name] = {
            required: document.node("requires", index).where
            for index, required in enumerate(exercise.requires)
        }
        if exercise.id != name:
            expected = f"{_number_in_name(path)}{exercise.id}{path.suffix}"
            message = (
                f"id: the file must be called {expected}, or else this id must be {quote(name)}"
            )
            self.report.add(document.node("id").where, message)
        return exercise

    def _check_track(
        self,
        track: TrackDefinition,
        document: Document,
        exercises: dict[ExerciseId, Exercise | None],
    ) -> None:
        for problem in check_slug(document, "id"):
            self.report.add(problem.where, problem.message)
        folder = document.path.absolute().parent.name
        if track.id != folder:
            message = f"id: {quote(track.id)} is not the folder's name, {quote(folder)}"
            self.report.add(document.node("id").where, message)
        first: dict[ExerciseId, Location] = {}
        for index, name in enumerate(track.exercises):
            where = document.node("exercises", index).where
            if name in first:
                self.report.add(where, f"exercises: {quote(name)} is already at {first[name]}")
            elif name not in exercises:
                message = f"exercises: no exercise {quote(name)} in this folder"
                self.report.add(where, message + did_you_mean(name, exercises))
            first.setdefault(name, where)
        for name in exercises.keys() - first.keys():
            message = f"exercise {quote(name)} is not listed in {document.path}"
            self.report.add(Location(self._paths[name]), message)

    def _add_cycle(self, cycle: list[ExerciseId]) -> None:
        """Report a cycle that starts and ends with the same id, each required by the next."""
        circle = cycle[:0:-1]
        start = circle.index(min(circle))
        circle = circle[start:] + circle[: start + 1]
        where = self._requires[circle[0]][circle[1]]
        self.report.add(where, f"requires: a circle: {' -> '.join(circle)}")

    def _add_all(self, error: DefinitionError) -> None:
        for problem in error.problems:
            self.report.add(problem.where, problem.message)


def _load(path: Path) -> tuple[Exercise, Document]:
    document = read(path)
    exercise = decode(document, Exercise)
    check_exercise(exercise, document)
    return replace(exercise, digest=document.digest), document


def _files_by_folder(folder: Path) -> dict[Path, list[Path]]:
    """Return the exercise files of a collection: those in no track first, then track by track."""
    if not folder.is_dir():
        raise UsageError(f"no folder '{folder}'; name the folder that holds the exercises")
    if _exists(folder / TRACK_FILE):
        raise UsageError(f"'{folder}' is a single track; name the folder above it")
    files = {folder: _exercise_files(folder)}
    for below in sorted(folder.iterdir()):
        if not below.name.startswith(".") and below.is_dir():
            found = _exercise_files(below)
            if found or _exists(below / TRACK_FILE):
                files[below] = found
    return files


def _exercise_files(folder: Path) -> list[Path]:
    try:
        paths = sorted(folder.iterdir())
    except OSError as error:
        raise UsageError(f"the folder '{folder}' cannot be read: {error.strerror}") from None
    return [
        path
        for path in paths
        if path.suffix in _SUFFIXES and path.name != TRACK_FILE and not path.name.startswith(".")
    ]


def _exists(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # too long, or with a NUL: no file has such a name
        return False


def _id_in_name(path: Path) -> ExerciseId:
    return ExerciseId(path.stem[len(_number_in_name(path)) :])


def _number_in_name(path: Path) -> str:
    number = _NUMBER.match(path.stem)
    return number.group() if number else ""


def _no_exercise(name: str, known: Sequence[str], folder: Path) -> UsageError:
    hint = did_you_mean(name, known) or f" in {folder}"
    return UsageError(f"no exercise {quote(name)}{hint}")
