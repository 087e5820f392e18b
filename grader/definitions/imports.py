"""The imports in Python: of a parsed module, or in a text of Python or YAML."""

import ast
import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

# A statement may follow a key of YAML, or be in quotes.
_STATEMENT = r"""(?:^|[-:;>"'])\s*"""
_MORE = r"(?:\s+[\w.]+(?:\s+as\s+\w+)?\s*,)*"  # as in `import numpy as np, scipy`
_IMPORT = rf"{_STATEMENT}(?:from|import{_MORE})\s+%s\b"


def find_packages(code: str, modules: Iterable[str]) -> tuple[str, ...]:
    """Return the packages of the given modules that Python code, or YAML with code, imports."""
    packages = dict.fromkeys(module.partition(".")[0] for module in modules)
    return tuple(name for name in packages if re.search(_IMPORT % name, code, re.MULTILINE))


@dataclass(frozen=True, slots=True)
class ImportedName:
    """A module that a file may import; `from a import b` gives `a` and `a.b`."""

    parts: tuple[str, ...]
    level: int  # dots of a relative import; 0 if absolute
    line: int


def walk_imports(tree: ast.Module) -> Iterator[ImportedName]:
    """Yield the modules that a file imports when it runs, including imports inside functions."""
    pending = deque[ast.AST]([tree])
    while pending:
        node = pending.popleft()
        match node:
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                continue
            case ast.Import(names=names):
                for alias in names:
                    yield ImportedName(tuple(alias.name.split(".")), 0, node.lineno)
            case ast.ImportFrom(module=module, level=level, names=names):
                base = tuple(module.split(".")) if module else ()
                if base:
                    yield ImportedName(base, level, node.lineno)
                for alias in names:
                    if alias.name != "*":
                        yield ImportedName((*base, alias.name), level, node.lineno)
        pending += ast.iter_child_nodes(node)
