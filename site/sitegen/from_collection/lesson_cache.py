"""Runs lessons, each only once as long as its file is the same."""

import contextlib
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from grader.definitions.files import digest_of, read_file
from grader.disk_cache import Cache
from grader.errors import Location
from grader.lessons.break_task import BreakTask
from grader.lessons.execute import (
    MatrixDisplay,
    PlotDisplay,
    RunCell,
    RunChoice,
    RunChoiceQuestion,
    RunExercises,
    RunExperiment,
    RunLesson,
    RunNumber,
    RunNumberQuestion,
    RunProse,
    run_lesson,
)
from grader.lessons.figure import Figure
from grader.lessons.lesson import read_lesson
from grader.sandbox.process import Sandbox
from sitegen.from_collection.pickled import PickleFormat

_PARTS: Final = (
    *(BreakTask, Figure, Location, RunCell, RunExercises, RunProse, MatrixDisplay, PlotDisplay),
    *(RunChoice, RunChoiceQuestion, RunExperiment, RunNumber, RunNumberQuestion),
)
_PICKLED: Final = PickleFormat(RunLesson, _PARTS)


def cached_run(path: Path, cache: Cache, sandbox: Callable[[], Sandbox]) -> RunLesson:
    """Return what a lesson shows.

    Args:
        cache: Has to forget everything when the grader changes.
        sandbox: Gives the sandbox to run it in, if it has to be run.

    Raises:
        DefinitionError, GraderFault: See `run_lesson`.
    """
    lesson = read_lesson(path)
    digests = [hashlib.sha256(read_file(path)).hexdigest(), *digest_of(lesson.data)]
    key = "\0".join((os.fspath(path), *digests))
    kept = cache.find(key)
    if kept is not None and (stored := _PICKLED.from_bytes(kept)):
        return stored
    run = run_lesson(lesson, sandbox())
    with contextlib.suppress(ValueError):
        cache.keep(key, _PICKLED.to_bytes(run))
    return run
