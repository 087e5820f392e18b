"""The marking of a program: each expression is wrapped in a call that notes its value.

It runs in a child, since hostile source can crash Python's parser.
"""

import ast
from typing import Any

_MAX_SOURCE_LENGTH = 20_000  # characters of a program
_MARK = "_etude_value_"
_NOT_NOTED = (ast.Starred, ast.Slice, ast.Dict, ast.Set, ast.GeneratorExp, ast.Yield, ast.Lambda)
_Definition = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_NEW_ARRAYS = {
    "array", "asarray", "copy", "empty", "empty_like", "eye", "full", "full_like", "identity",
    "ones", "ones_like", "zeros", "zeros_like",
}  # fmt: skip


def mark(source: str, starter: str) -> list[Any]:
    """Return a program with marked expressions, and a list of these expressions.

    Args:
        starter: The exercise's starter. Its functions are not marked if they are unchanged.

    Returns:
        The marked program, and for each expression its `line`, `text`, `role` ("name", "new" for a
        new array, "own" for a call of the program's own function, "parts" for a list or a tuple,
        else "value"), the numbers of the expressions `inner` to it, its `scope` (the line of its
        function), whether the function `is_called` in the program, and whether the expression
        `is_parameter`.
    """
    if len(source) > _MAX_SOURCE_LENGTH:
        return ["", []]
    marker = _Marker(source, ast.parse(starter))
    tree = ast.fix_missing_locations(marker.visit(ast.parse(source)))
    return [ast.unparse(tree), marker.nodes]


class _Marker(ast.NodeTransformer):
    """A transformer that wraps expressions in calls, inner ones first."""

    def __init__(self, source: str, starter: ast.Module) -> None:
        tree = ast.parse(source)
        self.nodes: list[dict[str, Any]] = []
        self._source = source
        self._starter = {_code(node) for node in starter.body if isinstance(node, ast.FunctionDef)}
        self._modules = {
            (alias.asname or alias.name).partition(".")[0]
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }
        self._own = {node.name for node in ast.walk(tree) if isinstance(node, _Definition)}
        self._called = {_name(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
        self._function: ast.FunctionDef | None = None
        self._inner: list[list[int]] = [[]]

    def visit(self, node: ast.AST) -> Any:
        if not isinstance(node, ast.expr):
            return node if isinstance(node, ast.pattern) else super().visit(node)
        base = node
        while isinstance(base, ast.Attribute):
            base = base.value
        is_module = isinstance(base, ast.Name) and base.id in self._modules
        if isinstance(node, ast.Constant | ast.JoinedStr) or is_module:
            return node
        if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            if isinstance(node, ast.Tuple | ast.List | ast.Starred):
                self.generic_visit(node)
            self._target(node)
            return node
        role, text = self._role(node), ast.get_source_segment(self._source, node) or ""
        self._inner.append([])
        if isinstance(node, ast.Call):
            self._call(node)
        elif isinstance(node, ast.Subscript):
            node.value = self.visit(node.value)
            self._index(node)
        elif isinstance(node, ast.Lambda):
            node.body = self.visit(node.body)
        else:
            self.generic_visit(node)
        inner = self._inner.pop()
        if not role:
            self._inner[-1] += inner
            return node
        return self._wrap(node, node, role, inner, text)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if _code(node) in self._starter:
            return node
        outer, self._function = self._function, node
        self._visit_body(node)
        self._function = outer
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self._visit_body(node)
        return node

    def _visit_body(self, node: ast.FunctionDef | ast.ClassDef) -> None:
        """Visit the statements of a definition, but not its defaults and annotations."""
        module = ast.Module(node.body, [])
        self.generic_visit(module)
        node.body = module.body

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.value = node.value and self.visit(node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        """Note the value of a name before and after it is changed."""
        if not isinstance(node.target, ast.Name):
            self._target(node.target)
            node.value = self.visit(node.value)
            return node
        name, text = node.target.id, ast.get_source_segment(self._source, node) or ""
        self._inner.append([])
        before = self._wrap(ast.Name(name, ast.Load()), node, "name", [], name)
        node.value = self.visit(node.value)
        inner = self._inner.pop()
        after = self._wrap(ast.Name(name, ast.Load()), node, "value", inner, text)
        return [
            ast.Assign([ast.Name(name, ast.Store())], before),
            node,
            ast.Assign([ast.Name(name, ast.Store())], after),
        ]

    def _target(self, node: ast.expr) -> None:
        if isinstance(node, ast.Subscript):
            self._index(node)

    def _index(self, node: ast.Subscript) -> None:
        if isinstance(node.slice, ast.Tuple):  # it may have slices, which cannot be arguments
            node.slice.elts = [self.visit(item) for item in node.slice.elts]
        else:
            node.slice = self.visit(node.slice)

    def _call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute):
            node.func.value = self.visit(node.func.value)
        elif not isinstance(node.func, ast.Name):
            node.func = self.visit(node.func)
        node.args = [self.visit(argument) for argument in node.args]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)

    def _role(self, node: ast.expr) -> str:
        """Return the role of an expression in the search, or "" if it is not marked."""
        if isinstance(node, _NOT_NOTED) or (
            isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)
        ):
            return ""
        if isinstance(node, ast.Name | ast.Attribute):
            return "" if getattr(node, "id", None) in self._own else "name"
        if isinstance(node, ast.List | ast.Tuple):
            return "parts"
        if isinstance(node, ast.Call):
            name = _name(node.func)
            if name in ("super", "range", "enumerate", "zip"):
                return ""
            return "new" if name in _NEW_ARRAYS else "own" if name in self._own else "value"
        return "value"

    def _wrap(
        self, new: ast.expr, place: ast.AST, role: str, inner: list[int], text: str
    ) -> ast.Call:
        number = len(self.nodes)
        function = self._function
        arguments = ast.walk(function.args) if function else ()
        parameters = {argument.arg for argument in arguments if isinstance(argument, ast.arg)}
        self.nodes.append(
            {
                "line": getattr(place, "lineno", 0),
                "text": text,
                "role": role,
                "inner": inner,
                "is_called": function is not None and function.name in self._called,
                "is_parameter": text in parameters,
                "scope": function.lineno if function else 0,
            }
        )
        self._inner[-1].append(number)
        mark = ast.Name(_MARK, ast.Load())
        return ast.Call(mark, [ast.Constant(number), new], [])


def _code(function: ast.FunctionDef) -> str:
    """Return the code of a function without its docstring."""
    statements = [
        node for node in function.body if not isinstance(getattr(node, "value", node), ast.Constant)
    ]
    return "\n".join([function.name, ast.unparse(function.args), *map(ast.unparse, statements)])


def _name(node: ast.AST) -> str:
    return getattr(node, "id", "") or getattr(node, "attr", "")
