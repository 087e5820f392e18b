"""Parsing of an assignment's Python files."""

import ast
import sys
import warnings
from pathlib import Path

from grader.authoring.sources.source_files import printable_name
from grader.errors import DefinitionError, Location, UsageError


def error_in(
    path: Path, message: str, line: int = 1, column: int = 1
) -> DefinitionError | UsageError:
    """Return the error for a problem in a file, or in a folder, which has no lines."""
    if path.is_dir() and not path.is_symlink():
        return UsageError(f"{printable_name(path)}: {message}")
    return DefinitionError.at(Location(path, line, column), message)


def parse(source: str, path: Path) -> ast.Module:
    """Parse Python source.

    Raises:
        DefinitionError: The running Python cannot parse it.
    """
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # doubtful escapes are the author's own
            return ast.parse(source)
    except SyntaxError as error:
        message = (
            f"Python {version} cannot read this: {error.msg}. If it is the syntax of a newer "
            "version, run etude with that one"
        )
        raise error_in(path, message, error.lineno or 1, max(error.offset or 1, 1)) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise error_in(
            path, f"Python {version} cannot read this: it is nested too deeply"
        ) from error


def has_test(tree: ast.Module) -> bool:
    """Return whether pytest would collect a test from a module."""
    return any(_is_test(node) for node in tree.body)


def _is_test(node: ast.stmt) -> bool:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return name.startswith("test")
        case ast.ClassDef(name=name):
            return (name.startswith("Test") or is_test_case(node)) and (
                any(_is_test(statement) for statement in node.body) or len(node.bases) > 0
            )
        case ast.If(body=body, orelse=orelse):
            return any(_is_test(statement) for statement in (*body, *orelse))
        case ast.Try(body=body) | ast.With(body=body):
            return any(_is_test(statement) for statement in body)
    return False


def is_test_case(node: ast.stmt) -> bool:
    """Return whether a statement defines a unittest test case."""
    return isinstance(node, ast.ClassDef) and any(
        ast.unparse(base).split(".")[-1].endswith("TestCase") for base in node.bases
    )
