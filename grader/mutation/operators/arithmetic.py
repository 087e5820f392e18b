"""Scales, signs, terms and operands."""

import ast
from collections.abc import Iterator

from grader.mutation import calls
from grader.mutation.edits import Edit, Operator
from grader.mutation.operators.epsilon import is_epsilon
from grader.mutation.places import is_place
from grader.mutation.program import Program

_MAXIMA = frozenset({"max", "amax", "nanmax"})
_NOT_NUMBERS = (ast.Tuple, ast.List, ast.JoinedStr, ast.Dict, ast.ListComp)
_ROOTS = frozenset({"sqrt", "square"})
_STANDS_FOR_MINUS_INFINITY = -1e3
_SIGNLESS = frozenset({"abs", "absolute", "square", "fabs", "norm", "cos"})


def _is_number_work(node: ast.BinOp | ast.AugAssign) -> bool:
    """Return whether an operation may be arithmetic, not the joining of texts, lists or shapes."""
    sides = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.target, node.value)
    return not any(_is_sequence(side) for side in sides)


def _is_sequence(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str | bytes)
    if isinstance(node, ast.Attribute):
        return node.attr == "shape"
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        return _is_sequence(node.value)
    if isinstance(node, ast.BinOp):
        return _is_sequence(node.left) or _is_sequence(node.right)
    return isinstance(node, _NOT_NUMBERS) or calls.called(node) in {"list", "tuple", "str", "join"}


def subtracts_maximum(node: ast.AST) -> bool:
    """Return whether a node is `x - x.max(...)`, which keeps exp from overflowing."""
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Sub)
        and calls.called(node.right) in _MAXIMA
    )


def _drop_max_subtraction(_: Program, node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.BinOp) and subtracts_maximum(node):
        yield Edit(node, node.left)


def _drop_scale(_: Program, node: ast.AST) -> Iterator[Edit]:
    if not isinstance(node, ast.BinOp) or not _is_number_work(node):
        return
    if isinstance(node.op, ast.Div):
        reciprocal = calls.number(node.left) is not None
        yield Edit(node, node.right if reciprocal else node.left)
    elif isinstance(node.op, ast.Mult):
        if calls.number(node.left) is None and not _is_one(node.right):
            yield Edit(node, node.left)
        if calls.number(node.right) is None and not _is_one(node.left):
            yield Edit(node, node.right)


def _is_one(node: ast.expr) -> bool:
    return calls.number(node) == 1


