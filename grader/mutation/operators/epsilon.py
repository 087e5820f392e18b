"""Operators on epsilon, the small number that keeps a denominator away from zero."""

import ast
from collections.abc import Iterator

from grader.mutation import calls, nodes
from grader.mutation.edits import Edit, operator
from grader.mutation.program import Program

_NAMES = frozenset({"eps", "epsilon", "tiny"})
_MAX_EPSILON = 1e-3


def is_epsilon(node: ast.AST) -> bool:
    """Return whether a node is a small number that only keeps another one away from zero."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.lower().strip("_") in _NAMES
    value = calls.number(node)
    return value is not None and 0 < value <= _MAX_EPSILON


def _find_root_argument(node: ast.expr) -> ast.expr | None:
    """Return `v` if the node is `sqrt(v)`, else None."""
    if isinstance(node, ast.Call) and calls.callee_name(node) == "sqrt" and len(node.args) == 1:
        return node.args[0]
    return None


@operator(ast.Call)
def epsilon_outside(_: Program, node: ast.Call) -> Iterator[Edit]:
    """Epsilon was added after the square root and not before it."""
    match _find_root_argument(node):
        case ast.BinOp(left=left, op=ast.Add() as op, right=right) if is_epsilon(right):
            yield Edit(node, ast.BinOp(nodes.call(node, args=[left]), op, right))


@operator(ast.BinOp)
def epsilon_inside(_: Program, node: ast.BinOp) -> Iterator[Edit]:
    """Epsilon was added before the square root and not after it."""
    match node:
        case ast.BinOp(left=ast.Call() as root, op=ast.Add() as op, right=right):
            if is_epsilon(right) and (inner := _find_root_argument(root)):
                yield Edit(node, nodes.call(root, args=[ast.BinOp(inner, op, right)]))


@operator(ast.BinOp)
def drop_epsilon(_: Program, node: ast.BinOp) -> Iterator[Edit]:
    """Epsilon was left out."""
    if isinstance(node.op, ast.Add):
        if is_epsilon(node.right):
            yield Edit(node, node.left)
        elif is_epsilon(node.left):
            yield Edit(node, node.right)
