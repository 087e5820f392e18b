"""Numbers and flags written into the code, and the defaults of parameters."""

import ast
from collections.abc import Iterator

from grader.mutation import calls, names, nodes
from grader.mutation.edits import Edit, Operator
from grader.mutation.operators.epsilon import is_epsilon
from grader.mutation.places import is_place
from grader.mutation.program import Function, Program

_STANDS_FOR_INFINITY = 1e3


def _other_number(value: float) -> float:
    if isinstance(value, int):
        return value + 1
    return 1.0 if value == 0 else value * 2


def _other_constant(program: Program, node: ast.AST) -> Iterator[Edit]:
    if not isinstance(node, ast.Constant) or type(node.value) not in (int, float):
        return
    above = program.parent(node)
    value = calls.number(node)
    if value is None or value >= _STANDS_FOR_INFINITY or isinstance(above, ast.arguments):
        return
    if is_epsilon(node) or is_place(program, node):
        return
    if isinstance(above, ast.BinOp):
        # A power, and the 1 of `1 - x`, are another operator's.
        if above.right is node and isinstance(above.op, ast.Pow):
            return
        if above.right is not node and isinstance(above.op, ast.Sub) and node.value == 1:
            return
    yield Edit(node, nodes.constant(_other_number(value)))


def _other_flag(program: Program, node: ast.AST) -> Iterator[Edit]:
    if not isinstance(node, ast.Constant) or not isinstance(node.value, bool):
        return
    above = program.parent(node)
    if isinstance(above, ast.keyword) and above.arg in {"keepdims", "copy", "optimize", "strict"}:
        return
    if not isinstance(above, ast.arguments | ast.While):
        yield Edit(node, nodes.constant(not node.value))


def _other_default(_: Program, node: ast.AST) -> Iterator[Edit]:
    if not isinstance(node, Function):
        return
    for name, default in names.defaults(node):
        if isinstance(default, ast.Constant) and isinstance(default.value, bool):
            yield Edit(default, nodes.constant(not default.value))
        elif (value := calls.number(default)) is not None and name != "axis":
            small = is_epsilon(default)
            yield Edit(default, nodes.constant(value * 100 if small else _other_number(value)))


def _other_infinity(program: Program, node: ast.AST) -> Iterator[Edit]:
    """`-np.inf` itself is flip-sign's."""
    if isinstance(node, ast.Attribute) and node.attr in {"inf", "infty"}:
        above = program.parent(node)
        if not isinstance(above, ast.UnaryOp | ast.Compare):
            yield Edit(node, ast.UnaryOp(ast.USub(), node))


OPERATORS = (
    Operator(
        "other-constant",
        "A number that is calculated with is another one: one more, or twice as much.",
        _other_constant,
        "as if a number in the formula was another one",
    ),
    Operator(
        "other-flag",
        "True for False, or False for True.",
        _other_flag,
        "as if a yes was a no",
    ),
    Operator(
        "other-infinity",
        "Minus infinity for infinity.",
        _other_infinity,
        "as if infinity had the other sign",
    ),
    Operator(
        "other-default",
        "Another default for a parameter.",
        _other_default,
        "as if a parameter had another default",
    ),
)
