"""A reader of programs: their numbers, and copies with one thing changed.

It runs in a child, since Python's parser can be crashed. Standard library only; nothing of ours may
be imported here.
"""

import ast
import itertools
from collections.abc import Callable, Iterator, Sequence
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
    "all",
    "any",
    "argmax",
    "argmin",
    "max",
    "mean",
    "min",
    "norm",
    "prod",
    "std",
    "sum",
    "var",
}
_OPERATORS: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Mult, ast.Sub), ast.Sub: (ast.Add,), ast.Mult: (ast.Add, ast.Div),
    ast.Div: (ast.Mult,),
}  # fmt: skip
_COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE), (ast.Eq, ast.NotEq)
_PLACES = (0, 1, -1, -2)  # of lengths in a shape
_LIKELY_FIRST = (
    "one-off", "turned-round", "branches", "length", "order", "axis", "operator", "comparison",
    "shift",
)  # fmt: skip

_Change = Callable[[ast.AST], ast.AST]
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def read(source: str, numbers: Sequence[float]) -> dict[str, Any]:
    """Return facts about a program, and copies of it.

    Args:
        source: of the program.
        numbers: that a right program has.

    Returns:
        `numbers`: the program's own; `functions`: the name and line of each at the top; `copies`:
        for each change its kind, its lines, what was there, and the changed program.
    """
    if len(source) > _LONGEST:
        return {"numbers": [], "functions": [], "copies": []}
    tree = ast.parse(source)
    return {
        "numbers": list(dict.fromkeys(abs(value) for _, value in _numbers(tree)))[:50],
        "functions": [
            [each.name, each.lineno] for each in tree.body if isinstance(each, _Function)
        ],
        "copies": list(_copies(source, numbers))[:_MOST_COPIES],
    }


def _copies(source: str, numbers: Sequence[float]) -> Iterator[list[Any]]:
    nodes = list(ast.walk(ast.parse(source)))

    def copy(kind: str, changes: dict[int, _Change]) -> list[Any]:
        lines = sorted({getattr(nodes[index], "lineno", 0) for index in changes})
        texts = [ast.unparse(nodes[index]) for index in changes]
        tree = ast.parse(source)
        by_id = {id(node): changes[i] for i, node in enumerate(ast.walk(tree)) if i in changes}
        changed = ast.fix_missing_locations(_Changer(by_id).visit(tree))
        return [kind, lines, texts, ast.unparse(changed)]

    rounding = {index: _argument for index, node in enumerate(nodes) if _called(node) in _ROUNDING}
    if rounding:
        digits = [_digits(nodes[index]) for index in rounding]
        known_digits = sorted({each for each in digits if each is not None})
        kind, lines, _, changed = copy("rounded", dict(rounding))
        yield [kind, lines, [] if None in digits else known_digits, changed]
    kinds: list[tuple[str, Callable[[ast.AST], _Change | None]]] = [
        ("floor-division", _true_division), ("cut", _uncut), ("dtype", _without_dtype),
    ]  # fmt: skip
    for kind, change_of in kinds:
        found = {i: change for i, node in enumerate(nodes) if (change := change_of(node))}
        for index, change in found.items():
            yield copy(kind, {index: change})
        if len(found) > 1:
            yield copy(kind, found)
    for kind_of_change, single in _single_changes(nodes):
        yield copy(kind_of_change, single)
    right = [abs(each) for each in numbers]
    right += [1 / each for each in right if each]
    # An index is no number to calculate with, and another bound switches a whole branch off.
    places = {
        id(part)
        for node in nodes
        if isinstance(node, ast.Subscript | ast.Compare)
        for part in ast.walk(node.slice if isinstance(node, ast.Subscript) else node)
    }
    odd = [
        (node, value)
        for node, value in _numbers(nodes[0])
        if abs(value) not in {*right, *_USUAL} and id(node) not in places
    ]
    for node, value in odd[:_MOST_NUMBERS]:
        for other in dict.fromkeys([*right, 0.5, 1.0, 2.0, 0.0]):
            if other != abs(value):
                signed = -other if value < 0 else other
                yield copy("number", {nodes.index(node): _constantly(signed)})


