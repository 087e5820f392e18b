"""Axes: another one, none at all, and the axis that a reduction keeps."""

import ast
from collections.abc import Iterator

from grader.mutation import calls, names, nodes
from grader.mutation.edits import Edit, Operator
from grader.mutation.program import Function, Program

# Functions with an axis: its position in NumPy's function, and what leaving it out means.
_REDUCTIONS = dict.fromkeys(
    ["sum", "mean", "max", "min", "amax", "amin", "var", "std", "prod", "any", "all", "argmax",
     "argmin", "median", "cumsum", "cumprod", "nansum", "nanmean", "nanmax", "nanmin",
     "count_nonzero"],
    (1, None),
)  # fmt: skip
_JOINS: dict[str, tuple[int, int | None]] = {
    "concatenate": (1, 0), "stack": (1, 0), "split": (2, 0), "array_split": (2, 0),
}  # fmt: skip
_OTHERS: dict[str, tuple[int, int | None]] = {
    "sort": (1, -1), "argsort": (1, -1), "diff": (2, -1), "flip": (1, None), "squeeze": (1, None),
    "repeat": (2, None), "take": (2, None), "roll": (2, None), "norm": (2, None),
    "append": (2, None),
    "delete": (2, None), "partition": (2, -1), "expand_dims": (1, None),
    "take_along_axis": (2, None),
    "logsumexp": (1, None),
}  # fmt: skip
_AXIS = {**_REDUCTIONS, **_JOINS, **_OTHERS}
_REQUIRED = frozenset({"expand_dims", "take_along_axis"})
# One other axis each: in two dimensions -2 and 0 are the same, in three -2 is the likelier mistake.
_OTHER = {-1: -2, -2: -1, 0: 1, 1: 0, 2: 1, -3: -2, 3: 2}


def _axis_of(call: ast.Call) -> ast.expr | None:
    name = calls.called(call)
    return (
        calls.argument(call, "axis", _AXIS[name][0])
        if name in _AXIS
        else calls.keyword(call, "axis")
    )


def _other(axis: ast.expr) -> ast.expr | None:
    """Return another axis, or one axis for several; None where there is no telling."""
    value = calls.integer(axis)
    if value in _OTHER:
        return nodes.constant(_OTHER[value])
    if isinstance(axis, ast.Tuple) and len(axis.elts) > 1:
        return axis.elts[-1]
    return None


def _other_axis(_: Program, node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.Call) and calls.called(node) not in _JOINS:
        axis = _axis_of(node)
        if axis is not None and (other := _other(axis)) is not None:
            yield Edit(axis, other)
    if isinstance(node, Function):
        for name, default in names.defaults(node):
            if name == "axis" and (other := _other(default)) is not None:
                yield Edit(default, other)


def _other_join_axis(_: Program, node: ast.AST) -> Iterator[Edit]:
    if not isinstance(node, ast.Call) or calls.called(node) not in _JOINS:
        return
    axis = _axis_of(node)
    if axis is None:
        yield Edit(
            node,
            nodes.call(node, keywords=[*node.keywords, ast.keyword("axis", nodes.constant(1))]),
        )
    elif (other := _other(axis)) is not None:
        yield Edit(axis, other)


def _drop_axis(_: Program, node: ast.AST) -> Iterator[Edit]:
    name = calls.called(node)
    if not isinstance(node, ast.Call) or name not in _AXIS or name in _REQUIRED:
        return
    axis = _axis_of(node)
    default = _AXIS[name][1]
    if axis is None or calls.is_constant(axis, None) or calls.integer(axis) == default:
        return
    if name in _JOINS and calls.integer(axis) == 1:
        return  # the same as the axis 0 of other-join-axis
    if (shorter := calls.without(node, axis)) is not None:
        yield Edit(node, shorter)


def _drop_keepdims(_: Program, node: ast.AST) -> Iterator[Edit]:
    if not isinstance(node, ast.Call):
        return
    keepdims = calls.keyword(node, "keepdims")
    if keepdims is None or _axis_of(node) is None:
        return  # without an axis a single number is left, which broadcasts either way
    if calls.is_constant(keepdims, False):
        yield Edit(keepdims, nodes.constant(True))
    elif (shorter := calls.without(node, keepdims)) is not None:
        yield Edit(node, shorter)


OPERATORS = (
    Operator(
        "other-axis",
        "Another axis, as 0 for 1 or -2 for -1, in a call or as a default.",
        _other_axis,
        "as if one step worked along another axis",
    ),
    Operator(
        "other-join-axis",
        "Arrays are joined, stacked or split along another axis.",
        _other_join_axis,
        "as if arrays were joined or split along another axis",
    ),
    Operator(
        "drop-axis",
        "The axis is left out, so that NumPy's default counts, mostly the whole array.",
        _drop_axis,
        "as if no axis was given to one step, so that it took the whole array or the first axis",
    ),
    Operator(
        "drop-keepdims",
        "keepdims is left out, so that the result broadcasts along another axis.",
        _drop_keepdims,
        "as if a reduced axis was lost that should stay with length 1, or the other way round",
    ),
)
