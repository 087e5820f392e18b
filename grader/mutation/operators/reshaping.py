"""Operators on transposes, reshapes, new axes and sizes."""

import ast
from collections.abc import Iterator, Sequence

from grader.mutation import calls, nodes
from grader.mutation.edits import Edit, operator
from grader.mutation.program import Program

_TRANSPOSING = frozenset({"transpose", "swapaxes", "moveaxis", "permute_dims", "matrix_transpose"})
_RESHAPING = frozenset({"reshape", "ravel", "flatten"})
_SHAPED = frozenset({"zeros", "ones", "empty", "full"})
_PAIR = 2  # axes or sizes that can be exchanged without a choice


def _transpose_argument(node: ast.AST) -> ast.expr | None:
    """Return the transposed expression if the node is a transpose, else None."""
    if isinstance(node, ast.Attribute) and node.attr in {"T", "mT"}:
        return node.value
    if isinstance(node, ast.Call) and calls.callee_name(node) in _TRANSPOSING:
        return calls.find_array(node)
    return None


def _list_numbers(call: ast.Call) -> list[ast.expr]:
    """Return the axes or sizes in a call's arguments, with or without a tuple around them."""
    arguments = call.args if calls.is_method(call) else call.args[1:]
    if len(arguments) == 1 and isinstance(arguments[0], ast.Tuple | ast.List):
        return arguments[0].elts
    return arguments


def _with_numbers(call: ast.Call, numbers: Sequence[ast.expr]) -> Edit:
    """Return the edit of a call to other axes or sizes, in the form of the original."""
    array = [] if calls.is_method(call) else call.args[:1]
    arguments = call.args[len(array) :]
    if len(arguments) == 1 and isinstance(arguments[0], ast.Tuple | ast.List):
        numbers = [nodes.tuple_like(arguments[0], numbers)]
    return Edit(call, nodes.call(call, args=[*array, *numbers]))


@operator(ast.Attribute, ast.Call)
def reshape_for_transpose(program: Program, node: ast.Attribute | ast.Call) -> Iterator[Edit]:
    """Axes were exchanged with a reshape, which keeps the numbers in their old order.

    `x.reshape(n, h, d).transpose(1, 0, 2)` becomes `x.reshape(h, n, d)`.
    """
    inner = _transpose_argument(node)
    if inner is None:
        return
    if isinstance(inner, ast.Call) and calls.callee_name(inner) == "reshape":
        sizes = _list_numbers(inner)
        order = _read_permutation(node, len(sizes))
        if order is not None:
            yield Edit(node, _with_numbers(inner, [sizes[index] for index in order]).replacement)
    above = program.parent(node)
    if isinstance(above, ast.Attribute):
        above = program.parent(above)
    if calls.callee_name(above) in _RESHAPING:
        yield Edit(node, inner)


def _read_permutation(node: ast.expr, ndim: int) -> list[int] | None:
    """Return the order in which a transpose puts `ndim` axes, or None if it is not written out."""
    if not isinstance(node, ast.Call):
        return list(reversed(range(ndim))) if ndim == _PAIR else None
    axes = [calls.integer(axis) for axis in _list_numbers(node)]
    numbers = [axis % ndim for axis in axes if axis is not None and -ndim <= axis < ndim]
    order = list(range(ndim))
    if len(numbers) != len(axes):
        return None
    if calls.callee_name(node) == "transpose":
        return numbers if sorted(numbers) == order else None
    if len(numbers) != _PAIR:
        return None
    first, second = numbers
    if calls.callee_name(node) == "moveaxis":
        order.insert(second, order.pop(first))
    else:
        order[first], order[second] = order[second], order[first]
    return order


@operator(ast.Attribute, ast.Call)
def drop_transpose(_: Program, node: ast.Attribute | ast.Call) -> Iterator[Edit]:
    """A transpose was left out."""
    if (inner := _transpose_argument(node)) is not None:
        yield Edit(node, inner)


@operator(ast.Call)
def other_transpose(_: Program, node: ast.Call) -> Iterator[Edit]:
    """A transpose exchanged other axes.

    These are the last two of a permutation, or all of them with `.T`.
    """
    name, axes, array = calls.callee_name(node), _list_numbers(node), calls.find_array(node)
    if name == "transpose" and len(axes) > _PAIR:
        yield _with_numbers(node, nodes.swap(axes, -2, -1))
    elif name in {"swapaxes", "moveaxis"} and array is not None:
        yield Edit(node, ast.Attribute(array, "T", ast.Load()))


@operator(ast.Subscript, ast.Call)
def other_size(_: Program, node: ast.Subscript | ast.Call) -> Iterator[Edit]:
    """A size was taken from another axis.

    `x.shape[-1]` becomes `x.shape[0]`, the other way round, and `len(x)` `x.shape[1]`.
    """
    if isinstance(node, ast.Subscript):
        shape, index = node.value, calls.integer(node.slice)
        is_shape = isinstance(shape, ast.Attribute) and shape.attr == "shape"
        if index is not None and (is_shape or calls.callee_name(shape) == "shape"):
            yield Edit(node.slice, nodes.constant({0: -1, -2: -1}.get(index, 0)))
    elif calls.callee_name(node) == "len" and len(node.args) == 1:
        size = ast.Attribute(node.args[0], "shape", ast.Load())
        # The last axis would not do: an array with one axis has the same size there.
        yield Edit(node, ast.Subscript(size, nodes.constant(1), ast.Load()))


@operator(ast.Call)
def swap_lengths(_: Program, node: ast.Call) -> Iterator[Edit]:
    """Rows and columns had each other's length.

    `np.zeros((m, n))` becomes `np.zeros((n, m))`, and `x.reshape(m, n)` `x.reshape(n, m)`.
    """
    if calls.callee_name(node) == "reshape" and len(sizes := _list_numbers(node)) == _PAIR:
        yield _with_numbers(node, nodes.swap(sizes, 0, 1))
    elif calls.callee_name(node) in _SHAPED:
        match node.args[:1]:
            case [ast.Tuple(elts=[_, _]) as shape]:
                yield nodes.exchange(shape, 0, 1)


@operator(ast.Subscript)
def other_newaxis(_: Program, node: ast.Subscript) -> Iterator[Edit]:
    """A new axis stood in another place, so that the wrong numbers are paired.

    `x[:, None]` becomes `x[None, :]`.
    """
    if not isinstance(node.slice, ast.Tuple):
        return
    indices = [
        index
        for index, item in enumerate(node.slice.elts)
        if calls.is_constant(item, None)
        or (isinstance(item, ast.Attribute) and item.attr == "newaxis")
    ]
    if len(indices) == 1 and len(node.slice.elts) > 1:
        index = indices[0]
        yield nodes.exchange(node.slice, index, index - 1 if index else 1)
