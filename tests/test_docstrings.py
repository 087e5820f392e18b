"""Docstrings of modules."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("grader", "reference", "site/sitegen", "tests", "benchmarks", "scripts")
QUESTION = re.compile(r'(#.*\n)*"""\s*(What|Which|Where|How|Who|Whether|When|Why)\b')


def test_no_docstring_of_a_module_begins_with_a_question_word() -> None:
    """It names its subject first: "A content-addressed disk cache."."""
    found = {
        path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*.py")
        if "attacks" not in path.parts and "golden" not in path.parts
    }

    assert len(found) > 500
    assert [path for path, text in found.items() if QUESTION.match(text)] == []
