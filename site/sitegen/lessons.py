"""Lessons as the templates print them: prose, cells with what they showed, questions, exercises."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar, Final, TypeAlias

from markupsafe import Markup

from grader.errors import Location
from grader.lessons.blocks import (
    Block,
    BreakTask,
    Cell,
    ChoiceQuestion,
    Exercises,
    Experiment,
    NumberQuestion,
    PlotDisplay,
    Prose,
    Question,
)
from grader.lessons.computed_text import Text
from grader.lessons.figure import Figure
from grader.lessons.reply import OTHER
from grader.lessons.safe_svg import safe_svg
from sitegen.cards import ExerciseCard, LessonCard, Stop, check_exercises
from sitegen.cell_displays import MatrixView, PlotView, view_matrix
from sitegen.content import TrackLesson
from sitegen.exercise_data import BREAKS
from sitegen.highlight import highlight
from sitegen.links import INDEX
from sitegen.markdown import render_inline, render_markdown
from sitegen.page_images import PageImages
from sitegen.safe_html import trusted
from sitegen.teaching import FigureView, view_figure
from sitegen.values import shorten

_DEFINED: Final = re.compile(r"^def (\w+)", re.MULTILINE)
_TITLE: Final = re.compile(r"\s*# [^\n]*\n")


@dataclass(frozen=True, slots=True)
class ProseView:
    """Text between cells."""

    form: ClassVar[str] = "prose"
    html: Markup
    title: Markup | None = None  # the text is folded below it


@dataclass(frozen=True, slots=True)
class CellView:
    """A cell: its code unless it is hidden, what it printed, and what it showed."""

    form: ClassVar[str] = "cell"
    index: int  # among all cells, from zero
    code: Markup | None
    solves: ExerciseCard | None  # an exercise of the lesson, whose solution it may be
    printed: str
    figures: tuple[MatrixView | PlotView, ...]
    title: Markup | None = None  # the code is folded below it


@dataclass(frozen=True, slots=True)
class TasksView:
    """The place for exercises; each has one place in a lesson."""

    form: ClassVar[str] = "tasks"
    exercises: tuple[ExerciseCard, ...]


@dataclass(frozen=True, slots=True)
class FigureBlock:
    """A figure to play with."""

    form: ClassVar[str] = "figure"
    view: FigureView


@dataclass(frozen=True, slots=True)
class ChoiceView:
    """One of the answers, and why it is right or wrong."""

    letter: str
    text: Markup
    is_right: bool
    reason: Markup


@dataclass(frozen=True, slots=True)
class QuestionView:
    """A question; one without choices asks for a number."""

    form: ClassVar[str] = "question"
    number: int  # among the questions of its lesson, from one
    total: int
    prompt: Markup
    choices: tuple[ChoiceView, ...] = ()
    numbers: Sequence[tuple[float, float]] = ()  # the answer and the slips: value, and how near
    reasons: tuple[Markup, ...] = ()  # of these numbers, and of any other one
    answer: str = ""  # as a reader may write it


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


@dataclass(frozen=True, slots=True)
class BreakView:
    """A wrong program to find a call for that shows it to be wrong."""

    form: ClassVar[str] = "break"
    number: int  # among those of its lesson, from one
    exercise: ExerciseCard
    program: str  # the misconception's id
    prompt: Markup
    code: Markup
    data: str  # the file by which the page judges a call


BlockView: TypeAlias = (
    ProseView | CellView | TasksView | QuestionView | ExperimentView | BreakView | FigureBlock
)


@dataclass(frozen=True, slots=True)
class LessonView:
    """A lesson with everything that its page shows."""

    card: LessonCard
    blocks: tuple[BlockView, ...]
    cells: tuple[str, ...]  # the code of all cells, hidden ones too, in the order in which they ran
    needs: tuple[str, ...] = ()  # packages that Python in the page does not have


def view_lesson(
    card: LessonCard,
    lesson: TrackLesson,
    cards: Mapping[str, ExerciseCard],
    images: PageImages,
    places: Mapping[str, Stop],
) -> LessonView:
    """Render a lesson; the exercises that its text gives no place come at its end.

    Args:
        cards: The exercises of its track, by their ids.
        places: The lesson of each part of the model, for its map.

    Raises:
        DefinitionError: A text cannot be shown, or the track has no such exercise.
    """
    blocks = list(lesson.blocks)
    placed = [each for block in blocks if isinstance(block, Exercises) for each in block.ids]
    check_exercises(lesson, placed, cards)
    match blocks:  # the page has a title already, so the heading that the text begins with goes
        case [Prose(where, text), *_] if match := _TITLE.match(str(text)):
            begin = Location(where.path, where.line + match[0].count("\n"))
            blocks[0] = Prose(begin, Text((str(text)[match.end() :],)))
    own = [cards[each] for each in lesson.exercises]
    views = list(_views(blocks, images, cards, places, own, lesson.path))
    rest = tuple(cards[each] for each in lesson.exercises if each not in placed)
    if rest:
        views.append(TasksView(rest))
    # What a page runs, as it shows it.
    cells = tuple(each.code.strip("\n") for each in blocks if isinstance(each, Cell))
    return LessonView(card, tuple(views), cells, lesson.needs)


def _views(
    blocks: Sequence[Block],
    images: PageImages,
    cards: Mapping[str, ExerciseCard],
    places: Mapping[str, Stop],
    exercises: Sequence[ExerciseCard],
    path: Path,
) -> Iterator[BlockView]:
    placed = set[str]()
    index = -1
    question_number = tried = breaks = 0
    questions = sum(isinstance(each, ChoiceQuestion | NumberQuestion) for each in blocks)
    for number, block in enumerate(blocks):
        match block:
            case Prose(where, text):
                html = render_markdown(str(text), where=where.path, line=where.line, images=images)
                title = render_inline(block.title, where=where.path, line=where.line - 1)
                yield ProseView(html, title or None)
            case Cell():
                index += 1
                if not block.hidden or block.printed or block.displays:
                    yield CellView(
                        index=index,
                        code=None if block.hidden else highlight(block.code),
                        solves=_solved(block, exercises),
                        printed=shorten(block.printed.rstrip("\n")),
                        figures=tuple(
                            # A prefix, since no two ids of a page may be the same.
                            PlotView(
                                each.title,
                                trusted(safe_svg(each.svg, each.alt, f"plot-{index}-{place}-")),
                            )
                            if isinstance(each, PlotDisplay)
                            else view_matrix(each)
                            for place, each in enumerate(block.displays)
                        ),
                        title=render_inline(block.title, where=path) or None,
                    )
            case Figure():
                yield FigureBlock(view_figure(block, f"figure-{number}", places))
            case Exercises(ids=ids):
                new = tuple(dict.fromkeys(each for each in ids if each not in placed))
                placed.update(new)
                yield TasksView(tuple(cards[each] for each in new))
            case ChoiceQuestion() | NumberQuestion():
                question_number += 1
                yield _view_question(block, question_number, questions)
            case Experiment():
                tried += 1
                yield _view_experiment(block, tried)
            case BreakTask(where, exercise, misconception, prompt, code):
                breaks += 1
                yield BreakView(
                    breaks,
                    cards[exercise],
                    misconception,
                    render_inline(prompt, where=where.path, line=where.line + 1),
                    highlight(code),
                    cards[exercise].path.removesuffix(INDEX) + BREAKS,
                )


def _solved(cell: Cell, exercises: Sequence[ExerciseCard]) -> ExerciseCard | None:
    """Return the exercise whose solution a cell may be: it defines what a submission must."""
    names = set(_DEFINED.findall(cell.code))
    written = (each for each in exercises if each.kind in ("write", "fix"))
    return next((each for each in written if names & set(each.defines)), None)


def _view_experiment(block: Experiment, number: int) -> ExperimentView:
    inline = partial(render_inline, where=block.where.path, line=block.where.line)
    return ExperimentView(
        number=number,
        cell=block.cell,
        prompt=inline(block.prompt),
        find=block.find,
        put=block.put,
        guesses=tuple((inline(text), is_right) for text, is_right in block.guesses),
        why=inline(str(block.why)),
    )


def _view_question(question: Question, number: int, total: int) -> QuestionView:
    inline = partial(render_inline, where=question.where.path, line=question.where.line)
    prompt = inline(str(question.prompt))
    match question:
        case ChoiceQuestion(choices=choices):
            views = tuple(
                ChoiceView(
                    each.letter,
                    inline(str(each.text)),
                    each.is_right,
                    inline(str(each.reason)),
                )
                for each in choices
            )
            return QuestionView(number, total, prompt, choices=views)
        case NumberQuestion(answer=answer, slips=slips, hint=hint):
            numbers = (answer, *slips)
            reasons = (*(each.reason for each in numbers), str(hint) or OTHER)
            return QuestionView(
                number,
                total,
                prompt,
                numbers=tuple((each.number, each.near) for each in numbers),
                reasons=tuple(inline(str(each)) for each in reasons),
                answer=f"{answer.number:.6g}",
            )
