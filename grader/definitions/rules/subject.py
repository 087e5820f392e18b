"""The subject of the rules: an exercise with its file, its parsed Python and the names in it."""

import ast
from collections.abc import Callable, Iterator
from typing import Literal, TypeAlias, cast

from grader.definitions.exercise import Exercise
from grader.definitions.python_names import PythonNames, find_names
from grader.definitions.yaml_source import Document, Scalar
from grader.errors import Problem

Step: TypeAlias = str | int
Mode: TypeAlias = Literal["eval", "exec"]
Rule: TypeAlias = Callable[["CheckedExercise"], Iterator[Problem]]


class CheckedExercise:
    """An exercise and its file. `steps` are the keys and indices that lead to a node."""

    def __init__(self, exercise: Exercise, document: Document) -> None:
        self.exercise = exercise
        self.document = document
        self.references = {
            name for name, definition in exercise.defines.items() if definition.reference
        }
        self._names: dict[tuple[Step, ...], PythonNames | None] = {}
        self._trees: dict[tuple[Step, ...], ast.AST | Problem] = {}

    def problem(self, message: str, *steps: Step) -> Problem:
        """Return a problem at a node, labelled with the last key in its steps."""
        label = next(step for step in reversed(steps) if isinstance(step, str))
        return Problem(self.document.node(*steps).where, f"{label}: {message}")

    def at_key(self, message: str, *steps: Step) -> Problem:
        """Return a problem at a key, labelled with the key above it."""
        return Problem(self.document.key(*steps), f"{steps[-2]}: {message}")

    def in_text(self, message: str, name: ast.expr, *steps: Step) -> Problem:
        """Return a problem with an expression in the Python at a node."""
        node = cast("Scalar", self.document.node(*steps))
        line = node.text.split("\n")[name.lineno - 1].encode()[: name.col_offset]
        where = self.document.locate(node, name.lineno, len(line.decode()) + 1)
        label = next(step for step in reversed(steps) if isinstance(step, str))
        return Problem(where, f"{label}: {message}")

    def syntax(self, mode: Mode, *steps: Step) -> Iterator[Problem]:
        """Yield a problem if the text at a node is not valid Python."""
        parsed = self._parse(mode, steps)
        if isinstance(parsed, Problem):
            yield parsed

    def tree(self, mode: Mode, *steps: Step) -> ast.AST | None:
        """Return the syntax tree of the Python at a node, or None if it is not valid."""
        parsed = self._parse(mode, steps)
        return None if isinstance(parsed, Problem) else parsed

    def names(self, mode: Mode, *steps: Step) -> PythonNames | None:
        """Return the names in the Python at a node, or None if it is not valid."""
        if steps not in self._names:
            tree = self.tree(mode, *steps)
            self._names[steps] = None if tree is None else find_names(tree)
        return self._names[steps]

    def _parse(self, mode: Mode, steps: tuple[Step, ...]) -> ast.AST | Problem:
        if steps not in self._trees:
            node = cast("Scalar", self.document.node(*steps))  # the decoder found a text here
            try:
                self._trees[steps] = ast.parse(node.text, mode=mode)
            except SyntaxError as error:
                where = self.document.locate(node, error.lineno or 1, error.offset or 1)
                message = f"{steps[-1]}: not valid Python: {error.msg}"
                self._trees[steps] = Problem(where, message)
            except (MemoryError, RecursionError, ValueError):  # raised if it is nested too deeply
                message = "this Python is too complex to read"
                self._trees[steps] = self.problem(message, *steps)
        return self._trees[steps]
