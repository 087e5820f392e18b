"""The loading of exercises and tracks from a folder.

The name of a file contains the id of its exercise, so that one exercise is found without reading
any other file.
"""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Collection as AnyCollection
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from pathlib import Path, PurePosixPath
from typing import TypeAlias, get_args

from grader.definitions.course import Course
from grader.definitions.course_file import digest_in_course, load_course
from grader.definitions.decode import decode
from grader.definitions.exercise import Difficulty, Exercise, ExerciseId
from grader.definitions.files import (
    TRACK_FILE,
    all_exercise_files,
    course_file,
    courses,
    data_digests,
    default_folder,
    exercise_files,
    exists,
    files_by_folder,
    folder_list,
    id_in_name,
    is_path,
    lesson_files,
    number_in_name,
    path_hint,
    read_data_files,
)
from grader.definitions.program_files import with_missing_files
from grader.definitions.rules import metadata_rules, program_rules, test_rules
from grader.definitions.rules.subject import CheckedExercise
from grader.definitions.track import Track, TrackDefinition, TrackFiles, TrackId, check_track
from grader.definitions.wording import did_you_mean, quote
from grader.definitions.yaml_source import Document, read_yaml
from grader.errors import DefinitionError, Location, Problem, ProblemList, UsageError

LoadExercise: TypeAlias = Callable[[Path, Course | None], Exercise]
"""Loads an exercise of a course, in the place of `load_in_course`."""


@dataclass(frozen=True, slots=True)
class Collection:
    """All tracks and exercises below one or more folders."""

    folders: tuple[Path, ...]
    tracks: tuple[Track, ...]  # in order of their folders, but each after those that it requires
    standalone: tuple[Exercise, ...]  # exercises outside of tracks, in order of their file names

    @classmethod
    def load(cls, *folders: Path, load: LoadExercise | None = None) -> "Collection":
        """Load every track and every exercise below one or more folders.

        Raises:
            UsageError: There is no such folder.
            DefinitionError: A definition is not valid, or the definitions contradict each other.
        """
        collection, problems = cls.draft(*folders, load=load)
        if problems:
            raise DefinitionError(problems)
        return collection

    @classmethod
    def draft(
        cls, *folders: Path, load: LoadExercise | None = None
    ) -> "tuple[Collection, Sequence[Problem]]":
        """Load the valid parts of a collection that is being written, and return all problems.

        A track with missing exercises or lessons keeps the others.

        Raises:
            UsageError: There is no such folder.
            DefinitionError: A folder is a symbolic link, or a name cannot be printed.
        """
        files = files_by_folder(*folders)
        loader = _Loader(load)
        in_no_track = [path for folder in folders for path in files.pop(folder)]
        standalone = loader.exercises(in_no_track)
        tracks = [loader.track(below / TRACK_FILE, files[below]) for below in files]
        loader.check_requires("exercise", loader.valid_exercises, loader.paths)
        loader.check_requires("track", loader.valid_tracks, loader.tracks)
        remaining = [track for track in tracks if track is not None]
        in_order: list[Track] = []
        while remaining:  # keep the order, but move each track behind those that it requires
            ids = {track.definition.id for track in remaining}
            ready = (track for track in remaining if ids.isdisjoint(track.definition.requires))
            in_order.append(next(ready, remaining[0]))  # a draft may have a cycle
            remaining.remove(in_order[-1])
        loaded = tuple(exercise for exercise in standalone.values() if exercise is not None)
        return cls(folders, tuple(in_order), loaded), loader.log.problems

    @property
    def learning_order(self) -> tuple[Track, ...]:
        """The tracks sorted by difficulty, or in their own order if one requires another."""
        if any(track.definition.requires for track in self.tracks):
            return self.tracks
        return tuple(sorted(self.tracks, key=lambda track: _mean_difficulty(track.exercises)))

    @property
    def exercises(self) -> tuple[Exercise, ...]:
        """All exercises: first those of the tracks in order, then the standalone ones."""
        in_tracks = tuple(exercise for track in self.tracks for exercise in track.exercises)
        return in_tracks + self.standalone

    def find(self, name: str) -> Exercise:
        """Return the exercise with an id.

        Raises:
            UsageError: There is no such exercise. The message suggests the closest id.
        """
        by_id = {str(exercise.id): exercise for exercise in self.exercises}
        if name not in by_id:
            raise _no_exercise(name, list(by_id), self.folders)
        return by_id[name]


def load_exercise_file(path: Path) -> Exercise:
    """Load one exercise, which need not be in a collection.

    Raises:
        UsageError: There is no such file.
        DefinitionError: It is not a valid exercise; every problem has its file, line and column.
    """
    return read_exercise(path)[0]


def read_exercise(path: Path) -> tuple[Exercise, Document]:
    """Load one exercise together with its file as nodes; see `load_exercise_file`."""
    course = course_file(path)
    return _load(path, load_course(course) if exists(course) else None)


def load_in_course(path: Path, course: Course | None) -> Exercise:
    """Load an exercise of a course; see `load_exercise_file`."""
    return _load(path, course)[0]


