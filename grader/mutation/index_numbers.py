"""Detection of numbers that are indices, axes or sizes, not values in a calculation."""

import ast

from grader.mutation import calls
from grader.mutation.program import Program

_KEYWORDS = frozenset({"axis", "axes", "k", "ndmin", "ddof", "size", "shape", "seed", "order"})
_CALLS = frozenset({
    "range", "arange", "reshape", "transpose", "swapaxes", "moveaxis", "zeros", "ones", "empty",
    "full", "eye", "identity", "tri", "triu", "tril", "expand_dims", "squeeze", "repeat", "tile",
    "broadcast_to", "split", "default_rng", "RandomState", "seed", "concatenate", "stack", "resize",
    "standard_normal", "randn", "rand", "ndarray", "take", "roll", "round", "diagonal", "einsum",
})  # fmt: skip
_PASSED_THROUGH = (ast.Tuple, ast.List, ast.BinOp, ast.UnaryOp, ast.Slice)


def is_index_like(program: Program, node: ast.expr) -> bool:
    """Return whether a node is an index, an axis, a size, or the bound of a slice or a loop."""
    below: ast.AST = node
    for above in program.ancestors(node):
        if isinstance(above, ast.Subscript):
            return above.slice is below
        if isinstance(above, ast.keyword) and above.arg in _KEYWORDS:
            return True
        if isinstance(above, ast.Call):
            return calls.callee_name(above) in _CALLS and below in above.args
        if not isinstance(above, _PASSED_THROUGH):
            return False
        below = above
    return False
