"""The content of a site: public tracks, lessons, and the data that runs in a page.

Authors' and reference code runs only when a page needs it: pages are built by forks of this
process, each with its own author process and sandbox.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Final, Self, TypeVar, overload

from grader.browser.shipping import bundle
from grader.course.handout_notebook import make_handout
from grader.definitions.collection import Collection
from grader.definitions.course_file import load_course
from grader.definitions.exercise import Exercise
from grader.definitions.files import TRACK_FILE, course_file, exists, folder_list
from grader.definitions.images import image_files
from grader.definitions.imports import find_packages
from grader.definitions.public_exercise import PublicTest, PublicTrack
from grader.definitions.rules.test_rules import uses_any
from grader.definitions.track import LessonDefinition, Track, TrackDefinition, TrackId
from grader.disk_cache import Cache, cache_folder, find_package, fingerprint
from grader.errors import DefinitionError, UsageError
from grader.grading.expected.public_form import imported_packages, missing_in_page, untested_track
from grader.lessons.blocks import Block, BreakTask, Cell
from grader.lessons.lesson import Lesson, read_lesson
from grader.progress.breaks import list_breakable
from grader.sandbox.dataclass_format import DataclassFormat
from grader.sandbox.process import Sandbox, open_sandbox
from sitegen.cached_values import load_or_make
from sitegen.content import (
    PLATFORM,
    Content,
    OtherWay,
    OwnGpt,
    Runnable,
    Solution,
    TrackLesson,
    WrongAnswer,
)
from sitegen.from_collection.author_process import AuthorProcess, read_tests
from sitegen.from_collection.file_cache import load_cached, run_cached
from sitegen.from_collection.load_gpt import find_gpt
from sitegen.links import OWN_GPT, exercise_path, lesson_path
from sitegen.own_gpt_page import GptDefinition, WrongExample
from sitegen.package_data import find_data
from sitegen.pyodide import PUBLIC_PACKAGES

# The packages that compute values and write HTML.
_PACKAGES: Final = "numpy jinja2 markdown-it-py markupsafe math-core mdit-py-plugins pygments"

_BYTES: Final = DataclassFormat(bytes)
_Item = TypeVar("_Item")


class LazySequence(Sequence[_Item]):
    """A lazily evaluated sequence, computed on first use and then kept."""

    def __init__(self, make: Callable[[], Iterable[_Item]]) -> None:
        self._make = make

    @cached_property
    def _items(self) -> tuple[_Item, ...]:
        return tuple(self._make())

    @overload
    def __getitem__(self, index: int) -> _Item: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[_Item, ...]: ...
    def __getitem__(self, index: int | slice) -> _Item | tuple[_Item, ...]:
        return self._items[index]

    def __len__(self) -> int:
        return len(self._items)


def open_site_cache() -> Cache:
    """Return this user's cache of values and pages, valid for the current sources."""
    folders = (*map(find_package, ("grader", "reference", "sitegen")), find_data("templates"))
    return Cache(cache_folder("site"), fingerprint(folders, _PACKAGES.split()))


