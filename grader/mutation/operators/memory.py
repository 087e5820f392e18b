"""Arguments that are changed, and copies that are not made."""

import ast
from collections.abc import Iterator

from grader.mutation import calls, names, nodes
from grader.mutation.edits import Edit
from grader.mutation.operators.operator import Operator
from grader.mutation.program import Program

_UFUNCS: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide",
}  # fmt: skip


def _in_place(program: Program, node: ast.AST) -> Iterator[Edit]:
    """`x = x / s` becomes `x /= s`; elsewhere the first such operation writes into its argument."""
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp):
        target, value = node.targets[0], node.value
        if isinstance(target, ast.Name) and _is_argument(program, value, target.id):
            yield Edit(node, ast.AugAssign(target, value.op, value.right))
            return
    if isinstance(node, ast.BinOp) and node is _first_operation(program, node):
        numpy, left = names.numpy_alias(program), node.left
        if isinstance(left, ast.Name) and names.assigned_name(program, node) == left.id:
            return  # the assignment has been changed
        ufunc = ast.Attribute(ast.Name(numpy, ast.Load()), _UFUNCS[type(node.op)], ast.Load())
        yield Edit(node, ast.Call(ufunc, [left, node.right], [ast.keyword("out", left)]))


def _is_argument(program: Program, value: ast.BinOp, name: str) -> bool:
    """Return whether `value` is arithmetic on an argument that still is the caller's array."""
    left, function = value.left, program.function(value)
    if not isinstance(left, ast.Name) or left.id != name or type(value.op) not in _UFUNCS:
        return False
    if function is None or name not in names.parameters(function):
        return False
    if function.name in program.called:
        return False  # by the program itself, most likely with an array of its own
    return all(
        calls.called(earlier.value) == "asarray"
        for earlier in ast.walk(function)
        if isinstance(earlier, ast.Assign)
        and name in set().union(*(names.stored(target) for target in earlier.targets))
        and earlier.lineno < value.lineno
    )


def _first_operation(program: Program, node: ast.BinOp) -> ast.BinOp | None:
    """Return the first operation of a function with an argument at its left; one will do."""
    function = program.function(node)
    if function is None or not names.numpy_alias(program):
        return None
    found = [
        candidate
        for candidate in ast.walk(function)
        if isinstance(candidate, ast.BinOp)
        and isinstance(candidate.left, ast.Name)
        and _is_argument(program, candidate, candidate.left.id)
        and calls.number(candidate.right) is None
    ]
    return min(found, key=lambda found: (found.lineno, found.col_offset), default=None)


def _drop_copy(program: Program, node: ast.AST) -> Iterator[Edit]:
    if not isinstance(node, ast.Call) or not _is_changed_or_leaves(program, node):
        return
    array = calls.array_of(node)
    if calls.called(node) == "copy" and array is not None and not _is_library(array):
        yield Edit(node, array)
    elif _copies_an_array(node) and isinstance(node.func, ast.Attribute):
        asarray = ast.Attribute(node.func.value, "asarray", ast.Load())
        yield Edit(node, nodes.call(node, func=asarray))


def _copies_an_array(call: ast.Call) -> bool:
    """Return whether `np.array(x)` is called, where `x` may be an array."""
    if calls.called(call) != "array" or calls.keyword(call, "copy") is not None:
        return False
    return isinstance(calls.array_of(call), ast.Name | ast.Attribute | ast.Subscript)


def _is_library(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in {"copy", "np", "numpy"}


def _is_changed_or_leaves(program: Program, node: ast.expr) -> bool:
    """Return whether it matters that the copy is one: it is written into, returned, or stored."""
    above = program.parent(node)
    if isinstance(above, ast.Return | ast.Tuple | ast.Attribute | ast.keyword):
        return not isinstance(above, ast.Attribute)
    if isinstance(above, ast.Assign) and isinstance(above.targets[0], ast.Attribute):
        return True
    name = names.assigned_name(program, node)
    return bool(name) and name in names.changed_in_place(program.home(node))


OPERATORS = (
    Operator(
        "in-place",
        "The result of an operation is written into an argument.",
        _in_place,
        "as if an argument was changed in place, which changes the caller's array",
    ),
    Operator(
        "drop-copy",
        "A copy is not made, so that a later change reaches the original.",
        _drop_copy,
        "as if no copy was made, so that a change reaches the original",
    ),
)
