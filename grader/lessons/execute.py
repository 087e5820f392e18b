"""The run of a lesson's cells, one after another in one namespace, in a sandbox child."""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from grader.definitions.exercise import ExerciseId
from grader.errors import DefinitionError, GraderFault, Location, Problem
from grader.lessons.break_task import BreakTask
from grader.lessons.computed_text import ComputedText, Value
from grader.lessons.experiment import Experiment
from grader.lessons.figure import Figure
from grader.lessons.last_expression import print_last_expression
from grader.lessons.lesson import Cell, Exercises, Lesson, Prose
from grader.lessons.question import LETTERS, ChoiceQuestion, NumberQuestion
from grader.lessons.safe_svg import UnsafeSvgError, safe_svg
from grader.sandbox.answers import Answer, ChildGoneError, Raised, Returned
from grader.sandbox.interface import Child, Children
from grader.sandbox.limits import Limits

LIMITS: Final = Limits(cpu_seconds=60, wall_seconds=120.0)

_DISPLAY: Final = Path(__file__).with_name("display.py")
_PLOT_DISPLAY: Final = Path(__file__).with_name("plot_display.py")
_EXACT: Final = 1e-9
_ROUNDED: Final = 0.01  # 0.27 stands for 0.2689
_VALUE: Final = "_value"  # the name that an expression's value is given to


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
class RunCell:
    """A cell with what it printed and showed."""

    code: str
    hidden: bool
    printed: str
    displays: tuple[MatrixDisplay | PlotDisplay, ...]
    title: str = ""  # Markdown; the code is folded below it


@dataclass(frozen=True, slots=True)
class RunProse:
    """Markdown with every value in its place."""

    where: Location
    text: str
    computed: tuple[tuple[str, str], ...]  # each expression with its value
    title: str = ""  # Markdown; the text is folded below it


@dataclass(frozen=True, slots=True)
class RunExercises:
    """The place for exercises."""

    ids: tuple[ExerciseId, ...]


@dataclass(frozen=True, slots=True)
class RunChoice:
    """One of the answers of a question."""

    letter: str
    text: str
    is_right: bool
    reason: str


@dataclass(frozen=True, slots=True)
class RunChoiceQuestion:
    """A question with a few answers, of which one is right."""

    where: Location
    prompt: str
    choices: tuple[RunChoice, ...]
    computed: tuple[tuple[str, str], ...]  # each expression with its value


@dataclass(frozen=True, slots=True)
class RunNumber:
    """A number that a reader may give: every number that is at most `near` away from it."""

    value: float
    near: float
    reason: str


@dataclass(frozen=True, slots=True)
class RunNumberQuestion:
    """A question whose answer is a number."""

    where: Location
    prompt: str
    answer: RunNumber
    slips: tuple[RunNumber, ...]
    hint: str  # for every other number; may be empty
    computed: tuple[tuple[str, str], ...]  # each expression with its value


@dataclass(frozen=True, slots=True)
class RunExperiment:
    """A change of a cell, and what it does."""

    where: Location
    prompt: str
    cell: int  # among all cells, from zero
    find: str
    put: str
    guesses: tuple[tuple[str, bool], ...]  # each with whether it is right
    why: str
    computed: tuple[tuple[str, str], ...]  # each expression with its value


RunQuestion: TypeAlias = RunChoiceQuestion | RunNumberQuestion
RunBlock: TypeAlias = (
    RunProse | RunCell | RunExercises | RunQuestion | RunExperiment | Figure | BreakTask
)


@dataclass(frozen=True, slots=True)
class RunLesson:
    """A lesson as a page shows it."""

    path: Path
    blocks: Sequence[RunBlock]


def run_lesson(lesson: Lesson, sandbox: Children) -> RunLesson:
    """Run every cell and every value of a lesson.

    Raises:
        DefinitionError: A cell raises, or never ends; with the lesson's own line.
        GraderFault: There is no sandbox to run it in.
    """
    blocks: list[RunBlock | Experiment] = []
    with _open_session(sandbox, lesson.data) as session:
        for block in lesson.blocks:
            match block:
                case Prose(where, parts, title):
                    blocks.append(RunProse(where, *session.text(parts), title))
                case Cell(code=code, hidden=hidden):
                    printed, displays = session.cell(block), session.displays(block.where)
                    blocks.append(RunCell(code, hidden, printed, displays, block.title))
                case Exercises(ids=ids):
                    blocks.append(RunExercises(ids))
                case Figure():
                    blocks.append(session.figure(block))
                case Experiment() | BreakTask():
                    blocks.append(block)
                case ChoiceQuestion():
                    blocks.append(_run_choice(block, session))
                case NumberQuestion():
                    blocks.append(_run_number(block, session))
    run = (
        _try(each, lesson, number, sandbox) if isinstance(each, Experiment) else each
        for number, each in enumerate(blocks)
    )
    return RunLesson(lesson.path, tuple(run))