def _single_changes(nodes: Sequence[ast.AST]) -> Iterator[tuple[str, dict[int, _Change]]]:
    """Yield the kinds of changes of one step, each with the changes by the number of a node."""
    for first, other, parts in _exchanges(nodes):
        yield "exchanged", {nodes.index(node): _named(first, other) for node in parts}
    # Another condition may switch a wrong branch off, but for one that a loop asks many times; and
    # a loop with another condition may not end.
    repeated = {id(n) for loop in nodes if isinstance(loop, ast.For) for n in ast.walk(loop)}
    branches = [n for n in nodes if isinstance(n, ast.If | ast.IfExp) and id(n) not in repeated]
    loops = [node for node in nodes if isinstance(node, ast.While)]
    left = {id(n) for part in [*loops, *(b.test for b in branches)] for n in ast.walk(part)}
    changes = [
        (kind, {index: change})
        for index, node in enumerate(nodes)
        if id(node) not in left
        for kind, change in _others(node)
    ]
    yield from sorted(changes, key=lambda each: _LIKELY_FIRST.index(each[0]))


def _exchanges(nodes: Sequence[ast.AST]) -> Iterator[tuple[str, str, list[ast.AST]]]:
    """Yield two parameters of a function, and where it reads them."""
    for function in nodes:
        if isinstance(function, _Function):
            names = [each.arg for each in function.args.args if each.arg != "self"]
            read = [n for n in ast.walk(function) if isinstance(n, ast.Name)]
            for pair in itertools.islice(itertools.combinations(names, 2), _MOST_EXCHANGES):
                parts: list[ast.AST] = [n for n in read if n.id in pair]
                if {n.id for n in read if n.id in pair} == set(pair):
                    yield *pair, parts


def _named(first: str, other: str) -> _Change:
    def change(node: ast.AST) -> ast.AST:
        if isinstance(node, ast.Name):
            node.id = other if node.id == first else first
        return node

    return change


_Others = Iterator[tuple[str, _Change]]


def _others(node: ast.AST) -> _Others:
    """Yield what else could stand in the place of an expression, one step away from it."""
    for kinds, others in _OTHERS:
        if isinstance(node, kinds):
            yield from others(node)


def _with(**parts: Any) -> _Change:
    def change(node: ast.AST) -> ast.AST:
        for name, part in parts.items():
            setattr(node, name, part)
        return node

    return change


def _other_operators(node: Any) -> _Others:
    is_sum = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub)
    if is_sum and isinstance(node.right, ast.Constant) and node.right.value == 1:
        yield "one-off", lambda node: getattr(node, "left", node)
        return
    for other in _OPERATORS.get(type(node.op), ()):
        yield "operator", _with(op=other())


def _other_comparisons(node: Any) -> _Others:
    for group in _COMPARISONS:
        for other in group if isinstance(node.ops[0], group) else ():
            if len(node.ops) == 1 and not isinstance(node.ops[0], other):
                yield "comparison", _with(ops=[other()])


def _not_negated(node: Any) -> _Others:
    if isinstance(node.op, ast.Invert | ast.Not):
        yield "turned-round", lambda node: getattr(node, "operand", node)


def _other_calls(node: Any) -> _Others:
    name = _called(node)
    match name, node.args:
        case "where", [condition, first, other]:
            yield "branches", _with(args=[condition, other, first])
    if name == "exp" and node.args:
        shift = ast.parse("_ - _.max(axis=-1, keepdims=True)", mode="eval").body
        yield "shift", _with(args=[_Filled(node.args[0]).visit(shift)])
    if name in ("sort", "sorted", "flip"):
        yield "order", _argument
    if name in _REDUCTIONS:
        others = [each for each in node.keywords if each.arg not in ("axis", "keepdims")]
        for axis in (-1, 0):
            new = [
                ast.keyword("axis", ast.Constant(axis)),
                ast.keyword("keepdims", ast.Constant(True)),
            ]
            yield "axis", _with(keywords=[*others, *new])


