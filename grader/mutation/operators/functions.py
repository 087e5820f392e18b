"""Operators on function calls: another function, no call, exchanged arguments."""

import ast
from collections.abc import Iterator

from grader.mutation import calls, names, nodes
from grader.mutation.edits import Edit, operator
from grader.mutation.operators.arithmetic import subtracts_maximum
from grader.mutation.program import Program

_METHODS = {
    "sum": "mean", "mean": "sum", "max": "min", "min": "max", "argmax": "argmin",
    "argmin": "argmax", "var": "std", "std": "var", "any": "all", "all": "any", "prod": "sum",
}  # fmt: skip
_FUNCTIONS = _METHODS | {
    "amax": "amin", "amin": "amax", "maximum": "minimum", "minimum": "maximum", "zeros": "ones",
    "ones": "zeros", "zeros_like": "ones_like", "ones_like": "zeros_like", "exp": "exp2",
    "log": "log2", "log2": "log", "exp2": "exp", "floor": "ceil", "ceil": "floor", "sin": "cos",
    "cos": "sin", "hstack": "vstack", "vstack": "hstack", "logical_and": "logical_or",
    "logical_or": "logical_and", "tile": "repeat", "repeat": "tile", "matmul": "multiply",
    "dot": "multiply", "argsort": "sort", "greater": "less", "less": "greater", "add": "subtract",
    "subtract": "add", "divide": "multiply", "isnan": "isinf", "isfinite": "isnan",
}  # fmt: skip
_BUILT_IN = {"max": "min", "min": "max", "any": "all", "all": "any"}
_FILLED = frozenset({"zeros", "ones", "zeros_like", "ones_like"})
_ONE_ARRAY = frozenset({
    "exp", "log", "tanh", "abs", "absolute", "sign", "floor", "ceil", "log1p", "expm1", "cumsum",
    "cumprod", "clip", "sort", "sin", "cos", "squeeze", "flip", "roll", "maximum", "minimum",
    "repeat", "tile", "nan_to_num", "argsort",
})  # fmt: skip
_ORDERED = frozenset({
    "matmul", "dot", "subtract", "divide", "true_divide", "outer", "cross", "power", "kron",
    "inner", "searchsorted", "arctan2", "less", "greater", "less_equal", "greater_equal",
})  # fmt: skip
_VARIANCES = frozenset({"var", "std", "nanvar", "nanstd"})
_MAX_ARGUMENTS = 3  # calls with more are not changed


@operator(ast.Call)
def ddof(_: Program, node: ast.Call) -> Iterator[Edit]:
    """The variance was divided by n - 1 in place of n, or by n in place of n - 1."""
    if calls.callee_name(node) not in _VARIANCES:
        return
    keyword = calls.find_keyword(node, "ddof")
    if keyword is None:
        yield Edit(node, nodes.with_keyword(node, "ddof", 1))
    elif calls.integer(keyword) != 0:
        yield from nodes.without(node, keyword)


@operator(ast.Call)
def other_einsum(_: Program, node: ast.Call) -> Iterator[Edit]:
    """Two axes of an einsum had changed places.

    These are the last two letters of the output, and of the second operand.
    """
    match node.args[:1]:
        case [ast.Constant(value=str(text)) as subscripts] if calls.callee_name(node) == "einsum":
            inputs, arrow, output = text.partition("->")
            first, comma, second = inputs.partition(",")
            for other in (
                f"{inputs}{arrow}{_swap_last_two(output)}",
                f"{first}{comma}{_swap_last_two(second)}{arrow}{output}",
            ):
                if other != text:
                    yield Edit(subscripts, ast.Constant(other))


def _swap_last_two(letters: str) -> str:
    stripped = letters.rstrip()
    two = stripped[-2:]
    return stripped[:-2] + two[::-1] if len(two) > 1 and two.isalpha() else letters


@operator(ast.Call)
def other_function(program: Program, node: ast.Call) -> Iterator[Edit]:
    """A related function was used, such as the minimum for the maximum."""
    name = calls.callee_name(node)
    if subtracts_maximum(program.parent(node)):
        return  # any number near the maximum serves as well
    if name in _FILLED and _is_filled_later(program, node):
        return  # the array is only a container, so its first values do not matter
    table = _METHODS if calls.is_method(node) else _FUNCTIONS
    if isinstance(node.func, ast.Name):
        table = {} if name in program.defined_names else _BUILT_IN
    if name in table:
        yield Edit(node, nodes.call(node, name=table[name]))


def _is_filled_later(program: Program, node: ast.Call) -> bool:
    if node.args:
        shape = node.args[0]
        sizes = shape.elts if isinstance(shape, ast.Tuple | ast.List) else [shape]
        if any(calls.integer(size) == 0 for size in sizes):
            return True  # the array is empty, so nothing can be filled in
    name = names.find_target(program, node)
    return bool(name) and any(
        isinstance(target, ast.Subscript)
        and isinstance(target.value, ast.Name)
        and target.value.id == name
        for statement in ast.walk(program.home(node))
        if isinstance(statement, ast.Assign)
        for target in statement.targets
    )


@operator(ast.Call)
def drop_call(program: Program, node: ast.Call) -> Iterator[Edit]:
    """A function was not applied.

    Its argument is used as it is.
    """
    array: ast.expr | None = None
    if isinstance(node.func, ast.Name):
        if node.func.id in program.defined_names and len(node.args) == 1:
            array = node.args[0]
    elif calls.callee_name(node) in _ONE_ARRAY:
        array = calls.find_array(node)
        if calls.number(array) is not None and len(node.args) > 1:
            array = node.args[1]  # the array in `np.maximum(0, x)`
    if array is not None and not isinstance(array, ast.Starred):
        yield Edit(node, array)


@operator(ast.Call)
def swap_arguments(program: Program, node: ast.Call) -> Iterator[Edit]:
    """Two arguments had changed places."""
    if any(isinstance(arg, ast.Starred) for arg in node.args) or len(node.args) > _MAX_ARGUMENTS:
        return
    is_own = calls.callee_name(node) in program.defined_names
    if is_own or (calls.callee_name(node) in _ORDERED and calls.is_function(node)):
        for index in range(len(node.args) - 1):
            yield Edit(node, nodes.call(node, args=nodes.swap(node.args, index, index + 1)))
