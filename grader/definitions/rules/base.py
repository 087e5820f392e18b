"""The subject of the rules: an exercise with its file, and its Python, parsed once."""

import ast
import keyword
import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Final, Literal, TypeAlias, cast

from grader.definitions.exercise import Exercise
from grader.definitions.rules.python_names import PythonNames, names
from grader.definitions.wording import quote
from grader.definitions.yaml_source import Document, Scalar
from grader.errors import Location, Problem

Step: TypeAlias = str | int
Mode: TypeAlias = Literal["eval", "exec"]
Rule: TypeAlias = Callable[["Checked"], Iterator[Problem]]

SLUG: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class Checked:
    """An exercise and the file it comes from; steps are the keys and indices on the way."""

    def __init__(self, exercise: Exercise, document: Document) -> None:
        self.exercise = exercise
        self.document = document
        self.references = {name for name, made in exercise.defines.items() if made.reference}
        self._names: dict[tuple[Step, ...], PythonNames | None] = {}
        self._trees: dict[tuple[Step, ...], ast.AST | Problem] = {}

    def problem(self, message: str, *steps: Step) -> Problem:
        """Return a problem at a place, labelled with the last key on the way to it."""
        label = next(step for step in reversed(steps) if isinstance(step, str))
        return Problem(self.document.node(*steps).where, f"{label}: {message}")

    def at_key(self, message: str, *steps: Step) -> Problem:
        """Return a problem with a key, labelled with the key above it."""
        return Problem(self.document.key(*steps), f"{steps[-2]}: {message}")

    def in_text(self, message: str, name: ast.expr, *steps: Step) -> Problem:
        """Return a problem with a part of the Python at a place."""
        node = cast("Scalar", self.document.node(*steps))
        line = node.text.split("\n")[name.lineno - 1].encode()[: name.col_offset]
        where = self.document.place(node, name.lineno, len(line.decode()) + 1)
        label = next(step for step in reversed(steps) if isinstance(step, str))
        return Problem(where, f"{label}: {message}")

    def syntax(self, mode: Mode, *steps: Step) -> Iterator[Problem]:
        """Yield a problem if the text at a place is not Python."""
        parsed = self._parse(mode, steps)
        if isinstance(parsed, Problem):
            yield parsed

    def tree(self, mode: Mode, *steps: Step) -> ast.AST | None:
        """Return the Python at a place, parsed; None if it is none, which `syntax` says."""
        parsed = self._parse(mode, steps)
        return None if isinstance(parsed, Problem) else parsed

    def names(self, mode: Mode, *steps: Step) -> PythonNames | None:
        """Return what the Python at a place does with names; None if it is no Python."""
        if steps not in self._names:
            tree = self.tree(mode, *steps)
            self._names[steps] = None if tree is None else names(tree)
        return self._names[steps]

    def _parse(self, mode: Mode, steps: tuple[Step, ...]) -> ast.AST | Problem:
        if steps not in self._trees:
            self._trees[steps] = self._parsed(mode, steps)
        return self._trees[steps]

    def _parsed(self, mode: Mode, steps: tuple[Step, ...]) -> ast.AST | Problem:
        node = cast("Scalar", self.document.node(*steps))  # the decoder found a text here
        try:
            return ast.parse(node.text, mode=mode)
        except SyntaxError as error:
            where = self.document.place(node, error.lineno or 1, error.offset or 1)
            return Problem(where, f"{steps[-1]}: not valid Python: {error.msg}")
        except (MemoryError, RecursionError, ValueError):  # how the parser says "too deep"
            return self.problem("this Python is too complex to read", *steps)


def slug(document: Document, *steps: Step) -> Iterator[Problem]:
    """Yield a problem if the id at a place of the file is not a slug."""
    node = document.node(*steps)
    if isinstance(node, Scalar) and not SLUG.fullmatch(node.text):
        message = f"{quote(node.text)} is not lower-case words joined by hyphens"
        yield Problem(node.where, f"{steps[-1]}: {message}")


def unique(
    document: Document, items: Iterable[tuple[Hashable, tuple[Step, ...]]]
) -> Iterator[Problem]:
    """Yield a problem for each value, given with its steps, that was there before."""
    first: dict[Hashable, Location] = {}
    for value, steps in items:
        where = document.node(*steps).where
        if value in first:
            label = next(step for step in reversed(steps) if isinstance(step, str))
            said = quote(str(value))
            yield Problem(where, f"{label}: {said} is taken; it is already at {first[value]}")
        first.setdefault(value, where)


def is_name(text: str) -> bool:
    """Return whether a text can be a variable's name."""
    return text.isidentifier() and not keyword.iskeyword(text)


def is_dotted(text: str) -> bool:
    """Return whether a text is names joined by dots."""
    return all(map(is_name, text.split(".")))
