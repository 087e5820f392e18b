"""Predictions: answers written as literals, built from the syntax tree without running them."""

import ast
from collections.abc import Iterator

import numpy as np

_MAX_TARGET_LENGTH = 200  # characters of a name that are reported
_CONSTANTS = {
    "nan": np.nan,
    "inf": np.inf,
    "pi": np.pi,
    "e": np.e,
    "newaxis": np.newaxis,
}
_IN_ANNOTATIONS = (
    ast.Name, ast.Attribute, ast.Constant, ast.Subscript, ast.Tuple, ast.List, ast.BinOp, ast.BitOr,
    ast.Load,
)  # fmt: skip


def find_non_answer(source: str, names: list[str]) -> tuple[str, int, str] | None:
    """Find the first part of a program that is not a literal assigned to one of the names.

    Comments, a docstring and `import numpy as np` are allowed. `np.array` of a literal, `np.nan`
    and `np.inf` count as literals. The quotes of a one-word answer may be missing.

    Returns:
        Its kind ("statement", "name" or "value"), its line and a name, or None.
    """
    for node in ast.parse(source).body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue  # docstrings are allowed
        if _is_numpy(node):
            continue
        target = _target(node)
        if target is None:
            return "statement", node.lineno, ""
        if target not in names:
            return "name", node.lineno, target[:_MAX_TARGET_LENGTH]
        value: ast.expr = node.value  # type: ignore[attr-defined]  # the statement is an assignment
        if not (_is_word(value, names) or _is_literal(value)):
            return "value", node.lineno, target
    return None


def _is_numpy(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import) and [(a.name, a.asname) for a in node.names] == [
        ("numpy", "np")
    ]


def _target(node: ast.stmt) -> str | None:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name
        case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=ast.expr()):
            # Only annotations of plain types are accepted. They are never evaluated.
            if all(isinstance(part, _IN_ANNOTATIONS) for part in ast.walk(annotation)):
                return name
    return None


def _is_word(value: ast.expr, names: list[str]) -> bool:
    """Return whether an answer is a single word without quotes."""
    return isinstance(value, ast.Name) and value.id not in (*names, *_CONSTANTS, "np")


def _is_literal(value: ast.expr) -> bool:
    waiting = [value]
    while waiting:
        match waiting.pop():
            case ast.Constant():
                pass
            case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
                waiting.append(operand)
            case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items):
                waiting += items
            case ast.Dict(keys=keys, values=values) if None not in keys:
                waiting += [key for key in keys if key is not None] + values
            case ast.Attribute(value=ast.Name(id="np"), attr=name) if name in _CONSTANTS:
                pass
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="np"), attr="array" | "asarray"),
                args=[ast.List() | ast.Tuple() as items],
                keywords=[],
            ):
                waiting.append(items)
            case _:
                return False
    return True


def answers(source: str, names: list[str], file_name: str) -> dict[str, object]:
    """Build the values that a prediction assigns, without running it.

    Args:
        source: A program in which `find_non_answer` finds nothing.
        names: The names that it may assign.
        file_name: The file name for the traceback of an error.

    Returns:
        The values by name, and `np` if the program imports it.

    Raises:
        ValueError: The program contains more than answers.
        TypeError: A literal is invalid, such as `-"a"` or `{[1]: 2}`.
    """
    if find_non_answer(source, names) is not None:
        raise ValueError("more than answers")
    answers_by_name: dict[str, object] = {}
    for node in ast.parse(source).body:
        if _is_numpy(node):
            answers_by_name["np"] = np
        elif (name := _target(node)) is not None:
            # The statement is an assignment.
            value: ast.expr = node.value  # type: ignore[attr-defined]
            # Run through `exec`, so that the traceback of an error includes the learner's line.
            text = "\n" * (node.lineno - 1) + "value = read(node)"
            namespace: dict[str, object] = {"read": _evaluate, "node": value}
            exec(compile(text, file_name, "exec"), namespace)  # noqa: S102  one fixed statement, without any of the source
            answers_by_name[name] = namespace["value"]
    return answers_by_name


def _evaluate(node: ast.expr) -> object:  # noqa: PLR0911  one return for each form
    match node:
        case ast.Constant(value=value) | ast.Name(id=value):
            return value
        case ast.UnaryOp(op=ast.USub()):
            return -_evaluate(node.operand)  # type: ignore[operator]  # may raise a TypeError
        case ast.UnaryOp(op=ast.UAdd()):
            return +_evaluate(node.operand)  # type: ignore[operator]  # may raise a TypeError
        case ast.Tuple():
            return tuple(_all(node.elts))
        case ast.List():
            return list(_all(node.elts))
        case ast.Set():
            return set(_all(node.elts))
        case ast.Dict():
            keys = [key for key in node.keys if key is not None]
            return dict(zip(_all(keys), _all(node.values), strict=True))
        case ast.Attribute(attr=name):
            return _CONSTANTS[name]
        case ast.Call(args=[items]):
            return np.array(_evaluate(items))
    raise ValueError("no literal")


def _all(nodes: list[ast.expr]) -> Iterator[object]:
    return map(_evaluate, nodes)
