"""The builder of a site's content: its public form, its lessons run, its engine data.

Whatever runs code, an author's or a reference's, is left until a page needs it.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self, TypeAlias

from grader.browser.shipping import bundle
from grader.definitions.collection import Collection
from grader.definitions.collection_cache import RememberingLoader
from grader.definitions.exercise import Exercise, ExerciseId
from grader.definitions.lazy import Deferred
from grader.definitions.track import Track, TrackDefinition, TrackId
from grader.disk_cache import Cache, cache_folder, fingerprint, package_folder
from grader.errors import DefinitionError, Location, Problem, UsageError
from grader.lessons.execute import RunBlock, RunLesson, run_lesson
from grader.lessons.lesson import read_lesson
from grader.lessons.lesson_cache import remembered_run
from grader.sandbox.choose import open_sandbox
from sitegen.content import Content
from sitegen.from_collection.author_process import AuthorProcess
from sitegen.from_collection.track_cache import KnownLesson, KnownTrack, KnownTracks
from sitegen.incremental import together
from sitegen.lessons import TrackLesson
from sitegen.package_data import data_folder
from sitegen.runnable import Runnable, Solution

if TYPE_CHECKING:
    from grader.definitions.public import PublicTest, PublicTrack
    from grader.sandbox.process import Sandbox

Read: TypeAlias = Callable[[], Exercise]

_MODULES: Final = "modules"
_RENDERERS: Final = ("jinja2", "markdown-it-py", "math-core", "mdit-py-plugins", "pygments")


@dataclass(frozen=True, slots=True)
class Caches:
    """The caches that one build leaves for the next."""

    definitions: "RememberingLoader"
    tracks: Cache
    for_python: Cache  # what a page's Python is given, by exercise: it takes longest to make
    lessons: Cache  # that were run
    pages: Cache

    @classmethod
    def of_user(cls) -> "Caches":
        """Return this user's caches, for the sources as they are now."""
        of_grader = fingerprint([package_folder("grader"), package_folder("reference")])
        own = fingerprint(
            [package_folder("sitegen"), data_folder("templates")], packages=_RENDERERS
        )
        return cls(
            RememberingLoader(Cache(cache_folder("definitions"), of_grader)),
            Cache(cache_folder("tracks"), of_grader),
            Cache(cache_folder("python"), of_grader),
            Cache(cache_folder("lessons"), of_grader),
            Cache(cache_folder("pages"), f"{of_grader} {own}"),
        )

    def tidy(self) -> None:
        """Remove what is old."""
        caches = (self.definitions.cache, self.tracks, self.for_python, self.lessons, self.pages)
        for cache in caches:
            cache.tidy()


