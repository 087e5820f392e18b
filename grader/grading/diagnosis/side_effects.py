"""Tells which programs cannot leave anything behind in the process that ran them.

Such programs may run one after another in one child, and each does what it would do in a child of
its own. Whatever is not plainly harmless is not: functions that call each other, what is listed
here of NumPy, and `math`. A program of any other kind gets a child of its own.

What a program could leave behind lies in modules, in the types and functions that it shares with
the next, in the file system, or in memory that nobody cleared. So it may use a module for nothing
but what computes with its arguments, set no attribute, and look at no memory that it has not
written. It defines no class, since a method can be called with anything in the place of `self`. It
handles no exception, since the end of a program that ran out of something has to show.
"""

import ast
import builtins
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from grader.definitions.exercise import CallTest, OutputTest, PytestTest, TestCase
from grader.grading.expected.oracle import Oracle

_STATEMENTS: Final = (
    ast.FunctionDef, ast.Import, ast.Return, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr,
    ast.If, ast.For, ast.While, ast.With, ast.Break, ast.Continue, ast.Pass, ast.Raise, ast.Assert,
)  # fmt: skip
_IMPORTS: Final = frozenset({("numpy", "np"), ("math", None)})
_BUILTINS: Final = frozenset({
    "abs", "all", "any", "bool", "complex", "dict", "divmod", "enumerate", "filter", "float",
    "frozenset", "int", "isinstance", "len", "list", "map", "max", "min", "pow", "print", "range",
    "reversed", "round", "set", "slice", "sorted", "str", "sum", "tuple", "zip",
    "AssertionError", "IndexError", "KeyError", "NotImplementedError", "RuntimeError", "TypeError",
    "ValueError", "ZeroDivisionError",
})  # fmt: skip
# Besides these: ufuncs, scalar types and constants. Not `empty` nor `pad`, which can show what was
# in memory before, nor `array_equal`, for which arrays that do not fit into memory just differ.
_OF_NUMPY: Final = frozenset({
    "all", "allclose", "any", "append", "arange", "argmax", "argmin", "argpartition", "argsort",
    "argwhere", "array", "asarray", "atleast_1d", "atleast_2d", "average", "broadcast_to", "clip",
    "column_stack", "concatenate", "copy", "count_nonzero", "cumprod", "cumsum", "delete", "diag",
    "diagonal", "diff", "dot", "einsum", "errstate", "expand_dims", "eye", "fill_diagonal", "finfo",
    "flip", "full", "full_like", "hstack", "identity", "iinfo", "inner", "insert", "isclose",
    "isin", "isneginf", "isposinf", "issubdtype", "kron", "linalg.inv", "linalg.norm",
    "linalg.solve", "linspace", "max", "mean", "median", "meshgrid", "min", "moveaxis",
    "nan_to_num", "nanmax", "nanmean", "nansum", "ndim", "newaxis", "nonzero", "ones", "ones_like",
    "outer", "prod", "random.default_rng", "ravel", "repeat", "reshape", "roll", "round",
    "searchsorted", "shape", "size", "sort", "split", "squeeze", "stack", "std", "sum", "swapaxes",
    "take", "take_along_axis", "tensordot", "tile", "trace", "transpose", "tri", "tril",
    "tril_indices", "triu", "triu_indices", "unique", "unravel_index", "var", "vstack", "where",
    "zeros", "zeros_like",
})  # fmt: skip
_NOT_OF_OBJECTS: Final = frozenset({
    "bit_generator", "ctypes", "dump", "tofile",  # lead out of the program
    "data", "dumps", "getfield", "setfield", "tobytes", "view",  # show bytes between the values
})  # fmt: skip
_PRIVATE: Final = ("_", "gi_")  # a generator leads to its frame, and so to everything


def asks_without_trace(oracle: Oracle, tests: Sequence[TestCase]) -> bool:
    """Tell whether tests may be asked of programs that leave no trace, one after another.

    Not where a call is measured, which takes more or less after others, and not where functions of
    the author's run among the program's.

    Raises:
        DefinitionError, GraderFault: see `Oracle.draws`.
    """
    return all(_asks_without_trace(oracle, test) for test in tests)


def _asks_without_trace(oracle: Oracle, test: TestCase) -> bool:
    if any(_has_function(draw.inputs) for draw in oracle.draws(test)):
        return False
    match test:
        case CallTest(budget=budget):
            return budget is None
        case OutputTest(run=statements):
            return leaves_no_trace(statements)
        case PytestTest(pytest=body):
            return "def " not in body  # as it would be sent
    return True


def _has_function(value: object) -> bool:
    if isinstance(value, Mapping):
        return any(map(_has_function, value.values()))
    return any(map(_has_function, value)) if isinstance(value, (list, tuple)) else callable(value)


def leaves_no_trace(source: str) -> bool:
    """Tell whether what runs after a program, in its process, could tell that it ran.

    Args:
        source: of the program, or of statements that run after one.
    """
    try:
        return _is_harmless(ast.parse(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _is_harmless(node: ast.AST) -> bool:
    """Tell whether a part of a program is, with all that it consists of."""
    match node:
        case ast.Attribute(value=ast.Name(id="math"), attr=name, ctx=ast.Load()):
            return not name.startswith(_PRIVATE)
        case ast.Attribute(value=ast.Name(id="np"), attr=name, ctx=ast.Load()):
            return name in _OF_NUMPY or _is_plain(vars(np).get(name))
        case ast.Attribute(value=ast.Attribute(value=ast.Name(id="np"), attr=part), attr=name) if (
            f"{part}.{name}" in _OF_NUMPY
        ):
            return isinstance(node.ctx, ast.Load)
        case ast.Attribute(attr=name, ctx=ctx):
            allowed = isinstance(ctx, ast.Load) and name not in _NOT_OF_OBJECTS
            allowed = allowed and not name.startswith(_PRIVATE)
        case ast.Name(id=name):
            known = name in _BUILTINS or not (hasattr(builtins, name) or name.startswith("__"))
            return known and name not in {"np", "math"}
        case ast.Import(names=names):
            return {(each.name, each.asname) for each in names} <= _IMPORTS
        case ast.keyword(arg=name):
            allowed = name not in {None, "where"}  # where not, a result is whatever was there
        case _:
            allowed = not isinstance(node, (ast.stmt, ast.Yield, ast.YieldFrom, ast.Await))
            allowed = allowed or isinstance(node, _STATEMENTS)
    return allowed and all(map(_is_harmless, ast.iter_child_nodes(node)))


def _is_plain(value: object) -> bool:
    """Tell whether something of NumPy is a ufunc, a scalar type or a constant."""
    is_type = isinstance(value, type) and issubclass(value, np.generic)
    return is_type or isinstance(value, (np.ufunc, float))
