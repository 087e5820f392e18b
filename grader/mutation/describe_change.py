"""A mutant's change as people read it: its name, which survives edits elsewhere, and its diff."""

import ast
import difflib

from grader.mutation.edits import Edit, copy_tree
from grader.mutation.program import Program

_CUT = 90  # longest text of each side of a change, in characters
_CONTEXT = 30  # characters kept before the difference when a side is shortened
_TOO_LITTLE = 8  # a description with fewer characters is widened
_ALWAYS_WIDENED = (ast.Constant, ast.Slice, ast.Name, ast.Tuple, ast.Starred, ast.keyword)
_CONTEXT_LINES = 1  # before and after the change in a diff
_NO_NEWLINE = "\n\\ No newline at end of file\n"
_HAS_BODY = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.For, ast.AsyncFor, ast.While, ast.If,
    ast.With, ast.AsyncWith, ast.Try, ast.TryStar, ast.Match, ast.ExceptHandler, ast.match_case,
    ast.Module,
)  # fmt: skip


def describe_edit(program: Program, edit: Edit) -> str:
    """Return "`before` -> `after`" with the smallest readable expression or statement."""
    # The smallest node around the edit by which a reader can recognize the place.
    context: ast.AST = edit.node
    while isinstance(context, _ALWAYS_WIDENED) or len(_shorten(context)) < _TOO_LITTLE:
        above = program.parent(context)
        if isinstance(above, _HAS_BODY) or isinstance(context, ast.stmt):
            break
        context = above
    before = _shorten(context)
    if isinstance(edit.replacement, ast.Pass):
        return f"`{_cut(before, 0)}` -> nothing"
    edited = copy_tree(context, lambda node: edit.replacement if node is edit.node else None)
    after = _shorten(edited)
    differs = next(
        (i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b),
        min(len(before), len(after)),
    )
    return f"`{_cut(before, differs)}` -> `{_cut(after, differs)}`"


def _shorten(node: ast.AST) -> str:
    return " ".join(ast.unparse(node).split())


def _cut(text: str, differs: int) -> str:
    """Shorten a text to the part around its first difference."""
    if len(text) <= _CUT:
        return text
    start = 0 if differs < _CUT - _CONTEXT else differs - _CONTEXT
    end = start + _CUT
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")


def make_diff(before: str, after: str) -> str:
    """Return the diff between two texts, with a line of context."""
    lines = difflib.unified_diff(
        before.splitlines(keepends=True),
        after.splitlines(keepends=True),
        "solution.py",
        "mutant.py",
        n=_CONTEXT_LINES,
    )
    return "".join(line if line.endswith("\n") else line + _NO_NEWLINE for line in lines)
