"""A cache of loaded exercises and of lessons with their output, while their files stay the same.

It has to be invalidated when the grader changes.
"""

import hashlib
from collections.abc import Callable
from dataclasses import is_dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from grader.definitions import exercise as definitions
from grader.definitions.collection import load_in_course
from grader.definitions.course import Course
from grader.definitions.course_file import digest_in_course
from grader.definitions.exercise import Exercise
from grader.definitions.files import read_file
from grader.disk_cache import Cache
from grader.errors import Location
from grader.lessons import blocks
from grader.lessons.computed_text import Text, Value
from grader.lessons.execute import run_lesson
from grader.lessons.figure import Figure
from grader.lessons.lesson import Lesson
from grader.sandbox.process import Sandbox
from sitegen.pickled import PickleFormat

_PARTS: Final = (
    *(Figure, Location, Text, Value, blocks.MatrixDisplay, blocks.PlotDisplay),
    *(blocks.BreakTask, blocks.Cell, blocks.Exercises, blocks.Experiment, blocks.Prose),
    *(blocks.Choice, blocks.ChoiceQuestion, blocks.NumberAnswer, blocks.NumberQuestion),
)
_LESSON: Final = PickleFormat(Lesson, _PARTS)
_DEFINED: Final = (value for value in vars(definitions).values() if isinstance(value, type))
_EXERCISE: Final = PickleFormat(Exercise, filter(is_dataclass, _DEFINED))


def load_cached(path: Path, course: Course | None, *, cache: Cache) -> Exercise:
    """Load an exercise of a course.

    Raises:
        UsageError, DefinitionError: See `load_exercise`.
    """
    digest = digest_in_course(hashlib.sha256(read_file(path)).hexdigest(), course)
    key = f"exercise {path} {digest} {course and replace(course, sources={})}"
    load = partial(load_in_course, path, course)
    exercise = _EXERCISE.load_or_make(cache, key, lambda: replace(load(), course=None))
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
    return _LESSON.load_or_make(cache, key, lambda: run_lesson(lesson, sandbox()))