def _drop_product(_: Program, node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        yield Edit(node, node.left)
    if (
        isinstance(node, ast.Call)
        and calls.called(node) in {"matmul", "dot"}
        and len(node.args) > 1
    ):
        yield Edit(node, node.args[0])


def _drop_root(_: Program, node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.Call) and calls.called(node) in _ROOTS and len(node.args) == 1:
        yield Edit(node, node.args[0])
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and calls.number(node.right):
        yield Edit(node, node.left)


def _multiply_for_divide(_: Program, node: ast.AST) -> Iterator[Edit]:
    if not isinstance(node, ast.BinOp | ast.AugAssign) or not _is_number_work(node):
        return
    one = isinstance(node, ast.BinOp) and _is_one(node.left)
    if isinstance(node.op, ast.Div) and not one:
        yield Edit(node, _with_operator(node, ast.Mult()))


def _multiply_for_product(_: Program, node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.MatMult):
        yield Edit(node, _with_operator(node, ast.Mult()))


def _with_operator(node: ast.BinOp | ast.AugAssign, operator: ast.operator) -> ast.expr | ast.stmt:
    if isinstance(node, ast.BinOp):
        return ast.BinOp(node.left, operator, node.right)
    return ast.AugAssign(node.target, operator, node.value)


def _flip_sign(program: Program, node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.BinOp | ast.AugAssign) and _is_number_work(node):
        if isinstance(node, ast.BinOp) and (
            subtracts_maximum(node) or is_epsilon(node.right) or is_place(program, node)
        ):
            return
        if isinstance(node.op, ast.Add):
            yield Edit(node, _with_operator(node, ast.Sub()))
        elif isinstance(node.op, ast.Sub):
            yield Edit(node, _with_operator(node, ast.Add()))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = calls.number(node)
        counts = value is None or value <= _STANDS_FOR_MINUS_INFINITY
        if counts and not is_place(program, node) and not _sign_is_lost(program, node):
            yield Edit(node, node.operand)


def _sign_is_lost(program: Program, node: ast.expr) -> bool:
    """Return whether the value computed from the node does not depend on its sign."""
    above = program.parent(node)
    if isinstance(above, ast.BinOp) and isinstance(above.op, ast.Pow):
        power = calls.integer(above.right)
        return above.left is node and power is not None and power % 2 == 0
    return calls.called(above) in _SIGNLESS


def _drop_term(program: Program, node: ast.AST) -> Iterator[Edit]:
    if not isinstance(node, ast.BinOp) or not _is_number_work(node):
        return
    if is_epsilon(node.right) or is_epsilon(node.left) or subtracts_maximum(node):
        return
    if isinstance(node.op, ast.Add | ast.Sub) and calls.number(node.left) is None:
        yield Edit(node, node.left)
    if (
        isinstance(node.op, ast.Add)
        and calls.number(node.right) is None
        and not is_place(program, node)
    ):
        yield Edit(node, node.right)


def _swap_operands(program: Program, node: ast.AST) -> Iterator[Edit]:
    if not isinstance(node, ast.BinOp) or subtracts_maximum(node) or not _is_number_work(node):
        return
    left, right = node.left, node.right
    if isinstance(node.op, ast.MatMult):
        if isinstance(right, ast.Attribute) and right.attr in {"T", "mT"}:
            # `A @ B.T` becomes `B @ A.T`, which is a likelier mistake than `B.T @ A`.
            left, right = ast.Attribute(left, right.attr, ast.Load()), right.value
    elif not isinstance(node.op, ast.Sub | ast.Div) or calls.number(left) is not None:
        return  # other operators make enough of `1 - x` and `1 / x`
    elif isinstance(node.op, ast.Sub):
        if _sign_is_lost(program, node):
            return
    elif (
        calls.number(right) is not None
        or calls.called(right) in {"sqrt", "len"}
        or (isinstance(right, ast.BinOp) and isinstance(right.op, ast.Pow))
    ):
        return  # a single number divided by an array is no likely mistake
    if not is_place(program, node):
        yield Edit(node, ast.BinOp(right, node.op, left))


OPERATORS = (
    Operator(
        "drop-max-subtraction",
        "The maximum is not subtracted before exp, so that large numbers overflow.",
        _drop_max_subtraction,
        "as if the maximum was not subtracted first, so that large numbers overflow",
    ),
    Operator(
        "drop-scale",
        "A division or a multiplication is left out.",
        _drop_scale,
        "as if a scaling step, a division or a multiplication, was left out",
    ),
    Operator(
        "drop-product",
        "A matrix product is left out.",
        _drop_product,
        "as if a matrix product was left out",
    ),
    Operator(
        "drop-root",
        "A square root or a power is left out.",
        _drop_root,
        "as if a square root or a power was left out",
    ),
    Operator(
        "multiply-for-divide",
        "A multiplication in place of a division.",
        _multiply_for_divide,
        "as if there was a multiplication in place of a division",
    ),
    Operator(
        "multiply-for-product",
        "A multiplication entry by entry in place of a matrix product.",
        _multiply_for_product,
        "as if arrays were multiplied entry by entry in place of a matrix product",
    ),
    Operator(
        "flip-sign",
        "Plus for minus, minus for plus, or a minus left out.",
        _flip_sign,
        "as if a sign was turned round",
    ),
    Operator(
        "drop-term",
        "One of two terms is left out of a sum or a difference.",
        _drop_term,
        "as if one term of a sum or a difference was left out",
    ),
    Operator(
        "swap-operands",
        "The operands of a difference, a quotient or a matrix product change places.",
        _swap_operands,
        "as if the two sides of an operation had changed places",
    ),
)
