"""A reader of programs: their numbers and functions, and copies with one part changed.

It runs in a child, since hostile source can crash Python's parser.
"""

import ast
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

_MAX_SOURCE_LENGTH = 20_000  # characters of a program
# Unusual numbers of a program that are replaced, and changed copies in all. Each copy has to run.
_MAX_NUMBERS = 4
_MAX_COPIES = 96
_ROUNDING = {"round", "round_", "around"}
_ARRAYS = ("np", "numpy", "math")  # modules, to tell `np.round(x)` from `x.round()`
_USUAL_NUMBERS = {0, 1, 2}  # numbers that occur in any program
_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "*-", ast.Sub: "+", ast.Mult: "+/", ast.Div: "*",
}  # fmt: skip

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def read(source: str, numbers: Sequence[float]) -> dict[str, Any]:
    """Return facts about a program, and copies of it.

    Args:
        numbers: The numbers in a right program.

    Returns:
        `numbers`: the program's own numbers; `functions`: the name and line of each top-level
        function; `copies`: for each change its kind, its lines, the original code, and the changed
        program.
    """
    if len(source) > _MAX_SOURCE_LENGTH:
        return {"numbers": [], "functions": [], "copies": []}
    tree = ast.parse(source)
    return {
        "numbers": list(dict.fromkeys(abs(value) for _, value in _numbers(ast.walk(tree))))[:50],
        "functions": [
            [node.name, node.lineno] for node in tree.body if isinstance(node, _Function)
        ],
        "copies": list(itertools.islice(_find_copies(source, numbers), _MAX_COPIES)),
    }


def _find_copies(source: str, numbers: Sequence[float]) -> Iterator[list[Any]]:
    nodes = _nodes(source)
    rounding = [node for node in nodes if _find_function_name(node) in _ROUNDING]
    if rounding:
        digits = {_read_digits(node) for node in rounding}
        # mypy does not infer that None is not in the set that is sorted.
        counts = [] if None in digits else sorted(digits)  # type: ignore[type-var]
        yield ["rounded", _lines(rounding), counts, _all_changed(source, "rounded")]
    kind = "floor-division"
    parts = [(node, text) for node in nodes for loss, text in _lossless(node) if loss == kind]
    for node, text in parts:
        yield _copy(source, kind, node, text)
    if len(parts) > 1:
        places = [node for node, _ in parts]
        yield [kind, _lines(places), list(map(ast.unparse, places)), _all_changed(source, kind)]
    changes = [
        (kind, node, text) for node in _find_free(nodes) for kind, text in _other_expressions(node)
    ]
    for kind, node, text in sorted(changes, key=lambda change: change[0] != "one-off"):
        yield _copy(source, kind, node, text)
    for node, text in _other_numbers(nodes, numbers):
        yield _copy(source, "number", node, text)


def _nodes(source: str) -> list[ast.AST]:
    """Return the nodes of a program with known places in the text, which excludes f-strings."""
    nodes = list(ast.walk(ast.parse(source)))
    texts = (node for node in nodes if isinstance(node, ast.JoinedStr))
    inside = {id(part) for node in texts for part in ast.walk(node)}
    return [node for node in nodes if id(node) not in inside]


def _copy(source: str, kind: str, node: ast.AST, text: str) -> list[Any]:
    return [kind, _lines([node]), [ast.unparse(node)], _with(source, node, text)]


def _all_changed(source: str, kind: str) -> str:
    """Return a program with all changes of a kind, made one by one since they may be nested."""
    while True:
        changes = ((n, text) for n in _nodes(source) for loss, text in _lossless(n) if loss == kind)
        if (change := next(changes, None)) is None:
            return source
        source = _with(source, *change)


def _with(source: str, node: Any, text: str) -> str:
    """Return a program with the text of a node replaced."""
    lines = source.encode().splitlines(keepends=True)  # `col_offset` counts bytes
    starts = [0, *itertools.accumulate(map(len, lines))]
    code = b"".join(lines)
    begin = starts[node.lineno - 1] + node.col_offset
    end = starts[node.end_lineno - 1] + node.end_col_offset
    return (code[:begin] + text.encode() + code[end:]).decode()


def _lines(nodes: Iterable[Any]) -> list[int]:
    return sorted({node.lineno for node in nodes})


