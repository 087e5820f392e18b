"""The small number that keeps a division from failing: its place and its size."""

import ast
from collections.abc import Iterator

from grader.mutation import calls, nodes
from grader.mutation.edits import Edit, Operator
from grader.mutation.program import Program

_NAMES = frozenset({"eps", "epsilon", "tiny"})
_LARGEST_EPSILON = 1e-3


def is_epsilon(node: ast.AST) -> bool:
    """Return whether a node is a number that only keeps another away from zero."""
    if isinstance(node, ast.Name):
        return node.id.lower().strip("_") in _NAMES
    if isinstance(node, ast.Attribute):
        return node.attr.lower().strip("_") in _NAMES
    value = calls.number(node)
    return value is not None and 0 < value <= _LARGEST_EPSILON


def _epsilon_outside(_: Program, node: ast.AST) -> Iterator[Edit]:
    """`sqrt(v + e)` becomes `sqrt(v) + e`."""
    if isinstance(node, ast.Call) and calls.called(node) == "sqrt" and len(node.args) == 1:
        inner = node.args[0]
        if (
            isinstance(inner, ast.BinOp)
            and isinstance(inner.op, ast.Add)
            and is_epsilon(inner.right)
        ):
            root = nodes.call(node, args=[inner.left])
            yield Edit(node, ast.BinOp(root, inner.op, inner.right))


def _epsilon_inside(_: Program, node: ast.AST) -> Iterator[Edit]:
    """`sqrt(v) + e` becomes `sqrt(v + e)`."""
    if (
        not isinstance(node, ast.BinOp)
        or not isinstance(node.op, ast.Add)
        or not is_epsilon(node.right)
    ):
        return
    root = node.left
    if isinstance(root, ast.Call) and calls.called(root) == "sqrt" and len(root.args) == 1:
        yield Edit(node, nodes.call(root, args=[ast.BinOp(root.args[0], node.op, node.right)]))


def _drop_epsilon(_: Program, node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        if is_epsilon(node.right):
            yield Edit(node, node.left)
        elif is_epsilon(node.left):
            yield Edit(node, node.right)


OPERATORS = (
    Operator(
        "epsilon-outside",
        "Epsilon is added after the square root.",
        _epsilon_outside,
        "as if epsilon was added after the square root and not before it",
    ),
    Operator(
        "epsilon-inside",
        "Epsilon is added before the square root.",
        _epsilon_inside,
        "as if epsilon was added before the square root and not after it",
    ),
    Operator(
        "drop-epsilon",
        "Epsilon is left out.",
        _drop_epsilon,
        "as if epsilon was left out",
    ),
)
