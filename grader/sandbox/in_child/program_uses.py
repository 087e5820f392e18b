"""The names, calls, imports and loops of a program, read from its syntax tree.

All walks are iterative, since a tree may be deeper than Python's recursion limit.
"""

import ast
from collections.abc import Collection, Iterator

from . import modules

_MAX_USES = 4000  # uses in one program; a program with more is refused
_MAX_ALIASES = 8  # full names that one name may have
_MAX_FULL_NAMES = 100  # full names of one chain
_ROUNDS = 50  # rounds of resolving aliases of aliases
_MAX_NAME_LENGTH = 200  # characters of a full name

_LOOPS: dict[type[ast.AST], str] = {
    ast.For: "for",
    ast.AsyncFor: "for",
    ast.While: "while",
    ast.ListComp: "comprehension",
    ast.SetComp: "comprehension",
    ast.DictComp: "comprehension",
    ast.GeneratorExp: "comprehension",
}

Use = tuple[str, str, str, int]
"""Kind ("import", "name", "call", "passed" or "loop"), full name, name as written, line."""


def find_uses(source: str) -> dict[str, object]:
    """Return a program's uses: `{"uses": [(kind, name, written, line), ...], "more": false}`.

    Names are resolved through imports and plain assignments: after `import numpy.linalg as la`,
    `la.norm` is `numpy.linalg.norm`. A chain that starts from a value begins with a dot, such as
    `.sum`. A name also counts as `passed`, unless it is only called, used for attribute access, or
    assigned to a name that is tracked. Each use occurs once, with its first line. `more` is true if
    there are too many uses.

    Several modules are read separately, since a name that one of them defines may be a built-in in
    another, and together, so that names are tracked across modules.
    """
    parts = modules.split(source)
    first: dict[tuple[str, str], Use] = {}
    is_cut = False
    for text in (*parts.values(), source):
        tree = ast.parse(text)
        names = _Names(tree, parts)
        is_cut = is_cut or names.overflowed
        for kind, name, written, line in _uses(tree, names):
            is_cut = is_cut or len(name) > _MAX_NAME_LENGTH
            use = (kind, name[:_MAX_NAME_LENGTH], written[-_MAX_NAME_LENGTH:], line)
            earlier = first.get(use[:2])
            if earlier is None or line < earlier[3]:
                first[use[:2]] = use
    ordered = sorted(first.values(), key=lambda use: use[3])
    is_cut = is_cut or len(ordered) > _MAX_USES
    return {"uses": ordered[:_MAX_USES], "more": is_cut}


def find_unreturned_value(source: str, name: str) -> list[object] | None:
    """Return the name and the line of the last value that a function computes but does not return.

    The name is empty for an expression statement. The result is None for a function that returns a
    value, or whose last statement computes none.
    """
    functions = [
        n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef) and n.name == name
    ]
    if not functions:
        return None
    waiting: list[ast.AST] = [*functions[-1].body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return None
        if isinstance(node, ast.Return):
            returned = node.value
            if returned is not None and not (
                isinstance(returned, ast.Constant) and returned.value is None
            ):
                return None
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda)):
            waiting += ast.iter_child_nodes(node)
    computing = [node for node in functions[-1].body if not isinstance(node, ast.Return)]
    match computing[-1] if computing else None:
        case ast.Assign(targets=[ast.Name(id=target)]) | ast.AugAssign(target=ast.Name(id=target)):
            return [target[:_MAX_NAME_LENGTH], computing[-1].lineno]
        case ast.Expr(value=ast.BinOp() | ast.Subscript() | ast.Name()):
            return ["", computing[-1].lineno]
    return None


def _uses(tree: ast.Module, names: "_Names") -> Iterator[Use]:
    nodes = list(ast.walk(tree))
    inner = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    for node in nodes:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from _imports(node, kept=id(node) in names.members)
        elif type(node) in _LOOPS:
            line = getattr(node, "lineno", 1)
            yield "loop", _LOOPS[type(node)], _LOOPS[type(node)], line
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            own_names = (node.name, f"self.{node.name}")  # called as a function, or as a method
            yield from (
                ("loop", "recursion", "recursion", call.lineno)
                for call in ast.walk(node)
                if isinstance(call, ast.Call)
                and isinstance(call.func, (ast.Name, ast.Attribute))
                and _chain(call.func) in own_names
            )
        elif isinstance(node, ast.MatchClass):
            for name in node.kwd_attrs:  # `case object(var=v)` reads the attribute `.var`
                yield "name", f".{name}", f".{name}", node.lineno
        elif isinstance(node, (ast.Attribute, ast.Name)) and id(node) not in inner:
            # Inner parts of a chain are resolved with the whole chain. Binding a name is not a use.
            is_bound = isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
            written = _chain(node)
            for name in () if is_bound else names.resolve(written):
                yield "call" if id(node) in called else "name", name, written, node.lineno
                if id(node) not in called and id(node) not in names.followed:
                    yield "passed", name, written, node.lineno


def _imports(node: ast.Import | ast.ImportFrom, *, kept: bool) -> Iterator[Use]:
    """Yield the uses of an import.

    Args:
        kept: Whether the import is in a class body, so that the name is also an attribute.
    """
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    else:
        module = "." * node.level + (node.module or "")
        members = [alias.name for alias in node.names if alias.name != "*"]
        names = [module, *(f"{module}.{member}" for member in members)]
    for name in names:
        yield "import", name, name, node.lineno
        if kept and (isinstance(node, ast.Import) or name != node.module):
            yield "name", name, name, node.lineno
            yield "passed", name, name, node.lineno


