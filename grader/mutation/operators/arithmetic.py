"""Scales, signs, terms and operands."""

import ast
from collections.abc import Iterator

from grader.mutation import calls
from grader.mutation.edits import Edit, operator
from grader.mutation.operators.epsilon import is_epsilon
from grader.mutation.program import Program

_MAXIMA = frozenset({"max", "amax", "nanmax"})
_NOT_NUMBERS = (ast.Tuple, ast.List, ast.JoinedStr, ast.Dict, ast.ListComp)
_SEQUENCE_MAKERS = frozenset({"list", "tuple", "str", "join"})
_POWERS = frozenset({"sqrt", "square"})
_STANDS_FOR_MINUS_INFINITY = -1e3
_SIGNLESS = frozenset({"abs", "absolute", "square", "fabs", "norm", "cos"})


def _is_number_work(node: ast.BinOp | ast.AugAssign) -> bool:
    """Return whether an operation may be arithmetic, not a join of strings, lists or shapes."""
    sides = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.target, node.value)
    return not any(_is_sequence(side) for side in sides)


def _is_sequence(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=value):
            return isinstance(value, str | bytes)
        case ast.Attribute(attr=name):
            return name == "shape"
        case ast.Subscript(value=value, slice=ast.Slice()):
            return _is_sequence(value)
        case ast.BinOp(left=left, right=right):
            return _is_sequence(left) or _is_sequence(right)
    return isinstance(node, _NOT_NUMBERS) or calls.callee_name(node) in _SEQUENCE_MAKERS


def subtracts_maximum(node: ast.AST) -> bool:
    """Return whether a node is `x - x.max(...)`, which keeps `exp` from overflowing."""
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Sub)
        and calls.callee_name(node.right) in _MAXIMA
    )


def _is_one(node: ast.expr) -> bool:
    return calls.number(node) == 1


@operator(ast.BinOp)
def drop_max_subtraction(_: Program, node: ast.BinOp) -> Iterator[Edit]:
    """The maximum was not subtracted first, so that large numbers overflow."""
    if subtracts_maximum(node):
        yield Edit(node, node.left)


@operator(ast.BinOp)
def drop_scale(_: Program, node: ast.BinOp) -> Iterator[Edit]:
    """A scaling step, a division or a multiplication, was left out."""
    if not _is_number_work(node):
        return
    if isinstance(node.op, ast.Div):
        reciprocal = calls.number(node.left) is not None
        yield Edit(node, node.right if reciprocal else node.left)
    elif isinstance(node.op, ast.Mult):
        if calls.number(node.left) is None and not _is_one(node.right):
            yield Edit(node, node.left)
        if calls.number(node.right) is None and not _is_one(node.left):
            yield Edit(node, node.right)


@operator(ast.BinOp, ast.Call)
def drop_product(_: Program, node: ast.BinOp | ast.Call) -> Iterator[Edit]:
    """A matrix product was left out."""
    if isinstance(node, ast.BinOp):
        if isinstance(node.op, ast.MatMult):
            yield Edit(node, node.left)
    elif calls.callee_name(node) in {"matmul", "dot"} and len(node.args) > 1:
        yield Edit(node, node.args[0])


@operator(ast.BinOp, ast.Call)
def drop_root(_: Program, node: ast.BinOp | ast.Call) -> Iterator[Edit]:
    """A square root or a power was left out."""
    if isinstance(node, ast.BinOp):
        if isinstance(node.op, ast.Pow) and calls.number(node.right):
            yield Edit(node, node.left)
    elif calls.callee_name(node) in _POWERS and len(node.args) == 1:
        yield Edit(node, node.args[0])


@operator(ast.BinOp, ast.AugAssign)
def multiply_for_divide(_: Program, node: ast.BinOp | ast.AugAssign) -> Iterator[Edit]:
    """There was a multiplication in place of a division."""
    is_reciprocal = isinstance(node, ast.BinOp) and _is_one(node.left)
    if isinstance(node.op, ast.Div) and _is_number_work(node) and not is_reciprocal:
        yield _replace_operation(node, ast.Mult())


