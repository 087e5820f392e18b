"""The imports that a text of code or YAML holds, found without reading it as Python."""

import re
from collections.abc import Iterable

# Statements may stand behind a key of YAML, or in quotes.
_STATEMENT = r"""(?:^|[-:;>"'])\s*"""
_MORE = r"(?:\s+[\w.]+(?:\s+as\s+\w+)?\s*,)*"  # `import numpy as np, `
_IMPORT = rf"{_STATEMENT}(?:from|import{_MORE})\s+%s\b"


def find_imports(code: str, modules: Iterable[str]) -> tuple[str, ...]:
    """Return the packages of some modules that a line of code, or of YAML with code, imports."""
    packages = dict.fromkeys(module.partition(".")[0] for module in modules)
    return tuple(name for name in packages if re.search(_IMPORT % name, code, re.MULTILINE))
