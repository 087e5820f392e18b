"""Programs as lists of top-level statements, with the names that each statement sets and needs."""

import ast
import builtins
import warnings
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from grader.definitions.python_names import find_names

_BUILTIN: Final = frozenset(vars(builtins)) | {"__name__", "__doc__", "__file__"}
_MAX_NESTING: Final = 120  # levels of a syntax tree
_OPERATORS: Final = {
    "==": "eq", "!=": "eq ne", "<": "lt gt", "<=": "le ge", ">": "lt gt", ">=": "le ge",
    "in": "contains", "+": "add radd iadd", "-": "sub rsub isub", "*": "mul rmul imul",
    "@": "matmul rmatmul", "/": "truediv rtruediv", "//": "floordiv rfloordiv", "%": "mod rmod",
    "**": "pow rpow", "&": "and rand iand", "|": "or ror ior", "^": "xor rxor ixor",
    "<<": "lshift", ">>": "rshift", "divmod": "divmod",
}  # fmt: skip
_DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a module, with the comments directly above it."""

    node: ast.stmt
    source: str
    sets: frozenset[str]
    needs: frozenset[str]

    @property
    def is_definition(self) -> bool:
        """True for a function or class."""
        return isinstance(self.node, _DEFINITIONS)

    @property
    def is_import(self) -> bool:
        """True for an import."""
        return isinstance(self.node, (ast.Import, ast.ImportFrom))

    @property
    def has_print(self) -> bool:
        """True if the statement only prints."""
        match self.node:
            case ast.Expr(value=ast.Call(func=ast.Name(id="print"))):
                return True
        return False

    @property
    def is_text(self) -> bool:
        """True for a lone string, such as a module's docstring."""
        match self.node:
            case ast.Expr(value=ast.Constant(value=str())):
                return True
        return False


class ParsedProgram:
    """The top-level statements of a module."""

    def __init__(self, statements: Iterable[Statement]) -> None:
        self.statements = tuple(statements)

    @property
    def sets(self) -> frozenset[str]:
        """All names that the program sets."""
        return frozenset[str]().union(*(statement.sets for statement in self.statements))

    @property
    def needs(self) -> frozenset[str]:
        """The names that the program uses but does not set."""
        return frozenset[str]().union(*(s.needs for s in self.statements)) - self.sets

    @property
    def imported_names(self) -> frozenset[str]:
        """The names that the program imports."""
        return frozenset[str]().union(*(s.sets for s in self.statements if s.is_import))

    def prepend_to(self, code: str) -> str:
        """Return the program's text, followed by more code."""
        return join([*(statement.source for statement in self.statements), code])

    def list_definitions(self) -> dict[str, ast.stmt]:
        """Return the functions and classes by name."""
        by_name: dict[str, ast.stmt] = {}
        for statement in self.statements:
            if isinstance(statement.node, _DEFINITIONS):
                by_name[statement.node.name] = statement.node
        return by_name

    def select_demo(self) -> "ParsedProgram":
        """Return the statements that try the program out, not definitions or imports."""
        return ParsedProgram(
            s for s in self.statements if not (s.is_definition or s.is_import or s.is_text)
        )

    def select_for(self, names: Collection[str], *, with_effects: bool = False) -> "ParsedProgram":
        """Return the statements that set these names, and all that those need, in order.

        Args:
            with_effects: True to keep also statements for effect, such as `np.random.seed(0)`,
                before a kept one; statements that print are never kept.
        """
        missing = set(names)
        taken: set[int] = set()
        for index in range(len(self.statements) - 1, -1, -1):
            each = self.statements[index]
            is_effect = isinstance(each.node, ast.Expr) and not each.has_print and not each.is_text
            if each.sets & missing or (with_effects and taken and is_effect):
                taken.add(index)
                missing |= each.needs
        # A function may need names that are set below it, so repeat until nothing is added.
        while True:
            added = {
                index
                for index, statement in enumerate(self.statements)
                if index not in taken and statement.sets & missing
            }
            if not added:
                return ParsedProgram(self.statements[index] for index in sorted(taken))
            taken |= added
            for index in added:
                missing |= self.statements[index].needs


