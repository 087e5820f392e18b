"""Operators on axes: another axis, no axis, and the axis that a reduction keeps."""

import ast
from collections.abc import Iterator

from grader.mutation import calls, names, nodes
from grader.mutation.edits import Edit, operator
from grader.mutation.program import Function, Program

# Functions with an `axis` argument, and its position in the NumPy function.
_REDUCTIONS = dict.fromkeys(
    ["sum", "mean", "max", "min", "amax", "amin", "var", "std", "prod", "any", "all", "argmax",
     "argmin", "median", "cumsum", "cumprod", "nansum", "nanmean", "nanmax", "nanmin",
     "count_nonzero"],
    (1, None),
)  # fmt: skip
_JOINS: dict[str, tuple[int, int | None]] = {
    "concatenate": (1, 0), "stack": (1, 0), "split": (2, 0), "array_split": (2, 0),
}  # fmt: skip
_AXIS = {
    **_REDUCTIONS, **_JOINS, "sort": (1, -1), "argsort": (1, -1), "diff": (2, -1),
    "flip": (1, None), "squeeze": (1, None), "repeat": (2, None), "take": (2, None),
    "roll": (2, None), "norm": (2, None), "append": (2, None), "delete": (2, None),
    "partition": (2, -1), "expand_dims": (1, None), "take_along_axis": (2, None),
    "logsumexp": (1, None),
}  # fmt: skip
_REQUIRED = frozenset({"expand_dims", "take_along_axis"})
# The one other axis to try: -2 for -1, since in two dimensions 0 is the same, and in three -2 is
# the more likely mistake.
_OTHER = {-1: -2, -2: -1, 0: 1, 1: 0, 2: 1, -3: -2, 3: 2}


def _find_axis(call: ast.Call) -> ast.expr | None:
    name = calls.callee_name(call)
    if name not in _AXIS:
        return calls.find_keyword(call, "axis")
    return calls.find_argument(call, "axis", _AXIS[name][0])


def _exchange_axis(axis: ast.expr | None) -> Iterator[Edit]:
    """Yield the edit to another axis, or from several axes to one; none without a literal axis."""
    value = calls.integer(axis)
    if axis is not None and value in _OTHER:
        yield Edit(axis, nodes.constant(_OTHER[value]))
    elif isinstance(axis, ast.Tuple) and len(axis.elts) > 1:
        yield Edit(axis, axis.elts[-1])


@operator(ast.Call, ast.FunctionDef, ast.AsyncFunctionDef)
def other_axis(_: Program, node: ast.Call | Function) -> Iterator[Edit]:
    """One step worked along another axis.

    0 for 1 or -2 for -1, in a call or as a default.
    """
    if not isinstance(node, ast.Call):
        for name, default in names.list_defaults(node):
            if name == "axis":
                yield from _exchange_axis(default)
    elif calls.callee_name(node) not in _JOINS:
        yield from _exchange_axis(_find_axis(node))


@operator(ast.Call)
def other_join_axis(_: Program, node: ast.Call) -> Iterator[Edit]:
    """Arrays were joined or split along another axis."""
    if calls.callee_name(node) in _JOINS:
        axis = _find_axis(node)
        if axis is None:
            yield Edit(node, nodes.with_keyword(node, "axis", 1))
        yield from _exchange_axis(axis)


@operator(ast.Call)
def drop_axis(_: Program, node: ast.Call) -> Iterator[Edit]:
    """No axis was given to one step, so that it took the whole array or the first axis."""
    name = calls.callee_name(node)
    if name not in _AXIS or name in _REQUIRED:
        return
    axis = _find_axis(node)
    if axis is None or calls.is_constant(axis, None) or calls.integer(axis) == _AXIS[name][1]:
        return
    if name in _JOINS and calls.integer(axis) == 1:
        return  # operator other-join-axis already makes axis 0
    yield from nodes.without(node, axis)


@operator(ast.Call)
def drop_keepdims(_: Program, node: ast.Call) -> Iterator[Edit]:
    """A reduced axis was lost that should stay with length 1, or the other way round.

    `keepdims` is left out, so that the result broadcasts along another axis.
    """
    keepdims = calls.find_keyword(node, "keepdims")
    if keepdims is None or _find_axis(node) is None:
        return  # without an axis the result is a single number, which broadcasts either way
    if calls.is_constant(keepdims, False):
        yield Edit(keepdims, nodes.constant(True))
    else:
        yield from nodes.without(node, keepdims)