@operator(ast.BinOp, ast.AugAssign)
def multiply_for_product(_: Program, node: ast.BinOp | ast.AugAssign) -> Iterator[Edit]:
    """Arrays were multiplied entry by entry in place of a matrix product."""
    if isinstance(node.op, ast.MatMult):
        yield _replace_operation(node, ast.Mult())


def _replace_operation(node: ast.BinOp | ast.AugAssign, other: ast.operator) -> Edit:
    if isinstance(node, ast.BinOp):
        return Edit(node, ast.BinOp(node.left, other, node.right))
    return Edit(node, ast.AugAssign(node.target, other, node.value))


@operator(ast.BinOp, ast.AugAssign, ast.UnaryOp)
def flip_sign(program: Program, node: ast.BinOp | ast.AugAssign | ast.UnaryOp) -> Iterator[Edit]:
    """A sign was turned round.

    Plus for minus, minus for plus, or a minus left out.
    """
    if isinstance(node, ast.UnaryOp):
        value = calls.number(node)
        counts = value is None or value <= _STANDS_FOR_MINUS_INFINITY
        is_sign = isinstance(node.op, ast.USub) and counts
        if is_sign and not calls.is_index_like(program, node) and not _is_sign_lost(program, node):
            yield Edit(node, node.operand)
        return
    if not isinstance(node.op, ast.Add | ast.Sub) or not _is_number_work(node):
        return
    if isinstance(node, ast.BinOp) and (
        subtracts_maximum(node) or is_epsilon(node.right) or calls.is_index_like(program, node)
    ):
        return
    yield _replace_operation(node, ast.Sub() if isinstance(node.op, ast.Add) else ast.Add())


def _is_sign_lost(program: Program, node: ast.expr) -> bool:
    """Return whether the value computed from the node is independent of its sign."""
    above = program.parent(node)
    if isinstance(above, ast.BinOp) and isinstance(above.op, ast.Pow):
        power = calls.integer(above.right)
        return above.left is node and power is not None and power % 2 == 0
    return calls.callee_name(above) in _SIGNLESS


@operator(ast.BinOp)
def drop_term(program: Program, node: ast.BinOp) -> Iterator[Edit]:
    """One term of a sum or a difference was left out."""
    if not isinstance(node.op, ast.Add | ast.Sub) or not _is_number_work(node):
        return
    if is_epsilon(node.right) or is_epsilon(node.left) or subtracts_maximum(node):
        return
    if calls.number(node.left) is None:
        yield Edit(node, node.left)
    is_term = isinstance(node.op, ast.Add) and calls.number(node.right) is None
    if is_term and not calls.is_index_like(program, node):
        yield Edit(node, node.right)


@operator(ast.BinOp)
def swap_operands(program: Program, node: ast.BinOp) -> Iterator[Edit]:
    """The two sides of an operation had changed places.

    Those of a difference, a quotient or a matrix product.
    """
    if subtracts_maximum(node) or not _is_number_work(node):
        return
    left, right = node.left, node.right
    if isinstance(node.op, ast.MatMult):
        if isinstance(right, ast.Attribute) and right.attr in {"T", "mT"}:
            # `A @ B.T` becomes `B @ A.T`, a more likely mistake than `B.T @ A`.
            left, right = ast.Attribute(left, right.attr, ast.Load()), right.value
    elif not isinstance(node.op, ast.Sub | ast.Div) or calls.number(left) is not None:
        return  # other operators already change `1 - x` and `1 / x`
    elif isinstance(node.op, ast.Sub):
        if _is_sign_lost(program, node):
            return
    elif (
        calls.number(right) is not None
        or calls.callee_name(right) in {"sqrt", "len"}
        or (isinstance(right, ast.BinOp) and isinstance(right.op, ast.Pow))
    ):
        return  # dividing a single number by an array is an unlikely mistake
    if not calls.is_index_like(program, node):
        yield Edit(node, ast.BinOp(right, node.op, left))