def _load(path: Path, course: Course | None) -> tuple[Exercise, Document]:
    """Load an exercise together with its file as nodes.

    Raises:
        UsageError: There is no such file.
        DefinitionError: It is not valid. All problems are listed in file order.
    """
    document = read_yaml(path)
    problems = ProblemList()
    exercise = decode(document, Exercise, problems)
    if exercise.is_prediction:  # in a prediction, every name is a value by default
        defines = {
            name: definition
            if document.has("defines", name, "kind")
            else replace(definition, kind="value")
            for name, definition in exercise.defines.items()
        }
        exercise = replace(exercise, defines=defines)
    listed = [
        (key, written, document.node(key, index).where)
        for key in ("files", "hidden_files")
        for index, written in enumerate(getattr(exercise, key))
    ]
    contents = read_data_files(course_file(path).parent, listed, document.root.where)
    data = {name: contents[name] for name in map(_file_name, exercise.files)}
    hidden_data = {name: contents[name] for name in map(_file_name, exercise.hidden_files)}
    digests = [*data_digests(data), *data_digests(hidden_data)]
    exercise = replace(
        exercise,
        course=course,
        data=data,
        hidden_data=hidden_data,
        package_problems=(
            course.find_package_problems(_code_for(exercise, document, course)) if course else ()
        ),
        digest=digest_in_course(document.digest, course, digests),
    )
    checked = CheckedExercise(exercise, document)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SyntaxWarnings, such as invalid escapes, are for linters
        for rule in (*metadata_rules.RULES, *test_rules.RULES, *program_rules.RULES):
            for problem in rule(checked):
                problems.add(problem.where, problem.message)
    problems.raise_if_any()
    if exercise.files_to_submit:  # add the files that the author's other programs leave out
        right = exercise.solution
        misconceptions = tuple(
            replace(e, code=with_missing_files(e.code, right)) for e in exercise.misconceptions
        )
        also = tuple(
            replace(e, code=with_missing_files(e.code, right)) for e in exercise.also_right
        )
        exercise = replace(exercise, misconceptions=misconceptions, also_right=also)
    return exercise, document


def _code_for(exercise: Exercise, document: Document, course: Course) -> str:
    """Return all code of an exercise and its reference, to search for imports."""
    drawing = ["import matplotlib"] * any(test.kind == "figure" for test in exercise.tests)
    reference = course.sources.values() if f"{course.reference}." in document.text else ()
    return "\n".join((document.text, *drawing, *reference))


def _file_name(written: str) -> str:
    return PurePosixPath(written).name


def load_track(path: Path) -> Track:
    """Load a track from its `track.yaml`, with the exercises in its folder.

    Raises:
        UsageError: There is no such file.
        DefinitionError: The track or an exercise in its folder is not valid.
    """
    if not exists(path):
        raise UsageError(f"no file '{path}'")
    loader = _Loader()
    track = loader.track(path, exercise_files(path.parent))
    if track is None or loader.log.problems:
        raise DefinitionError(loader.log.problems)
    return track


def load_exercise(name_or_path: str, *folders: Path) -> Exercise:
    """Load the exercise that a command line names by its path, or by its id in a collection.

    Raises:
        UsageError: There is no such file or exercise. The message suggests the closest id.
        DefinitionError: The exercise is not valid.
    """
    if is_path(name_or_path):
        return load_exercise_file(Path(name_or_path))
    try:
        return find_exercise(name_or_path, *folders)
    except UsageError as error:
        raise UsageError(f"{error}{path_hint(name_or_path)}") from None


def exercise_ids(*folders: Path) -> list[str]:
    """Return the ids of the exercises in a collection without loading them.

    Raises:
        UsageError: There is no such folder, or it is a single track.
        DefinitionError: A track's folder is a symbolic link, or a name cannot be printed.
    """
    return list(map(id_in_name, all_exercise_files(*folders)))


def find_exercise(name: str, *folders: Path) -> Exercise:
    """Load the exercise with an id. The name is never used as a path.

    Raises:
        UsageError: There is no such exercise. The message suggests the closest id.
        DefinitionError: The exercise is not valid.
    """
    paths = [path for path in all_exercise_files(*folders) if id_in_name(path) == name]
    if not paths:
        raise _no_exercise(name, exercise_ids(*folders), folders)
    loader = _Loader()
    (exercise,) = loader.exercises(paths).values()
    if exercise is None or loader.log.problems:
        raise DefinitionError(loader.log.problems)
    return exercise


def _mean_difficulty(exercises: Sequence[Exercise]) -> float:
    levels = get_args(Difficulty)
    return sum(levels.index(exercise.difficulty) for exercise in exercises) / max(1, len(exercises))


