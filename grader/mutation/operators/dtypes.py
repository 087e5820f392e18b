"""Data types: a narrower one, or the default."""

import ast
from collections.abc import Iterator

from grader.mutation import calls, names, nodes
from grader.mutation.edits import Edit, Operator
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


def _dtype_of(call: ast.Call) -> ast.expr | None:
    if calls.called(call) == "astype" and call.args:
        return call.args[0]
    return calls.keyword(call, "dtype")


def _name(dtype: ast.expr) -> str:
    if isinstance(dtype, ast.Name):
        return dtype.id
    if isinstance(dtype, ast.Attribute):
        return dtype.attr
    return dtype.value if isinstance(dtype, ast.Constant) and isinstance(dtype.value, str) else ""


def _other_dtype(program: Program, node: ast.AST) -> Iterator[Edit]:
    if not isinstance(node, ast.Call) or (dtype := _dtype_of(node)) is None:
        return
    name = _name(dtype)
    if name in _BOOL and _only_truth_counts(program, node):
        return
    for other in _OTHER.get(name, ()):
        if isinstance(dtype, ast.Attribute):
            yield Edit(dtype, ast.Attribute(dtype.value, other, ast.Load()))
        else:
            yield Edit(dtype, nodes.constant(other))


def _drop_dtype(program: Program, node: ast.AST) -> Iterator[Edit]:
    if not isinstance(node, ast.Call) or (dtype := _dtype_of(node)) is None:
        return
    name, function = _name(dtype), calls.called(node)
    if function == "astype" and isinstance(node.func, ast.Attribute):
        yield Edit(node, node.func.value)
        return
    is_default = name in _FLOAT64 and function in _FLOAT_BY_DEFAULT
    if is_default or (name in _BOOL and _only_truth_counts(program, node)):
        return
    if (shorter := calls.without(node, dtype)) is not None:
        yield Edit(node, shorter)


def _only_truth_counts(program: Program, node: ast.expr) -> bool:
    """Return whether only zero or not zero matters in an array, so that its dtype does not."""
    above = program.parent(node)
    if calls.called(above) in _KEEPS_TRUTH and isinstance(above, ast.Call):
        return _only_truth_counts(program, above)
    if calls.called(above) == "where" and isinstance(above, ast.Call):
        return above.args[:1] == [node]
    name = names.assigned_name(program, node)
    if not name:
        return False
    uses = list(names.loads(program.home(node), name))
    return bool(uses) and all(_only_truth_counts(program, use) for use in uses)


OPERATORS = (
    Operator(
        "other-dtype",
        "float32 or int for float64, and the like.",
        _other_dtype,
        "as if numbers were stored with another dtype",
    ),
    Operator(
        "drop-dtype",
        "A dtype, or a conversion to one, is left out.",
        _drop_dtype,
        "as if a dtype was left to NumPy",
    ),
)
