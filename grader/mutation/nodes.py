"""Small constructors for the nodes that take a node's place."""

import ast
from collections.abc import Sequence


def constant(value: float | str) -> ast.expr:
    """Make a literal; a negative number as Python parses it, a minus before a positive one."""
    if not isinstance(value, str) and value < 0:
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    return ast.Constant(value)


def call(
    original: ast.Call,
    *,
    func: ast.expr | None = None,
    args: Sequence[ast.expr] | None = None,
    keywords: Sequence[ast.keyword] | None = None,
) -> ast.Call:
    """Copy a call with another function, other arguments or other keywords."""
    return ast.Call(
        func or original.func,
        list(original.args if args is None else args),
        list(original.keywords if keywords is None else keywords),
    )


def tuple_like(original: ast.Tuple | ast.List, items: Sequence[ast.expr]) -> ast.Tuple | ast.List:
    """Make a tuple or a list, as the original is, of other items."""
    return type(original)(list(items), original.ctx)


def swapped(items: Sequence[ast.expr], first: int, second: int) -> list[ast.expr]:
    """Copy a sequence with two of its items in each other's place."""
    result = list(items)
    result[first], result[second] = result[second], result[first]
    return result
