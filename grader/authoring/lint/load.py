"""Loading of the files to lint, of which some may be invalid."""

import contextlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

from grader.authoring.lint.subjects import (
    File,
    FileKind,
    LintedExercise,
    LoadProblems,
    Neighbours,
    ProseText,
    TrackSubject,
)
from grader.authoring.targets import TargetGroup
from grader.definitions.collection import Collection, load_exercise_file, load_track
from grader.definitions.decode import decode
from grader.definitions.files import (
    LESSONS,
    TRACK_FILE,
    exercise_files,
    exists,
    files_by_folder,
    id_in_name,
    lesson_files,
    read_file,
)
from grader.definitions.track import Track, TrackDefinition
from grader.definitions.yaml_source import read_yaml
from grader.errors import DefinitionError, Problem, UsageError
from grader.lessons.lesson import read_lesson

if TYPE_CHECKING:
    from grader.definitions.exercise import Exercise

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LintInput:
    """All subjects of a lint run."""

    files: Sequence[File]
    exercises: Sequence[LintedExercise]
    tracks: Sequence[TrackSubject]
    problems: LoadProblems


def load_for_lint(
    groups: Sequence[TargetGroup], definitions: "LoadedFiles", *, is_collection: bool
) -> LintInput:
    """Load the subjects around the definitions of some groups."""
    kinds: dict[Path, FileKind] = {}
    for group in groups:
        if group.track is not None and exists(group.track):
            kinds[group.track] = "track"
        kinds |= dict.fromkeys(group.files, "exercise")
    for exercise in definitions.exercises.values():
        if exercise.course is not None:
            definitions.problems.update(dict.fromkeys(exercise.course.problem_by_package.values()))
    documents = {path: definitions.try_load(read_yaml, path) for path in kinds}
    problems = list(definitions.problems)
    files = [File(path, kind, documents[path]) for path, kind in kinds.items()]
    neighbours = _neighbours(definitions, kinds, is_collection=is_collection)
    exercises = [
        LintedExercise(exercise, document, neighbours)
        for path, exercise in definitions.exercises.items()
        if (document := documents.get(path)) is not None and exercise.edition == "full"
    ]
    by_id = {str(subject.exercise.id): subject.document for subject in exercises}
    tracks = []
    for path, track in definitions.tracks.items():
        if (document := documents.get(path)) is not None:
            lessons = {}
            for lesson in lesson_files(path.parent):
                text = read_file(lesson).decode("utf-8", "replace")
                lessons[id_in_name(lesson)] = ProseText(LESSONS, text, lesson)
                try:
                    read_lesson(lesson).check_breaks(track.exercises)
                except DefinitionError as error:
                    problems += error.problems
            inside = tuple(exercise for exercise in track.exercises if exercise.id in by_id)
            tracks.append(TrackSubject(track.definition, document, inside, by_id, lessons))
    return LintInput(files, exercises, tracks, LoadProblems(problems))


class LoadedFiles:
    """The valid definitions by path, and the problems of the invalid ones."""

    def __init__(self) -> None:
        self.exercises: dict[Path, Exercise] = {}
        self.tracks: dict[Path, Track] = {}
        self.problems: dict[Problem, None] = {}
        self.invalid: dict[Path, Sequence[Problem]] = {}  # by the file or folder that was loaded

    @classmethod
    def load(cls, groups: Iterable[TargetGroup], collection: Sequence[Path] = ()) -> Self:
        """Load the valid files.

        Args:
            collection: The collection's folders, if the groups are their whole content.

        Raises:
            UsageError: A file or folder does not exist.
        """
        definitions = cls()
        loaded = definitions.try_load(Collection.load, *collection) if collection else None
        for track in loaded.tracks if loaded else ():
            definitions.add_track(track)
        for exercise in loaded.standalone if loaded else ():
            definitions.exercises[exercise.where.path] = exercise
        for group in groups:
            definitions.add_group(group)
        return definitions

    def add_group(self, group: TargetGroup) -> None:
        """Load a group: the whole track if it is valid, else each valid file."""
        if group.track is not None and group.track not in self.tracks:
            track = self.try_load(load_track, group.track)
            if track is not None:
                self.add_track(track)
        for path in group.files:
            exercise = self.exercises.get(path) or self.try_load(load_exercise_file, path)
            if exercise is not None:
                self.exercises[path] = exercise

    def add_track(self, track: Track) -> None:
        """Add a track and its exercises."""
        self.tracks[track.definition.where.path] = track
        self.exercises.update({exercise.where.path: exercise for exercise in track.exercises})

    def try_load(self, loader: Callable[..., T], *paths: Path) -> T | None:
        """Load a file or folders, or store their problems and return None."""
        try:
            return loader(*paths)
        except DefinitionError as error:
            self.problems.update(dict.fromkeys(error.problems))
            self.invalid[paths[0]] = error.problems
            return None


def _neighbours(loaded: LoadedFiles, paths: Iterable[Path], *, is_collection: bool) -> Neighbours:
    """Gather the loaded exercises and their neighbours in the same tracks.

    Ids around a track's folder matter only if the collection was not loaded as a whole.
    """
    exercises = dict(loaded.exercises)
    definitions = {path: track.definition for path, track in loaded.tracks.items()}
    ids: dict[Path, frozenset[str]] = {}
    quiet = LoadedFiles()  # problems of files that the user did not name are not reported
    for folder in dict.fromkeys(path.parent for path in paths):
        track = folder / TRACK_FILE
        if not exists(track):
            continue
        if track not in definitions:
            quiet.add_group(
                TargetGroup(tuple(path for path in exercise_files(folder) if path not in exercises))
            )
            with contextlib.suppress(DefinitionError):
                definitions[track] = decode(read_yaml(track), TrackDefinition)
        if not is_collection:
            # UsageError, DefinitionError: the folders around it are not a collection.
            with contextlib.suppress(UsageError, DefinitionError):
                files = files_by_folder(folder.absolute().parent)
                ids[folder] = frozenset(id_in_name(p) for paths in files.values() for p in paths)
    exercises.update(quiet.exercises)
    places: dict[str, tuple[str, int]] = {
        name: (definition.id, index)
        for definition in definitions.values()
        for index, name in enumerate(definition.exercises)
    }
    by_id: dict[str, Exercise] = {exercises[path].id: exercises[path] for path in sorted(exercises)}
    return Neighbours(by_id, places, ids)
