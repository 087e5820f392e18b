"""Python in the form that rules compare: without layout, docstrings and comments."""

import ast
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, TypeAlias

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

_LAYOUT: Final = re.compile(r"[\s`]+")
_TELLING: Final = (ast.Call, ast.BinOp, ast.Subscript, ast.Compare, ast.ListComp)
# Characters; shorter expressions, such as `n + 1`, are too common to tell anything.
_MIN_TELLING: Final = 8
_COMPUTING: Final = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Expr)
_INNER: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_DOCUMENTED: Final = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def squeeze(text: str) -> str:
    """Remove white space and backticks from a text."""
    return _LAYOUT.sub("", text)


@dataclass(frozen=True, slots=True)
class ComputedValue:
    """An expression that a program computes, with its possible spellings, squeezed."""

    text: str  # the normal form
    spellings: frozenset[str]
    is_telling: bool  # True if it is long enough to reveal something

    def is_in(self, squeezed: str) -> bool:
        """Return whether a squeezed text contains it in any spelling."""
        return any(spelling in squeezed for spelling in self.spellings)


@dataclass(frozen=True, slots=True)
class SolvedFunction:
    """A function of the solution, with its return values and intermediate values."""

    name: str
    returns: tuple[ComputedValue, ...]
    steps: tuple[ComputedValue, ...]  # only those that reveal something


def find_functions(tree: ast.AST, source: str, names: Collection[str]) -> list[SolvedFunction]:
    """Return the functions and methods under these names, with the values that they compute."""
    functions: list[tuple[str, _Function]] = []
    for node in ast.iter_child_nodes(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if name in names:
                functions.append((name, node))
            case ast.ClassDef(name=name, body=body) if name in names:
                methods = (statement for statement in body if isinstance(statement, _Function))
                functions += [(f"{name}.{method.name}", method) for method in methods]
    solved_functions = []
    for name, function in functions:
        returns, steps = [], []
        waiting: list[ast.AST] = list(function.body)
        while waiting:
            inner = waiting.pop(0)
            if not isinstance(inner, _INNER):
                waiting[:0] = ast.iter_child_nodes(inner)
            if not isinstance(inner, _COMPUTING) or inner.value is None:
                continue
            text = ast.unparse(inner.value)
            written = ast.get_source_segment(source, inner.value) or text
            is_telling = len(squeeze(text)) >= _MIN_TELLING and any(
                isinstance(node, _TELLING) for node in ast.walk(inner.value)
            )
            value = ComputedValue(text, frozenset((squeeze(text), squeeze(written))), is_telling)
            if isinstance(inner, ast.Return) and text != "None":
                returns.append(value)
            if is_telling:
                steps.append(value)
        solved_functions.append(SolvedFunction(name, tuple(returns), tuple(steps)))
    return solved_functions


def normalize(tree: ast.AST) -> str:
    """Return a form in which programs are equal up to layout, comments and docstrings."""
    removed = [
        (node, node.body)
        for node in ast.walk(tree)
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None
    ]
    for node, body in removed:
        node.body = body[1:]
    try:
        return ast.dump(tree, annotate_fields=False)
    finally:
        for node, body in removed:
            node.body = body
