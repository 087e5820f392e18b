"""Small constructors for replacement nodes."""

import ast
from collections.abc import Iterator, Sequence

from grader.mutation import calls
from grader.mutation.edits import Edit


def constant(value: float | str) -> ast.expr:
    """Make a literal node; a negative number is a minus and a positive one, as Python parses it."""
    if not isinstance(value, str) and value < 0:
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    return ast.Constant(value)


def call(
    original: ast.Call,
    *,
    name: str | None = None,
    args: Sequence[ast.expr] | None = None,
    keywords: Sequence[ast.keyword] | None = None,
) -> ast.Call:
    """Copy a call with another function name, other arguments or other keywords."""
    func = original.func
    if name is not None and isinstance(func, ast.Attribute):
        func = ast.Attribute(func.value, name, ast.Load())
    elif name is not None:
        func = ast.Name(name, ast.Load())
    return ast.Call(
        func,
        list(original.args if args is None else args),
        list(original.keywords if keywords is None else keywords),
    )


def with_keyword(original: ast.Call, name: str, value: float) -> ast.Call:
    """Copy a call with one more keyword."""
    return call(original, keywords=[*original.keywords, ast.keyword(name, constant(value))])


def without(original: ast.Call, dropped: ast.expr) -> Iterator[Edit]:
    """Yield the edit that drops an argument from a call, unless later arguments would shift."""
    if dropped not in original.args or original.args[-1] is dropped:
        args = [arg for arg in original.args if arg is not dropped]
        keywords = [word for word in original.keywords if word.value is not dropped]
        yield Edit(original, call(original, args=args, keywords=keywords))


def tuple_like(original: ast.Tuple | ast.List, items: Sequence[ast.expr]) -> ast.Tuple | ast.List:
    """Make a tuple or a list, of the original's type, from other items."""
    return type(original)(list(items), original.ctx)


def swap(items: Sequence[ast.expr], first: int, second: int) -> list[ast.expr]:
    """Copy a sequence with two of its items exchanged."""
    copy = list(items)
    copy[first], copy[second] = copy[second], copy[first]
    return copy


def exchange(items: ast.Tuple | ast.List, first: int, second: int) -> Edit:
    """Return the edit of a tuple or a list that exchanges two items."""
    return Edit(items, tuple_like(items, swap(items.elts, first, second)))


def shift(node: ast.expr, amount: int) -> ast.expr:
    """Return a number plus a small integer, folded where a person would fold it."""
    value = calls.integer(node)
    if value is not None:
        return constant(value + amount)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        term = calls.integer(node.right)
        if term is not None:
            amount += term if isinstance(node.op, ast.Add) else -term
            node = node.left
    if amount == 0:
        return node
    return ast.BinOp(node, ast.Add() if amount > 0 else ast.Sub(), ast.Constant(abs(amount)))
