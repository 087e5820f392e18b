"""The run of lessons, once for each state of the lesson's file."""

import contextlib
import os
from collections.abc import Callable
from typing import Final

from grader.disk_cache import Cache
from grader.errors import Location
from grader.lessons import blocks
from grader.lessons.computed_text import Text, Value
from grader.lessons.execute import run_lesson
from grader.lessons.figure import Figure
from grader.lessons.lesson import Lesson
from grader.sandbox.process import Sandbox
from sitegen.from_collection.pickled import PickleFormat

_PARTS: Final = (
    *(Figure, Location, Text, Value, blocks.MatrixDisplay, blocks.PlotDisplay),
    *(blocks.BreakTask, blocks.Cell, blocks.Exercises, blocks.Experiment, blocks.Prose),
    *(blocks.Choice, blocks.ChoiceQuestion, blocks.NumberAnswer, blocks.NumberQuestion),
)
_PICKLED: Final = PickleFormat(Lesson, _PARTS)


def run_cached(lesson: Lesson, cache: Cache, sandbox: Callable[[], Sandbox]) -> Lesson:
    """Return a lesson with its output.

    Args:
        cache: A cache that is invalidated when the grader changes.
        sandbox: Returns the sandbox for a run, if one is necessary.

    Raises:
        DefinitionError, GraderFault: See `run_lesson`.
    """
    key = "\0".join((os.fspath(lesson.path), lesson.digest))
    kept = cache.find(key)
    if kept is not None and (stored := _PICKLED.from_bytes(kept)):
        return stored
    run = run_lesson(lesson, sandbox())
    with contextlib.suppress(ValueError):
        cache.keep(key, _PICKLED.to_bytes(run))
    return run
