"""pytest modules written from other kinds of tests: cells, lists of calls, printed output.

The statements of a test become a file of their own, which a function of the module runs among the
solution's names.
"""

import re
from dataclasses import dataclass, field
from typing import Final

FOLDER: Final = "statements"
"""The folder of the files with the tests' statements."""

_MODULE: Final = '''\
import contextlib
import importlib
import io
import re
from pathlib import Path

import numpy as np
import pytest

solution = importlib.import_module("{solution}")


def run(name):
    """Run a test's statements, and return what they print."""
    names = {names}
    before = dict(names)
    names.update({{**globals(), **before}})
    path = Path(__file__).parent / "{folder}" / f"{{name}}.py"
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(path.read_text("utf-8"), str(path), "exec"), names)
    finally:
        names.clear()
        names.update(before)
    return printed.getvalue()


def words_of(text):
    """Return what is printed, apart from how NumPy lays it out."""
    text = re.sub(r"\\bnp\\.(?:float|int|uint|complex|bool)\\w*\\(([^()]*)\\)", r"\\1", text)
    text = re.sub(r"\\b(?:np\\.)?array\\(|(?:, dtype=\\w+)?\\)|[\\[\\](),]", " ", text)
    return text.split()


def assert_prints(printed, expected):
    """Compare printed words, numbers as numbers."""
    got, wanted = words_of(printed), words_of(expected)
    assert len(got) == len(wanted), f"{{printed!r}} is not {{expected!r}}"
    for one, other in zip(got, wanted):
        try:
            decimals = len(other.partition(".")[2]) if "e" not in other else 0
            last_digit = 0.51 * 10.0**-decimals if decimals > 1 else 0.0
            same = one == other or abs(float(one) - float(other)) <= max(last_digit, 1e-8)
        except ValueError:
            same = one == other
        assert same, f"{{printed!r}} is not {{expected!r}}"
'''
_NO_WORD: Final = re.compile(r"\W+")


@dataclass(slots=True)
class WrittenTests:
    """A pytest module in the making, and the files that it runs.

    Attributes:
        shares_names: True if the solution's functions see the names that a test binds and deletes,
            as in a notebook.
    """

    solution: str  # the solution's module name
    shares_names: bool
    files: dict[str, str] = field(default_factory=dict)
    _functions: list[str] = field(default_factory=list)

    def add(self, label: str, statements: str, stdout: str | None = None) -> None:
        """Add a test that runs statements and, if `stdout` is given, compares what they print."""
        name = _NO_WORD.sub("_", label).strip("_").lower() or "test"
        name = name if name.startswith("test_") else f"test_{name}"
        count, unique = 1, name
        while f"{FOLDER}/{unique}.py" in self.files:
            count += 1
            unique = f"{name}_{count}"
        self.files[f"{FOLDER}/{unique}.py"] = statements
        call = f'run("{unique}")'
        body = call if stdout is None else f"assert_prints({call}, {stdout!r})"
        self._functions.append(f"\n\ndef {unique}():\n    {body}\n")

    def module(self, helper: str = "") -> str:
        """Return the source of the pytest module.

        Args:
            helper: A function that the statements call.
        """
        names = "vars(solution)" if self.shares_names else "dict(vars(solution))"
        head = _MODULE.format(solution=self.solution, names=names, folder=FOLDER)
        return "".join([head, helper, *self._functions])
