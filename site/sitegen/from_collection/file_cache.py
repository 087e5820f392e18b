"""A cache of loaded exercises and of lessons with their output, while their files stay the same.

It has to be invalidated when the grader changes.
"""

import hashlib
from collections.abc import Callable
from dataclasses import is_dataclass, replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Final

from grader.definitions import exercise as definitions
from grader.definitions.collection import load_in_course
from grader.definitions.course import Course
from grader.definitions.course_file import digest_in_course
from grader.definitions.exercise import Exercise
from grader.definitions.files import read_file
from grader.disk_cache import Cache
from grader.lessons import blocks
from grader.lessons.execute import run_lesson
from grader.lessons.lesson import Lesson
from grader.sandbox.dataclass_format import DataclassFormat
from grader.sandbox.process import Sandbox
from sitegen.cached_values import load_or_make


def _list_dataclasses(module: ModuleType) -> list[type]:
    return [kind for kind in vars(module).values() if isinstance(kind, type) and is_dataclass(kind)]


_EXERCISE: Final = DataclassFormat(Exercise, _list_dataclasses(definitions))
_LESSON: Final = DataclassFormat(Lesson, _list_dataclasses(blocks))


def load_cached(path: Path, course: Course | None, *, cache: Cache) -> Exercise:
    """Load an exercise of a course.

    Raises:
        UsageError, DefinitionError: See `load_exercise`.
    """
    digest = digest_in_course(hashlib.sha256(read_file(path)).hexdigest(), course)
    key = f"exercise {path} {digest} {course and replace(course, sources={})}"
    load = partial(load_in_course, path, course)
    exercise = load_or_make(cache, key, _EXERCISE, lambda: replace(load(), course=None))
    if exercise.digest != digest:  # it has data files, or its file has changed meanwhile
        return load()
    return replace(exercise, course=course)


def run_cached(lesson: Lesson, cache: Cache, sandbox: Callable[[], Sandbox]) -> Lesson:
    """Return a lesson with its output.

    Args:
        sandbox: Returns the sandbox for a run, if one is necessary.

    Raises:
        DefinitionError, GraderFault: See `run_lesson`.
    """
    key = f"lesson {lesson.path} {lesson.digest}"
    return load_or_make(cache, key, _LESSON, lambda: run_lesson(lesson, sandbox()))
