"""Operators on comparisons, conditions and masks: their boundary, their sense, their diagonal."""

import ast
from collections.abc import Iterator

from grader.mutation import calls, nodes
from grader.mutation.edits import Edit, operator
from grader.mutation.program import Program

_SHIFTED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
}  # fmt: skip
_NEGATED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_TRIANGLES = {
    "triu": "tril", "tril": "triu", "triu_indices": "tril_indices", "tril_indices": "triu_indices",
}  # fmt: skip
_DIAGONALS = frozenset({*_TRIANGLES, "tri", "eye"})
_MASKS = ("mask", "future", "blocked", "allowed", "keep")  # substrings of a mask's name
_WHERE = 3


def _compare(node: ast.Compare, table: dict[type[ast.cmpop], type[ast.cmpop]]) -> Edit:
    return Edit(node, ast.Compare(node.left, [table[type(node.ops[0])]()], node.comparators))


@operator(ast.Compare)
def shift_comparison(program: Program, node: ast.Compare) -> Iterator[Edit]:
    """Equal numbers fell on the other side of a comparison.

    `<` becomes `<=`, and the like; not where equal numbers give the same either way, as in
    `np.where(x > 0, x, 0)`.
    """
    if len(node.ops) > 1 or type(node.ops[0]) not in _SHIFTED:
        return
    if calls.callee_name(node.left) == "random":
        return  # a random fraction almost never equals another number
    above = program.parent(node)
    arms: list[ast.expr] = []
    if isinstance(above, ast.BinOp) and isinstance(above.op, ast.Mult):
        arms = [above.right if above.left is node else above.left, ast.Constant(0)]
    elif calls.callee_name(above) == "where" and isinstance(above, ast.Call):
        arms = above.args[1:] if len(above.args) == _WHERE else []
    elif isinstance(above, ast.IfExp) and above.test is node:
        arms = [above.body, above.orelse]
    if {*map(ast.unparse, arms)} != {*map(ast.unparse, (node.left, node.comparators[0]))}:
        yield _compare(node, _SHIFTED)


@operator(ast.Compare)
def order_for_unequal(_: Program, node: ast.Compare) -> Iterator[Edit]:
    """Numbers that are not equal could differ in one direction only.

    `x != 2` becomes `x < 2` and `x > 2`; texts and None have no such order.
    """
    if [type(operation) for operation in node.ops] == [ast.NotEq]:
        other = node.comparators[0]
        if not isinstance(other, ast.Constant) or isinstance(other.value, (int, float)):
            for order in (ast.Lt(), ast.Gt()):
                yield Edit(node, ast.Compare(node.left, [order], node.comparators))


@operator(ast.Call)
def other_triangle(_: Program, node: ast.Call) -> Iterator[Edit]:
    """A mask covered the other triangle."""
    name = calls.callee_name(node)
    if name in _TRIANGLES and isinstance(node.func, ast.Attribute):
        yield Edit(node, nodes.call(node, name=_TRIANGLES[name]))


@operator(ast.Call)
def other_diagonal(_: Program, node: ast.Call) -> Iterator[Edit]:
    """A mask began one diagonal off."""
    name = calls.callee_name(node)
    if name not in _DIAGONALS:
        return
    k = calls.find_argument(node, "k", 1 if name in _TRIANGLES else 2)
    if k is None:
        for value in (1, -1):
            yield Edit(node, nodes.with_keyword(node, "k", value))
        return
    shorter = list(nodes.without(node, k)) if calls.integer(k) == 1 else []
    yield from shorter or [Edit(k, nodes.shift(k, -1))]
    yield Edit(k, nodes.shift(k, 1))


@operator(ast.UnaryOp, ast.Call, ast.Subscript)
def mask_polarity(_: Program, node: ast.UnaryOp | ast.Call | ast.Subscript) -> Iterator[Edit]:
    """A mask kept what it should block, and blocked what it should keep.

    A `~` is dropped or added, or the two arms of `np.where` are exchanged.
    """
    match node:
        case ast.UnaryOp(op=ast.Invert()):
            yield Edit(node, node.operand)
        case ast.Subscript(slice=ast.Name(id=name)) if any(word in name.lower() for word in _MASKS):
            inverted = ast.UnaryOp(ast.Invert(), node.slice)
            yield Edit(node, ast.Subscript(node.value, inverted, node.ctx))
        case ast.Call() if calls.callee_name(node) == "logical_not" and node.args:
            yield Edit(node, node.args[0])
        case ast.Call() if calls.callee_name(node) == "where" and len(node.args) == _WHERE:
            # Another operator negates a comparison or a `not`.
            if not isinstance(node.args[0], ast.Compare | ast.UnaryOp):
                yield Edit(node, nodes.call(node, args=nodes.swap(node.args, 1, 2)))


@operator(ast.expr)
def negate_condition(program: Program, node: ast.expr) -> Iterator[Edit]:
    """A condition was turned round.

    So was a comparison that makes a mask. A `while` keeps its condition: the opposite of it seldom
    ends.
    """
    above = program.parent(node)
    if isinstance(above, ast.While):
        return
    if isinstance(node, ast.Compare):
        if len(node.ops) == 1:
            yield _compare(node, _NEGATED)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield Edit(node, node.operand)
    elif isinstance(node, ast.BoolOp):
        return  # its parts are negated instead
    elif (isinstance(above, ast.If | ast.IfExp) and above.test is node) or (
        isinstance(above, ast.comprehension) and node in above.ifs
    ):
        yield Edit(node, ast.UnaryOp(ast.Not(), node))


@operator(ast.BoolOp, ast.BinOp)
def other_connective(_: Program, node: ast.BoolOp | ast.BinOp) -> Iterator[Edit]:
    """Two conditions were joined with and in place of or, or the other way round."""
    match node:
        case ast.BoolOp(op=op, values=values):
            yield Edit(node, ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values))
        case ast.BinOp(left=left, op=ast.BitAnd() | ast.BitOr() as op, right=right):
            other = ast.BitOr() if isinstance(op, ast.BitAnd) else ast.BitAnd()
            yield Edit(node, ast.BinOp(left, other, right))
