"""Steps left out, and results in another order."""

import ast
from collections.abc import Iterator

from grader.mutation import calls, names, nodes
from grader.mutation.edits import Edit, Operator
from grader.mutation.program import Program

_CONVERSIONS = frozenset({"asarray", "asanyarray", "atleast_1d", "atleast_2d", "ascontiguousarray"})
_PAIR = 2


def _drop_statement(program: Program, node: ast.AST) -> Iterator[Edit]:
    """An assignment only where what it assigns has a value before."""
    if isinstance(node, ast.Assign):
        function = program.function(node)
        if function is None or calls.called(node.value) in _CONVERSIONS:
            return
        before = names.bound_before(program, node)
        for target in node.targets:
            if isinstance(target, ast.Attribute):
                if function.name == "__init__":
                    return
            elif not isinstance(target, ast.Subscript) and not names.stored(target) <= before:
                return
        yield Edit(node, ast.Pass())
    elif isinstance(node, ast.AugAssign) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    ):
        yield Edit(node, ast.Pass())


def _swap_results(_: Program, node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
        yield from _swaps(node.value)


def _swap_targets(_: Program, node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.Assign) and not isinstance(node.value, ast.Tuple):
        for target in node.targets:
            if isinstance(target, ast.Tuple):
                yield from _swaps(target)


def _swaps(items: ast.Tuple) -> Iterator[Edit]:
    """Exchange neighbours."""
    if any(isinstance(item, ast.Starred) for item in items.elts):
        return
    for place in range(len(items.elts) - 1):
        swapped = nodes.swapped(items.elts, place, place + 1)
        yield Edit(items, nodes.tuple_like(items, swapped))


def _swap_joined(_: Program, node: ast.AST) -> Iterator[Edit]:
    joins = {"concatenate", "stack", "hstack", "vstack", "dstack", "column_stack"}
    if isinstance(node, ast.Call) and calls.called(node) in joins and node.args:
        items = node.args[0]
        if isinstance(items, ast.List | ast.Tuple) and len(items.elts) == _PAIR:
            yield Edit(items, nodes.tuple_like(items, nodes.swapped(items.elts, 0, 1)))


def _leave_loop(program: Program, node: ast.AST) -> Iterator[Edit]:
    """Only in a `for`: a `while` might go on for ever."""
    if isinstance(node, ast.Break | ast.Continue):
        loop = next((a for a in program.above(node) if isinstance(a, ast.For | ast.While)), None)
        if isinstance(loop, ast.For):
            yield Edit(node, ast.Continue() if isinstance(node, ast.Break) else ast.Break())


OPERATORS = (
    Operator(
        "drop-statement",
        "A statement is left out: an update, a call for its effect, a value set in an array.",
        _drop_statement,
        "as if one step was left out",
    ),
    Operator(
        "swap-results",
        "Two results are returned in each other's place.",
        _swap_results,
        "as if two results were returned in each other's place",
    ),
    Operator(
        "swap-targets",
        "Two values that are unpacked go to each other's names.",
        _swap_targets,
        "as if two values were unpacked into each other's names",
    ),
    Operator(
        "swap-joined",
        "Two arrays are joined in the other order.",
        _swap_joined,
        "as if two arrays were joined in the other order",
    ),
    Operator(
        "leave-loop",
        "break for continue, or continue for break.",
        _leave_loop,
        "as if a loop ended too early, or went on for too long",
    ),
)
