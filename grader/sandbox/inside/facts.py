"""What a program uses, read from its syntax tree before it runs: facts, without a judgement.

Iterative throughout: a tree may be deeper than Python's own recursion can follow.
"""

import ast
from collections.abc import Iterable, Iterator

_MOST_USES = 4000
_MOST_ALIASES = 8  # of one name
_ROUNDS = 3  # an alias of an alias of an alias
_LONGEST = 200

_LOOPS: dict[type[ast.AST], str] = {
    ast.For: "for",
    ast.AsyncFor: "for",
    ast.While: "while",
    ast.ListComp: "comprehension",
    ast.SetComp: "comprehension",
    ast.DictComp: "comprehension",
    ast.GeneratorExp: "comprehension",
}
_CONSTANTS = {"nan", "inf", "pi", "e", "newaxis"}

Use = tuple[str, str, str, int]
"""Kind (import, name, call or loop), full name, as it is written, line."""


def uses(source: str) -> dict[str, object]:
    """Return what a program uses: `{"uses": [(kind, name, written, line), ...], "more": false}`.

    A name is resolved through imports and plain assignments: `la.norm` after `import numpy.linalg
    as la` is `numpy.linalg.norm`. What starts from a value begins with a dot: `.sum`. Each use is
    given once, at its first line; `more` says that there were too many to give.
    """
    tree = ast.parse(source)
    first: dict[tuple[str, str], Use] = {}
    for use in _uses(tree):
        known = first.get(use[:2])
        if known is None or use[3] < known[3]:
            first[use[:2]] = use
    ordered = sorted(first.values(), key=lambda use: use[3])
    return {"uses": ordered[:_MOST_USES], "more": len(ordered) > _MOST_USES}


def _uses(tree: ast.Module) -> Iterator[Use]:
    names = _Names(tree)
    nodes = list(ast.walk(tree))
    inner = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    for node in nodes:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for module in _imported(node):
                yield "import", module[:_LONGEST], module[:_LONGEST], node.lineno
        elif type(node) in _LOOPS:
            line = getattr(node, "lineno", 1)
            yield "loop", _LOOPS[type(node)], _LOOPS[type(node)], line
        elif isinstance(node, (ast.Attribute, ast.Name)) and id(node) not in inner:
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                continue
            kind = "call" if id(node) in called else "name"
            written = _chain(node)
            for name in names.resolve(written):
                yield kind, name[-_LONGEST:], written[-_LONGEST:], node.lineno


def _imported(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    module = "." * node.level + (node.module or "")
    return [module, *(f"{module}.{alias.name}" for alias in node.names if alias.name != "*")]


def _chain(node: ast.expr) -> str:
    """Spell `a.b.c`; what an attribute is looked up on, if it is no name, is left out: `.c`."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    parts.append(node.id if isinstance(node, ast.Name) else "")
    return ".".join(reversed(parts))


class _Names:
    """What the names of a program stand for, as far as it can be told without running it."""

    def __init__(self, tree: ast.Module) -> None:
        self._own: set[str] = set()  # bound by the program itself
        self._aliases: dict[str, list[str]] = {}
        self._stars: list[str] = []
        assignments: list[tuple[str, str]] = []
        for node in ast.walk(tree):
            self._bind(node)
            assignments += _assignments(node)
        for _ in range(_ROUNDS):
            for name, value in assignments:
                self._assign(name, value)

    def _bind(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                whole = alias.name if alias.asname else alias.name.partition(".")[0]
                self._alias(alias.asname or whole, whole)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name == "*":
                    self._stars.append(node.module or "")
                else:
                    self._alias(alias.asname or alias.name, f"{node.module}.{alias.name}")
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            self._own.add(node.id)
        elif isinstance(node, ast.arg):
            self._own.add(node.arg)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            self._own.add(node.name)

    def _assign(self, name: str, value: str) -> None:
        root = value.partition(".")[0]
        if root in self._aliases or (root and root not in self._own) or value == name:
            for resolved in self.resolve(value):
                self._alias(name, resolved)

    def _alias(self, name: str, whole: str) -> None:
        known = self._aliases.setdefault(name, [])
        if whole not in known and len(known) < _MOST_ALIASES and len(whole) <= _LONGEST:
            known.append(whole)

    def resolve(self, chain: str) -> list[str]:
        """Return what a chain may stand for; nothing for a plain name of the program's own."""
        root, dot, rest = chain.partition(".")
        if root in self._aliases:
            return [whole + dot + rest for whole in self._aliases[root]]
        if root in self._own:
            return [dot + rest] if rest else []
        return [chain, *(f"{module}.{chain}" for module in self._stars if root)]


def _assignments(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the name and the chain of each plain assignment, as in `la = np.linalg`."""
    if isinstance(node, ast.Assign):
        pairs = [(target, node.value) for target in node.targets]
    elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
        pairs = [(node.target, node.value)]
    else:
        return
    for target, value in pairs:
        both = (target, value)
        if all(isinstance(one, (ast.Tuple, ast.List)) for one in both):
            yield from _plain(zip(target.elts, value.elts, strict=False))  # type: ignore[attr-defined]  # tested
        else:
            yield from _plain([both])


def _plain(pairs: Iterable[tuple[ast.expr, ast.expr]]) -> Iterator[tuple[str, str]]:
    for target, value in pairs:
        if isinstance(target, ast.Name) and isinstance(value, (ast.Name, ast.Attribute)):
            yield target.id, _chain(value)


def beyond_answers(source: str, names: list[str]) -> tuple[str, int, str] | None:
    """Find what in a program is more than answers: literals assigned to the names asked for.

    Comments, a docstring and `import numpy as np` may be there too; `np.array` of a literal,
    `np.nan` and `np.inf` are literals here.

    Returns:
        None, or what the first such thing is (statement, name or value), its line, and a name.
    """
    for node in ast.parse(source).body:
        if _is_text(node) or _is_numpy(node):
            continue
        target = _target(node)
        if target is None:
            return "statement", node.lineno, ""
        if target not in names:
            return "name", node.lineno, target[:_LONGEST]
        if not _is_literal(node.value):  # type: ignore[attr-defined]  # an assignment has one
            return "value", node.lineno, target
    return None


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_numpy(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import) and [(a.name, a.asname) for a in node.names] == [
        ("numpy", "np")
    ]


def _target(node: ast.stmt) -> str | None:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
            return name
    return None


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
