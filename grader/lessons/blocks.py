"""The blocks of a lesson, as they are read; a run fills in what the lesson computes."""

import math
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from grader.definitions.exercise import ExerciseId
from grader.errors import Location
from grader.lessons.computed_text import Text, Value
from grader.lessons.figure import Figure

LETTERS: Final = "ABCDEF"  # of the answers to choose from


@dataclass(frozen=True, slots=True)
class MatrixDisplay:
    """A matrix that a cell showed; `values` has shape (n, m)."""

    kind: str  # heatmap or table
    title: str
    values: npt.NDArray[np.float64]
    whole: bool  # whether the numbers are whole
    rows: tuple[str, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlotDisplay:
    """A figure that a cell drew."""

    title: str
    alt: str  # a sentence on what the figure shows
    svg: str  # as it came out of the sandbox; see `safe_svg`


@dataclass(frozen=True, slots=True)
class Prose:
    """Markdown between cells."""

    where: Location
    text: Text
    title: str = ""  # Markdown; the text is folded below it


@dataclass(frozen=True, slots=True)
class Cell:
    """Python that is run."""

    where: Location  # its first line of code
    code: str
    hidden: bool
    title: str = ""  # Markdown; the code is folded below it
    printed: str = ""  # by a run
    displays: tuple[MatrixDisplay | PlotDisplay, ...] = ()  # likewise


@dataclass(frozen=True, slots=True)
class Exercises:
    """The place for exercises."""

    where: Location
    ids: tuple[ExerciseId, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the answers of a question, and why it is right or wrong."""

    letter: str
    text: Text
    is_right: bool
    reason: Text


@dataclass(frozen=True, slots=True)
class ChoiceQuestion:
    """A question with a few answers, of which one is right."""

    where: Location
    prompt: Text
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class NumberAnswer:
    """A number that readers give, and why it is right or wrong."""

    value: Value
    reason: Text
    number: float = math.nan  # by a run
    near: float = 0.0  # likewise: every number that is at most so far away counts as this one


@dataclass(frozen=True, slots=True)
class NumberQuestion:
    """A question whose answer is a number."""

    where: Location
    prompt: Text
    answer: NumberAnswer
    slips: tuple[NumberAnswer, ...]  # wrong numbers that readers are known to give
    hint: Text  # for every other number; may be empty
    within: Value | None = None  # how far from the answer a number may be


@dataclass(frozen=True, slots=True)
class Experiment:
    """A text to replace in a cell above, guesses at the effect, and the reason."""

    where: Location
    prompt: str
    find: str
    put: str
    guesses: tuple[tuple[str, bool], ...]  # each with whether it is right
    why: Text  # its values are computed after the changed cell
    cell: int = -1  # by a run: the changed cell among all, from zero


@dataclass(frozen=True, slots=True)
class BreakTask:
    """A wrong program of an exercise, to find a call for that shows it to be wrong."""

    where: Location  # the line of the fence
    exercise: ExerciseId
    misconception: str
    prompt: str  # Markdown
    code: str = ""  # the program's code, once it is looked up


Question: TypeAlias = ChoiceQuestion | NumberQuestion
Block: TypeAlias = Prose | Cell | Exercises | Figure | Question | Experiment | BreakTask