class ContentBuilder:
    """Makes what pages need. Use as a context manager, which ends its processes.

    Args:
        with_solutions: Whether anyone may read the model answers.
        caches: What is remembered; nothing is when it is left out.
        processes: How many may read definitions at once; they meet in the caches.
    """

    def __init__(
        self,
        *,
        with_solutions: bool = False,
        caches: Caches | None = None,
        processes: int = 1,
    ) -> None:
        self._with_solutions = with_solutions
        self._caches = caches
        self._processes = processes
        self._sandboxes: dict[int, Sandbox] = {}  # of lessons, by process
        self._authors_of: dict[int, AuthorProcess] = {}  # by process
        self._last: tuple[Read, Exercise] | None = None  # whose page is made

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        process = os.getpid()
        for ended in (self._sandboxes.pop(process, None), self._authors_of.pop(process, None)):
            if ended is not None:
                ended.close()

    def fork_now(self) -> None:
        """Make the process that runs authors' code, which later would be a fork with threads."""
        self._authors()

    def collection(self, folder: Path) -> "Content":
        """Return the content of a collection's site.

        Raises:
            UsageError: It has no track.
            DefinitionError: A definition is not valid.
        """
        if self._caches is not None:
            return self._remembered(folder, self._caches)
        collection = Collection.load(folder)
        if not collection.tracks:
            raise UsageError(f"there is no <track>/track.yaml in {collection.folder}")
        return self.content(collection.tracks)

    def _remembered(self, folder: Path, caches: Caches) -> "Content":
        tracks = KnownTracks(caches.tracks, folder)
        load = caches.definitions
        unknown = load.find(tracks.unknown)
        if unknown:
            self._authors().prepare()  # while the rest is read
        together(unknown, load, processes=self._processes)

        def exercise(path: Path, digest: str) -> "Exercise":
            found = load(path).exercise
            if found.digest != digest:  # what is made of it would be kept as if it were the old
                message = "it was changed while the site was built; build again"
                raise DefinitionError([Problem(Location(path), message)])
            return found

        return self._content(tracks.load(load), exercise)

    def exercise(self, exercise: "Exercise") -> "Content":
        """Return the content of a site that has this exercise alone."""
        definition = TrackDefinition(
            exercise.where, TrackId("preview"), "Preview", "A preview.", (exercise.id,)
        )
        return self.content([Track(definition, (exercise,))])

    def content(self, tracks: "Sequence[Track]") -> "Content":
        """Return the content of a site with these tracks."""
        known = {each.where.path: each for track in tracks for each in track.exercises}
        return self._content(map(KnownTrack.of, tracks), lambda path, _: known[path])

    def _content(
        self, tracks: "Iterable[KnownTrack]", read: "Callable[[Path, str], Exercise]"
    ) -> "Content":
        """Return the content of a site with these tracks.

        Args:
            tracks: What is known.
            read: Gives an exercise by its file and digest.
        """
        known = list(tracks)
        reads = {
            name: partial(read, path, digest)
            for each in known
            for name, path, digest in each.exercises
        }
        return Content(
            tracks=[self._track(each, reads) for each in known],
            lessons={each.track.id: [*map(self._lesson, each.lessons)] for each in known},
            runnable={
                name: self._runnable(reads[name], digest, feedback)
                for each in known
                for (name, _, digest), feedback in zip(each.exercises, each.feedback, strict=True)
            },
            python=self._kept(_MODULES, _bundle),
        )

    def _track(self, known: "KnownTrack", reads: "Mapping[ExerciseId, Read]") -> "PublicTrack":
        exercises = [
            replace(each, tests=Deferred(partial(self._tests, reads[each.id])))
            for each in known.track.exercises
        ]
        return replace(known.track, exercises=tuple(exercises))

    def _tests(self, read: "Read") -> "Sequence[PublicTest]":
        return self._authors().tests(self._at_hand(read))

    def _runnable(self, read: "Read", digest: str, feedback: "Mapping[str, str]") -> "Runnable":
        return Runnable(
            engine=partial(self._engine, read, digest),
            feedback=feedback,
            solution=_solution(read()) if self._with_solutions else None,
        )

    def _engine(self, read: "Read", digest: str) -> str:
        def make() -> bytes:
            return self._authors().engine(self._at_hand(read))

        return self._kept(digest, make).decode()

    def _at_hand(self, read: "Read") -> "Exercise":
        """Return an exercise; a page asks for it repeatedly."""
        if self._last is None or self._last[0] is not read:
            self._last = read, read()
        return self._last[1]

    def _authors(self) -> "AuthorProcess":
        """Return this process's own runner of authors' code; a fork of it gets another."""
        process = os.getpid()
        if process not in self._authors_of:
            self._authors_of[process] = AuthorProcess()
        return self._authors_of[process]

    def _kept(self, key: str, make: "Callable[[], bytes]") -> bytes:
        """Return what the cache has under a key, or make and keep it."""
        if self._caches is None:
            return make()
        cache = self._caches.for_python
        kept = cache.find(key)
        if kept is None:
            kept = make()
            cache.keep(key, kept)
        return kept

    def _lesson(self, known: "KnownLesson") -> "TrackLesson":
        return TrackLesson(
            known.id,
            known.title,
            known.exercises,
            RunLesson(known.path, Deferred(partial(self._blocks, known.path))),
            known.digest,
            known.placed,
        )

    def _blocks(self, path: Path) -> "Sequence[RunBlock]":
        if self._caches is None:
            return run_lesson(read_lesson(path), self._sandbox()).blocks
        return remembered_run(path, self._caches.lessons, self._sandbox).blocks

    def _sandbox(self) -> "Sandbox":
        """Return this process's sandbox; a fork of it gets one of its own."""
        process = os.getpid()
        if process not in self._sandboxes:
            self._sandboxes[process] = open_sandbox()
        return self._sandboxes[process]


def _bundle() -> bytes:

    return bundle()


def _solution(exercise: "Exercise") -> "Solution | None":

    if not exercise.solution:  # a student edition
        return None
    return Solution(exercise.solution, exercise.explanation)
