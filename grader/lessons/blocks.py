"""The blocks of a lesson. A run of the lesson fills in the fields that it computes."""

import math
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from grader.definitions.exercise import ExerciseId
from grader.errors import Location
from grader.lessons.computed_text import Text, Value
from grader.lessons.figure import Figure

LETTERS: Final = "ABCDEF"  # name the answers of a choice question


@dataclass(frozen=True, slots=True)
class MatrixDisplay:
    """A matrix that a cell showed; `values` has shape (n, m)."""

    kind: str  # "heatmap" or "table"
    title: str
    values: npt.NDArray[np.float64]
    whole: bool  # True if the matrix has an integer or bool dtype
    rows: tuple[str, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlotDisplay:
    """A figure that a cell drew."""

    title: str
    alt: str  # a sentence on what the figure shows
    svg: str  # not cleaned yet; see `safe_svg`


@dataclass(frozen=True, slots=True)
class Prose:
    """Markdown between cells."""

    where: Location
    text: Text
    title: str = ""  # Markdown; if there is one, a page folds the text below it


@dataclass(frozen=True, slots=True)
class Cell:
    """A piece of Python that is run."""

    where: Location  # the first line of code
    code: str
    hidden: bool
    title: str = ""  # Markdown; if there is one, a page folds the code below it
    printed: str = ""  # filled in by a run
    displays: tuple[MatrixDisplay | PlotDisplay, ...] = ()  # filled in by a run


@dataclass(frozen=True, slots=True)
class Exercises:
    """The exercises that a reader solves at this place."""

    where: Location
    ids: tuple[ExerciseId, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer of a choice question, and the reason why it is right or wrong."""

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
    """A number that readers give, and the reason why it is right or wrong."""

    value: Value
    reason: Text
    number: float = math.nan  # the number that `value` has in a run
    tolerance: float = 0.0  # the largest distance at which another number counts as this one


@dataclass(frozen=True, slots=True)
class NumberQuestion:
    """A question whose answer is a number."""

    where: Location
    prompt: Text
    answer: NumberAnswer
    slips: tuple[NumberAnswer, ...]  # wrong numbers that readers often give
    hint: Text  # the reply to every other number; may be empty
    tolerance: Value | None = None  # the tolerance that the author set; None for the default


@dataclass(frozen=True, slots=True)
class Experiment:
    """A text to replace in a cell above, guesses at the effect, and the reason."""

    where: Location
    prompt: str
    find: str
    put: str
    guesses: tuple[tuple[str, bool], ...]  # texts; True marks the right guess
    why: Text  # the values in it are computed after the changed cell
    cell: int = -1  # the index of the changed cell among all cells, filled in by a run


@dataclass(frozen=True, slots=True)
class BreakTask:
    """A wrong program of an exercise, for which a reader finds a call that shows the mistake."""

    where: Location  # the line of the fence
    exercise: ExerciseId
    misconception: str
    prompt: str  # Markdown
    code: str = ""  # the program's code; empty until it is looked up


Question: TypeAlias = ChoiceQuestion | NumberQuestion
Block: TypeAlias = Prose | Cell | Exercises | Figure | Question | Experiment | BreakTask
