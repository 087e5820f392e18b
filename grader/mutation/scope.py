"""Selection of the nodes to mutate: the learner's own code that runs and that tests can see."""

import ast
from collections.abc import Collection, Iterator

from grader.mutation.names import find_assigned
from grader.mutation.program import Function, Program

_NEVER_ENTERED = (
    ast.Raise,  # holds an error message
    ast.Assert,
    ast.Import,
    ast.ImportFrom,
    ast.JoinedStr,
    ast.Global,
    ast.Nonlocal,
)


def select_nodes(program: Program, defines: Collection[str], starter: str) -> Iterator[ast.AST]:
    """Yield the nodes that may be mutated, in the order of the source, outer before inner."""
    left_alone = _find_starter_functions(program, starter)
    # Follow the names from the requested definitions to everything that they use.
    reached = set(defines)
    waiting = list(program.tree.body)
    while new := [statement for statement in waiting if _bound_names(statement) & reached]:
        waiting = [statement for statement in waiting if statement not in new]
        for statement in new:
            reached |= {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
    for statement in program.tree.body:
        bound = _bound_names(statement)
        if isinstance(statement, ast.Expr):
            continue  # a bare expression is a demonstration, such as `print(softmax(x))`
        if isinstance(statement, ast.If):
            tested = {part.id for part in ast.walk(statement.test) if isinstance(part, ast.Name)}
            if "__name__" in tested:
                continue
        elif "__all__" in bound:
            continue
        if not defines or bound & reached:
            yield from _walk_inside(statement, left_alone)


def _walk_inside(node: ast.AST, left_alone: frozenset[int]) -> Iterator[ast.AST]:
    if id(node) in left_alone or isinstance(node, _NEVER_ENTERED) or _is_text(node):
        return
    yield node
    if isinstance(node, ast.While):
        # Leave alone what ends the loop: a mutant that never ends is slow and shows little.
        if isinstance(node.test, ast.Compare):
            yield node.test
        watched = _list_names(node.test)
        for statement in [*node.body, *node.orelse]:
            changed: list[ast.AST] = []
            if isinstance(statement, ast.Assign):
                changed = [*statement.targets]
            elif isinstance(statement, ast.AugAssign | ast.AnnAssign):
                changed = [statement.target]
            elif isinstance(statement, ast.Expr):
                changed = [statement]
            if not any(_list_names(target) & watched for target in changed):
                yield from _walk_inside(statement, left_alone)
        return
    for child in _list_children(node):
        yield from _walk_inside(child, left_alone)


def _list_names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} | {
        part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)
    }


def _list_children(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the children that run, without annotations and decorators."""
    unmutated = {"annotation", "returns", "decorator_list", "type_params", "bases", "keywords"}
    fields = unmutated if isinstance(node, Function | ast.ClassDef) else {"annotation"}
    for name, value in ast.iter_fields(node):
        if name not in fields:
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield child


def _is_text(node: ast.AST) -> bool:
    """Return whether a statement is a docstring or another string without effect."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _bound_names(statement: ast.stmt) -> set[str]:
    """Return the names that a top-level statement binds."""
    if isinstance(statement, Function | ast.ClassDef):
        return {statement.name}
    definitions = [n for n in ast.walk(statement) if isinstance(n, Function | ast.ClassDef)]
    return find_assigned(statement) | {node.name for node in definitions}


def _find_starter_functions(program: Program, starter: str) -> frozenset[int]:
    """Return the ids of the functions that are unchanged from the starter."""
    try:
        as_given = _list_functions(Program(starter)).keys()
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    return frozenset(id(node) for key, node in _list_functions(program).items() if key in as_given)


def _list_functions(program: Program) -> dict[tuple[str, str], Function]:
    """Return the functions by their full name and their code without docstrings."""
    functions = {}
    for node in ast.walk(program.tree):
        if isinstance(node, Function):
            body = [ast.dump(statement) for statement in node.body if not _is_text(statement)]
            code = "".join([ast.dump(node.args), *body])
            functions[f"{program.qualified_name(node)}.{node.name}", code] = node
    return functions
