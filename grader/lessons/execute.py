"""The run of a lesson's cells, one after another in one namespace of a sandbox child."""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from grader.errors import DefinitionError, Location
from grader.grading.program.loaded_program import put_files
from grader.lessons.blocks import (
    Block,
    Cell,
    ChoiceQuestion,
    Experiment,
    MatrixDisplay,
    NumberQuestion,
    PlotDisplay,
    Prose,
)
from grader.lessons.computed_text import Text, Value
from grader.lessons.figure import Figure
from grader.lessons.last_expression import print_last_expression
from grader.lessons.lesson import Lesson
from grader.lessons.safe_svg import UnsafeSvgError, safe_svg
from grader.sandbox.answers import Answer, ChildGoneError, Raised, Returned
from grader.sandbox.interface import Child, ChildFactory
from grader.sandbox.limits import Limits

LIMITS: Final = Limits(cpu_seconds=60, wall_seconds=120.0)

_DISPLAY: Final = Path(__file__).with_name("display.py")
_PLOT_DISPLAY: Final = Path(__file__).with_name("plot_display.py")
# Relative tolerance for a whole number as an answer: only for rounding errors.
_EXACT: Final = 1e-9
# Relative tolerance for any other number, so that a reader may round 0.2689 to 0.27.
_ROUNDED: Final = 0.01
_VALUE: Final = "_value"  # the name of the function that evaluates an expression


def run_lesson(lesson: Lesson, sandbox: ChildFactory) -> Lesson:
    """Run every cell and expression of a lesson, and return it with the outputs and values.

    Raises:
        DefinitionError: A cell raises or does not end. The problem has the line of the lesson.
        GraderFault: There is no sandbox to run the lesson in.
    """
    with _open_session(sandbox, lesson.data) as session:
        blocks = [session.run(block) for block in lesson.blocks]
    run = (
        _run_experiment(block, lesson, number, sandbox) if isinstance(block, Experiment) else block
        for number, block in enumerate(blocks)
    )
    return replace(lesson, blocks=tuple(run))


@contextmanager
def _open_session(sandbox: ChildFactory, data: Mapping[str, bytes]) -> "Iterator[_LessonSession]":
    with sandbox.child(LIMITS) as child:
        put_files(child, data, "the lesson")
        session = _LessonSession(child)
        session.load(_source(_DISPLAY), Location(_DISPLAY))
        yield session


def _run_experiment(
    experiment: Experiment, lesson: Lesson, number: int, sandbox: ChildFactory
) -> Experiment:
    """Change a cell above an experiment, and run all cells down to it in a new child.

    The changed cell is the last one whose code is shown and contains the text to replace.

    Raises:
        DefinitionError: There is no such cell, the text occurs in it more than once, or the
            changed cell raises.
    """
    find = experiment.find
    cells = [block for block in lesson.blocks[:number] if isinstance(block, Cell)]
    indices = [index for index, cell in enumerate(cells) if not cell.hidden and find in cell.code]
    if not indices:
        message = f"'{find:.40}' is in no cell above whose code is shown"
        raise DefinitionError.at(experiment.where, message)
    index = indices[-1]
    changed = cells[index]
    count = changed.code.count(find)
    if count > 1:
        times = f"{count} times in the cell at line {changed.where.line}, not once"
        raise DefinitionError.at(experiment.where, f"'{find:.40}' occurs {times}")
    code = changed.code.replace(find, experiment.put)
    with _open_session(sandbox, lesson.data) as session:
        for cell in cells[:index]:
            session.cell(cell)
        session.cell(replace(changed, code=code))
        return replace(experiment, cell=index, why=session.text(experiment.why))


@cache
def _source(path: Path) -> str:
    return path.read_text(encoding="utf-8")