class _Loader:
    """A loader of files that collects problems, so that one broken file does not hide the rest."""

    def __init__(self, load: LoadExercise | None = None) -> None:
        self.log = ProblemList()
        self.paths: dict[ExerciseId, Path] = {}
        self.valid_exercises: dict[str, Exercise] = {}
        self.tracks: list[TrackId] = []  # includes tracks whose files are not valid
        self.valid_tracks: dict[str, TrackDefinition] = {}
        self._load_exercise = load or load_in_course
        self._courses: dict[Path, Course | None] = {}

    def exercises(self, paths: Sequence[Path]) -> dict[ExerciseId, Exercise | None]:
        """Load exercise files; return them by the ids in their names, with None if not valid."""
        exercises: dict[ExerciseId, Exercise | None] = {}
        for path in paths:
            name = ExerciseId(id_in_name(path))
            if name in self.paths:
                first = self.paths[name]
                self.log.add(Location(path), f"exercise {quote(name)} is already in {first}")
                exercises.setdefault(name, None)
                continue
            self.paths[name] = path
            exercises[name] = None
            course = self._course(path)
            if course is None and exists(course_file(path)):
                continue
            try:
                exercise = self._load_exercise(path, course)
            except DefinitionError as error:
                self._add(error.problems)
                continue
            exercises[name] = self.valid_exercises[name] = exercise
            if exercise.id != name:
                file_name = f"{number_in_name(path)}{exercise.id}{path.suffix}"
                message = (
                    f"id: the file must be called {file_name}, or else this id must be "
                    f"{quote(name)}"
                )
                self.log.add(read_yaml(path).node("id").where, message)
        return exercises

    def track(self, path: Path, paths: Sequence[Path]) -> Track | None:
        """Load a track file and the exercise files beside it."""
        exercises = self.exercises(paths)
        if not exists(path):
            self.log.add(Location(path), "missing; a folder of exercises needs a track.yaml")
            return None
        name = TrackId(path.absolute().parent.name)
        if name in self.tracks:
            self.log.add(Location(path), f"there is another track {quote(name)}")
            return None
        self.tracks.append(name)
        try:
            document = read_yaml(path)
            definition = decode(document, TrackDefinition, self.log)
            files_of_lessons = lesson_files(path.parent)
        except DefinitionError as error:
            self._add(error.problems)
            return None
        lessons: dict[str, Path] = {}
        for file in files_of_lessons:
            first = lessons.setdefault(id_in_name(file), file)
            if first != file:
                message = f"lesson {quote(id_in_name(file))} is already in {first}"
                self.log.add(Location(file), message)
        self._add(check_track(TrackFiles(definition, document, exercises, self.paths, lessons)))
        self.valid_tracks[definition.id] = definition
        # The valid parts form a track even if there are problems, for a draft.
        names = tuple(dict.fromkeys(name for name in definition.exercises if name in exercises))
        members = tuple(
            replace(lesson, exercises=tuple(name for name in lesson.exercises if name in names))
            for lesson in definition.lessons
            if lesson.id in lessons
        )
        return Track(
            replace(definition, exercises=names, lessons=members),
            tuple(exercises[name] or _blank(name, self.paths[name]) for name in names),
            tuple(lessons[lesson.id] for lesson in members),
        )

    def check_requires(
        self, kind: str, valid: Mapping[str, Exercise | TrackDefinition], names: AnyCollection[str]
    ) -> None:
        """Check that required exercises or tracks exist, and that there is no cycle."""
        for definition in valid.values():
            for name in definition.requires:
                if name not in names:
                    message = f"requires: no {kind} {quote(name)}"
                    where = _place_of_required(name, definition)
                    self.log.add(where, message + did_you_mean(name, names))
        try:
            TopologicalSorter({name: each.requires for name, each in valid.items()}).prepare()
        except CycleError as error:
            # Reverse the cycle, so that each id requires the next, and start at the smallest id.
            cycle = error.args[1]
            circle = cycle[:0:-1]
            start = circle.index(min(circle))
            circle = circle[start:] + circle[: start + 1]
            where = _place_of_required(circle[1], valid[circle[0]])
            self.log.add(where, f"requires: a circle: {' -> '.join(circle)}")

    def _course(self, exercise: Path) -> Course | None:
        """Return the course of an exercise; report problems with it only once."""
        path = course_file(exercise)
        if path not in self._courses:
            self._courses[path] = None
            try:
                self._courses[path] = load_course(path) if exists(path) else None
            except DefinitionError as error:
                self._add(error.problems)
        return self._courses[path]

    def _add(self, problems: Iterable[Problem]) -> None:
        for problem in problems:
            self.log.add(problem.where, problem.message)


def _place_of_required(name: str, definition: Exercise | TrackDefinition) -> Location:
    """Return the place at which a definition's file requires another one."""
    names: Sequence[str] = definition.requires
    return read_yaml(definition.where.path).node("requires", names.index(name)).where


def _blank(name: ExerciseId, path: Path) -> Exercise:
    """Return the placeholder in a draft for an exercise whose file is not valid."""
    return Exercise(
        where=Location(path), id=name, title=name, difficulty="beginner", xp=0, defines={},
        instructions="The definition of this exercise is not valid.", starter="", tests=(),
    )  # fmt: skip


def _no_exercise(name: str, names: Sequence[str], folders: Sequence[Path]) -> UsageError:
    ours = len(folders) == 1 and folders[0] in {default_folder(), *courses().values()}
    where = "; 'etude list' names them all" if ours else f" in {folder_list(folders)}"
    hint = did_you_mean(name, names) or where
    return UsageError(f"no exercise {quote(name)}{hint}")
