"""Operators on indices, slices and loop bounds: off by one, reversed, exchanged."""

import ast
from collections.abc import Iterator

from grader.mutation import calls, names, nodes
from grader.mutation.edits import Edit, operator
from grader.mutation.program import Program


@operator(ast.Call)
def loop_bounds(program: Program, node: ast.Call) -> Iterator[Edit]:
    """A loop left out its first or its last round."""
    above = program.parent(node)
    if calls.callee_name(node) != "range" or not isinstance(above, ast.For | ast.comprehension):
        return
    if not node.args or node is not above.iter:
        return
    if len(node.args) == 1:
        stop = node.args[0]
        yield Edit(node, nodes.call(node, args=[nodes.constant(1), stop]))
    else:
        start, stop = node.args[:2]
        yield Edit(start, nodes.shift(start, 1))
    yield Edit(stop, nodes.shift(stop, -1))


@operator(ast.Slice)
def slice_bounds(_: Program, node: ast.Slice) -> Iterator[Edit]:
    """A slice began or ended one off.

    It begins one later or ends one earlier, or where the array does.
    """
    if node.lower is not None and not calls.is_constant(node.lower, None):
        start = None if calls.integer(node.lower) == 1 else nodes.shift(node.lower, 1)
        yield Edit(node, ast.Slice(start, node.upper, node.step))
    if node.upper is not None and not calls.is_constant(node.upper, None):
        stop = None if calls.integer(node.upper) == -1 else nodes.shift(node.upper, -1)
        yield Edit(node, ast.Slice(node.lower, stop, node.step))


@operator(ast.Slice)
def drop_step(_: Program, node: ast.Slice) -> Iterator[Edit]:
    """A slice had no step.

    The step, or a reversal, is left out.
    """
    if node.step is not None and calls.integer(node.step) != 1:
        yield Edit(node, ast.Slice(node.lower, node.upper, None))


@operator(ast.Subscript)
def other_index(program: Program, node: ast.Subscript) -> Iterator[Edit]:
    """The neighbouring item was taken."""
    if isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
        return
    for item in node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]:
        value = calls.integer(item)
        if value is not None:
            yield Edit(item, nodes.constant({0: 1, -1: 0}.get(value, value - 1)))
        elif _is_loop_over_items(program, item):
            yield Edit(item, nodes.shift(item, -1))


@operator(ast.Subscript)
def drop_index(program: Program, node: ast.Subscript) -> Iterator[Edit]:
    """An index was left out, so that everything was taken.

    An index that a name or an array gives: `table[ids]` becomes `table`.
    """
    if isinstance(node.ctx, ast.Load) and _is_loop_over_items(program, node.slice):
        yield Edit(node, node.value)


def _is_loop_over_items(program: Program, index: ast.expr) -> bool:
    """Return whether an index is a variable that holds chosen items.

    A loop counter does not count: a sum over all items may start at any of them.
    """
    if isinstance(index, ast.Attribute):
        return index.attr != "newaxis"
    return isinstance(index, ast.Name) and not any(
        index.id in names.find_assigned(node.target)
        for node in ast.walk(program.home(index))
        if isinstance(node, ast.For | ast.comprehension | ast.AugAssign)
    )


@operator(ast.Subscript)
def swap_indices(_: Program, node: ast.Subscript) -> Iterator[Edit]:
    """Two indices had changed places.

    `a[i, j]` becomes `a[j, i]`.
    """
    match node.slice:
        case ast.Tuple(elts=[ast.Name(), ast.Name()]) as items:
            yield nodes.exchange(items, 0, 1)