class ContentBuilder:
    """A maker of pages' content; a context manager, which ends processes and tidies the cache.

    Args:
        with_solutions: True if anyone may read the model solutions.
        certified: True to keep hidden tests and answers out of pages even if the course allows
            them.
        cache: Keeps the results for each definition; None to keep nothing.
        page_packages: The packages other than NumPy that Python in a page can import.
    """

    def __init__(
        self,
        *,
        with_solutions: bool = False,
        certified: bool = False,
        cache: Cache | None = None,
        page_packages: Iterable[str] = PUBLIC_PACKAGES,
    ) -> None:
        self._with_solutions = with_solutions
        self._certified = certified
        self._cache = cache or Cache(None, "")
        self._load = partial(load_cached, cache=self._cache)
        self._page_packages = frozenset(page_packages)
        self._sandboxes: dict[int, Sandbox] = {}  # sandboxes of lessons, by process id
        self._author_processes: dict[int, AuthorProcess] = {}  # by process id
        self._packages = frozenset[str]()  # packages that submissions and lessons may import

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end_processes()
        self._cache.tidy()

    def _end_processes(self) -> None:
        process = os.getpid()
        for ended in (
            self._sandboxes.pop(process, None),
            self._author_processes.pop(process, None),
        ):
            if ended is not None:
                ended.close()

    def start_author_process(self) -> None:
        """Start the process that runs authors' code, before this process has threads."""
        self._author_process()

    def build_collection(self, *folders: Path) -> Content:
        """Return the content of a collection's site.

        Raises:
            UsageError: The collection has no track.
            DefinitionError: A definition is invalid.
        """
        collection = Collection.load(*folders, load=self._load)
        if not collection.tracks:
            raise UsageError(f"there is no <track>/track.yaml in {folder_list(folders)}")
        return self._build_content(collection.tracks, find_gpt(collection.tracks))

    def build_draft(self, folder: Path) -> tuple[Content, dict[Path, str], dict[str, str]]:
        """Return the content of a collection that is being written, as far as it is valid.

        Returns:
            The content, the page of each file, and the error of each lesson that fails, by its
            page.

        Raises:
            UsageError: The collection has no track.
            DefinitionError: See `Collection.draft`.
        """
        collection, _ = Collection.draft(folder, load=self._load)
        if not collection.tracks:
            raise UsageError(f"there is no valid <track>/track.yaml in {folder}")
        tracks, pages, failures = [], dict[Path, str](), dict[str, str]()
        for track in collection.tracks:
            name = track.definition.id
            pages |= {e.where.path: exercise_path(name, e.id) for e in track.exercises}
            kept = []
            for entry, path in zip(track.definition.lessons, track.lessons, strict=True):
                pages[path] = lesson_path(name, entry.id)
                try:
                    read_lesson(path).check_breaks(track.exercises)
                    kept.append((entry, path))
                except DefinitionError as error:
                    failures[pages[path]] = str(error)
            definition = replace(track.definition, lessons=tuple(entry for entry, _ in kept))
            tracks.append(replace(track, definition=definition, lessons=tuple(p for _, p in kept)))
        try:
            gpt = find_gpt(tracks)
        except (DefinitionError, UsageError) as error:
            gpt, failures[OWN_GPT] = None, str(error)
        return self._build_content(tracks, gpt), pages, failures

    def build_exercise(self, exercise: Exercise) -> Content:
        """Return the content of a site with only this exercise."""
        definition = TrackDefinition(
            exercise.where, TrackId("preview"), "Preview", "A preview.", (exercise.id,)
        )
        return self._build_content([Track(definition, (exercise,))])

    def _build_content(self, tracks: Sequence[Track], gpt: GptDefinition | None = None) -> Content:
        """Return the content of a site with these tracks."""
        packages = {
            name for track in tracks for exercise in track.exercises for name in exercise.packages
        }
        for course in {
            course_file(track.definition.where.path) for track in tracks if track.lessons
        }:
            packages |= {*load_course(course).packages} if exists(course) else set()
        if not packages <= self._packages:
            self._packages |= packages
            had_authors = os.getpid() in self._author_processes
            # A running sandbox has only the packages with which it was started.
            self._end_processes()
            if had_authors:
                self.start_author_process()
        public: list[PublicTrack] = []
        lessons: dict[str, list[TrackLesson]] = {}
        runnable: dict[str, Runnable] = {}
        notebooks: dict[str, Callable[[], str]] = {}
        fingerprints: dict[str, str] = {}
        for track in tracks:
            public_track = untested_track(track)
            exercises = []
            for public_exercise, exercise in zip(
                public_track.exercises, track.exercises, strict=True
            ):
                exercise.refuse_missing_packages()
                missing = missing_in_page(
                    exercise, self._page_packages, for_practice=self._is_practice(exercise)
                )
                tests = LazySequence(partial(self._load_tests, exercise))
                loaded = () if missing else imported_packages(exercise)
                exercises.append(
                    replace(public_exercise, tests=tests, needs=missing, packages=loaded)
                )
                # The page itself reports missing packages.
                if not missing:
                    runnable[exercise.id] = self._make_runnable(exercise)
                # A notebook cannot consist of several files.
                if not exercise.files_to_submit:
                    notebooks[exercise.id] = partial(make_handout, exercise)
            public.append(replace(public_track, exercises=tuple(exercises)))
            entries = zip(track.definition.lessons, track.lessons, strict=True)
            lessons[track.definition.id] = [
                self._read_lesson(entry, path, track.exercises) for entry, path in entries
            ]
            # Not page by page: then this list would have to follow what each page shows of others.
            paths = (*track.lessons, *(exercise.where.path for exercise in track.exercises))
            images = (image for path in paths for image in image_files(path) if exists(image))
            facts = (
                *(self._with_solutions, sorted(self._page_packages)),
                *((exercise.digest, self._is_practice(exercise)) for exercise in track.exercises),
                *((e.digest, e.packages, e.needs) for e in lessons[track.definition.id]),
                *(image.read_bytes() for image in images),
            )
            fingerprints[track.definition.id] = repr(facts)
        courses = [
            exercise.course for track in tracks for exercise in track.exercises if exercise.course
        ]
        by_id = {str(exercise.id): exercise for track in tracks for exercise in track.exercises}
        return Content(
            title=courses[0].title if courses else PLATFORM,
            tracks=public,
            lessons=lessons,
            runnable=runnable,
            notebooks=notebooks,
            data={str(e.id): e.data for track in tracks for e in track.exercises if e.data},
            python=self._load_or_make("modules", bundle),
            for_practice=any(self._is_practice(e) for track in tracks for e in track.exercises),
            wrong_answer=self._find_wrong_answer(by_id, gpt.page.wrong_answer) if gpt else None,
            warm_up=next(iter(tracks[0].definition.requires), "") if tracks else "",
            cache=self._cache,
            fingerprints=fingerprints,
            own_gpt=self._make_own_gpt(by_id, gpt) if gpt else None,
        )

    def _load_or_make(self, key: str, make: Callable[[], bytes]) -> bytes:
        return load_or_make(self._cache, key, _BYTES, make)

    def _load_tests(self, exercise: Exercise) -> Sequence[PublicTest]:
        key = f"tests {exercise.digest}"
        return read_tests(self._load_or_make(key, lambda: self._author_process().tests(exercise)))

    def _make_runnable(self, exercise: Exercise) -> Runnable:
        for_practice = self._is_practice(exercise)
        is_practised_prediction = for_practice and exercise.is_prediction
        solution = None
        if (self._with_solutions or for_practice) and exercise.solution:
            solution = make_solution(exercise)
        return Runnable(
            grading_data=partial(self._load_grading_data, exercise, for_practice),
            feedback={
                misconception.id: misconception.feedback
                for misconception in exercise.misconceptions
            },
            solution=solution,
            for_practice=for_practice,
            programs={program.id: program.code for program in list_breakable(exercise)}
            if for_practice
            else {},
            breaks=partial(self._load_breaks, exercise),
            asks={
                test.id: [name for name in exercise.defines if uses_any(test.code, {name})]
                for test in exercise.tests
                if is_practised_prediction
            },
        )

    def _find_wrong_answer(
        self, exercises: Mapping[str, Exercise], example: WrongExample
    ) -> Callable[[], WrongAnswer] | None:
        name, mistake = example.exercise, example.misconception
        exercise = exercises.get(name)
        wrong = [e.code for e in exercise.misconceptions if e.id == mistake] if exercise else []
        if not exercise or not wrong or not self._is_practice(exercise):
            return None
        code = wrong[0].removeprefix("import numpy as np").strip()  # the program does not use NumPy

        def grade() -> WrongAnswer:
            key = f"wrong answer {exercise.digest} {mistake}"
            load_data = partial(self._load_grading_data, exercise, for_practice=True)
            verdict = json.loads(
                self._load_or_make(key, lambda: self._author_process().grade(load_data(), code))
            )
            first = next(test for test in verdict["tests"] if test["outcome"] != "passed")
            return WrongAnswer(name, code, first["message"], verdict["diagnosis"]["feedback"])

        return grade

    def _make_own_gpt(self, exercises: Mapping[str, Exercise], gpt: GptDefinition) -> OwnGpt | None:
        parts = [exercises[name] for name in gpt.functions if name in exercises]
        if not exercises.keys() >= gpt.page.parts.keys() or not all(
            part.solution for part in parts
        ):
            return None
        programs, mistakes = dict[str, dict[str, str]](), dict[str, dict[str, str]]()
        for part in parts:
            wrong = [
                misconception
                for misconception in part.misconceptions
                if misconception.id in gpt.page.mistakes.get(part.id, ())
            ]
            codes = {program.id: program.code for program in wrong}
            programs[part.id] = {"reference": part.solution} | codes
            mistakes[part.id] = {program.id: program.feedback for program in wrong}
        model_json = gpt.model_json(programs)

        def record() -> str:
            key = f"own gpt {hashlib.sha256(model_json.encode()).hexdigest()} {gpt.page}"
            return self._load_or_make(
                key,
                lambda: self._author_process().record(model_json, gpt.page),
            ).decode()

        if self._with_solutions or all(map(self._is_practice, parts)):
            return OwnGpt(gpt, model_json, record, mistakes)
        return OwnGpt(gpt, gpt.model_json({}), record, {})

    def _load_breaks(self, exercise: Exercise) -> str:
        make = partial(self._author_process().break_data, exercise)
        return (
            self._load_or_make(f"break {exercise.digest}", make).decode()
            if exercise.solution
            else ""
        )

    def _is_practice(self, exercise: Exercise) -> bool:
        course = exercise.course  # a student edition does not say, and has no hidden tests
        return not self._certified and course is not None and course.grading == "practice"

    def _load_grading_data(self, exercise: Exercise, for_practice: bool) -> str:
        packages = sorted(self._page_packages.intersection(imported_packages(exercise)))
        key = f"{'practice' if for_practice else 'engine'} {exercise.digest} {packages}"
        make = partial(
            self._author_process().grading_data, exercise, packages, for_practice=for_practice
        )
        return self._load_or_make(key, make).decode()

    def _read_lesson(
        self, entry: LessonDefinition, path: Path, exercises: Sequence[Exercise]
    ) -> TrackLesson:
        read = read_lesson(path)
        read.check_breaks(exercises)
        course = course_file(path.parent.parent / TRACK_FILE)
        code = "\n".join(block.code for block in read.blocks if isinstance(block, Cell))
        packages: tuple[str, ...] = ()
        if exists(course):
            loaded = load_course(course)
            loaded.refuse_missing_packages(code)
            packages = find_packages(code, loaded.packages)
        return TrackLesson(
            entry.id,
            entry.title,
            entry.exercises,
            path,
            LazySequence(partial(self._list_blocks, read, exercises)),
            read.digest,
            read.reading_minutes,
            read.figures,
            tuple(name for name in packages if name in self._page_packages),
            tuple(name for name in packages if name not in self._page_packages),
            read.data,
        )

    def _list_blocks(self, lesson: Lesson, exercises: Sequence[Exercise]) -> Iterator[Block]:
        """Yield the blocks; a wrong program only if pages may show it, with its code."""
        practice = [exercise for exercise in exercises if self._is_practice(exercise)]
        codes = {
            (e.id, wrong.id): wrong.code for e in practice for wrong in e.breakable_misconceptions
        }
        for block in run_cached(lesson, self._cache, self._find_sandbox).blocks:
            if not isinstance(block, BreakTask):
                yield block
            elif code := codes.get((block.exercise, block.misconception)):
                yield replace(block, code=code)

    def _author_process(self) -> AuthorProcess:
        """Return this process's own author process; a fork gets another one."""
        process = os.getpid()
        if process not in self._author_processes:
            self._author_processes[process] = AuthorProcess(self._packages)
        return self._author_processes[process]

    def _find_sandbox(self) -> Sandbox:
        """Return this process's own sandbox; a fork gets another one."""
        process = os.getpid()
        if process not in self._sandboxes:
            self._sandboxes[process] = open_sandbox(packages=self._packages)
        return self._sandboxes[process]


def make_solution(exercise: Exercise) -> Solution:
    """Return the model solution of an exercise, with alternatives that say when to choose them."""
    others = [
        OtherWay(program.code, program.when) for program in exercise.also_right if program.when
    ]
    return Solution(exercise.solution, exercise.explanation, others)