def _chain(node: ast.expr) -> str:
    """Return `a.b.c` as text, or `.b.c` if the chain starts from a value instead of a name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    parts.append(node.id if isinstance(node, ast.Name) else "")
    return ".".join(reversed(parts))


class _Names:
    """The full names of a program's names, as far as they are known without running it."""

    def __init__(self, tree: ast.Module, own_modules: Collection[str] = ()) -> None:
        self._own = own_modules  # names of the program's modules
        self.followed: set[int] = set()  # ids of nodes that are only assigned to a tracked name
        self.members = _members(tree)  # ids of nodes in class bodies
        self.overflowed = False  # whether there are more names than can be tracked
        self._values: set[str] = set()  # names that are bound to untracked values
        self._aliases: dict[str, list[str]] = {}
        self._stars: list[str] = []
        pairs = [
            pair
            for node in ast.walk(tree)
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and id(node) not in self.members
            for pair in _assignments(node)
        ]
        self.followed = {id(value) for _, value in pairs}
        targets = {id(target) for target, _ in pairs}
        for node in ast.walk(tree):
            self._bind(node, targets)
        # Add aliases of aliases until there are no new ones.
        assignments = [(target.id, _chain(value)) for target, value in pairs]
        own_names = self._values | {name for name, _ in assignments}
        for _ in range(_ROUNDS):
            size = self._size()
            for name, value in assignments:
                root = value.partition(".")[0]
                if root in self._values or not root:
                    self._values.add(name)
                if root in self._aliases or (root and root not in own_names) or value == name:
                    for resolved in self.resolve(value):
                        self._alias(name, resolved)
            if self._size() == size:
                break
        else:
            self.overflowed = True

    def _bind(self, node: ast.AST, targets: set[int]) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                full_name = alias.name if alias.asname else alias.name.partition(".")[0]
                self._alias(alias.asname or full_name, full_name)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name == "*":
                    self._stars.append(node.module or "")
                else:
                    self._alias(alias.asname or alias.name, f"{node.module}.{alias.name}")
        elif id(node) not in targets:
            match node:
                case (
                    ast.Name(id=str(name), ctx=ast.Store())
                    | ast.arg(arg=str(name))
                    | ast.FunctionDef(name=str(name))
                    | ast.AsyncFunctionDef(name=str(name))
                    | ast.ClassDef(name=str(name))
                    | ast.ExceptHandler(name=str(name))
                    | ast.MatchAs(name=str(name))
                    | ast.MatchStar(name=str(name))
                    | ast.MatchMapping(rest=str(name))
                ):
                    self._values.add(name)

    def _size(self) -> tuple[int, int]:
        return len(self._values), sum(len(aliases) for aliases in self._aliases.values())

    def _alias(self, name: str, full_name: str) -> None:
        aliases = self._aliases.setdefault(name, [])
        if full_name in aliases or full_name.startswith("."):
            return
        if len(aliases) == _MAX_ALIASES or len(full_name) > _MAX_NAME_LENGTH:
            self.overflowed = True
        else:
            aliases.append(full_name)

    def resolve(self, chain: str) -> list[str]:
        """Return the possible full names of a chain; empty for a name that the program binds."""
        full_names = self._resolve(chain)
        for name in full_names if self._own else ():  # follow names into the program's own modules
            root, _, rest = name.partition(".")
            if root in self._own and rest and len(full_names) < _MAX_FULL_NAMES:
                full_names += [each for each in self._resolve(rest) if each not in full_names]
        return full_names

    def _resolve(self, chain: str) -> list[str]:
        root, dot, rest = chain.partition(".")
        aliases = list(self._aliases.get(root, ()))
        for name, full_names_of_alias in self._aliases.items() if "__" in root else ():
            # Inside a class A, `__np` is mangled to `_A__np`.
            long, short = sorted((name, root), key=len, reverse=True)
            if long != short and short.startswith("__") and long.endswith(short):
                aliases += full_names_of_alias
        full_names = [whole + dot + rest for whole in aliases]
        if root in self._values:
            return [*full_names, dot + rest] if rest else full_names
        return full_names or [chain, *(f"{module}.{chain}" for module in self._stars if root)]


def _members(tree: ast.Module) -> set[int]:
    """Return the ids of the nodes in class bodies, including those inside `if` or `try`."""
    members: set[int] = set()
    waiting: list[tuple[ast.AST, bool]] = [(tree, False)]
    while waiting:
        node, is_member = waiting.pop()
        if is_member:
            members.add(id(node))
        if isinstance(node, ast.ClassDef):
            is_member = True
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            is_member = False
        waiting += [(child, is_member) for child in ast.iter_child_nodes(node)]
    return members


def _assignments(
    node: ast.Assign | ast.AnnAssign,
) -> Iterator[tuple[ast.Name, ast.Name | ast.Attribute]]:
    """Yield the target and the value of each plain assignment, as in `la = np.linalg`.

    Chained assignments to other targets than names, such as `a = x[0] = np`, are not tracked.
    """
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    if len(targets) == 1 and node.value is not None:
        yield from _pairs(targets[0], node.value)
    elif all(isinstance(target, ast.Name) for target in targets):
        for target in targets:
            yield from _pairs(target, node.value)


def _pairs(
    target: ast.expr, value: ast.expr | None
) -> Iterator[tuple[ast.Name, ast.Name | ast.Attribute]]:
    both = (target, value)
    match both:
        case (ast.Tuple() | ast.List(), ast.Tuple() | ast.List()):
            # mypy does not infer from the pattern that both have `elts`.
            names, values = target.elts, value.elts  # type: ignore[attr-defined,union-attr]
        case _:
            names, values = [target], [value]
    if any(isinstance(part, ast.Starred) for part in (*names, *values)):
        return  # the pairs are known only at run time
    for name, item in zip(names, values, strict=False):
        if isinstance(name, ast.Name) and isinstance(item, (ast.Name, ast.Attribute)):
            yield name, item
