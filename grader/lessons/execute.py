"""Runs the cells of a lesson, one after another in one namespace, in a sandbox child."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from grader.definitions.exercise import ExerciseId
from grader.errors import DefinitionError, Location, Problem
from grader.lessons.figure import Figure
from grader.lessons.last_expression import print_last_expression
from grader.lessons.lesson import Block, Cell, Exercises, Lesson, Prose, Value
from grader.sandbox.answers import Answer, ChildGoneError, Raised, Returned
from grader.sandbox.interface import Child
from grader.sandbox.limits import Limits
from grader.sandbox.process import Sandbox

LIMITS: Final = Limits(cpu_seconds=60, wall_seconds=120.0)

_DISPLAY: Final = Path(__file__).with_name("display.py")
_VALUE: Final = "_value"  # the name that an expression's value is given to


@dataclass(frozen=True, slots=True)
class Shown:
    """A matrix that a cell showed; `values` has shape (n, m)."""

    kind: str  # heatmap or table
    title: str
    values: npt.NDArray[np.float64]
    whole: bool  # whether the numbers are whole
    rows: tuple[str, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunCell:
    """A cell with what it printed and showed."""

    code: str
    hidden: bool
    printed: str
    shown: tuple[Shown, ...]


@dataclass(frozen=True, slots=True)
class RunProse:
    """Markdown with every value in its place."""

    where: Location
    text: str
    computed: tuple[tuple[str, str], ...]  # each expression with its value


@dataclass(frozen=True, slots=True)
class RunExercises:
    """The place for exercises."""

    ids: tuple[ExerciseId, ...]


RunBlock: TypeAlias = RunProse | RunCell | RunExercises | Figure


@dataclass(frozen=True, slots=True)
class RunLesson:
    """A lesson as a page shows it."""

    path: Path
    blocks: Sequence[RunBlock]


def run_lesson(lesson: Lesson, sandbox: Sandbox) -> RunLesson:
    """Run every cell and every value of a lesson.

    Raises:
        DefinitionError: a cell raises, or never ends; with the lesson's own line.
        GraderFault: there is no sandbox to run it in.
    """
    with sandbox.child(LIMITS) as child:
        session = _LessonSession(child)
        session.load(_display_source(), Location(_DISPLAY))
        return RunLesson(lesson.path, tuple(_run(block, session) for block in lesson.blocks))


@cache
def _display_source() -> str:
    return _DISPLAY.read_text(encoding="utf-8")


def _run(block: Block, session: "_LessonSession") -> RunBlock:
    match block:
        case Prose(where, parts):
            texts = [session.value(p) if isinstance(p, Value) else p for p in parts]
            pairs = zip(parts, texts, strict=True)
            computed = tuple((p.expression, text) for p, text in pairs if isinstance(p, Value))
            # Join prose and values; one that begins a line must not become a list, as "1." would.
            joined = ""
            for part, text in zip(parts, texts, strict=True):
                line = joined.rpartition("\n")[2]
                begins = isinstance(part, Value) and text and not line.strip()
                joined += f"&#{ord(text[0])};{text[1:]}" if begins else text
            return RunProse(where, joined, computed)
        case Cell(code=code, hidden=hidden):
            return RunCell(code, hidden, session.cell(block), session.shown(block.where))
        case Exercises(ids=ids):
            return RunExercises(ids)
        case Figure():
            return block


class _LessonSession:
    """One namespace in a sandbox child."""

    def __init__(self, child: Child) -> None:
        self._child = child

    def load(self, code: str, where: Location) -> None:
        """Run code as the next lines of the program."""
        self._value(lambda: self._child.load(code, []), where)

    def cell(self, cell: Cell) -> str:
        """Run a cell and return what it printed."""
        begin = self._child.printed
        self.load(print_last_expression(cell.code), cell.where)
        return self._child.output(begin, self._child.printed)

    def shown(self, where: Location) -> tuple[Shown, ...]:
        """Return what the last cell showed."""
        found = self._value(lambda: self._child.call("_take", [], {}), where)
        return tuple(_shown(item, where) for item in found)

    def value(self, value: Value) -> str:
        """Return the value of an expression as text."""
        self.load(f"def {_VALUE}(): return str({value.expression})\n", value.where)
        found = self._value(lambda: self._child.call(_VALUE, [], {}), value.where)
        return str(found)

    def _value(self, ask: Callable[[], Answer], where: Location) -> Any:  # noqa: ANN401  any value
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


def _shown(item: Any, where: Location) -> Shown:  # noqa: ANN401  checked here
    match item:
        case {
            "kind": str(kind),
            "title": str(title),
            "values": np.ndarray() as values,
            "whole": bool(whole),
            "rows": list(rows),
            "columns": list(columns),
        }:
            return Shown(
                kind, title, values, whole, tuple(map(str, rows)), tuple(map(str, columns))
            )
    raise _problem(where, "the cell shows what cannot be shown")


def _problem(where: Location, message: str) -> DefinitionError:
    return DefinitionError([Problem(where, message)])
