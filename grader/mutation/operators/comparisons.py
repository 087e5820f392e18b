"""Comparisons, conditions and masks: their edge, their polarity, their diagonal."""

import ast
from collections.abc import Iterator

from grader.mutation import calls, nodes
from grader.mutation.edits import Edit, Operator
from grader.mutation.places import shifted
from grader.mutation.program import Program

_SHIFTED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
}  # fmt: skip
_NEGATED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_TRIANGLES = {
    "triu": "tril",
    "tril": "triu",
    "triu_indices": "tril_indices",
    "tril_indices": "triu_indices",
}
_DIAGONALS = frozenset({*_TRIANGLES, "tri", "eye"})
_MASKS = ("mask", "future", "blocked", "allowed", "keep")  # parts of a mask's name
_WHERE = 3


def _shift_comparison(program: Program, node: ast.AST) -> Iterator[Edit]:
    """Not where equal numbers give the same either way, as in `np.where(x > 0, x, 0)`."""
    if not isinstance(node, ast.Compare) or len(node.ops) > 1 or type(node.ops[0]) not in _SHIFTED:
        return
    if calls.called(node.left) == "random":
        return  # a random fraction equals another number next to never
    above = program.parent(node)
    arms: list[ast.expr] = []
    if isinstance(above, ast.BinOp) and isinstance(above.op, ast.Mult):
        arms = [above.right if above.left is node else above.left, ast.Constant(0)]
    elif calls.called(above) == "where" and isinstance(above, ast.Call):
        arms = above.args[1:] if len(above.args) == _WHERE else []
    elif isinstance(above, ast.IfExp) and above.test is node:
        arms = [above.body, above.orelse]
    if {*map(ast.unparse, arms)} != {*map(ast.unparse, (node.left, node.comparators[0]))}:
        yield Edit(node, _compare(node, _SHIFTED))


def _order_for_unequal(_: Program, node: ast.AST) -> Iterator[Edit]:
    """`x != 2` becomes `x < 2` and `x > 2`; texts and None have no such order."""
    if isinstance(node, ast.Compare) and [type(each) for each in node.ops] == [ast.NotEq]:
        other = node.comparators[0]
        if not isinstance(other, ast.Constant) or isinstance(other.value, (int, float)):
            for order in (ast.Lt(), ast.Gt()):
                yield Edit(node, ast.Compare(node.left, [order], node.comparators))


def _compare(node: ast.Compare, table: dict[type[ast.cmpop], type[ast.cmpop]]) -> ast.Compare:
    return ast.Compare(node.left, [table[type(node.ops[0])]()], node.comparators)


def _negate_condition(program: Program, node: ast.AST) -> Iterator[Edit]:
    """A `while` keeps its condition: the opposite of it seldom ends."""
    above = program.parent(node)
    if isinstance(above, ast.While):
        return
    if isinstance(node, ast.Compare):
        if len(node.ops) == 1:
            yield Edit(node, _compare(node, _NEGATED))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield Edit(node, node.operand)
    elif isinstance(node, ast.BoolOp):
        return  # its parts are negated
    elif isinstance(node, ast.expr) and (
        (isinstance(above, ast.If | ast.IfExp) and above.test is node)
        or (isinstance(above, ast.comprehension) and node in above.ifs)
    ):
        yield Edit(node, ast.UnaryOp(ast.Not(), node))


def _other_connective(_: Program, node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.BoolOp):
        operator = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield Edit(node, ast.BoolOp(operator, node.values))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd | ast.BitOr):
        other = ast.BitOr() if isinstance(node.op, ast.BitAnd) else ast.BitAnd()
        yield Edit(node, ast.BinOp(node.left, other, node.right))


def _mask_polarity(_: Program, node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
        yield Edit(node, node.operand)
    if calls.called(node) == "logical_not" and isinstance(node, ast.Call) and node.args:
        yield Edit(node, node.args[0])
    if (
        isinstance(node, ast.Call)
        and calls.called(node) == "where"
        and len(node.args) == _WHERE
        and not isinstance(node.args[0], ast.Compare | ast.UnaryOp)  # negated by another operator
    ):
        yield Edit(node, nodes.call(node, args=nodes.swapped(node.args, 1, 2)))
    if (
        isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Name)
        and any(word in node.slice.id.lower() for word in _MASKS)
    ):
        inverted = ast.UnaryOp(ast.Invert(), node.slice)
        yield Edit(node, ast.Subscript(node.value, inverted, node.ctx))


def _other_triangle(_: Program, node: ast.AST) -> Iterator[Edit]:
    name = calls.called(node)
    if isinstance(node, ast.Call) and name in _TRIANGLES and isinstance(node.func, ast.Attribute):
        yield Edit(
            node,
            nodes.call(node, func=ast.Attribute(node.func.value, _TRIANGLES[name], ast.Load())),
        )


def _other_diagonal(_: Program, node: ast.AST) -> Iterator[Edit]:
    name = calls.called(node)
    if not isinstance(node, ast.Call) or name not in _DIAGONALS:
        return
    position = 1 if name in _TRIANGLES else 2
    k = calls.argument(node, "k", position)
    if k is None:
        for value in (1, -1):
            yield Edit(
                node,
                nodes.call(
                    node, keywords=[*node.keywords, ast.keyword("k", nodes.constant(value))]
                ),
            )
        return
    if calls.integer(k) == 1 and (shorter := calls.without(node, k)) is not None:
        yield Edit(node, shorter)
    else:
        yield Edit(k, shifted(k, -1))
    yield Edit(k, shifted(k, 1))


OPERATORS = (
    Operator(
        "shift-comparison",
        "Less or equal for less, and the like: the edge changes sides.",
        _shift_comparison,
        "as if equal numbers fell on the other side of a comparison",
    ),
    Operator(
        "order-for-unequal",
        "Less or greater for unequal.",
        _order_for_unequal,
        "as if numbers that are not equal could differ in one direction only",
    ),
    Operator(
        "other-triangle",
        "The upper triangle for the lower one, or the other way round.",
        _other_triangle,
        "as if a mask covered the other triangle",
    ),
    Operator(
        "other-diagonal",
        "A triangle begins one diagonal further up or down.",
        _other_diagonal,
        "as if a mask began one diagonal off",
    ),
    Operator(
        "mask-polarity",
        "A mask means the opposite: a ~ dropped or added, or the two arms of np.where exchanged.",
        _mask_polarity,
        "as if a mask kept what it should block, and blocked what it should keep",
    ),
    Operator(
        "negate-condition",
        "A condition, or a comparison that makes a mask, means the opposite.",
        _negate_condition,
        "as if a condition was turned round",
    ),
    Operator(
        "other-connective",
        "And for or, or for and.",
        _other_connective,
        "as if two conditions were joined with and in place of or, or the other way round",
    ),
)
