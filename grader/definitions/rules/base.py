"""The subject of the rules: an exercise with its file, its parsed Python and the names in it."""

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
_BINDERS: Final = frozenset(  # nodes that bind their `name`; some exist only since Python 3.12
    {"MatchAs", "MatchStar", "ExceptHandler", "TypeVar", "ParamSpec", "TypeVarTuple"}
)
_DYNAMIC: Final = frozenset({"exec", "globals", "locals", "vars"})


@dataclass(frozen=True, slots=True)
class PythonNames:
    """The names that a piece of Python sets and needs at its top level."""

    sets: frozenset[str]
    needs: dict[str, ast.Name]  # first use of each name that it does not set
    modules: frozenset[str]  # names in `sets` that can only be modules
    is_certain: bool  # False if names may be set dynamically, as by a star import


def names(tree: ast.AST) -> PythonNames:
    """Find the names in a module or an expression.

    In doubt a name counts as set: parameters in their own defaults, names of a class in its
    methods, and names before the line that sets them. If the Python is nested too deeply, the
    result is not certain.
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
    """Walks the scopes and passes names that a scope uses but does not set to the outer one."""

    def __init__(self) -> None:
        self.top = self.scope = _Scope()
        self.modules: set[str] = set()
        self.others: set[str] = set()
        self.is_certain = True

    def visit(self, node: ast.AST) -> None:
        """Note the names that a node sets or uses, then visit its children."""
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
        for used, name_node in inner.uses.items():
            if used not in inner.sets:
                outer.uses.setdefault(used, name_node)

    def _note(self, node: ast.AST) -> None:
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                self.scope.uses.setdefault(name, node)
                self.is_certain &= name not in _DYNAMIC
            case ast.Name(id=name) | ast.arg(arg=name):
                self._add_name(name)
            case ast.NamedExpr(target=ast.Name(id=name)):
                scope = self.scope  # in a comprehension, `:=` binds in the scope around it
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
            self._names[steps] = None if tree is None else names(tree)
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


def is_name(text: str) -> bool:
    """Return whether a text is a valid name of a variable."""
    return text.isidentifier() and not keyword.iskeyword(text)