@contextmanager
def _open_session(sandbox: Children, data: Mapping[str, bytes]) -> "Iterator[_LessonSession]":
    with sandbox.child(LIMITS) as child:
        if data and not isinstance(child.put_files(data), Returned):
            raise GraderFault("the lesson has data files, which this sandbox cannot take")
        session = _LessonSession(child)
        session.load(_source(_DISPLAY), Location(_DISPLAY))
        yield session


def _try(experiment: Experiment, lesson: Lesson, number: int, sandbox: Children) -> RunExperiment:
    """Change a cell above a block, and run all cells down to it in a child of their own.

    It is the last of those whose code is shown and has the text to change.

    Raises:
        DefinitionError: There is no such cell, the text occurs in it more than once, or the changed
            cell raises.
    """
    find = experiment.find
    cells = [block for block in lesson.blocks[:number] if isinstance(block, Cell)]
    places = [at for at, cell in enumerate(cells) if not cell.hidden and find in cell.code]
    if not places:
        message = f"'{find:.40}' is in no cell above whose code is shown"
        raise _problem(experiment.where, message)
    place = places[-1]
    changed = cells[place]
    count = changed.code.count(find)
    if count > 1:
        times = f"{count} times in the cell at line {changed.where.line}, not once"
        raise _problem(experiment.where, f"'{find:.40}' occurs {times}")
    code = changed.code.replace(find, experiment.put)
    with _open_session(sandbox, lesson.data) as session:
        for cell in cells[:place]:
            session.cell(cell)
        session.cell(Cell(changed.where, code, changed.hidden))
        why, computed = session.text(experiment.why)
    return RunExperiment(
        experiment.where,
        experiment.prompt,
        place,
        find,
        experiment.put,
        experiment.guesses,
        why,
        computed,
    )


