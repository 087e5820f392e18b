"""The names that a piece of Python sets and needs at its top level."""

import ast
import keyword
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


def find_names(tree: ast.AST) -> PythonNames:
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
    """A walk of scopes, which passes names that a scope uses but does not set to the outer one."""

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


def is_name(text: str) -> bool:
    """Return whether a text is a valid name of a variable."""
    return text.isidentifier() and not keyword.iskeyword(text)
