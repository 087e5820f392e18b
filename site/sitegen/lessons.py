"""Lessons as the templates print them: prose, cells with what they showed, exercises."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final, Generic, TypeAlias, TypeVar

from markupsafe import Markup

from grader.errors import DefinitionError, Location, Problem
from grader.lessons.execute import (
    RunBlock,
    RunCell,
    RunChoiceQuestion,
    RunExercises,
    RunExperiment,
    RunLesson,
    RunNumberQuestion,
    RunProse,
    ShownPlot,
)
from grader.lessons.figure import Figure
from sitegen.figures import Figure as MatrixFigure
from sitegen.figures import figure
from sitegen.highlight import highlight
from sitegen.markdown import render_inline, render_markdown
from sitegen.page_images import PageImages
from sitegen.plots import Plot, view_plot
from sitegen.questions import QuestionView, view_question
from sitegen.teaching.view import FigureView, view_figure
from sitegen.values import shorten

if TYPE_CHECKING:
    from sitegen.cards import Stop

Card = TypeVar("Card")

_TITLE: Final = re.compile(r"\s*# [^\n]*\n")


@dataclass(frozen=True, slots=True)
class TrackLesson:
    """A lesson of a track, run; nothing of it is hidden."""

    id: str
    title: str
    exercises: tuple[str, ...]  # the ids of those that it leads into
    run: RunLesson
    digest: str = ""  # SHA-256 of its file
    minutes: int = 0  # to read it
    figures: tuple[Figure, ...] = ()  # as in its blocks, but known before it is run
    packages: tuple[str, ...] = ()  # that its page loads
    needs: tuple[str, ...] = ()  # packages that its cells import and its page lacks
    data: Mapping[str, bytes] = field(default_factory=dict)  # files for its cells, by name


Lessons: TypeAlias = Mapping[str, Sequence[TrackLesson]]
"""The lessons of each track in order, by the track's id."""


@dataclass(frozen=True, slots=True)
class ProseView:
    """Text between cells."""

    form: ClassVar[str] = "prose"
    html: Markup


@dataclass(frozen=True, slots=True)
class CellView:
    """A cell: its code unless it is hidden, what it printed, and what it showed."""

    form: ClassVar[str] = "cell"
    index: int  # among all cells, from zero
    code: Markup | None
    printed: str
    figures: tuple[MatrixFigure | Plot, ...]


@dataclass(frozen=True, slots=True)
class TasksView(Generic[Card]):
    """The place for exercises; each has one place in a lesson."""

    form: ClassVar[str] = "tasks"
    exercises: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class FigureBlock:
    """A figure to play with."""

    form: ClassVar[str] = "figure"
    view: FigureView


@dataclass(frozen=True, slots=True)
class ExperimentView:
    """A change of the cell above, with guesses at what it does."""

    form: ClassVar[str] = "experiment"
    number: int  # among the experiments of its lesson, from one
    cell: int  # among all cells, from zero
    prompt: Markup
    find: str
    put: str
    guesses: tuple[tuple[Markup, bool], ...]
    why: Markup


BlockView: TypeAlias = (
    ProseView | CellView | TasksView[Card] | QuestionView | ExperimentView | FigureBlock
)


def view_blocks(
    lesson: TrackLesson,
    known: Mapping[str, Card],
    images: PageImages,
    places: Mapping[str, "Stop"],
) -> tuple[BlockView[Card], ...]:
    """Render a lesson; the exercises that its text gives no place come at its end.

    Args:
        lesson: What was run.
        known: What is shown of the exercises of the track, by their ids.
        images: Collects those of its texts.
        places: The lesson of each part of the model, for its map.

    Raises:
        DefinitionError: A text cannot be shown, or the track has no such exercise.
    """
    check_exercises(lesson, _placed(lesson), known)
    placed: set[str] = set()
    blocks = tuple(_views(_without_title(lesson.run.blocks), images, placed, known, places))
    rest = tuple(known[each] for each in lesson.exercises if each not in placed)
    return (*blocks, TasksView(rest)) if rest else blocks


def check_exercises(lesson: TrackLesson, names: Iterable[str], known: Mapping[str, object]) -> None:
    """Check that the track has the exercises that a lesson names.

    Raises:
        DefinitionError: It has not.
    """
    problems = [
        Problem(Location(lesson.run.path), f"no exercise '{each}' in this track")
        for each in dict.fromkeys(names)
        if each not in known
    ]
    if problems:
        raise DefinitionError(problems)


def _placed(lesson: TrackLesson) -> Iterator[str]:
    for block in lesson.run.blocks:
        if isinstance(block, RunExercises):
            yield from block.ids


def _without_title(blocks: Sequence[RunBlock]) -> tuple[RunBlock, ...]:
    """Take away the heading that a lesson's text begins with: the page has the track's title."""
    match blocks:
        case [RunProse(where, text, computed), *rest] if found := _TITLE.match(text):
            begin = Location(where.path, where.line + found[0].count("\n"))
            return (RunProse(begin, text[found.end() :], computed), *rest)
    return tuple(blocks)


def cell_sources(lesson: TrackLesson) -> tuple[str, ...]:
    """The code of every cell, hidden ones too: what a page runs, as it shows it."""
    return tuple(cell.code.strip("\n") for cell in lesson.run.blocks if isinstance(cell, RunCell))


def _views(
    blocks: Sequence[RunBlock],
    images: PageImages,
    placed: set[str],
    known: Mapping[str, Card],
    places: Mapping[str, "Stop"],
) -> Iterator[BlockView[Card]]:
    index = -1
    asked = tried = 0
    questions = sum(isinstance(each, RunChoiceQuestion | RunNumberQuestion) for each in blocks)
    for number, block in enumerate(blocks):
        match block:
            case RunProse(where, text):
                html = render_markdown(text, where=where.path, line=where.line, images=images)
                yield ProseView(html)
            case RunCell():
                index += 1
                if not block.hidden or block.printed or block.shown:
                    yield CellView(
                        index=index,
                        code=None if block.hidden else highlight(block.code),
                        printed=shorten(block.printed.rstrip("\n")),
                        figures=tuple(
                            view_plot(each, f"plot-{index}-{place}-")
                            if isinstance(each, ShownPlot)
                            else figure(each)
                            for place, each in enumerate(block.shown)
                        ),
                    )
            case Figure():
                yield FigureBlock(view_figure(block, f"figure-{number}", places))
            case RunExercises(ids):
                new = tuple(dict.fromkeys(each for each in ids if each not in placed))
                placed.update(new)
                yield TasksView(tuple(known[each] for each in new))
            case RunChoiceQuestion() | RunNumberQuestion():
                asked += 1
                yield view_question(block, asked, questions)
            case RunExperiment():
                tried += 1
                yield _view_experiment(block, tried)


def _view_experiment(block: RunExperiment, number: int) -> ExperimentView:
    inline = partial(render_inline, where=block.where.path, line=block.where.line)
    return ExperimentView(
        number=number,
        cell=block.cell,
        prompt=inline(block.prompt),
        find=block.find,
        put=block.put,
        guesses=tuple((inline(text), is_right) for text, is_right in block.guesses),
        why=inline(block.why),
    )
