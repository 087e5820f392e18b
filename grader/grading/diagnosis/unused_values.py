"""A reader of programs: what they compute and never use.

It runs in a child, since Python's parser can be crashed. Standard library only; nothing of ours may
be imported here. It is short, since a child compiles it for each submission that is told a mistake.
"""

import ast
from collections.abc import Iterator, Sequence
from typing import Any

_LONGEST = 20_000  # characters of a program
_MOST = 10
_NUMPY = ("np", "numpy", "math")
_PURE = {
    "abs": 1, "clip": 3, "concatenate": 2, "cumsum": 2, "dot": 2, "exp": 1, "log": 1, "matmul": 2,
    "max": 2, "mean": 2, "min": 2, "reshape": 2, "sqrt": 1, "squeeze": 2, "stack": 2, "sum": 2,
    "swapaxes": 3, "tanh": 1, "transpose": 2, "where": 3,
}  # fmt: skip
"""Functions of NumPy that only compute, and how many arguments may stand before `out`."""
_PURE_METHODS = {"astype", "reshape", "squeeze", "swapaxes", "transpose"}  # of arrays alone
_BY_NAME = {"eval", "exec", "globals", "locals", "vars"}  # read names that no one sees

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def read(source: str, defined: Sequence[str]) -> list[list[Any]]:
    """Return the kind, the name and the line of what a program computes and never uses.

    The kinds are "parameter", "result" (of a statement), "value" and "length", of an axis.

    Args:
        source: of the program.
        defined: the names that are asked for.
    """
    if len(source) > _LONGEST:
        return []
    tree = ast.parse(source)
    return [] if _loaded(tree) & _BY_NAME else list(_unused(tree, set(defined)))[:_MOST]


def _unused(tree: ast.Module, defined: set[str]) -> Iterator[list[Any]]:
    asked = [node for node in tree.body if getattr(node, "name", "") in defined]
    given = [node for top in asked for node in ast.walk(top) if isinstance(node, _Function)]
    for function in given:
        read_names = _loaded(function)
        for arg in [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]:
            if arg.arg not in read_names and arg.arg not in ("self", "cls") and arg.arg[0] != "_":
                yield ["parameter", arg.arg, function.lineno]
    for node in ast.walk(tree):
        if isinstance(node, _Function):
            yield from _unused_values(node)


def _unused_values(function: _Function) -> Iterator[list[Any]]:
    read_names = _loaded(function)
    declared = {
        name
        for node in ast.walk(function)
        if isinstance(node, ast.Global | ast.Nonlocal)
        for name in node.names
    }
    for node in ast.walk(function):
        if isinstance(node, ast.Expr) and _only_computes(node.value):
            yield ["result", ast.unparse(node.value), node.lineno]
        if isinstance(node, ast.Assign):
            value = node.value
            is_shape = isinstance(value, ast.Attribute) and value.attr == "shape"
            computed = (ast.BinOp, ast.Call, ast.Subscript)
            is_plain = is_shape or not any(isinstance(part, computed) for part in ast.walk(value))
            targets: list[ast.expr] = [] if is_plain else node.targets
        elif isinstance(node, ast.For) and _is_zip(node.iter):
            targets = [node.target]
        else:
            continue
        for part in (part for target in targets for part in ast.walk(target)):
            if (
                isinstance(part, ast.Name)
                and isinstance(part.ctx, ast.Store)
                and part.id not in read_names | declared
                and part.id[0] != "_"
            ):
                is_length = isinstance(node, ast.Assign) and _is_length(node.value)
                yield ["length" if is_length else "value", part.id, part.lineno]


def _only_computes(node: ast.expr) -> bool:
    """Return whether a statement of this expression does nothing: it leaves its arguments alone."""
    if not isinstance(node, ast.Call):
        return isinstance(node, ast.BinOp | ast.UnaryOp | ast.Compare)
    if not isinstance(node.func, ast.Attribute) or any(k.arg == "out" for k in node.keywords):
        return False
    name, owner = node.func.attr, getattr(node.func.value, "id", "")
    if owner in _NUMPY:
        return len(node.args) <= _PURE.get(name, -1)
    return name in _PURE_METHODS


def _is_length(node: ast.expr) -> bool:
    """Return whether an expression is made of lengths of axes and numbers only."""
    if isinstance(node, ast.Call):
        name = getattr(node.func, "id", "")
        return name == "len" or (name == "int" and all(map(_is_length, node.args)))
    if isinstance(node, ast.Attribute):
        return node.attr in ("shape", "size", "ndim")
    parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
    return isinstance(node, ast.Constant) or (bool(parts) and all(map(_is_length, parts)))


def _is_zip(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "zip"


def _loaded(node: ast.AST) -> set[str]:
    return {
        part.id
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Store)
    }
