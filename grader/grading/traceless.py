"""Tells which programs cannot leave anything behind in the process that ran them.

Such programs may run one after another in one child, and each does what it would do in a child of
its own. Whatever is not plainly harmless is not: each rule lists what a program may have, and a
program of any other kind gets a child of its own.

What a program could leave behind lies in modules, in the types and functions that it shares with
the next, in the file system, or in memory that nobody cleared. So it may not reach a module but by
the names that it imports, use of one only what changes nothing but its own arguments, set no
attribute but those of its own instances, and look at no memory that it has not written. It handles
no exception, since the end of a program that ran out of something has to show.
"""

import ast
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, TypeVar

import numpy as np

from grader.definitions.exercise import CallTest, OutputTest, PytestTest, TestCase
from grader.grading.oracle import Oracle

_Node = TypeVar("_Node", bound=ast.AST)

_STATEMENTS: Final = (
    ast.Module, ast.FunctionDef, ast.ClassDef, ast.Import, ast.Return, ast.Assign, ast.AnnAssign,
    ast.AugAssign, ast.Expr, ast.If, ast.For, ast.While, ast.With, ast.Break, ast.Continue,
    ast.Pass, ast.Raise, ast.Assert,
)  # fmt: skip
_EXPRESSIONS: Final = (
    ast.Attribute, ast.BinOp, ast.BoolOp, ast.Call, ast.Compare, ast.Constant, ast.Dict,
    ast.DictComp, ast.FormattedValue, ast.GeneratorExp, ast.IfExp, ast.JoinedStr, ast.Lambda,
    ast.List, ast.ListComp, ast.Name, ast.NamedExpr, ast.Set, ast.SetComp, ast.Slice, ast.Starred,
    ast.Subscript, ast.Tuple, ast.UnaryOp,
)  # fmt: skip
_PARTS: Final = (ast.alias, ast.arg, ast.arguments, ast.comprehension, ast.keyword, ast.withitem)
_NEVER_MATTER: Final = frozenset({"ctx", "op", "ops", "type_comment"})
_FIELDS: Final[dict[type[ast.AST], tuple[str, ...]]] = {
    kind: tuple(name for name in kind._fields if name not in _NEVER_MATTER)
    for kind in (*_STATEMENTS, *_EXPRESSIONS, *_PARTS)
}
"""The kinds of nodes that a program may have, and the fields with others below them."""

_IMPORTS: Final = frozenset({("numpy", "np"), ("numpy", "numpy"), ("math", "math")})
_BUILTINS: Final = frozenset({
    "abs", "all", "any", "bool", "complex", "dict", "divmod", "enumerate", "filter", "float",
    "frozenset", "int", "isinstance", "len", "list", "map", "max", "min", "pow", "print", "range",
    "reversed", "round", "set", "slice", "sorted", "str", "sum", "tuple", "zip",
    "AssertionError", "IndexError", "KeyError", "NotImplementedError", "RuntimeError", "TypeError",
    "ValueError", "ZeroDivisionError",
})  # fmt: skip
_OF_NUMPY: Final = frozenset({
    "abs", "absolute", "add", "all", "allclose", "amax", "amin", "any", "append", "arange",
    "arccos", "arcsin", "arctan", "arctan2", "argmax", "argmin", "argpartition", "argsort",
    "argwhere", "around", "array", "array_equal", "asarray", "atleast_1d", "atleast_2d",
    "atleast_3d", "average", "bool_", "broadcast_shapes", "broadcast_to", "ceil", "clip",
    "column_stack", "complex128", "complex64", "concatenate", "conj", "copy", "cos", "cosh",
    "count_nonzero", "cumprod", "cumsum", "deg2rad", "delete", "diag", "diag_indices", "diagonal",
    "diff", "divide", "dot", "dstack", "e", "einsum", "equal", "exp", "exp2", "expand_dims",
    "expm1", "eye", "fill_diagonal", "finfo", "flatnonzero", "flip", "fliplr", "flipud", "float16",
    "float32", "float64", "floating", "floor", "floor_divide", "fmax", "fmin", "full", "full_like",
    "greater", "greater_equal", "hstack", "hypot", "identity", "iinfo", "inf", "inner", "insert",
    "int16", "int32", "int64", "int8", "integer", "interp", "isclose", "isfinite", "isin", "isinf",
    "isnan", "isneginf", "isposinf", "issubdtype", "ix_", "kron", "less", "less_equal",
    "linalg.det", "linalg.eigh", "linalg.inv", "linalg.norm", "linalg.qr", "linalg.solve",
    "linalg.svd", "linspace", "log", "log10", "log1p", "log2", "logaddexp", "logical_and",
    "logical_not", "logical_or", "logical_xor", "longdouble", "matmul", "max", "maximum", "mean",
    "median", "meshgrid", "min", "minimum", "mod", "moveaxis", "multiply", "nan", "nan_to_num",
    "nanmax", "nanmean", "nanmin", "nansum", "ndim", "negative", "newaxis", "nonzero", "not_equal",
    "number", "ones", "ones_like", "outer", "pad", "partition", "pi", "power", "prod", "ptp",
    "rad2deg", "random.default_rng", "ravel", "reciprocal", "remainder", "repeat", "reshape",
    "rint", "roll", "rollaxis", "rot90", "round", "searchsorted", "shape", "sign", "sin", "sinh",
    "size", "sort", "split", "sqrt", "square", "squeeze", "stack", "std", "subtract", "sum",
    "swapaxes", "take", "take_along_axis", "tan", "tanh", "tensordot", "tile", "trace",
    "transpose", "tri", "tril", "tril_indices", "triu", "triu_indices", "true_divide", "trunc",
    "uint8", "unique", "unravel_index", "var", "vstack", "where", "zeros", "zeros_like",
})  # fmt: skip
_GUARD: Final = "errstate"  # in a `with` alone, which puts back what was
_LEAVE_UNSET: Final = frozenset({"out", "where"})  # arguments by which some of a result is unset

