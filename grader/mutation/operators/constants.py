"""Operators on number and flag literals and on parameter defaults."""

import ast
from collections.abc import Iterator

from grader.mutation import calls, names, nodes
from grader.mutation.edits import Edit, operator
from grader.mutation.operators.epsilon import is_epsilon
from grader.mutation.program import Function, Program

_STANDS_FOR_INFINITY = 1e3


def _change_number(value: float) -> float:
    if isinstance(value, int):
        return value + 1
    return 1.0 if value == 0 else value * 2


@operator(ast.Constant)
def other_constant(program: Program, node: ast.Constant) -> Iterator[Edit]:
    """A number in the formula was another one.

    It is one more, or twice as much.
    """
    above = program.parent(node)
    value = calls.number(node)
    if value is None or value >= _STANDS_FOR_INFINITY or isinstance(above, ast.arguments):
        return
    if is_epsilon(node) or calls.is_index_like(program, node):
        return
    if isinstance(above, ast.BinOp):
        # Other operators change a power and the 1 of `1 - x`.
        if above.right is node and isinstance(above.op, ast.Pow):
            return
        if above.right is not node and isinstance(above.op, ast.Sub) and node.value == 1:
            return
    yield Edit(node, nodes.constant(_change_number(value)))


@operator(ast.Constant)
def other_flag(program: Program, node: ast.Constant) -> Iterator[Edit]:
    """A yes was a no."""
    above = program.parent(node)
    if not isinstance(node.value, bool) or isinstance(above, ast.arguments | ast.While):
        return
    if isinstance(above, ast.keyword) and above.arg in {"keepdims", "copy", "optimize", "strict"}:
        return
    yield Edit(node, nodes.constant(not node.value))


@operator(ast.Attribute)
def other_infinity(program: Program, node: ast.Attribute) -> Iterator[Edit]:
    """Infinity had the other sign.

    `-np.inf` itself is flip-sign's.
    """
    above = program.parent(node)
    if node.attr in {"inf", "infty"} and not isinstance(above, ast.UnaryOp | ast.Compare):
        yield Edit(node, ast.UnaryOp(ast.USub(), node))


@operator(ast.FunctionDef, ast.AsyncFunctionDef)
def other_default(_: Program, node: Function) -> Iterator[Edit]:
    """A parameter had another default."""
    for name, default in names.list_defaults(node):
        if isinstance(default, ast.Constant) and isinstance(default.value, bool):
            yield Edit(default, nodes.constant(not default.value))
        elif (value := calls.number(default)) is not None and name != "axis":
            small = is_epsilon(default)
            yield Edit(default, nodes.constant(value * 100 if small else _change_number(value)))
