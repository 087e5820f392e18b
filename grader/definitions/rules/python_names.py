"""The names that a piece of Python sets, and those that it needs from elsewhere."""

import ast
from dataclasses import dataclass, field
from typing import Final

_COMPREHENSIONS: Final = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SCOPES: Final = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.Lambda,
    ast.ClassDef,
    *_COMPREHENSIONS,
)
_NAMED: Final = frozenset(  # nodes that set their `name`; type parameters came with Python 3.12
    {"MatchAs", "MatchStar", "ExceptHandler", "TypeVar", "ParamSpec", "TypeVarTuple"}
)
_DYNAMIC: Final = frozenset({"exec", "globals", "locals", "vars"})


@dataclass(frozen=True, slots=True)
class PythonNames:
    """The names that a piece of Python sets and needs at its top level."""

    sets: frozenset[str]
    needs: dict[str, ast.Name]  # where each name that it does not set is first used
    modules: frozenset[str]  # of the names set, those that can only be modules
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
            self._set(name)
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
                self._set(name)
            case ast.NamedExpr(target=ast.Name(id=name)):
                self._set_around(name)
            case ast.Global(names=declared):
                self.top.sets.update(declared)
            case ast.Import() | ast.ImportFrom():
                self._import(node)
            case ast.MatchMapping(rest=str(name)):
                self._set(name)
            case _ if type(node).__name__ in _NAMED and isinstance(
                found := getattr(node, "name", None), str
            ):
                self._set(found)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            self.is_certain &= alias.name != "*"
            name = alias.asname or alias.name.partition(".")[0]
            self._set(name, is_module=isinstance(node, ast.Import))

    def _set(self, name: str, *, is_module: bool = False) -> None:
        self.scope.sets.add(name)
        (self.modules if is_module else self.others).add(name)

    def _set_around(self, name: str) -> None:
        """Set a name with `:=`, which in a comprehension sets it around that."""
        scope = self.scope
        while scope.is_comprehension and scope.above:
            scope = scope.above
        scope.sets.add(name)
