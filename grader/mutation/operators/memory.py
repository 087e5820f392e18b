"""Operators on memory: arguments changed in place, and missing copies."""

import ast
from collections.abc import Iterator

from grader.mutation import calls, names, nodes
from grader.mutation.edits import Edit, operator
from grader.mutation.program import Program

_UFUNCS: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide",
}  # fmt: skip


@operator(ast.Assign, ast.BinOp)
def in_place(program: Program, node: ast.Assign | ast.BinOp) -> Iterator[Edit]:
    """An argument was changed in place, which changes the caller's array.

    `x = x / s` becomes `x /= s`; elsewhere the first such operation writes into its argument.
    """
    if isinstance(node, ast.Assign):
        match node.targets[0], node.value:
            case ast.Name() as target, ast.BinOp() as value if _is_argument(
                program, value, target.id
            ):
                yield Edit(node, ast.AugAssign(target, value.op, value.right))
        return
    if (function := program.function(node)) is None:
        return
    left = node.left
    if isinstance(left, ast.Name) and names.find_target(program, node) == left.id:
        return  # the assignment has already been changed
    operations = [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.BinOp)
        and isinstance(node.left, ast.Name)
        and _is_argument(program, node, node.left.id)
        and calls.number(node.right) is None
    ]
    first = min(operations, key=lambda node: (node.lineno, node.col_offset), default=None)
    imported = [
        alias.asname or alias.name
        for statement in program.tree.body
        if isinstance(statement, ast.Import)
        for alias in statement.names
        if alias.name == "numpy"
    ]
    if node is first and imported:
        numpy = ast.Name(imported[0], ast.Load())
        ufunc = ast.Attribute(numpy, _UFUNCS[type(node.op)], ast.Load())
        yield Edit(node, ast.Call(ufunc, [left, node.right], [ast.keyword("out", left)]))


def _is_argument(program: Program, value: ast.BinOp, name: str) -> bool:
    """Return whether `value` is arithmetic on an argument that is still the caller's array."""
    left, function = value.left, program.function(value)
    if not isinstance(left, ast.Name) or left.id != name or type(value.op) not in _UFUNCS:
        return False
    if function is None or name not in names.list_parameters(function):
        return False
    if function.name in program.called_names:
        return False  # the program itself calls this function, most likely with a new array
    return all(
        calls.callee_name(earlier.value) == "asarray"
        for earlier in ast.walk(function)
        if isinstance(earlier, ast.Assign)
        and name in set().union(*(names.find_assigned(target) for target in earlier.targets))
        and earlier.lineno < value.lineno
    )


@operator(ast.Call)
def drop_copy(program: Program, node: ast.Call) -> Iterator[Edit]:
    """No copy was made, so that a change reaches the original."""
    if not _is_changed_or_leaves(program, node):
        return
    array, name = calls.find_array(node), calls.callee_name(node)
    if name == "copy" and array is not None:
        if not isinstance(array, ast.Name) or array.id not in {"copy", "np", "numpy"}:
            yield Edit(node, array)
    elif (
        name == "array"
        and calls.find_keyword(node, "copy") is None
        # the argument may be an array
        and isinstance(array, ast.Name | ast.Attribute | ast.Subscript)
        and isinstance(node.func, ast.Attribute)
    ):
        yield Edit(node, nodes.call(node, name="asarray"))


def _is_changed_or_leaves(program: Program, node: ast.expr) -> bool:
    """Return whether the copy matters because it is changed, returned or stored."""
    above = program.parent(node)
    if isinstance(above, ast.Return | ast.Tuple | ast.Attribute | ast.keyword):
        return not isinstance(above, ast.Attribute)
    if isinstance(above, ast.Assign) and isinstance(above.targets[0], ast.Attribute):
        return True
    name = names.find_target(program, node)
    for part in ast.walk(program.home(node)) if name else ():
        targets = part.targets if isinstance(part, ast.Assign) else []
        if isinstance(part, ast.AugAssign):
            targets = [part.target]
        for target in targets:
            base: ast.expr = target
            while isinstance(base, ast.Subscript | ast.Attribute):
                base = base.value
            is_written = isinstance(target, ast.Subscript) or isinstance(part, ast.AugAssign)
            if is_written and isinstance(base, ast.Name) and base.id == name:
                return True
    return False
