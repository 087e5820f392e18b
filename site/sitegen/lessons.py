"""Lessons as the templates print them: prose, cells with what they showed, exercises."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Final, TypeAlias

from markupsafe import Markup

from grader.errors import DefinitionError, Location, Problem
from grader.lessons.execute import RunBlock, RunCell, RunExercises, RunLesson, RunProse
from sitegen.figures import Figure, figure
from sitegen.highlight import highlight
from sitegen.markdown import render_markdown
from sitegen.values import shorten

_TITLE: Final = re.compile(r"\s*# [^\n]*\n")


@dataclass(frozen=True, slots=True)
class TrackLesson:
    """A lesson of a track, run; nothing of it is hidden."""

    id: str
    title: str
    exercises: tuple[str, ...]  # the ids of those that it leads into
    run: RunLesson


Lessons: TypeAlias = Mapping[str, Sequence[TrackLesson]]
"""The lessons of each track in order, by the track's id."""

NO_LESSONS: Final[Lessons] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ProseView:
    """Text between cells."""

    form: ClassVar[str] = "prose"
    html: Markup


@dataclass(frozen=True, slots=True)
class CellView:
    """A cell: its code unless it is hidden, what it printed, and the matrices that it showed."""

    form: ClassVar[str] = "cell"
    code: Markup | None
    printed: str
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True)
class TasksView:
    """The place for exercises, by their ids; each has one place in a lesson."""

    form: ClassVar[str] = "tasks"
    exercises: tuple[str, ...]


BlockView: TypeAlias = ProseView | CellView | TasksView


def view_blocks(lesson: TrackLesson, known: Mapping[str, object]) -> tuple[BlockView, ...]:
    """Render a lesson; the exercises that its text gives no place come at its end.

    Args:
        lesson: What was run.
        known: The exercises of the track by their ids.

    Raises:
        DefinitionError: A text cannot be shown, or the track has no such exercise.
    """
    _check_exercises(lesson, known)
    placed: set[str] = set()
    blocks = tuple(_views(_without_title(lesson.run.blocks), lesson.run.path, placed))
    rest = tuple(each for each in lesson.exercises if each not in placed)
    return (*blocks, TasksView(rest)) if rest else blocks


def _check_exercises(lesson: TrackLesson, known: Mapping[str, object]) -> None:
    placed = (
        each for block in lesson.run.blocks if isinstance(block, RunExercises) for each in block.ids
    )
    problems = [
        Problem(Location(lesson.run.path), f"no exercise '{each}' in this track")
        for each in dict.fromkeys((*placed, *lesson.exercises))
        if each not in known
    ]
    if problems:
        raise DefinitionError(problems)


def _without_title(blocks: Sequence[RunBlock]) -> tuple[RunBlock, ...]:
    """Take away the heading that a lesson's text begins with: the page has the track's title."""
    match blocks:
        case [RunProse(where, text, computed), *rest] if found := _TITLE.match(text):
            begin = Location(where.path, where.line + found[0].count("\n"))
            return (RunProse(begin, text[found.end() :], computed), *rest)
    return tuple(blocks)


def _views(blocks: Sequence[RunBlock], path: Path, placed: set[str]) -> Iterator[BlockView]:
    for block in blocks:
        match block:
            case RunProse(where, text):
                yield ProseView(render_markdown(text, where=path, line=where.line))
            case RunCell() if not block.hidden or block.printed or block.shown:
                yield _view_cell(block)
            case RunExercises(ids):
                new = tuple(dict.fromkeys(each for each in ids if each not in placed))
                placed.update(new)
                yield TasksView(new)


def _view_cell(cell: RunCell) -> CellView:
    return CellView(
        code=None if cell.hidden else highlight(cell.code),
        printed=shorten(cell.printed.rstrip("\n")),
        figures=tuple(map(figure, cell.shown)),
    )
