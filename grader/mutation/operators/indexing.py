"""Indices, slices and the bounds of loops: one off, reversed, or in each other's place."""

import ast
from collections.abc import Iterator

from grader.mutation import calls, names, nodes
from grader.mutation.edits import Edit, Operator
from grader.mutation.places import shifted
from grader.mutation.program import Program

_PAIR = 2


def _loop_bounds(program: Program, node: ast.AST) -> Iterator[Edit]:
    if not isinstance(node, ast.Call) or calls.called(node) != "range" or not node.args:
        return
    above = program.parent(node)
    if not isinstance(above, ast.For | ast.comprehension) or node is not above.iter:
        return
    if len(node.args) == 1:
        stop = node.args[0]
        yield Edit(node, nodes.call(node, args=[nodes.constant(1), stop]))
    else:
        start, stop = node.args[:2]
        yield Edit(start, shifted(start, 1))
    yield Edit(stop, shifted(stop, -1))


def _slice_bounds(_: Program, node: ast.AST) -> Iterator[Edit]:
    if not isinstance(node, ast.Slice):
        return
    if node.lower is not None and not calls.is_constant(node.lower, None):
        start = None if calls.integer(node.lower) == 1 else shifted(node.lower, 1)
        yield Edit(node, ast.Slice(start, node.upper, node.step))
    if node.upper is not None and not calls.is_constant(node.upper, None):
        stop = None if calls.integer(node.upper) == -1 else shifted(node.upper, -1)
        yield Edit(node, ast.Slice(node.lower, stop, node.step))


def _drop_step(_: Program, node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.Slice) and node.step is not None and calls.integer(node.step) != 1:
        yield Edit(node, ast.Slice(node.lower, node.upper, None))


def _other_index(program: Program, node: ast.AST) -> Iterator[Edit]:
    if not isinstance(node, ast.Subscript) or (
        isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
    ):
        return
    items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    for item in items:
        value = calls.integer(item)
        if value is not None:
            yield Edit(item, nodes.constant({0: 1, -1: 0}.get(value, value - 1)))
        elif _names_items(program, item):
            yield Edit(item, shifted(item, -1))


def _drop_index(program: Program, node: ast.AST) -> Iterator[Edit]:
    """`table[ids]` becomes `table`."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Load):
        return
    if _names_items(program, node.slice):
        yield Edit(node, node.value)


def _names_items(program: Program, index: ast.expr) -> bool:
    """Return whether an index is a name for items chosen before.

    What counts the rounds of a loop is not: a sum over all items may begin at any of them.
    """
    if isinstance(index, ast.Attribute):
        return index.attr != "newaxis"
    return isinstance(index, ast.Name) and not any(
        index.id in names.stored(node.target)
        for node in ast.walk(program.home(index))
        if isinstance(node, ast.For | ast.comprehension | ast.AugAssign)
    )


def _swap_indices(_: Program, node: ast.AST) -> Iterator[Edit]:
    """`a[i, j]` becomes `a[j, i]`."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
        items = node.slice.elts
        if len(items) == _PAIR and all(isinstance(item, ast.Name) for item in items):
            yield Edit(node.slice, nodes.tuple_like(node.slice, nodes.swapped(items, 0, 1)))


OPERATORS = (
    Operator(
        "loop-bounds",
        "A loop begins one later or ends one earlier.",
        _loop_bounds,
        "as if a loop left out its first or its last round",
    ),
    Operator(
        "slice-bounds",
        "A slice begins one later or ends one earlier, or where the array does.",
        _slice_bounds,
        "as if a slice began or ended one off",
    ),
    Operator(
        "drop-step",
        "A slice's step, or its reversal, is left out.",
        _drop_step,
        "as if a slice had no step",
    ),
    Operator(
        "other-index",
        "The neighbouring item is taken.",
        _other_index,
        "as if the neighbouring item was taken",
    ),
    Operator(
        "drop-index",
        "An index that a name or an array gives is left out.",
        _drop_index,
        "as if an index was left out, so that everything was taken",
    ),
    Operator(
        "swap-indices",
        "Two indices change places.",
        _swap_indices,
        "as if two indices had changed places",
    ),
)
