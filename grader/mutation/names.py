"""Names in a program: parameters, assignments, uses."""

import ast
from collections.abc import Iterator

from grader.mutation.program import Function, Program


def list_parameters(function: Function) -> list[str]:
    """Return the names of a function's parameters, without self and cls."""
    arguments = function.args
    return [
        arg.arg
        for arg in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        if arg.arg not in {"self", "cls"}
    ]


def list_defaults(function: Function) -> Iterator[tuple[str, ast.expr]]:
    """Yield the name and the default of each parameter that has a default."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    with_default = positional[len(positional) - len(arguments.defaults) :]
    for arg, default in zip(with_default, arguments.defaults, strict=True):
        yield arg.arg, default
    for arg, keyword_default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if keyword_default is not None:
            yield arg.arg, keyword_default


def find_assigned(node: ast.AST) -> set[str]:
    """Return the names that are assigned in a node."""
    return {
        part.id
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }


def find_loads(home: ast.AST, name: str) -> Iterator[ast.Name]:
    """Yield the nodes in a function or module that read a name."""
    for node in ast.walk(home):
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
            yield node


def bound_before(program: Program, statement: ast.stmt) -> set[str]:
    """Return the names that have, or may have, a value when the statement runs."""
    bound: set[str] = set()
    below: ast.AST = statement
    for above in program.ancestors(statement):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(above, name, None)
            if isinstance(block, list) and below in block:
                for sibling in block[: block.index(below)]:
                    bound |= find_assigned(sibling)
        if isinstance(above, ast.For):
            bound |= find_assigned(above.target)
        if isinstance(above, Function):
            return bound | set(list_parameters(above))
        below = above
    return bound


def find_target(program: Program, node: ast.expr) -> str:
    """Return `x` if the node is the whole right side of `x = node`, else ""."""
    above = program.parent(node)
    if isinstance(above, ast.Assign) and above.value is node and len(above.targets) == 1:
        target = above.targets[0]
        return target.id if isinstance(target, ast.Name) else ""
    return ""