class _LessonSession:
    """One namespace in a sandbox child, in which cells run."""

    def __init__(self, child: Child) -> None:
        self._child = child
        self.draws = False  # True once a cell has used matplotlib

    def run(self, block: Block) -> Block:
        """Run a block and return it with its values; leave an experiment to `_run_experiment`."""
        match block:
            case Prose():
                return replace(block, text=self.text(block.text))
            case Cell():
                printed = self.cell(block)
                return replace(block, printed=printed, displays=self.displays(block.where))
            case Figure():
                return self.figure(block)
            case ChoiceQuestion(prompt=prompt, choices=choices):
                prompt = self.text(prompt)
                computed = (
                    replace(choice, text=self.text(choice.text), reason=self.text(choice.reason))
                    for choice in choices
                )
                return replace(block, prompt=prompt, choices=tuple(computed))
            case NumberQuestion():
                return self.number_question(block)
        return block

    def number_question(self, question: NumberQuestion) -> NumberQuestion:
        """Compute the answer and the slips of a question.

        Raises:
            DefinitionError: Two of these numbers are the same within their tolerances.
        """
        own_tolerance = self.number(question.tolerance) if question.tolerance else None
        prompt = self.text(question.prompt)
        answers = []
        for known in (question.answer, *question.slips):
            number = self.number(known.value)
            tolerance = own_tolerance
            if tolerance is None:  # whole numbers are exact, others are rounded
                is_whole = number == round(number)
                tolerance = _EXACT * max(1.0, abs(number)) if is_whole else _ROUNDED * abs(number)
            reason = self.text(known.reason)
            answers.append(replace(known, number=number, tolerance=tolerance, reason=reason))
        for one, other in itertools.combinations(answers, 2):
            if abs(one.number - other.number) <= one.tolerance + other.tolerance:
                name = "the answer" if one is answers[0] else "another slip"
                same = f"{other.value.expression} = {other.number:.6g} is the same number as {name}"
                message = f"{same}, {one.value.expression} = {one.number:.6g}"
                raise DefinitionError.at(other.value.where, message)
        answer, *slips = answers
        hint = self.text(question.hint)
        return replace(question, prompt=prompt, answer=answer, slips=tuple(slips), hint=hint)

    def load(self, code: str, where: Location) -> None:
        """Run code as the next lines of the program."""
        self._value(lambda: self._child.load(code, []), where)

    def cell(self, cell: Cell) -> str:
        """Run a cell and return its printed output."""
        if not self.draws and "matplotlib" in cell.code:
            self.load(_source(_PLOT_DISPLAY), Location(_PLOT_DISPLAY))
            self.draws = True
        begin = self._child.output_size
        self.load(print_last_expression(cell.code), cell.where)
        return self._child.output(begin)

    def displays(self, where: Location) -> tuple[MatrixDisplay | PlotDisplay, ...]:
        """Return the displays of the last cell."""
        if self.draws and self._value(lambda: self._child.call("_left_open", [], {}), where):
            message = "the cell draws a figure and does not show it; end with plot('what it shows')"
            raise DefinitionError.at(where, message)
        items = self._value(lambda: self._child.call("_pop_displays", [], {}), where)
        displays: list[MatrixDisplay | PlotDisplay] = []
        for item in items:
            match item:
                case {"kind": "plot", "title": str(title), "alt": str(alt), "svg": str(svg)}:
                    try:
                        safe_svg(svg, alt, "")
                    except UnsafeSvgError as error:
                        raise DefinitionError.at(where, str(error)) from None
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
                    raise DefinitionError.at(where, "the cell shows what cannot be shown")
        return tuple(displays)

    def text(self, text: Text) -> Text:
        """Replace each expression in a text by its value."""
        computed = []
        joined = ""
        for part in text.parts:
            if isinstance(part, str):
                joined += part
                continue
            value = str(self._evaluate(f"str({part.expression})", part.where))
            computed.append((part.expression, value))
            # Escape a value at the start of a line: Markdown would read "1." as an item of a list.
            begins = value and not joined.rpartition("\n")[2].strip()
            joined += f"&#{ord(value[0])};{value[1:]}" if begins else value
        return Text((joined,), tuple(computed))

    def number(self, value: Value) -> float:
        """Return the value of an expression that must be a number."""
        number = self._evaluate(f"float({value.expression})", value.where)
        if not isinstance(number, float) or not math.isfinite(number):
            raise DefinitionError.at(value.where, f"{value.expression} is not a finite number")
        return number

    def figure(self, figure: Figure) -> Figure:
        """Return a figure with the arrays that it shows for each choice of a reader."""
        name, choices = figure.choices
        frames = []
        for choice in choices if figure.expressions else ():
            arrays: tuple[Any, ...] = tuple(
                self._evaluate(f"(lambda {name}: {expression})({choice})", figure.where)
                for expression in figure.expressions
            )
            if message := figure.misfit(arrays):
                at = f" for {name} = {choice}" if len(choices) > 1 else ""
                raise DefinitionError.at(figure.where, message + at)
            frames.append(arrays)
        return replace(figure, frames=tuple(frames))

    def _evaluate(self, expression: str, where: Location) -> object:
        self.load(f"def {_VALUE}(): return {expression}\n", where)
        value: object = self._value(lambda: self._child.call(_VALUE, [], {}), where)
        return value

    def _value(self, ask: Callable[[], Answer], where: Location) -> Any:
        try:
            answer = ask()
        except ChildGoneError as error:
            raise DefinitionError.at(where, f"the cell did not end well: {error}") from error
        if isinstance(answer, Returned):
            return answer.value
        if not isinstance(answer, Raised):
            raise DefinitionError.at(where, f"the cell shows what cannot be shown: {answer.kind}")
        # The outermost frame is the cell's own; deeper ones may lie in another cell.
        line = answer.frames[0][0] if answer.frames else answer.line or 1
        place = Location(where.path, where.line + line - 1)
        raise DefinitionError.at(place, f"the cell raises {answer.type}: {answer.message}")
