"""Lessons in the form that templates print: prose, cells with output, questions, exercises."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

from grader.errors import Location
from grader.lessons.blocks import (
    Block,
    BreakTask,
    Cell,
    ChoiceQuestion,
    Exercises,
    Experiment,
    MatrixDisplay,
    NumberQuestion,
    PlotDisplay,
    Prose,
    Question,
)
from grader.lessons.computed_text import Text
from grader.lessons.figure import Figure
from grader.lessons.reply import OTHER
from grader.lessons.safe_svg import safe_svg
from sitegen.cards import ExerciseCard, OutlineLesson, check_exercises
from sitegen.cell_displays import MatrixView, PlotView, view_matrix
from sitegen.content import TrackLesson
from sitegen.exercise_data import BREAKS
from sitegen.highlight import highlight
from sitegen.links import INDEX
from sitegen.markdown import render_inline, render_markdown
from sitegen.page_images import PageImages
from sitegen.safe_html import mark_safe
from sitegen.teaching import view_figure
from sitegen.values import cut_with_count

_DEFINED: Final = re.compile(r"^def (\w+)", re.MULTILINE)
_TITLE: Final = re.compile(r"\s*# [^\n]*\n")


View: TypeAlias = dict[str, Any]
"""The values that a template prints; `form` selects the part of the template."""


def view_lesson(
    lesson: TrackLesson,
    cards: Mapping[str, ExerciseCard],
    images: PageImages,
    places: Mapping[str, OutlineLesson],
) -> View:
    """Render a lesson for its template; exercises without a place in the text come at its end.

    Args:
        cards: The cards of the track's exercises, by id.
        places: The lesson of each part of the model, for its map.

    Raises:
        DefinitionError: A text cannot be shown, or the track lacks an exercise.
    """
    blocks = list(lesson.blocks)
    placed = [
        exercise_id for block in blocks if isinstance(block, Exercises) for exercise_id in block.ids
    ]
    check_exercises(lesson, placed, cards)
    # The page has a title already, so the text's first heading is dropped.
    match blocks:
        case [Prose(where, text), *_] if match := _TITLE.match(str(text)):
            begin = Location(where.path, where.line + match[0].count("\n"))
            blocks[0] = Prose(begin, Text((str(text)[match.end() :],)))
    lesson_cards = [cards[exercise] for exercise in lesson.exercises]
    views = list(_view_blocks(blocks, images, cards, places, lesson_cards, lesson.path))
    unplaced = [cards[exercise] for exercise in lesson.exercises if exercise not in placed]
    if unplaced:
        views.append({"form": "tasks", "exercises": unplaced})
    # The page runs all cells, including hidden ones.
    cells = [block.code.strip("\n") for block in blocks if isinstance(block, Cell)]
    return {"blocks": views, "cells": cells, "needs": lesson.needs}


def _view_blocks(
    blocks: Sequence[Block],
    images: PageImages,
    cards: Mapping[str, ExerciseCard],
    places: Mapping[str, OutlineLesson],
    exercises: Sequence[ExerciseCard],
    path: Path,
) -> Iterator[View]:
    placed = set[str]()  # exercises that already have their place
    index = -1  # index among all cells
    numbers: Counter[str] = Counter()  # number of blocks of each form so far
    questions = sum(isinstance(block, ChoiceQuestion | NumberQuestion) for block in blocks)
    for number, block in enumerate(blocks):
        view: View = {}
        match block:
            case Prose(where, text):
                html = render_markdown(str(text), where=where.path, line=where.line, images=images)
                title = render_inline(block.title, where=where.path, line=where.line - 1)
                view = {"form": "prose", "html": html, "title": title}
            case Cell():
                index += 1
                view = _view_cell(block, index, exercises, path)
            case Figure():
                view = {"form": "figure", "view": view_figure(block, f"figure-{number}", places)}
            case Exercises(ids=ids):
                new = [
                    exercise_id for exercise_id in dict.fromkeys(ids) if exercise_id not in placed
                ]
                placed.update(new)
                view = {"form": "tasks", "exercises": [cards[exercise_id] for exercise_id in new]}
            case ChoiceQuestion() | NumberQuestion():
                view = {"form": "question", "total": questions, **_view_question(block)}
            case Experiment():
                view = {"form": "experiment", **_view_experiment(block)}
            case BreakTask(where, exercise, misconception, prompt, code):
                view = {
                    "form": "break",
                    "exercise": cards[exercise],
                    "program": misconception,
                    "prompt": render_inline(prompt, where=where.path, line=where.line + 1),
                    "code": highlight(code),
                    "data": cards[exercise].path.removesuffix(INDEX) + BREAKS,
                }
        if view:
            numbers[view["form"]] += 1
            yield {**view, "number": numbers[view["form"]]}


def _view_cell(cell: Cell, index: int, exercises: Sequence[ExerciseCard], path: Path) -> View:
    """Render a cell, or return an empty view if it shows nothing."""
    if cell.hidden and not cell.printed and not cell.displays:
        return {}
    displays = enumerate(cell.displays)
    return {
        "form": "cell",
        "index": index,
        "code": None if cell.hidden else highlight(cell.code),
        "solves": _find_exercise(cell, exercises),
        "printed": cut_with_count(cell.printed.rstrip("\n")),
        "figures": [_view_display(display, f"plot-{index}-{n}-") for n, display in displays],
        "title": render_inline(cell.title, where=path),
    }


def _view_display(display: MatrixDisplay | PlotDisplay, prefix: str) -> MatrixView | PlotView:
    """Render an output of a cell; the prefix keeps the ids of the page's plots distinct."""
    if isinstance(display, PlotDisplay):
        return PlotView(display.title, mark_safe(safe_svg(display.svg, display.alt, prefix)))
    return view_matrix(display)


def _find_exercise(cell: Cell, exercises: Sequence[ExerciseCard]) -> ExerciseCard | None:
    """Return the exercise that a cell may solve, because it defines the same names, or None."""
    names = set(_DEFINED.findall(cell.code))
    written = (exercise for exercise in exercises if exercise.kind in ("write", "fix"))
    return next((card for card in written if names & set(card.defines)), None)


def _view_experiment(block: Experiment) -> View:
    inline = partial(render_inline, where=block.where.path, line=block.where.line)
    return {
        "cell": block.cell,
        "prompt": inline(block.prompt),
        "find": block.find,
        "put": block.put,
        "guesses": [(inline(text), is_right) for text, is_right in block.guesses],
        "why": inline(str(block.why)),
    }


def _view_question(question: Question) -> View:
    """Render a question; `numbers` are the answer and the slips, with their tolerances."""
    inline = partial(render_inline, where=question.where.path, line=question.where.line)
    view: View = {"prompt": inline(str(question.prompt)), "choices": [], "numbers": []}
    if isinstance(question, ChoiceQuestion):
        view["choices"] = [
            {
                "letter": choice.letter,
                "text": inline(str(choice.text)),
                "is_right": choice.is_right,
                "reason": inline(str(choice.reason)),
            }
            for choice in question.choices
        ]
        return view
    numbers = (question.answer, *question.slips)
    reasons = (*(str(answer.reason) for answer in numbers), str(question.hint) or OTHER)
    return view | {
        "numbers": [(answer.number, answer.tolerance) for answer in numbers],
        "reasons": [inline(reason) for reason in reasons],
        "answer": f"{question.answer.number:.6g}",  # as a reader may write it
    }
