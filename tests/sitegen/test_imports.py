"""What the generator may know of the rest."""

import ast
from pathlib import Path

import sitegen

ALLOWED = {
    "grader.cpu_affinity",
    "grader.definitions.public",
    "grader.errors",
    "grader.lessons.execute",
}


def test_the_generator_knows_only_what_is_public() -> None:
    """It imports lessons that were run, but no definition with hidden tests, and no grading."""
    imported = {
        name
        for path in Path(sitegen.__file__).parent.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        for name in _names(node)
    }

    assert {name for name in imported if name.split(".")[0] in {"grader", "reference"}} == ALLOWED


def _names(node: ast.AST) -> list[str]:
    match node:
        case ast.Import():
            return [alias.name for alias in node.names]
        case ast.ImportFrom():
            return [node.module or ""]
    return []
