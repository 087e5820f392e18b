"""Operators on data types: a narrower dtype, or NumPy's default."""

import ast
from collections.abc import Iterator

from grader.mutation import calls, names, nodes
from grader.mutation.edits import Edit, operator
from grader.mutation.program import Program

_OTHER = {
    "float": ("float32", "int64"), "float64": ("float32", "int64"), "double": ("float32",),
    "float32": ("float64",), "float16": ("float64",),
    "int": ("float64",), "int64": ("float64",), "int32": ("float64",),
    "bool": ("int64",), "bool_": ("int64",),
}  # fmt: skip
_FLOAT_BY_DEFAULT = frozenset({"zeros", "ones", "empty", "eye", "identity", "linspace", "full"})
_FLOAT64 = frozenset({"float", "float64", "double"})
_BOOL = frozenset({"bool", "bool_"})
_KEEPS_TRUTH = frozenset({"triu", "tril", "logical_not", "logical_and", "logical_or"})


def _find_dtype(call: ast.Call) -> tuple[ast.expr | None, str]:
    """Return the dtype argument of a call, or None, and the name of the dtype."""
    is_conversion = calls.callee_name(call) == "astype" and call.args
    match dtype := call.args[0] if is_conversion else calls.find_keyword(call, "dtype"):
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Constant(value=str(name)):
            return dtype, name
    return dtype, ""


@operator(ast.Call)
def other_dtype(program: Program, node: ast.Call) -> Iterator[Edit]:
    """Numbers were stored with another dtype.

    float32 or int for float64, and the like.
    """
    dtype, name = _find_dtype(node)
    if dtype is None or (name in _BOOL and _is_used_as_truth(program, node)):
        return
    for other in _OTHER.get(name, ()):
        if isinstance(dtype, ast.Attribute):
            yield Edit(dtype, ast.Attribute(dtype.value, other, ast.Load()))
        else:
            yield Edit(dtype, nodes.constant(other))


@operator(ast.Call)
def drop_dtype(program: Program, node: ast.Call) -> Iterator[Edit]:
    """A dtype was left to NumPy.

    The dtype, or a conversion to one, is left out.
    """
    dtype, name = _find_dtype(node)
    function = calls.callee_name(node)
    if dtype is None:
        return
    if function == "astype" and isinstance(node.func, ast.Attribute):
        yield Edit(node, node.func.value)
        return
    is_default = name in _FLOAT64 and function in _FLOAT_BY_DEFAULT
    if not is_default and not (name in _BOOL and _is_used_as_truth(program, node)):
        yield from nodes.without(node, dtype)


def _is_used_as_truth(program: Program, node: ast.expr) -> bool:
    """Return whether only the truth of each element matters, so that the dtype does not."""
    above = program.parent(node)
    if calls.callee_name(above) in _KEEPS_TRUTH and isinstance(above, ast.Call):
        return _is_used_as_truth(program, above)
    if calls.callee_name(above) == "where" and isinstance(above, ast.Call):
        return above.args[:1] == [node]
    name = names.find_target(program, node)
    if not name:
        return False
    uses = list(names.find_loads(program.home(node), name))
    return bool(uses) and all(_is_used_as_truth(program, use) for use in uses)
