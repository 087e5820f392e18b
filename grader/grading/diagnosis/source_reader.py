"""A reader of programs: their numbers, and copies with one thing changed.

It runs in a child, since Python's parser can be crashed. Standard library only; nothing of ours may
be imported here.
"""

import ast
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

_LONGEST = 20_000  # characters of a program
_MOST_NUMBERS = 4
_MOST_COPIES = 96
_MOST_EXCHANGES = 6  # of two parameters
_ROUNDING = {"round", "round_", "around"}
_CUTTING = {"int", "floor", "ceil", "trunc", "fix", "rint"}
_ARRAYS = ("np", "numpy", "math")  # modules, whose functions take what a method belongs to
_DTYPES = {"int", "int8", "int16", "int32", "int64", "float16", "float32", "half", "single"}
_USUAL = {0, 1, 2}  # numbers that say little about a mistake
_REDUCTIONS = {
    "all", "any", "argmax", "argmin", "max", "mean", "min", "norm", "prod", "std", "sum", "var",
}  # fmt: skip
_ORDERING = {"sort", "sorted", "flip"}
_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "*-", ast.Sub: "+", ast.Mult: "+/", ast.Div: "*",
}  # fmt: skip
_COMPARISONS = (
    {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="},
    {ast.Eq: "==", ast.NotEq: "!="},
)
_PLACES = ("0", "1", "-1", "-2")  # of lengths in a shape
_LIKELY_FIRST = (
    "one-off", "turned-round", "branches", "length", "order", "axis", "operator", "comparison",
    "shift",
)  # fmt: skip

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Texts = list[tuple[ast.AST, str]]  # parts of a program, and what stands in their place


def read(source: str, numbers: Sequence[float]) -> dict[str, Any]:
    """Return facts about a program, and copies of it.

    Args:
        source: Of the program.
        numbers: Of a right program.

    Returns:
        `numbers`: the program's own; `functions`: the name and line of each at the top; `copies`:
        for each change its kind, its lines, the code there, and the changed program.
    """
    if len(source) > _LONGEST:
        return {"numbers": [], "functions": [], "copies": []}
    tree = ast.parse(source)
    return {
        "numbers": list(dict.fromkeys(abs(value) for _, value in _numbers(ast.walk(tree))))[:50],
        "functions": [
            [each.name, each.lineno] for each in tree.body if isinstance(each, _Function)
        ],
        "copies": list(itertools.islice(_copies(source, numbers), _MOST_COPIES)),
    }


def _copies(source: str, numbers: Sequence[float]) -> Iterator[list[Any]]:
    nodes = _nodes(source)
    rounding = [node for node in nodes if _called(node) in _ROUNDING]
    if rounding:
        digits = {_digits(node) for node in rounding}
        shown = [] if None in digits else sorted(digits)  # type: ignore[type-var]  # no None is left
        yield ["rounded", _lines(rounding), shown, _all_changed(source, "rounded")]
    for kind in ("floor-division", "cut", "dtype"):
        parts = [(node, text) for node in nodes for other, text in _lossless(node) if other == kind]
        for part in parts:
            yield _copy(source, kind, [part])
        if len(parts) > 1:
            places = [node for node, _ in parts]
            code = list(map(ast.unparse, places))
            yield [kind, _lines(places), code, _all_changed(source, kind)]
    for texts in _exchanges(nodes):
        yield _copy(source, "exchanged", texts)
    changes = [(kind, node, text) for node in _free(nodes) for kind, text in _others(node)]
    for kind, node, text in sorted(changes, key=lambda each: _LIKELY_FIRST.index(each[0])):
        yield _copy(source, kind, [(node, text)])
    for node, text in _other_numbers(nodes, numbers):
        yield _copy(source, "number", [(node, text)])


def _nodes(source: str) -> list[ast.AST]:
    """Return the parts of a program whose places in the text are known: not those of f-strings."""
    nodes = list(ast.walk(ast.parse(source)))
    texts = (node for node in nodes if isinstance(node, ast.JoinedStr))
    inside = {id(part) for node in texts for part in ast.walk(node)}
    return [node for node in nodes if id(node) not in inside]


def _copy(source: str, kind: str, texts: _Texts) -> list[Any]:
    """Return a change of parts that do not overlap."""
    places = [node for node, _ in texts]
    return [kind, _lines(places), list(map(ast.unparse, places)), _with(source, texts)]


def _all_changed(source: str, kind: str) -> str:
    """Return a program with all changes of a kind, one after the other: they may be nested."""
    while True:
        changes = ((n, text) for n in _nodes(source) for each, text in _lossless(n) if each == kind)
        if (change := next(changes, None)) is None:
            return source
        source = _with(source, [change])


def _with(source: str, texts: Iterable[tuple[Any, str]]) -> str:
    """Return a program with other texts in the place of parts."""
    lines = source.encode().splitlines(keepends=True)  # a column counts bytes
    starts = [0, *itertools.accumulate(map(len, lines))]
    whole = b"".join(lines)
    for node, text in sorted(texts, key=lambda each: (-each[0].lineno, -each[0].col_offset)):
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset
        whole = whole[:begin] + text.encode() + whole[end:]
    return whole.decode()


def _lines(nodes: Iterable[Any]) -> list[int]:
    return sorted({node.lineno for node in nodes})


def _lossless(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield what could stand in the place of an expression that loses digits."""
    name = _called(node)
    match node:
        case ast.BinOp(left, ast.FloorDiv(), right):
            yield "floor-division", f"({_text(left)} / {_text(right)})"
        case ast.AugAssign(target, ast.FloorDiv(), value):
            yield "floor-division", f"{ast.unparse(target)} /= {_text(value)}"
        case ast.Call(args=args, keywords=keywords):
            names_dtype = bool(args) and _is_dtype(args[0])
            if name in _ROUNDING:
                yield "rounded", _text(_argument(node))
            if name in _CUTTING or (name == "astype" and names_dtype):
                yield "cut", _text(_argument(node))
            if any(each.arg == "dtype" and _is_dtype(each.value) for each in keywords):
                yield "dtype", _call(node, args, [each for each in keywords if each.arg != "dtype"])


def _others(node: ast.AST) -> Iterator[tuple[str, str]]:  # noqa: C901, PLR0912  a case for each kind
    """Yield what else could stand in the place of an expression, one step away from it."""
    match node:
        case ast.BinOp(left, ast.Add() | ast.Sub(), ast.Constant(value=1)):
            yield "one-off", _text(left)
        case ast.BinOp(left, op, right):
            for sign in _OPERATORS.get(type(op), ""):
                yield "operator", f"({_text(left)} {sign} {_text(right)})"
        case ast.AugAssign(target, op, value):
            for sign in _OPERATORS.get(type(op), ""):
                yield "operator", f"{ast.unparse(target)} {sign}= {_text(value)}"
        case ast.Compare(left, [sign], [right]):
            signs = next((each for each in _COMPARISONS if type(sign) in each), {})
            for other in (each for kind, each in signs.items() if kind is not type(sign)):
                yield "comparison", f"({_text(left)} {other} {_text(right)})"
        case ast.UnaryOp(ast.Invert() | ast.Not(), operand):
            yield "turned-round", _text(operand)
        case ast.Call():
            yield from _other_calls(node)
        case ast.Subscript(value, ast.Slice(None, None, ast.UnaryOp())):
            yield "order", _text(value)
        case ast.Subscript(ast.Attribute(attr="shape") as shape, place):
            for other_place in _PLACES:
                if ast.unparse(place) != other_place:
                    yield "length", f"{ast.unparse(shape)}[{other_place}]"


def _other_calls(node: ast.Call) -> Iterator[tuple[str, str]]:
    name = _called(node)
    match name, node.args:
        case "where", [condition, first, other]:
            yield "branches", _call(node, [condition, other, first], node.keywords)
        case "exp", [argument]:
            text = _text(argument)
            yield "shift", f"{_text(node.func)}({text} - {text}.max(axis=-1, keepdims=True))"
    if name in _ORDERING:
        yield "order", _text(_argument(node))
    if name in _REDUCTIONS:
        kept = [each for each in node.keywords if each.arg not in ("axis", "keepdims")]
        for axis in (-1, 0):
            new = ast.parse(f"f(axis={axis}, keepdims=True)", mode="eval").body
            yield "axis", _call(node, node.args, [*kept, *getattr(new, "keywords", ())])


def _other_numbers(nodes: Sequence[ast.AST], numbers: Sequence[float]) -> Iterator[tuple[Any, str]]:
    """Yield numbers that a right program does not have, each with others."""
    right = [abs(each) for each in numbers]
    right += [1 / each for each in right if each]
    # An index is no number to calculate with, and another bound switches a whole branch off.
    skipped = {
        id(part)
        for node in nodes
        if isinstance(node, ast.Subscript | ast.Compare)
        for part in ast.walk(node.slice if isinstance(node, ast.Subscript) else node)
    }
    odd = [
        (node, value)
        for node, value in _numbers(nodes)
        if abs(value) not in {*right, *_USUAL} and id(node) not in skipped
    ]
    for node, value in odd[:_MOST_NUMBERS]:
        for other in dict.fromkeys([*right, 0.5, 1.0, 2.0, 0.0]):
            if other != abs(value):
                text = repr(other) if other != float("inf") else "float('inf')"
                yield node, f"(-{text})" if value < 0 else text


def _exchanges(nodes: Sequence[ast.AST]) -> Iterator[_Texts]:
    """Yield the names of two parameters of a function, each in the place of the other."""
    for function in nodes:
        if isinstance(function, _Function):
            names = [each.arg for each in function.args.args if each.arg != "self"]
            read_names = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n in nodes]
            for one, other in itertools.islice(itertools.combinations(names, 2), _MOST_EXCHANGES):
                swapped = {one: other, other: one}
                texts: _Texts = [(n, swapped[n.id]) for n in read_names if n.id in swapped]
                if len({text for _, text in texts}) == len(swapped):
                    yield texts


def _free(nodes: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """Yield the parts of a program that may be changed.

    Another condition may switch a wrong branch off, but for one that a loop asks many times; and a
    loop with another condition may not end.
    """
    repeated = {id(n) for loop in nodes if isinstance(loop, ast.For) for n in ast.walk(loop)}
    branches = [n for n in nodes if isinstance(n, ast.If | ast.IfExp) and id(n) not in repeated]
    loops = [node for node in nodes if isinstance(node, ast.While)]
    kept = {id(n) for part in [*loops, *(b.test for b in branches)] for n in ast.walk(part)}
    yield from (node for node in nodes if id(node) not in kept)


def _text(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text if isinstance(node, ast.Name | ast.Attribute | ast.Call) else f"({text})"


def _call(node: ast.Call, args: list[ast.expr], keywords: list[ast.keyword]) -> str:
    return ast.unparse(ast.Call(node.func, args, keywords))


def _called(node: ast.AST) -> str:
    if not isinstance(node, ast.Call) or not (node.args or isinstance(node.func, ast.Attribute)):
        return ""
    return getattr(node.func, "id", "") or getattr(node.func, "attr", "")


def _object(node: ast.Call) -> ast.expr | None:
    """Return the object whose method is called; None for a function."""
    func = node.func
    if isinstance(func, ast.Attribute) and getattr(func.value, "id", "") not in _ARRAYS:
        return func.value
    return None


def _argument(node: ast.Call) -> ast.AST:
    """Return the first argument of a function, or the object whose method it is."""
    return _object(node) or (node.args[0] if node.args else node)


def _digits(node: Any) -> int | None:
    """Return the number of digits that a rounding keeps; None if that is not a plain number."""
    args = node.args if _object(node) else node.args[1:]
    args = [*args, *(each.value for each in node.keywords if each.arg in ("decimals", "ndigits"))]
    match args:
        case []:
            return 0
        case [ast.Constant(int(digits)), *_]:
            return digits
    return None


def _is_dtype(node: ast.expr) -> bool:
    """Return whether an expression names a dtype with fewer digits than float64."""
    names = (getattr(node, "id", ""), getattr(node, "attr", ""), getattr(node, "value", ""))
    return any(name in _DTYPES for name in names if isinstance(name, str))


def _numbers(nodes: Iterable[ast.AST]) -> list[tuple[Any, float]]:
    """Return the numbers of a program, a minus sign included, in the order of its lines."""
    numbers: dict[int, tuple[Any, float]] = {}
    for node in nodes:
        match node:
            case ast.Constant(value=int(value) | float(value)) if not isinstance(value, bool):
                numbers.setdefault(id(node), (node, float(value)))
            case ast.UnaryOp(ast.USub(), ast.Constant(value=int(value) | float(value)) as number):
                numbers[id(number)] = (node, -float(value))
    return sorted(numbers.values(), key=lambda each: (each[0].lineno, each[0].col_offset))