def _other_places(node: Any) -> _Others:
    match node.slice:
        case ast.Slice(lower=None, upper=None, step=ast.UnaryOp()):
            yield "order", lambda node: getattr(node, "value", node)
    if getattr(node.value, "attr", "") == "shape":
        for place in _PLACES:
            if ast.unparse(node.slice) != str(place):
                yield "length", _with(slice=ast.Constant(place))


_OTHERS: tuple[tuple[Any, Callable[[ast.AST], _Others]], ...] = (
    ((ast.BinOp, ast.AugAssign), _other_operators),
    (ast.Compare, _other_comparisons),
    (ast.UnaryOp, _not_negated),
    (ast.Call, _other_calls),
    (ast.Subscript, _other_places),
)


class _Filled(ast.NodeTransformer):
    """Puts an expression in the place of each `_`."""

    def __init__(self, part: ast.expr) -> None:
        self._part = part

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._part if node.id == "_" else node


class _Changer(ast.NodeTransformer):
    def __init__(self, changes: dict[int, _Change]) -> None:
        self._changes = changes  # by the id of a node

    def visit(self, node: ast.AST) -> ast.AST:
        below = self.generic_visit(node)
        change = self._changes.get(id(node))
        return below if change is None else change(below)


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


def _argument(node: ast.AST) -> ast.AST:
    """Return what a function is called with, or the object whose method it is."""
    if not isinstance(node, ast.Call):
        return node
    return _object(node) or (node.args[0] if node.args else node)


def _digits(node: ast.AST) -> int | None:
    """Return to how many digits is rounded; None if that is not a plain number."""
    if not isinstance(node, ast.Call):
        return None
    given = node.args if _object(node) else node.args[1:]
    given = [*given, *(each.value for each in node.keywords if each.arg in ("decimals", "ndigits"))]
    digits = given[0].value if given and isinstance(given[0], ast.Constant) else None
    return (digits if isinstance(digits, int) else None) if given else 0


def _true_division(node: ast.AST) -> _Change | None:
    def change(node: ast.AST) -> ast.AST:
        if isinstance(node, ast.BinOp | ast.AugAssign):
            node.op = ast.Div()
        return node

    is_one = isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.FloorDiv)
    return change if is_one else None


def _uncut(node: ast.AST) -> _Change | None:
    name = _called(node)
    if name == "astype" and isinstance(node, ast.Call):
        return _argument if node.args and _names_dtype(node.args[0]) else None
    return _argument if name in _CUTTING else None


def _without_dtype(node: ast.AST) -> _Change | None:
    def change(node: ast.AST) -> ast.AST:
        if isinstance(node, ast.Call):
            node.keywords = [each for each in node.keywords if each.arg != "dtype"]
        return node

    keywords = node.keywords if isinstance(node, ast.Call) else []
    return change if any(k.arg == "dtype" and _names_dtype(k.value) for k in keywords) else None


def _names_dtype(node: ast.expr) -> bool:
    names = (getattr(node, "id", ""), getattr(node, "attr", ""), getattr(node, "value", ""))
    return any(name in _DTYPES for name in names if isinstance(name, str))


def _constantly(value: float) -> _Change:
    text = repr(value) if abs(value) != float("inf") else f"float('{value}')"
    return lambda _: ast.parse(text, mode="eval").body


def _numbers(tree: ast.AST) -> list[tuple[ast.expr, float]]:
    """Return the numbers of a program, a minus sign included, in the order of its lines."""
    found: dict[int, tuple[ast.expr, float]] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=int(value) | float(value)) if not isinstance(value, bool):
                found.setdefault(id(node), (node, float(value)))
            case ast.UnaryOp(ast.USub(), ast.Constant(value=int(value) | float(value)) as number):
                found[id(number)] = (node, -float(value))
    return sorted(found.values(), key=lambda each: (each[0].lineno, each[0].col_offset))