def _lossless(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the kind and the text of a replacement for an expression that loses digits."""
    match node:
        case ast.BinOp(left, ast.FloorDiv(), right):
            yield "floor-division", f"({_text(left)} / {_text(right)})"
        case ast.AugAssign(target, ast.FloorDiv(), value):
            yield "floor-division", f"{ast.unparse(target)} /= {_text(value)}"
        case ast.Call() if _find_function_name(node) in _ROUNDING:
            yield "rounded", _text(_find_object(node) or (node.args[0] if node.args else node))


def _other_expressions(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the kind and the text of each replacement that is one small change away."""
    match node:
        case ast.BinOp(left, ast.Add() | ast.Sub(), ast.Constant(value=1)):
            yield "one-off", _text(left)
        case ast.BinOp(left, op, right):
            for sign in _OPERATORS.get(type(op), ""):
                yield "operator", f"({_text(left)} {sign} {_text(right)})"
        case ast.AugAssign(target, op, value):
            for sign in _OPERATORS.get(type(op), ""):
                yield "operator", f"{ast.unparse(target)} {sign}= {_text(value)}"


def _other_numbers(nodes: Sequence[ast.AST], numbers: Sequence[float]) -> Iterator[tuple[Any, str]]:
    """Yield numbers that do not occur in a right program, each with possible replacements."""
    right = [abs(number) for number in numbers]
    right += [1 / number for number in right if number]
    # Indices are not used in arithmetic, and another bound could disable a whole branch.
    skipped = {
        id(part)
        for node in nodes
        if isinstance(node, ast.Subscript | ast.Compare)
        for part in ast.walk(node.slice if isinstance(node, ast.Subscript) else node)
    }
    odd = [
        (node, value)
        for node, value in _numbers(nodes)
        if abs(value) not in {*right, *_USUAL_NUMBERS} and id(node) not in skipped
    ]
    for node, value in odd[:_MAX_NUMBERS]:
        for number in dict.fromkeys([*right, 0.5, 1.0, 2.0, 0.0]):
            if number != abs(value):
                text = repr(number) if number != float("inf") else "float('inf')"
                yield node, f"(-{text})" if value < 0 else text


def _find_free(nodes: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """Yield the nodes of a program that may be changed.

    Conditions are left out, since another one may disable a wrong branch. So are `while` loops,
    which may then never end.
    """
    loops = [node for node in nodes if isinstance(node, ast.While)]
    tests = [node.test for node in nodes if isinstance(node, ast.If | ast.IfExp)]
    ids = {id(n) for part in (*loops, *tests) for n in ast.walk(part)}
    yield from (node for node in nodes if id(node) not in ids)


def _text(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text if isinstance(node, ast.Name | ast.Attribute | ast.Call) else f"({text})"


def _find_function_name(node: ast.AST) -> str:
    if not isinstance(node, ast.Call) or not (node.args or isinstance(node.func, ast.Attribute)):
        return ""
    return getattr(node.func, "id", "") or getattr(node.func, "attr", "")


def _find_object(node: ast.Call) -> ast.expr | None:
    """Return the object whose method is called, or None for a function."""
    func = node.func
    if isinstance(func, ast.Attribute) and getattr(func.value, "id", "") not in _ARRAYS:
        return func.value
    return None


def _read_digits(node: Any) -> int | None:
    """Return the number of digits that a rounding keeps, or None if it is not a literal."""
    args = node.args if _find_object(node) else node.args[1:]
    args = [*args, *(k.value for k in node.keywords if k.arg in ("decimals", "ndigits"))]
    match args:
        case []:
            return 0
        case [ast.Constant(int(digits)), *_]:
            return digits
    return None


def _numbers(nodes: Iterable[ast.AST]) -> list[tuple[Any, float]]:
    """Return the numbers in a program with their signs, in source order."""
    numbers: dict[int, tuple[Any, float]] = {}
    for node in nodes:
        match node:
            case ast.Constant(value=int(value) | float(value)) if not isinstance(value, bool):
                numbers.setdefault(id(node), (node, float(value)))
            case ast.UnaryOp(ast.USub(), ast.Constant(value=int(value) | float(value)) as number):
                numbers[id(number)] = (node, -float(value))
    return sorted(numbers.values(), key=lambda each: (each[0].lineno, each[0].col_offset))