_SHARED_TYPES: Final = (
    bool, int, float, complex, str, tuple, list, dict, set, slice, range, np.ndarray, np.float64,
    np.dtype, np.ufunc, np.random.Generator, np.finfo,
)  # fmt: skip
_METHODS: Final = frozenset(
    name for kind in _SHARED_TYPES for name in dir(kind) if not name.startswith("_")
).difference({"bit_generator", "ctypes", "dump", "dumps", "setfield", "tofile"})
_OF_UFUNCS: Final = frozenset({"accumulate", "outer", "reduce"})
_SPECIAL: Final = frozenset({"__init__", "__call__", "__len__", "__getitem__"})
_TO_FRAMES: Final = "gi_"  # what a generator leads to its frame by, and so to everything


def asks_without_trace(oracle: Oracle, tests: Sequence[TestCase]) -> bool:
    """Tell whether tests may be asked of programs that leave no trace, one after another.

    Not where a call is measured, which takes more or less after others, and not where functions of
    the author's run among the program's.

    Raises:
        DefinitionError, GraderFault: see `Oracle.draws`.
    """
    return all(_asks_without_trace(oracle, test) for test in tests)


def _asks_without_trace(oracle: Oracle, test: TestCase) -> bool:
    inputs = [draw.inputs for draw in oracle.draws(test)]
    if any(map(_has_function, inputs)):
        return False
    match test:
        case CallTest(budget=budget):
            return budget is None
        case OutputTest(run=statements):
            names = oracle.exercise.defines.keys() | (inputs[0].keys() if inputs else set())
            return leaves_no_trace(statements, frozenset(names))
        case PytestTest(pytest=body):
            return "def " not in body  # as it would be sent
    return True


def _has_function(value: object) -> bool:
    if isinstance(value, Mapping):
        return any(map(_has_function, value.values()))
    return any(map(_has_function, value)) if isinstance(value, (list, tuple)) else callable(value)


