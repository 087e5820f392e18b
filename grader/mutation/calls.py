"""Readers for calls of NumPy: the function, the array it works on, and its arguments."""

import ast

from grader.mutation.program import Program

_LIBRARIES = frozenset({"np", "numpy", "math"})

# The keywords and the functions whose arguments are indices, axes or sizes.
_INDEX_KEYWORDS = frozenset(
    {"axis", "axes", "k", "ndmin", "ddof", "size", "shape", "seed", "order"}
)
_INDEX_CALLS = frozenset({
    "range", "arange", "reshape", "transpose", "swapaxes", "moveaxis", "zeros", "ones", "empty",
    "full", "eye", "identity", "tri", "triu", "tril", "expand_dims", "squeeze", "repeat", "tile",
    "broadcast_to", "split", "default_rng", "RandomState", "seed", "concatenate", "stack", "resize",
    "standard_normal", "randn", "rand", "ndarray", "take", "roll", "round", "diagonal", "einsum",
})  # fmt: skip
_PASSED_THROUGH = (ast.Tuple, ast.List, ast.BinOp, ast.UnaryOp, ast.Slice)


def callee_name(node: ast.AST) -> str:
    """Return the last part of the called function's name, or "" if the node is not such a call."""
    if not isinstance(node, ast.Call):
        return ""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def is_function(call: ast.Call) -> bool:
    """Return whether the call is of a NumPy function: `np.sum(x)`, `np.linalg.norm(x)`."""
    func = call.func
    while isinstance(func, ast.Attribute):
        func = func.value
    return isinstance(func, ast.Name) and (func.id in _LIBRARIES or func is call.func)


def is_method(call: ast.Call) -> bool:
    """Return whether the call is of a method, such as `x.sum()`."""
    return isinstance(call.func, ast.Attribute) and not is_function(call)


def find_array(call: ast.Call) -> ast.expr | None:
    """Return the array that the call works on: `x` in both `np.sum(x)` and `x.sum()`."""
    if is_method(call) and isinstance(call.func, ast.Attribute):
        return call.func.value
    return call.args[0] if call.args and not isinstance(call.args[0], ast.Starred) else None


def find_keyword(call: ast.Call, name: str) -> ast.expr | None:
    """Return the value of a keyword argument."""
    return next((word.value for word in call.keywords if word.arg == name), None)


def find_argument(call: ast.Call, name: str, position: int) -> ast.expr | None:
    """Return the argument with this name or at this position, or None.

    `position` counts the arguments of the NumPy function, from 0. A method has one argument fewer,
    because its array stands before the dot.
    """
    index = position - 1 if is_method(call) else position
    arguments = call.args[: index + 1]
    if len(arguments) > index >= 0 and not any(isinstance(arg, ast.Starred) for arg in arguments):
        return arguments[index]
    return find_keyword(call, name)


def number(node: ast.AST | None) -> float | None:
    """Return the value of a number literal such as `0.5` or `-1`, or None for any other node."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = number(node.operand)
        return None if value is None else -value
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return node.value  # type: ignore[return-value]  # by its type
    return None


def integer(node: ast.AST | None) -> int | None:
    """Return the value of an integer literal, or None for any other node."""
    value = number(node)
    return value if isinstance(value, int) else None


def is_constant(node: ast.AST | None, value: object) -> bool:
    """Return whether a node is the literal True, False or None."""
    return isinstance(node, ast.Constant) and node.value is value


def is_index_like(program: Program, node: ast.expr) -> bool:
    """Return whether a node is an index, an axis, a size, or the bound of a slice or a loop."""
    below: ast.AST = node
    for above in program.ancestors(node):
        if isinstance(above, ast.Subscript):
            return above.slice is below
        if isinstance(above, ast.keyword) and above.arg in _INDEX_KEYWORDS:
            return True
        if isinstance(above, ast.Call):
            return callee_name(above) in _INDEX_CALLS and below in above.args
        if not isinstance(above, _PASSED_THROUGH):
            return False
        below = above
    return False
