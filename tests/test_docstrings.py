"""Docstrings of modules, classes and functions."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
CODE = ("grader", "reference", "server", "site/sitegen")
OTHERS = ("tests", "benchmarks", "scripts")
QUESTION = re.compile(r"\s*(What|Which|Where|How|Who|Whose|Whether|When|Why)\b")
DIALECT = re.compile(r"\b(nobody|whoever|anew|(?<!by )hand(s|ed|ing)? in)\b", re.IGNORECASE)


def _docstrings(path: Path) -> dict[str, str]:
    """Return the docstrings in a file by the place of what each belongs to."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return {
        f"{path}:{getattr(node, 'lineno', 1)}": ast.get_docstring(node) or ""
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, kinds)
    }


def test_docstrings_are_in_plain_english() -> None:
    """Those of modules name their subject first: "A content-addressed disk cache.".

    All in the code begin with a noun or an imperative, and say "no one", "again" and "submit".
    """
    code, others = (
        [path for name in folders for path in (ROOT / name).rglob("*.py")]
        for folders in (CODE, OTHERS)
    )
    of_code = {place: text for path in code for place, text in _docstrings(path).items()}
    begins = {path: path.read_text("utf-8").removeprefix('"""') for path in others}

    assert len(code) + len(others) > 500
    assert len(of_code) > 3000
    assert [place for place, text in of_code.items() if QUESTION.match(text)] == []
    assert [place for place, text in of_code.items() if DIALECT.search(text)] == []
    assert [path for path, text in begins.items() if QUESTION.match(text)] == []
