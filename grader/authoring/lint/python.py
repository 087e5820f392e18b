"""Python as rules compare it: without layout, docstrings and comments."""

import ast
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

_LAYOUT: Final = re.compile(r"[\s`]+")
_TELLING: Final = (ast.Call, ast.BinOp, ast.Subscript, ast.Compare, ast.ListComp)
_MIN_TELLING: Final = 8  # characters; a shorter expression, such as `n + 1`, stands anywhere
_INNER: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def squeeze(text: str) -> str:
    """Return a text without white space and backticks."""
    return _LAYOUT.sub("", text)


@dataclass(frozen=True, slots=True)
class ComputedValue:
    """An expression whose value a program computes, and how it can be spelled, squeezed."""

    text: str  # in normal form
    spellings: frozenset[str]
    is_telling: bool  # someone can learn from it

    def is_in(self, squeezed: str) -> bool:
        """Return whether a squeezed text has it, in either spelling."""
        return any(spelling in squeezed for spelling in self.spellings)


@dataclass(frozen=True, slots=True)
class SolvedFunction:
    """A function of the solution: what it returns, and the values it computes on the way."""

    name: str
    returns: tuple[ComputedValue, ...]
    steps: tuple[ComputedValue, ...]  # those that tell something


def solved(tree: ast.AST, source: str, names: Collection[str]) -> list[SolvedFunction]:
    """Return what the functions with these names, and the methods of such classes, compute."""
    return [
        SolvedFunction(
            name,
            tuple(_value(node, source) for node in _returned(function)),
            tuple(
                v for v in (_value(node, source) for node in _computed(function)) if v.is_telling
            ),
        )
        for name, function in _functions(tree, names)
    ]


def _value(node: ast.expr, source: str) -> ComputedValue:
    text = ast.unparse(node)
    written = ast.get_source_segment(source, node) or text
    is_telling = len(squeeze(text)) >= _MIN_TELLING and any(
        isinstance(inner, _TELLING) for inner in ast.walk(node)
    )
    return ComputedValue(text, frozenset((squeeze(text), squeeze(written))), is_telling)


def shape(tree: ast.AST) -> str:
    """Return what two programs share that differ in layout, comments and docstrings at most."""
    removed = [(node, node.body) for node in ast.walk(tree) if _has_docstring(node)]  # type: ignore[attr-defined]  # what has a docstring has a body
    for node, body in removed:
        node.body = body[1:]  # type: ignore[attr-defined]  # likewise
    try:
        return ast.dump(tree, annotate_fields=False)
    finally:
        for node, body in removed:
            node.body = body  # type: ignore[attr-defined]  # likewise


def _has_docstring(node: ast.AST) -> bool:
    match node:
        case (
            ast.Module(body=[ast.Expr(value=ast.Constant(value=str())), *_])
            | ast.ClassDef(body=[ast.Expr(value=ast.Constant(value=str())), *_])
            | ast.FunctionDef(body=[ast.Expr(value=ast.Constant(value=str())), *_])
            | ast.AsyncFunctionDef(body=[ast.Expr(value=ast.Constant(value=str())), *_])
        ):
            return True
        case _:
            return False


def _functions(tree: ast.AST, names: Collection[str]) -> Iterator[tuple[str, _Function]]:
    for node in ast.iter_child_nodes(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if name in names:
                yield name, node
            case ast.ClassDef(name=name, body=body) if name in names:
                for inner in body:
                    if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
                        yield f"{name}.{inner.name}", inner


def _returned(function: _Function) -> list[ast.expr]:
    return [
        node.value
        for node in _own(function)
        if isinstance(node, ast.Return)
        and node.value is not None
        and not (isinstance(node.value, ast.Constant) and node.value.value is None)
    ]


def _computed(function: _Function) -> list[ast.expr]:
    return [
        node.value
        for node in _own(function)
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Return | ast.Expr)
        and node.value is not None
    ]


def _own(function: _Function) -> Iterator[ast.AST]:
    """Yield the nodes of a function that belong to no function in it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop(0)
        yield node
        if not isinstance(node, _INNER):
            waiting[:0] = ast.iter_child_nodes(node)
