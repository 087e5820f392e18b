"""A solution's source with its syntax tree."""

import ast
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import TypeAlias

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Program:
    """Python source and its syntax tree.

    Raises:
        SyntaxError: If `source` is not Python.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.tree = ast.parse(source)
        self._parents: dict[int, ast.AST] = {}
        for node in ast.walk(self.tree):
            for child in ast.iter_child_nodes(node):
                self._parents[id(child)] = node

    def __contains__(self, node: ast.AST) -> bool:
        """Return whether the node is part of the source, not one made for a mutant."""
        # Operators and contexts such as `Load()` are shared between places, so they have no
        # position.
        return id(node) in self._parents and hasattr(node, "lineno")

    def parent(self, node: ast.AST) -> ast.AST:
        """Return the parent of a node; the module is its own parent."""
        return self._parents.get(id(node), self.tree)

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the ancestors of a node, the nearest first and the module last."""
        while node is not self.tree:
            node = self.parent(node)
            yield node

    def function(self, node: ast.AST) -> Function | None:
        """Return the function that contains the node, or None outside of functions."""
        for above in self.ancestors(node):
            if isinstance(above, Function):
                return above
        return None

    @cached_property
    def defined_names(self) -> frozenset[str]:
        """The names of the functions and methods that the program defines."""
        return frozenset(node.name for node in ast.walk(self.tree) if isinstance(node, Function))

    @cached_property
    def called_names(self) -> frozenset[str]:
        """The names of all functions that the program calls, without any part before a dot."""
        functions = [node.func for node in ast.walk(self.tree) if isinstance(node, ast.Call)]
        return frozenset(
            func.attr if isinstance(func, ast.Attribute) else func.id
            for func in functions
            if isinstance(func, ast.Attribute | ast.Name)
        )

    def home(self, node: ast.AST) -> Function | ast.Module:
        """Return the function that contains the node, or the module."""
        return self.function(node) or self.tree

    def qualified_name(self, node: ast.AST) -> str:
        """Return the dotted name of the class and function around the node, or "" at the top."""
        names = [above.name for above in self.ancestors(node) if isinstance(above, _DEFINITIONS)]
        return ".".join(reversed(names))

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Return the start and end of the node's text, as indices into the source."""
        end_line, end_column = node.end_lineno, node.end_col_offset
        assert end_line is not None  # the parser sets both
        assert end_column is not None
        start = self._index(first_line(node), node.col_offset)
        return start, self._index(end_line, end_column)

    def text(self, node: ast.expr | ast.stmt) -> str:
        """Return the node's text as it stands in the source."""
        start, end = self.span(node)
        return self.source[start:end]

    def whole_lines(self, start: int, end: int) -> tuple[int, int]:
        """Widen a span to whole lines, including the last newline."""
        first = self._line_starts[bisect_right(self._line_starts, start) - 1]
        following = bisect_right(self._line_starts, max(end - 1, start))
        lines = self._line_starts
        return first, lines[following] if following < len(lines) else len(self.source)

    def _index(self, line: int, column: int) -> int:
        """Convert the parser's line and column, which counts UTF-8 bytes, to an index."""
        start = self._line_starts[line - 1]
        if self.source.isascii():
            return start + column
        # at least as many characters as UTF-8 bytes are needed
        text = self.source[start : start + column]
        return start + len(text.encode()[:column].decode())

    @cached_property
    def _line_starts(self) -> list[int]:
        """Line offsets as the parser counts them: form feed and U+2028 do not end a line."""
        starts, index, source = [0], 0, self.source
        while index < len(source):
            index += 2 if source.startswith("\r\n", index) else 1
            if source[index - 1] in "\r\n":
                starts.append(index)
        return starts


def first_line(node: ast.expr | ast.stmt) -> int:
    """Return the node's first line, including its decorators."""
    decorators = node.decorator_list if isinstance(node, _DEFINITIONS) else []
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])