def read_program(source: str) -> ParsedProgram | None:
    """Split a program into its statements, or return None if it is not Python."""
    tree = parse_or_none(source)
    if tree is None:
        return None
    lines = source.split("\n")
    done = 0
    statements = []
    for node in tree.body:
        decorators = getattr(node, "decorator_list", [])
        begin = min([node.lineno, *(decorator.lineno for decorator in decorators)]) - 1
        while begin > done and lines[begin - 1].startswith("#"):
            begin -= 1
        begin = max(begin, done)
        end = node.end_lineno or node.lineno
        text = "\n".join(lines[begin:end]).strip("\n")
        if begin < done or (node.lineno - 1 == done - 1 and ";" in lines[node.lineno - 1]):
            text = ast.get_source_segment(source, node) or text
        done = end
        used = find_names(ast.Module([node], []))
        statements.append(Statement(node, text, used.sets, frozenset(used.needs) - _BUILTIN))
    return ParsedProgram(statements)


def parse_or_none(source: str) -> ast.Module | None:
    """Parse a program, or return None if it is not Python or is nested too deeply."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # doubtful escapes are the author's own
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    level: list[ast.AST] = [tree]
    for _ in range(_MAX_NESTING):
        level = [below for node in level for below in ast.iter_child_nodes(node)]
        if not level:
            return tree
    return None  # recursive functions over the tree would overflow the stack


def free_names(source: str) -> frozenset[str]:
    """Return the names that a program needs from elsewhere; an empty set if it is not Python."""
    program = read_program(source)
    return frozenset() if program is None else program.needs


def used_names(source: str) -> frozenset[str]:
    """Return every name in a program, including builtins."""
    tree = parse_or_none(source)
    nodes = ast.walk(tree) if tree is not None else ()
    return frozenset(node.id for node in nodes if isinstance(node, ast.Name))


def join(sources: Iterable[str]) -> str:
    """Join statements, with two empty lines around those that have a body."""
    text = ""
    before_is_block = False
    for source in sources:
        is_block = source.lstrip("# ").startswith(("def ", "class ", "async def ", "@")) or (
            "\ndef " in source or "\nclass " in source
        )
        if text:
            text += "\n\n\n" if is_block or before_is_block else "\n"
        text += source.strip("\n")
        before_is_block = is_block
    return text + "\n" if text else ""


def find_kind(program: ParsedProgram, name: str) -> str:
    """Return the kind of a defined name: function, class or value."""
    node = program.list_definitions().get(name)
    if node is None:
        return "value"
    return "class" if isinstance(node, ast.ClassDef) else "function"


def find_operators(program: ParsedProgram, name: str) -> list[str]:
    """Return the operators that a class defines itself or through a decorator."""
    node = program.list_definitions().get(name)
    if not isinstance(node, ast.ClassDef):
        return []
    methods = {statement.name for statement in node.body if isinstance(statement, ast.FunctionDef)}
    assigned = [statement for statement in node.body if isinstance(statement, ast.Assign)]
    targets = [target for statement in assigned for target in statement.targets]
    # A method bound by `__radd__ = __add__`.
    methods |= {target.id for target in targets if isinstance(target, ast.Name)}
    for decorator in map(ast.unparse, node.decorator_list):
        if "dataclass" in decorator:
            methods.add("__eq__")
        if "total_ordering" in decorator or "order=True" in decorator:
            methods |= {"__lt__", "__le__"}
    return [
        operator
        for operator, names in _OPERATORS.items()
        if any(f"__{word}__" in methods for word in names.split())
    ]


def with_empty_bodies(source: str, *, values: bool = True) -> str:
    """Replace the body of each function and the value of each assignment by `...`.

    Without `values` assignments stay unchanged. Docstrings stay. Invalid Python becomes "".
    """
    program = read_program(source)
    if program is None:
        return ""
    parts = []
    for statement in program.statements:
        node = statement.node
        text = "# your code here"
        is_value = isinstance(node, (ast.Assign, ast.AnnAssign))
        if statement.is_import or statement.is_text or (is_value and not values):
            text = statement.source
        elif isinstance(node, _DEFINITIONS):
            for inner in node.body if isinstance(node, ast.ClassDef) else [node]:
                if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    keeps = ast.get_docstring(inner) is not None
                    inner.body = [*inner.body[:keeps], ast.Expr(ast.Constant(...))]
            text = ast.unparse(node)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            node.value = ast.Constant(...)
            text = ast.unparse(node)
        parts.append(text)
    return join(parts)


def rename_modules(tree: ast.Module, modules: Mapping[str, str]) -> set[str]:
    """Turn `module.name` into `name`, and return these names.

    Args:
        modules: Modules by their name in the program.
    """
    reached: set[str] = set()

    class Shorten(ast.NodeTransformer):
        def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
            self.generic_visit(node)
            if isinstance(node.value, ast.Name) and node.value.id in modules:
                reached.add(node.attr)
                return ast.copy_location(ast.Name(node.attr, node.ctx), node)
            return node

    Shorten().visit(tree)
    return reached
