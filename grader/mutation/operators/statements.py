"""Operators on statements: missing steps and exchanged results."""

import ast
from collections.abc import Iterator

from grader.mutation import calls, names, nodes
from grader.mutation.edits import Edit, operator
from grader.mutation.program import Program

_CONVERSIONS = frozenset({"asarray", "asanyarray", "atleast_1d", "atleast_2d", "ascontiguousarray"})
_JOINS = frozenset({"concatenate", "stack", "hstack", "vstack", "dstack", "column_stack"})


@operator(ast.Assign, ast.AugAssign, ast.Expr)
def drop_statement(program: Program, node: ast.Assign | ast.AugAssign | ast.Expr) -> Iterator[Edit]:
    """One step was left out.

    An update, a call for its effect, or a value set in an array is left out; an assignment only
    where what it assigns has a value before.
    """
    if isinstance(node, ast.Expr) and not isinstance(node.value, ast.Call):
        return
    if isinstance(node, ast.Assign):
        function = program.function(node)
        if function is None or calls.callee_name(node.value) in _CONVERSIONS:
            return
        before = names.bound_before(program, node)
        for target in node.targets:
            if isinstance(target, ast.Attribute):
                if function.name == "__init__":
                    return
            elif (
                not isinstance(target, ast.Subscript) and not names.find_assigned(target) <= before
            ):
                return
    yield Edit(node, ast.Pass())


@operator(ast.Return)
def swap_results(_: Program, node: ast.Return) -> Iterator[Edit]:
    """Two results were returned in each other's place."""
    yield from _swap_pairs(node.value)


@operator(ast.Assign)
def swap_targets(_: Program, node: ast.Assign) -> Iterator[Edit]:
    """Two values were unpacked into each other's names."""
    if not isinstance(node.value, ast.Tuple):
        for target in node.targets:
            yield from _swap_pairs(target)


def _swap_pairs(items: ast.expr | None) -> Iterator[Edit]:
    """Yield an edit for each pair of neighbours in a tuple."""
    if isinstance(items, ast.Tuple) and not any(isinstance(e, ast.Starred) for e in items.elts):
        for index in range(len(items.elts) - 1):
            yield nodes.exchange(items, index, index + 1)


@operator(ast.Call)
def swap_joined(_: Program, node: ast.Call) -> Iterator[Edit]:
    """Two arrays were joined in the other order."""
    match node.args[:1]:
        case [(ast.List(elts=[_, _]) | ast.Tuple(elts=[_, _])) as items]:
            if calls.callee_name(node) in _JOINS:
                yield nodes.exchange(items, 0, 1)


@operator(ast.Break, ast.Continue)
def leave_loop(program: Program, node: ast.Break | ast.Continue) -> Iterator[Edit]:
    """A loop ended too early, or went on for too long.

    `break` for `continue`, or `continue` for `break`, only in a `for`: a `while` might go on for
    ever.
    """
    loop = next((a for a in program.ancestors(node) if isinstance(a, ast.For | ast.While)), None)
    if isinstance(loop, ast.For):
        yield Edit(node, ast.Continue() if isinstance(node, ast.Break) else ast.Break())
