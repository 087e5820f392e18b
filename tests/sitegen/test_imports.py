"""Imports of the modules that make pages."""

import ast
from pathlib import Path

import sitegen

PRIVATE = ("grader", "reference", "sitegen.from_collection")
ALLOWED = {
    "grader.course.notebook_attachments",  # images and data files alone
    "grader.definitions.images",  # reads pictures only
    "grader.definitions.public_exercise",
    "grader.definitions.slug",  # the form of ids
    "grader.definitions.wording",  # forms of sentences
    "grader.disk_cache",  # keeps pages
    "grader.errors",
    "grader.grading.feedback.versions",  # names and numbers alone
    "grader.lessons.blocks",
    "grader.lessons.computed_text",
    "grader.lessons.reply",
    "grader.lessons.safe_svg",
    "grader.lessons.figure",
    "grader.notebook_files",  # their cells, no exercise
    "grader.reports.numerals",  # numbers and colours alone
    "grader.reports.palette",
    "grader.sandbox.dataclass_format",  # for kept pages; it knows no class of ours
    "grader.sandbox.in_child.wire",
}


def test_the_generator_knows_only_what_is_public() -> None:
    """Only `from_collection` reads hidden tests; the modules that make pages do not import it."""
    imported = {
        name
        for path in Path(sitegen.__file__).parent.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        for name in _names(node)
    }

    assert {name for name in imported if name.startswith(PRIVATE)} == ALLOWED


def _names(node: ast.AST) -> list[str]:
    match node:
        case ast.Import():
            return [alias.name for alias in node.names]
        case ast.ImportFrom():
            return [node.module or ""]
    return []
