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


def test_no_docstring_of_a_module_begins_with_a_question_word() -> None:
    """It names its subject first: "A content-addressed disk cache."."""
    found = _docstrings(FOLDERS, ast.Module)

    assert len(found) > 500
    assert [place for place, text in found.items() if QUESTION.match(text)] == []


def test_docstrings_of_the_code_are_in_plain_english() -> None:
    """Each begins with a noun or an imperative, and says "no one", "again" and "submit"."""
    found = _docstrings(CODE, ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)

    assert len(found) > 3000
    assert [place for place, text in found.items() if QUESTION.match(text)] == []
    assert [place for place, text in found.items() if DIALECT.search(text)] == []
