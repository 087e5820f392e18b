"""pytest modules written from other kinds of tests: cells, lists of calls, printed output."""

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from grader.authoring.sources.program_parts import read_program

PRINTED: Final = '''\
def words_of(text):
    """Return what is printed, apart from how NumPy lays it out."""
    text = re.sub(r"\\bnp\\.(?:float|int|uint|complex|bool)\\w*\\(([^()]*)\\)", r"\\1", text)
    text = re.sub(r"\\b(?:np\\.)?array\\(|(?:, dtype=\\w+)?\\)|[\\[\\](),]", " ", text)
    return text.split()


def assert_prints(printed, expected):
    """Compare printed words, numbers as numbers."""
    got, wanted = words_of(printed), words_of(expected)
    assert len(got) == len(wanted), f"{printed!r} is not {expected!r}"
    for one, other in zip(got, wanted):
        try:
            decimals = len(other.partition(".")[2]) if "e" not in other else 0
            last_digit = 0.51 * 10.0**-decimals if decimals > 1 else 0.0
            same = one == other or abs(float(one) - float(other)) <= max(last_digit, 1e-8)
        except ValueError:
            same = one == other
        assert same, f"{printed!r} is not {expected!r}"
'''
"""The helper function for tests of printed output; it needs `re`."""

_NO_WORD: Final = re.compile(r"\W+")
_MARGIN: Final = "    "


def function_name(label: str, names: set[str]) -> str:
    """Return an unused name for a test function, and add it to `names`."""
    name = _NO_WORD.sub("_", label).strip("_").lower() or "test"
    name = name if name.startswith("test_") else f"test_{name}"
    count, unique = 1, name
    while unique in names:
        count += 1
        unique = f"{name}_{count}"
    names.add(unique)
    return unique


def as_function(name: str, body: str) -> str:
    """Return source of a function with these statements as its body."""
    inner = indent(body.strip("\n")) or f"{_MARGIN}pass"
    return f"def {name}():\n{inner}\n"


def check_printed(body: str, expected: str) -> str:
    """Return statements that run `body` and compare its output with `expected`; see `PRINTED`."""
    return (
        "printed = io.StringIO()\n"
        "with contextlib.redirect_stdout(printed):\n"
        f"{indent(body.strip(chr(10)))}\n"
        f"assert_prints(printed.getvalue(), {expected!r})\n"
    )


def indent(code: str) -> str:
    """Indent statements; lines inside a multi-line string stay unchanged."""
    inside: set[int] = set()
    # F-strings that are open, in Python versions that tokenize their parts.
    open_starts: list[int] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            kind = tokenize.tok_name[token.type]
            if kind == "STRING":
                inside.update(range(token.start[0] + 1, token.end[0] + 1))
            elif kind.endswith("STRING_START"):
                open_starts.append(token.start[0])
            elif kind.endswith("STRING_END") and open_starts:
                inside.update(range(open_starts.pop() + 1, token.end[0] + 1))
    except (tokenize.TokenError, SyntaxError):
        inside.clear()
    return "\n".join(
        line if number in inside or not line.strip() else f"{_MARGIN}{line}"
        for number, line in enumerate(code.split("\n"), 1)
    )


def without_star_imports(code: str) -> tuple[str, list[str]]:
    """Remove `from x import *` from statements, since a function may not contain it."""
    program = read_program(code)
    if program is None:
        return code, []
    stars = [
        each.source
        for each in program.statements
        if isinstance(each.node, ast.ImportFrom) and any(a.name == "*" for a in each.node.names)
    ]
    lines = code.split("\n")
    return "\n".join(line for line in lines if line.strip() not in stars), stars


def import_line(module: str, names: Iterable[str]) -> str:
    """Return the line that imports names from a module, or "" without names."""
    ordered = sorted(set(names))
    if not ordered:
        return ""
    line = f"from {module} import {', '.join(ordered)}"
    if len(line) <= 99:  # noqa: PLR2004  columns
        return line + "\n"
    inner = "".join(f"    {name},\n" for name in ordered)
    return f"from {module} import (\n{inner})\n"


def pytest_module(
    functions: Sequence[str],
    solution: str,
    names: Iterable[str],
    imports: Iterable[str] = (),
    helpers: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return the source of a pytest module.

    Args:
        solution: The solution's module name.
        names: The names of the solution that the functions use.
        imports: Further import lines.
        helpers: Source of helper functions by name; those that are used are included.
    """
    body = "\n\n".join(functions)
    texts = [text for name, text in {"assert_prints": PRINTED, **helpers}.items() if name in body]
    head = "import contextlib\nimport io\nimport re\n\n" if PRINTED in texts else ""
    head += "".join(f"{line}\n" for line in dict.fromkeys((*imports, "import numpy as np")))
    if own := import_line(solution, {*names} - {"np", "pytest"}):
        head += f"\n{own}"
    return "\n\n".join([head, *texts, body])
