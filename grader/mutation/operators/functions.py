"""Another function, no function, and arguments in each other's place."""

import ast
from collections.abc import Iterator

from grader.mutation import calls, names, nodes
from grader.mutation.edits import Edit, Operator
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
_MOST_ARGUMENTS = 3  # arguments whose exchange is tried


def _other_function(program: Program, node: ast.AST) -> Iterator[Edit]:
    if not isinstance(node, ast.Call):
        return
    name, func = calls.called(node), node.func
    if subtracts_maximum(program.parent(node)):
        return  # any number that is near the maximum will do
    if name in _FILLED and _is_filled_later(program, node):
        return  # the array is but a container
    if isinstance(func, ast.Name):
        if name in _BUILT_IN and name not in program.defined:
            yield Edit(node, nodes.call(node, func=ast.Name(_BUILT_IN[name], ast.Load())))
        return
    other = (_METHODS if calls.is_method(node) else _FUNCTIONS).get(name)
    if other is not None and isinstance(func, ast.Attribute):
        yield Edit(node, nodes.call(node, func=ast.Attribute(func.value, other, ast.Load())))


def _is_filled_later(program: Program, node: ast.expr) -> bool:
    if isinstance(node, ast.Call) and node.args:
        shape = node.args[0]
        sizes = shape.elts if isinstance(shape, ast.Tuple | ast.List) else [shape]
        if any(calls.integer(size) == 0 for size in sizes):
            return True  # it has no items
    name = names.assigned_name(program, node)
    return bool(name) and any(
        isinstance(target, ast.Subscript)
        and isinstance(target.value, ast.Name)
        and target.value.id == name
        for statement in ast.walk(program.home(node))
        if isinstance(statement, ast.Assign)
        for target in statement.targets
    )


def _drop_call(program: Program, node: ast.AST) -> Iterator[Edit]:
    if not isinstance(node, ast.Call):
        return
    own = program.defined
    if isinstance(node.func, ast.Name):
        if (
            node.func.id in own
            and len(node.args) == 1
            and not isinstance(node.args[0], ast.Starred)
        ):
            yield Edit(node, node.args[0])
    elif calls.called(node) in _ONE_ARRAY:
        array = calls.array_of(node)
        if calls.number(array) is not None and len(node.args) > 1:
            array = node.args[1]  # np.maximum(0, x)
        if array is not None and not isinstance(array, ast.Starred):
            yield Edit(node, array)


def _swap_arguments(program: Program, node: ast.AST) -> Iterator[Edit]:
    if not isinstance(node, ast.Call) or not 1 < len(node.args) <= _MOST_ARGUMENTS:
        return
    if any(isinstance(arg, ast.Starred) for arg in node.args):
        return
    own = calls.called(node) in program.defined
    library = calls.called(node) in _ORDERED and calls.is_function(node)
    if own or library:
        for place in range(len(node.args) - 1):
            yield Edit(node, nodes.call(node, args=nodes.swapped(node.args, place, place + 1)))


def _ddof(_: Program, node: ast.AST) -> Iterator[Edit]:
    if not isinstance(node, ast.Call) or calls.called(node) not in _VARIANCES:
        return
    keyword = calls.keyword(node, "ddof")
    if keyword is None:
        ddof = ast.keyword("ddof", nodes.constant(1))
        yield Edit(node, nodes.call(node, keywords=[*node.keywords, ddof]))
    elif calls.integer(keyword) != 0 and (shorter := calls.without(node, keyword)) is not None:
        yield Edit(node, shorter)


def _einsum(_: Program, node: ast.AST) -> Iterator[Edit]:
    """Exchange the last two letters of the output, and of the second operand."""
    if not isinstance(node, ast.Call) or calls.called(node) != "einsum" or not node.args:
        return
    subscripts = node.args[0]
    if not isinstance(subscripts, ast.Constant) or not isinstance(subscripts.value, str):
        return
    inputs, arrow, output = subscripts.value.partition("->")
    if arrow:
        yield from _respelt(subscripts, f"{inputs}->{_last_two_swapped(output)}")
    first, comma, second = inputs.partition(",")
    if comma:
        yield from _respelt(subscripts, f"{first},{_last_two_swapped(second)}{arrow}{output}")


def _respelt(subscripts: ast.Constant, text: str) -> Iterator[Edit]:
    if text != subscripts.value:
        yield Edit(subscripts, ast.Constant(text))


def _last_two_swapped(letters: str) -> str:
    stripped = letters.rstrip()
    two = stripped[-2:]
    return stripped[:-2] + two[::-1] if len(two) > 1 and two.isalpha() else letters


OPERATORS = (
    Operator(
        "ddof",
        "The sum of squares is divided by n - 1 in place of n, or the other way round.",
        _ddof,
        "as if the variance was divided by n - 1 in place of n, or by n in place of n - 1",
    ),
    Operator(
        "other-einsum",
        "Two letters of einsum's subscripts change places.",
        _einsum,
        "as if two axes of an einsum had changed places",
    ),
    Operator(
        "other-function",
        "A related function: the minimum for the maximum, the mean for the sum.",
        _other_function,
        "as if a related function was used, such as the minimum for the maximum",
    ),
    Operator(
        "drop-call",
        "What a function would be applied to is used as it is.",
        _drop_call,
        "as if a function was not applied",
    ),
    Operator(
        "swap-arguments",
        "Two arguments change places.",
        _swap_arguments,
        "as if two arguments had changed places",
    ),
)