@lru_cache(1024)
def leaves_no_trace(source: str, given: frozenset[str] = frozenset()) -> bool:
    """Tell whether what runs after a program, in its process, could tell that it ran.

    Args:
        source: of the program, or of statements that run after one.
        given: names that stand for plain data, or for what such a program defines.
    """
    try:
        nodes = _nodes(ast.parse(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return nodes is not None and _Program(nodes, given).is_harmless()


def _nodes(tree: ast.Module) -> list[ast.AST] | None:
    """Return all nodes of a program; None if one is of another kind than a program may have."""
    nodes: list[ast.AST] = [tree]
    for node in nodes:  # it grows meanwhile
        fields = _FIELDS.get(type(node))
        if fields is None:
            return None
        for name in fields:
            below = getattr(node, name, None)
            if isinstance(below, ast.AST):
                nodes.append(below)
            elif isinstance(below, list):
                nodes += [each for each in below if isinstance(each, ast.AST)]
    return nodes


class _Program:
    """What a program of allowed nodes names and sets."""

    def __init__(self, nodes: Iterable[ast.AST], given: frozenset[str]) -> None:
        self._nodes: dict[type[ast.AST], list[ast.AST]] = {}
        for node in nodes:
            self._nodes.setdefault(type(node), []).append(node)
        imported = [each for node in self._of(ast.Import) for each in node.names]
        self._imported = {(each.name, each.asname or each.name) for each in imported}
        self._modules = {name: module for module, name in self._imported}
        functions, classes = self._of(ast.FunctionDef), self._of(ast.ClassDef)
        self._bound = {node.name for node in functions} | {node.name for node in classes}
        self._bound |= {node.arg for node in self._of(ast.arg)}
        self._bound |= {n.id for n in self._of(ast.Name) if not isinstance(n.ctx, ast.Load)}
        self._names = self._bound | given | _BUILTINS
        set_here = [n for n in self._of(ast.Attribute) if not isinstance(n.ctx, ast.Load)]
        methods = [m for c in classes for m in c.body if isinstance(m, ast.FunctionDef)]
        on_instances = {node for method in methods for node in _set_on_instance(method)}
        self._sets_on_others = any(node not in on_instances for node in set_here)
        self._own = {node.attr for node in set_here} | {node.name for node in functions}

    def _of(self, kind: type[_Node]) -> list[_Node]:
        return self._nodes.get(kind, [])  # type: ignore[return-value]  # filed by their types

    def is_harmless(self) -> bool:
        """Tell whether every node is."""
        return (
            self._imported <= _IMPORTS
            and self._bound.isdisjoint(self._modules)
            and not self._sets_on_others
            and not any(node.decorator_list for node in self._of(ast.FunctionDef))
            and all(map(_is_plain_class, self._of(ast.ClassDef)))
            and all(node.arg and node.arg not in _LEAVE_UNSET for node in self._of(ast.keyword))
            and all(map(_is_name, self._own | self._bound))
            and self._uses_harmless_names()
        )

    def _uses_harmless_names(self) -> bool:
        """Tell whether a module is named only for something harmless in it, and nothing unknown."""
        guards = set(map(_guard, self._of(ast.withitem)))
        if None in guards:
            return False
        insides = set[ast.expr]()  # of longer names, which are looked at as a whole
        roots = set[ast.expr]()
        for node in self._of(ast.Attribute):  # the outer ones come first
            if node in insides:
                continue
            root, name = self._spelled(node, insides)
            if root is None:
                if any(each not in _METHODS and each not in self._own for each in name.split(".")):
                    return False
                continue
            roots.add(root)
            if node not in guards and not _is_harmless(self._modules[root.id], name):
                return False
        return all(
            node in roots if node.id in self._modules else node.id in self._names
            for node in self._of(ast.Name)
        )

    def _spelled(self, node: ast.Attribute, insides: set[ast.expr]) -> tuple[ast.Name | None, str]:
        """Return the module's name that an attribute begins with, if any, and what follows."""
        names, below = [node.attr], node.value
        while isinstance(below, ast.Attribute):
            insides.add(below)
            names.append(below.attr)
            below = below.value
        is_module = isinstance(below, ast.Name) and below.id in self._modules
        return (below if is_module else None), ".".join(reversed(names))  # type: ignore[return-value]


def _is_name(name: str) -> bool:
    """Tell whether a program may call something of its own so."""
    return name in _SPECIAL or not name.startswith(("__", _TO_FRAMES))


def _is_plain_class(node: ast.ClassDef) -> bool:
    return not (node.bases or node.keywords or node.decorator_list)


def _is_harmless(module: str, name: str) -> bool:
    """Tell whether something of a module is harmless to name and to call."""
    if module == "math":
        return "." not in name and not name.startswith("_")
    function, _, method = name.rpartition(".")
    of_function = method in _OF_UFUNCS and isinstance(getattr(np, function, None), np.ufunc)
    return name in _OF_NUMPY or (of_function and function in _OF_NUMPY)


def _guard(item: ast.withitem) -> ast.expr | None:
    """Return what is called in `with np.errstate(...)`; None if it is another `with`."""
    match item:
        case ast.withitem(
            context_expr=ast.Call(func=ast.Attribute(value=ast.Name(), attr=attr) as called),
            optional_vars=None,
        ) if attr == _GUARD:
            return called
    return None


def _set_on_instance(method: ast.FunctionDef) -> list[ast.Attribute]:
    """Return the attributes that a method sets on what it belongs to."""
    own = method.args.args[0].arg if method.args.args else ""
    return [
        node
        for node in ast.walk(method)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == own
    ]
