"""Docstrings of modules, classes and functions."""

import ast
import functools
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
CODE = ("grader", "reference", "server", "site/sitegen")
FOLDERS = (*CODE, "tests", "benchmarks", "scripts")
QUESTION = re.compile(r"\s*(What|Which|Where|How|Who|Whose|Whether|When|Why)\b")
DIALECT = re.compile(r"\b(nobody|whoever|anew|(?<!by )hand(s|ed|ing)? in)\b", re.IGNORECASE)


@functools.cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def _docstrings(
    folders: tuple[str, ...],
    *kinds: type[ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef],
) -> dict[str, str]:
    """Return the docstrings of these kinds of nodes by the place of the node."""
    found = {}
    for path in (each for folder in folders for each in (ROOT / folder).rglob("*.py")):
        if "attacks" in path.parts or "golden" in path.parts:
            continue
        tree = _tree(path)
        for node in [tree] if kinds == (ast.Module,) else ast.walk(tree):
            if isinstance(node, kinds):
                place = f"{path.relative_to(ROOT).as_posix()}:{getattr(node, 'lineno', 1)}"
                found[place] = ast.get_docstring(node) or ""
    return found


def test_docstrings_are_in_plain_english() -> None:
    """Those of modules name their subject first: "A content-addressed disk cache.".

    All in the code begin with a noun or an imperative, and say "no one", "again" and "submit".
    """
    of_modules = _docstrings(FOLDERS, ast.Module)
    of_code = _docstrings(CODE, ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)

    assert len(of_modules) > 500
    assert len(of_code) > 3000
    assert [place for place, text in of_modules.items() if QUESTION.match(text)] == []
    assert [place for place, text in of_code.items() if QUESTION.match(text)] == []
    assert [place for place, text in of_code.items() if DIALECT.search(text)] == []
