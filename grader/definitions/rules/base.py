"""The subject of the rules: an exercise with its file, and its Python, parsed, with its names."""

import ast
import keyword
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, cast

from grader.definitions.exercise import Exercise
from grader.definitions.yaml_source import Document, Scalar
from grader.errors import Problem

Step: TypeAlias = str | int
Mode: TypeAlias = Literal["eval", "exec"]
Rule: TypeAlias = Callable[["CheckedExercise"], Iterator[Problem]]

_COMPREHENSIONS: Final = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SCOPES: Final = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.Lambda,
    ast.ClassDef,
    *_COMPREHENSIONS,
)
_BINDERS: Final = frozenset(  # nodes that set their `name`; type parameters came with Python 3.12
    {"MatchAs", "MatchStar", "ExceptHandler", "TypeVar", "ParamSpec", "TypeVarTuple"}
)
_DYNAMIC: Final = frozenset({"exec", "globals", "locals", "vars"})


@dataclass(frozen=True, slots=True)
class PythonNames:
    """The names that a piece of Python sets and needs at its top level."""

    sets: frozenset[str]
    needs: dict[str, ast.Name]  # where each name that it does not set is first used
    modules: frozenset[str]  # names in `sets` that can only be modules
    is_certain: bool  # nothing sets names unseen, as a star import does


def names(tree: ast.AST) -> PythonNames:
    """Find the names in a module or an expression.

    What is doubtful counts as set: a parameter also in the defaults beside it, the names of a class
    also in its methods, and a name before the line that sets it. Python that is nested deeper than
    we can follow has no names that are certain.
    """
    finder = _Finder()
    try:
        finder.visit(tree)
    except RecursionError:
        return PythonNames(frozenset(), {}, frozenset(), is_certain=False)
    top = finder.scope
    return PythonNames(
        frozenset(top.sets),
        {name: node for name, node in top.uses.items() if name not in top.sets},
        frozenset(finder.modules - finder.others),
        finder.is_certain,
    )


@dataclass(slots=True)
class _Scope:
    above: "_Scope | None" = None
    is_comprehension: bool = False
    sets: set[str] = field(default_factory=set)
    uses: dict[str, ast.Name] = field(default_factory=dict)


class _Finder(ast.NodeVisitor):
    """Walks the scopes; what a scope uses and does not set is passed to the one above."""

    def __init__(self) -> None:
        self.top = self.scope = _Scope()
        self.modules: set[str] = set()
        self.others: set[str] = set()
        self.is_certain = True

    def visit(self, node: ast.AST) -> None:
        """Note what a node does with names, and go on with what is in it."""
        if not isinstance(node, _SCOPES):
            self._note(node)
            self.generic_visit(node)
            return
        if name := getattr(node, "name", None):
            self._add_name(name)
        outer = self.scope
        self.scope = _Scope(outer, isinstance(node, _COMPREHENSIONS))
        self.generic_visit(node)
        inner, self.scope = self.scope, outer
        for used, place in inner.uses.items():
            if used not in inner.sets:
                outer.uses.setdefault(used, place)

    def _note(self, node: ast.AST) -> None:
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                self.scope.uses.setdefault(name, node)
                self.is_certain &= name not in _DYNAMIC
            case ast.Name(id=name) | ast.arg(arg=name):
                self._add_name(name)
            case ast.NamedExpr(target=ast.Name(id=name)):
                scope = self.scope  # in a comprehension `:=` sets the name around that
                while scope.is_comprehension and scope.above:
                    scope = scope.above
                scope.sets.add(name)
            case ast.Global(names=declared):
                self.top.sets.update(declared)
            case ast.Import() | ast.ImportFrom():
                for alias in node.names:
                    self.is_certain &= alias.name != "*"
                    name = alias.asname or alias.name.partition(".")[0]
                    self._add_name(name, is_module=isinstance(node, ast.Import))
            case ast.MatchMapping(rest=str(name)):
                self._add_name(name)
            case _ if type(node).__name__ in _BINDERS and isinstance(
                bound := getattr(node, "name", None), str
            ):
                self._add_name(bound)

    def _add_name(self, name: str, *, is_module: bool = False) -> None:
        self.scope.sets.add(name)
        (self.modules if is_module else self.others).add(name)


class CheckedExercise:
    """An exercise and the file it comes from; steps are the keys and indices on the way."""

    def __init__(self, exercise: Exercise, document: Document) -> None:
        self.exercise = exercise
        self.document = document
        self.references = {
            name for name, definition in exercise.defines.items() if definition.reference
        }
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
            node = cast("Scalar", self.document.node(*steps))  # the decoder found a text here
            try:
                self._trees[steps] = ast.parse(node.text, mode=mode)
            except SyntaxError as error:
                where = self.document.place(node, error.lineno or 1, error.offset or 1)
                message = f"{steps[-1]}: not valid Python: {error.msg}"
                self._trees[steps] = Problem(where, message)
            except (MemoryError, RecursionError, ValueError):  # how the parser says "too deep"
                message = "this Python is too complex to read"
                self._trees[steps] = self.problem(message, *steps)
        return self._trees[steps]


def is_name(text: str) -> bool:
    """Return whether a text can be a variable's name."""
    return text.isidentifier() and not keyword.iskeyword(text)