@cache
def _source(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _run_choice(question: ChoiceQuestion, session: "_LessonSession") -> RunChoiceQuestion:
    prompt, computed = session.text(question.prompt)
    choices = []
    for letter, each in zip(LETTERS, question.choices, strict=False):
        text, of_text = session.text(each.text)
        reason, of_reason = session.text(each.reason)
        computed += of_text + of_reason
        choices.append(RunChoice(letter, text, each.is_right, reason))
    return RunChoiceQuestion(question.where, prompt, tuple(choices), computed)


def _run_number(question: NumberQuestion, session: "_LessonSession") -> RunNumberQuestion:
    """Compute the answer and the slips.

    Raises:
        DefinitionError: Two of them are the same number to a reader who rounds.
    """
    within = session.number(question.within) if question.within else None
    prompt, computed = session.text(question.prompt)
    numbers: list[tuple[Value, RunNumber]] = []
    named = [(question.answer, question.reason), *((s.value, s.reason) for s in question.slips)]
    for value, parts in named:
        number = session.number(value)
        reason, of_reason = session.text(parts)
        computed += ((value.expression, f"{number:.6g}"), *of_reason)
        near = within
        if near is None:  # how far from it a reader may be: whole numbers are exact
            is_whole = number == round(number)
            near = _EXACT * max(1.0, abs(number)) if is_whole else _ROUNDED * abs(number)
        numbers.append((value, RunNumber(number, near, reason)))
    for (first, one), (second, other) in itertools.combinations(numbers, 2):
        if abs(one.value - other.value) <= one.near + other.near:
            name = "the answer" if first is question.answer else "another slip"
            message = f"{second.expression} = {other.value:.6g} is the same number as {name}"
            raise _problem(second.where, f"{message}, {first.expression} = {one.value:.6g}")
    hint, of_hint = session.text(question.hint)
    answer, *slips = (number for _, number in numbers)
    return RunNumberQuestion(
        question.where, prompt, answer, tuple(slips), hint, (*computed, *of_hint)
    )


class _LessonSession:
    """One namespace in a sandbox child."""

    def __init__(self, child: Child) -> None:
        self._child = child
        self.draws = False  # whether cells use matplotlib

    def load(self, code: str, where: Location) -> None:
        """Run code as the next lines of the program."""
        self._value(lambda: self._child.load(code, []), where)

    def cell(self, cell: Cell) -> str:
        """Run a cell and return what it printed."""
        if not self.draws and "matplotlib" in cell.code:
            self.load(_source(_PLOT_DISPLAY), Location(_PLOT_DISPLAY))
            self.draws = True
        begin = self._child.printed
        self.load(print_last_expression(cell.code), cell.where)
        return self._child.output(begin, self._child.printed)

    def displays(self, where: Location) -> tuple[MatrixDisplay | PlotDisplay, ...]:
        """Return what the last cell showed."""
        if self.draws and self._value(lambda: self._child.call("_left_open", [], {}), where):
            message = "the cell draws a figure and does not show it; end with plot('what it shows')"
            raise _problem(where, message)
        items = self._value(lambda: self._child.call("_take", [], {}), where)
        displays: list[MatrixDisplay | PlotDisplay] = []
        for item in items:
            match item:
                case {"kind": "plot", "title": str(title), "alt": str(alt), "svg": str(svg)}:
                    try:
                        safe_svg(svg, alt, "")
                    except UnsafeSvgError as error:
                        raise _problem(where, str(error)) from None
                    displays.append(PlotDisplay(title, alt, svg))
                case {
                    "kind": str(kind),
                    "title": str(title),
                    "values": np.ndarray() as values,
                    "whole": bool(whole),
                    "rows": list(rows),
                    "columns": list(columns),
                }:
                    labels = tuple(map(str, rows)), tuple(map(str, columns))
                    displays.append(MatrixDisplay(kind, title, values, whole, *labels))
                case _:
                    raise _problem(where, "the cell shows what cannot be shown")
        return tuple(displays)

    def text(self, parts: ComputedText) -> tuple[str, tuple[tuple[str, str], ...]]:
        """Return a text with every value in its place, and each expression with its value."""
        computed = []
        joined = ""
        for part in parts:
            if isinstance(part, str):
                joined += part
                continue
            text = str(self._computed(f"str({part.expression})", part.where))
            computed.append((part.expression, text))
            # A value that begins a line must not become the first item of a list, as "1." would.
            begins = text and not joined.rpartition("\n")[2].strip()
            joined += f"&#{ord(text[0])};{text[1:]}" if begins else text
        return joined, tuple(computed)

    def number(self, value: Value) -> float:
        """Return the value of an expression that must be a number."""
        number = self._computed(f"float({value.expression})", value.where)
        if not isinstance(number, float) or not math.isfinite(number):
            raise _problem(value.where, f"{value.expression} is not a finite number")
        return number

    def figure(self, figure: Figure) -> Figure:
        """Return a figure with the arrays that it shows, for each choice of its reader."""
        name, choices = figure.choices
        frames = []
        for choice in choices if figure.expressions else ():
            arrays: tuple[Any, ...] = tuple(
                self._computed(f"(lambda {name}: {each})({choice})", figure.where)
                for each in figure.expressions
            )
            if message := figure.misfit(arrays):
                at = f" for {name} = {choice}" if len(choices) > 1 else ""
                raise _problem(figure.where, message + at)
            frames.append(arrays)
        return replace(figure, frames=tuple(frames))

    def _computed(self, expression: str, where: Location) -> object:
        self.load(f"def {_VALUE}(): return {expression}\n", where)
        result: object = self._value(lambda: self._child.call(_VALUE, [], {}), where)
        return result

    def _value(self, ask: Callable[[], Answer], where: Location) -> Any:
        try:
            answer = ask()
        except ChildGoneError as error:
            raise _problem(where, f"the cell did not end well: {error}") from error
        if isinstance(answer, Returned):
            return answer.value
        if not isinstance(answer, Raised):
            raise _problem(where, f"the cell shows what cannot be shown: {answer.kind}")
        # The outermost frame is the cell's own; deeper ones may lie in another cell.
        line = answer.frames[0][0] if answer.frames else answer.line or 1
        place = Location(where.path, where.line + line - 1)
        raise _problem(place, f"the cell raises {answer.type}: {answer.message}")


def _problem(where: Location, message: str) -> DefinitionError:
    return DefinitionError([Problem(where, message)])
