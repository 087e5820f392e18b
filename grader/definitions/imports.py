"""The imports in a text of Python or YAML, found without parsing it."""

import re
from collections.abc import Iterable

# A statement may follow a key of YAML, or be in quotes.
_STATEMENT = r"""(?:^|[-:;>"'])\s*"""
_MORE = r"(?:\s+[\w.]+(?:\s+as\s+\w+)?\s*,)*"  # as in `import numpy as np, scipy`
_IMPORT = rf"{_STATEMENT}(?:from|import{_MORE})\s+%s\b"


def find_imports(code: str, modules: Iterable[str]) -> tuple[str, ...]:
    """Return the packages of the given modules that Python code, or YAML with code, imports."""
    packages = dict.fromkeys(module.partition(".")[0] for module in modules)
    return tuple(name for name in packages if re.search(_IMPORT % name, code, re.MULTILINE))
