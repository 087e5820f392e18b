"""Loading what is to be looked at: as much as can be loaded of files with problems."""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from grader.authoring.lint.subjects import (
    File,
    FileKind,
    LessonText,
    Neighbours,
    Subject,
    TrackSubject,
)
from grader.definitions.collection import Collection, load_exercise, load_track
from grader.definitions.decode import decode
from grader.definitions.files import (
    TRACK_FILE,
    exercise_files,
    exists,
    files_by_folder,
    id_in_name,
    lesson_files,
    read_file,
)
from grader.definitions.track import Track, TrackDefinition
from grader.definitions.yaml_source import Document, read
from grader.errors import DefinitionError, Problem, UsageError
from grader.lessons.lesson import read_lesson

if TYPE_CHECKING:
    from grader.definitions.exercise import Exercise

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LintTargets:
    """Files that are looked at together: a whole track, or exercises picked one by one."""

    files: tuple[Path, ...]
    track: Path | None = None


@dataclass(slots=True)
class LintInput:
    """All that there is to look at."""

    files: list[File] = field(default_factory=list)
    exercises: list[Subject] = field(default_factory=list)
    tracks: list[TrackSubject] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)  # of what is none of the files


def load_for_lint(groups: Sequence[LintTargets], collection: Path | None = None) -> LintInput:
    """Load files, and read what is around them.

    Args:
        groups: what to look at.
        collection: the folder, if the groups are all that is in it.

    Raises:
        UsageError: there is no such file or folder.
    """
    found = _Found()
    if collection is not None:
        found.take_collection(collection)
    for group in groups:
        found.take(group)
    loaded = LintInput()
    paths = dict(_paths(groups))
    documents = {path: found.document(path) for path in paths}
    for path, kind in paths.items():
        problems = tuple(problem for problem in found.problems if problem.where.path == path)
        loaded.files.append(File(path, kind, documents[path], problems))
    loaded.problems = [problem for problem in found.problems if problem.where.path not in paths]
    neighbours = _neighbours(found, paths)
    for path, exercise in found.exercises.items():
        document = documents.get(path)
        if document is not None and exercise.edition == "full":
            loaded.exercises.append(Subject(exercise, document, neighbours))
    if collection is None:  # else it was loaded, and what it lacks is known
        neighbours.known = _known_ids(paths)
    by_id = {str(subject.exercise.id): subject.document for subject in loaded.exercises}
    for path, track in found.tracks.items():
        if (document := documents.get(path)) is not None:
            loaded.tracks.append(_track_subject(track, document, by_id))
            loaded.problems += _lesson_problems(document.path.parent)
    return loaded


def _lesson_problems(track: Path) -> Iterator[Problem]:
    """Yield what is wrong with the fenced blocks of the lessons of a track."""
    for path in lesson_files(track):
        try:
            read_lesson(path)
        except DefinitionError as error:
            yield from error.problems


class _Found:
    """Valid definitions by path, and the problems of the others, each once."""

    def __init__(self) -> None:
        self.exercises: dict[Path, Exercise] = {}
        self.tracks: dict[Path, Track] = {}
        self.problems: dict[Problem, None] = {}

    def take_collection(self, folder: Path) -> None:
        """Take a whole collection, if all of it is valid."""
        collection = self._valid(Collection.load, folder)
        for track in collection.tracks if collection else ():
            self._take_track(track)
        for exercise in collection.standalone if collection else ():
            self.exercises[exercise.where.path] = exercise

    def take(self, group: LintTargets) -> None:
        """Take a group: the whole track if it is valid, or else each file that is."""
        if group.track is not None and group.track not in self.tracks:
            track = self._valid(load_track, group.track)
            if track is not None:
                self._take_track(track)
        for path in group.files:
            exercise = self.exercises.get(path) or self._valid(load_exercise, path)
            if exercise is not None:
                self.exercises[path] = exercise

    def document(self, path: Path) -> Document | None:
        """Read a file's nodes, if it is YAML."""
        return self._valid(read, path)

    def _take_track(self, track: Track) -> None:
        self.tracks[track.definition.where.path] = track
        self.exercises.update({exercise.where.path: exercise for exercise in track.exercises})

    def _valid(self, loader: Callable[[Path], T], path: Path) -> T | None:
        try:
            return loader(path)
        except DefinitionError as error:
            self.problems.update(dict.fromkeys(error.problems))
            return None


def _paths(groups: Iterable[LintTargets]) -> Iterator[tuple[Path, FileKind]]:
    for group in groups:
        if group.track is not None and exists(group.track):
            yield group.track, "track"
        yield from ((path, "exercise") for path in group.files)


def _track_subject(
    track: Track, document: Document, documents: Mapping[str, Document]
) -> TrackSubject:
    lessons = {
        id_in_name(path): LessonText(path, read_file(path).decode("utf-8", "replace"))
        for path in lesson_files(document.path.parent)
    }
    exercises = tuple(exercise for exercise in track.exercises if exercise.id in documents)
    return TrackSubject(track.definition, document, exercises, documents, lessons)


def _neighbours(found: _Found, paths: Iterable[Path]) -> Neighbours:
    """Gather the exercises that were loaded, and those that are beside them in a track."""
    exercises = dict(found.exercises)
    definitions = {path: track.definition for path, track in found.tracks.items()}
    quiet = _Found()  # problems of files that were not named are not reported
    for folder in dict.fromkeys(path.parent for path in paths):
        track = folder / TRACK_FILE
        if track not in definitions and exists(track):
            quiet.take(LintTargets(tuple(p for p in exercise_files(folder) if p not in exercises)))
            if (definition := _definition(track)) is not None:
                definitions[track] = definition
    exercises.update(quiet.exercises)
    neighbours = Neighbours({exercises[path].id: exercises[path] for path in sorted(exercises)})
    for definition in definitions.values():
        neighbours.place(definition)
    return neighbours


def _known_ids(paths: Iterable[Path]) -> dict[Path, frozenset[str]]:
    """Return the ids of the collection around each track's folder."""
    known = {}
    for folder in {path.parent for path in paths if exists(path.parent / TRACK_FILE)}:
        with contextlib.suppress(
            UsageError, DefinitionError
        ):  # the folders around are no collection
            files = files_by_folder(folder.absolute().parent)
            known[folder] = frozenset(
                id_in_name(each) for every in files.values() for each in every
            )
    return known


def _definition(path: Path) -> TrackDefinition | None:
    """Read a track's file even where something else in its folder is not valid."""
    try:
        return decode(read(path), TrackDefinition)
    except DefinitionError:
        return None
