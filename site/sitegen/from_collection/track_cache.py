"""A cache of tracks: a track is read again only when its files changed.

Of an exercise that includes everything but its visible tests, which cost something to compute.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from grader.definitions.collection import Collection, Load, load_track
from grader.definitions.exercise import ExerciseId
from grader.definitions.files import TRACK_FILE, files_by_folder, lesson_files, read_file
from grader.definitions.public import PublicExercise, PublicHint, PublicTrack
from grader.definitions.track import Track
from grader.disk_cache import Cache, key_of
from grader.errors import EtudeError, UsageError
from grader.grading.expected.public_form import untested_track
from grader.lessons.lesson import read_lesson
from grader.pickled import Pickled


@dataclass(frozen=True, slots=True)
class KnownLesson:
    """A lesson of a track, and what its file says without being run."""

    id: str
    title: str
    exercises: tuple[str, ...]  # the ids of those that it leads into
    placed: tuple[str, ...] | None  # those that its text gives a place; None if it is not valid
    path: Path
    digest: str  # SHA-256 of the file


@dataclass(frozen=True, slots=True)
class KnownTrack:
    """A track in its public form, but for tests."""

    track: PublicTrack
    paths: tuple[Path, ...]  # of its exercises
    feedback: tuple[dict[str, str], ...]  # of each exercise, by misconception
    lessons: tuple[KnownLesson, ...]
    facts: str  # all that is checked across tracks

    @classmethod
    def of(cls, track: Track) -> "KnownTrack":
        """Return what is known of a track that was read."""
        requires = {each.id: each.requires for each in track.exercises}
        lessons = zip(track.definition.lessons, track.lessons, strict=True)
        return cls(
            untested_track(track),
            tuple(each.where.path for each in track.exercises),
            tuple({m.id: m.feedback for m in each.misconceptions} for each in track.exercises),
            tuple(_lesson(each.id, each.title, each.exercises, path) for each, path in lessons),
            json.dumps([track.definition.id, track.definition.requires, requires]),
        )

    @property
    def exercises(self) -> Iterator[tuple[ExerciseId, Path, str]]:
        """The id, the file and the digest of each exercise."""
        for path, each in zip(self.paths, self.track.exercises, strict=True):
            yield each.id, path, each.digest


_PICKLED: Final = Pickled(KnownTrack, (KnownLesson, PublicExercise, PublicHint, PublicTrack))


def _lesson(name: str, title: str, exercises: tuple[str, ...], path: Path) -> KnownLesson:
    try:
        placed = read_lesson(path).exercises
    except EtudeError:  # it is told when its page is made
        placed = None
    digest = hashlib.sha256(read_file(path)).hexdigest()
    return KnownLesson(name, title, exercises, placed, path, digest)


class KnownTracks:
    """The tracks of a collection; what is not valid is never kept.

    Args:
        cache: has to forget everything when the grader changes.
        folder: the collection.
    """

    def __init__(self, cache: Cache, folder: Path) -> None:
        files = files_by_folder(folder)
        standalone = files.pop(folder)
        self._cache = cache
        self._folder = folder
        self._standalone = _digest(standalone)
        self._keys = {below: _key(below, paths) for below, paths in files.items()}
        self._known = {below: self._find(key) for below, key in self._keys.items()}
        self.unknown = [path for below in files if not self._known[below] for path in files[below]]
        """The exercises that have to be read."""

    def load(self, load: Load) -> list[KnownTrack]:
        """Return all tracks.

        Args:
            load: reads an exercise.

        Raises:
            UsageError: There is none.
            DefinitionError: A definition is not valid, or the definitions contradict each other.
        """
        if not self._keys:
            raise UsageError(f"there is no <track>/{TRACK_FILE} in {self._folder}")
        load = cache(load)  # what a track has is looked at again beside the others
        try:
            tracks = [self._known[below] or self._made(below, load) for below in self._keys]
        except EtudeError:
            Collection.load(self._folder, load)  # tells of every problem
            raise
        together = key_of([self._standalone, *(each.facts.encode() for each in tracks)])
        if not self._cache.find(together):
            Collection.load(self._folder, load)
            self._cache.keep(together, b"valid")
        return tracks

    def _find(self, key: str) -> KnownTrack | None:
        kept = self._cache.find(key)
        return _PICKLED.from_bytes(kept) if kept else None

    def _made(self, below: Path, load: Load) -> KnownTrack:
        known = KnownTrack.of(load_track(below / TRACK_FILE, load))
        key = _key(below, [*known.paths])
        if key == self._keys[below]:  # nobody wrote to it meanwhile
            self._cache.keep(key, _PICKLED.to_bytes(known))
        return known


def _key(folder: Path, exercises: Sequence[Path]) -> str:
    """Return a digest of a track's files, and of where they are."""
    where = f"{folder}\0{folder.absolute().name}".encode()
    files = sorted([*exercises, folder / TRACK_FILE, *lesson_files(folder)])
    return key_of([where, _digest(files)])


def _digest(paths: Sequence[Path]) -> bytes:
    total = hashlib.sha256()
    for path in paths:
        try:
            content = read_file(path)
        except EtudeError:  # it is told when the file is loaded
            content = b""
        total.update(f"{path}\0{hashlib.sha256(content).hexdigest()}\n".encode())
    return total.digest()
