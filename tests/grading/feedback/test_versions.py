"""Programs for another Python or NumPy are told so, by the version."""

import importlib
import re
from typing import Final

import pytest

from grader.grading.feedback import versions
from grader.grading.feedback.versions import (
    HERE,
    SYNTAX,
    Versions,
    name_sentence,
    newer_syntax_sentence,
    syntax_sentence,
)
from grader.grading.results.verdict import Outcome
from tests.grading.conftest import GradeAll

RIGHT: Final = "\ndef f(x):\n    return 2.0 * x\n"

NEWER: Final = {
    "type A = int": ("type", (3, 12)),
    "type A[T] = list[T]": ("type", (3, 12)),
    "def g[T](x: T) -> T: return x": ("parameters", (3, 12)),
    "async def g[T](x: T): pass": ("parameters", (3, 12)),
    "class B[T]: pass": ("parameters", (3, 12)),
    "def g[T = int](x): pass": ("default", (3, 13)),
    "d = {'a': 1}\nprint(f'{d['a']}')": ("quotes", (3, 12)),
    'd = {"a": 1}\nx = f"{d["a"]:>{9}}"': ("quotes", (3, 12)),
    "x = f'{f'{1}'}'": ("quotes", (3, 12)),
    "print(f\"{'\\n'.join('ab')}\")": ("f-string", (3, 12)),
    "x = f'''{1 # one\n}'''": ("f-string", (3, 12)),
    "y = f'{\n    1 + 1\n}'": ("lines", (3, 12)),
    "try:\n    pass\nexcept KeyError, OSError:\n    pass": ("except", (3, 14)),
    "x = t'{1}'": ("template", (3, 14)),
    "x = [*y for y in ([1], [2])]": ("unpacked", (3, 15)),
    "lazy import json": ("lazy", (3, 15)),
}
"""Right programs by the Python that reads them."""

BROKEN: Final = (
    "x = f'{1",
    "x = f'{1'",
    "x = 'abc",
    "def g(x) return x",
    "class B(: pass",
    "type = = 3",
    "print x",
    "x = don't",
    "x = (f'{1}' 2)",
)
"""Programs that no Python reads."""


@pytest.mark.parametrize("start", NEWER)
def test_a_program_for_a_newer_python_is_told_so(start: str, grade_all: GradeAll) -> None:
    """The program passes instead if the grader has that Python."""
    kind, since = NEWER[start]
    verdict = grade_all(start + RIGHT, {"call": "f(3.0)", "expect": 6.0})
    if HERE.python >= since:
        assert verdict.outcome is Outcome.PASSED
        return
    needed, has = (".".join(map(str, each)) for each in (since, HERE.python))
    assert f" Python {needed} or newer, and the grader has {has}: " in verdict.message
    assert newer_syntax_sentence(SYNTAX[kind], HERE) in verdict.message


@pytest.mark.parametrize("start", BROKEN)
def test_no_version_is_named_for_what_no_python_reads(start: str, grade_all: GradeAll) -> None:
    """A mistake has nothing to do with the version."""
    verdict = grade_all(start + RIGHT, {"call": "f(3.0)", "expect": 6.0})
    assert verdict.message.startswith("Python cannot read")
    assert "or newer" not in verdict.message


@pytest.mark.parametrize(
    "start", ["from itertools import batched", "import itertools\nitertools.batched('ab', 1)"]
)
def test_a_newer_name_is_told_with_its_version(start: str, grade_all: GradeAll) -> None:
    """The version is named however the name is imported."""
    verdict = grade_all(start + RIGHT, {"call": "f(3.0)", "expect": 6.0})
    assert verdict.outcome is Outcome.PASSED or (
        "`itertools.batched` needs Python 3.12 or newer, and the grader has 3.11."
        in verdict.message
    )


def test_a_module_that_is_gone_is_told_with_the_version(grade_all: GradeAll) -> None:
    """Instead of that it never was there."""
    verdict = grade_all("import distutils" + RIGHT, {"call": "f(3.0)", "expect": 6.0})
    assert verdict.outcome is Outcome.PASSED or (
        "Python 3.12 has no module `distutils` any more, and the grader has" in verdict.message
    )


def names() -> list[str]:
    tables = vars(versions)
    dotted = [*tables["_NUMPY_ADDED"], *tables["_NUMPY_REMOVED"]]
    for table in (tables["_ADDED"], tables["_REMOVED"]):
        dotted += " ".join(table.values()).split()
    return dotted


def is_here(name: str) -> bool:
    """Return whether this Python or NumPy has a name."""
    try:
        importlib.import_module(name)
    except ImportError:
        owner, _, last = name.rpartition(".")
        if owner == "numpy.ndarray":
            return last in dir(importlib.import_module("numpy").ndarray)
        return bool(owner) and hasattr(importlib.import_module(owner), last)
    return True


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("name", names())
def test_the_tables_agree_with_the_versions_that_are_here(name: str) -> None:
    """A name is there if and only if nothing is said of it."""
    assert is_here(name) is not bool(name_sentence(name, HERE))


def test_names_of_numpy_by_the_version_that_has_them() -> None:
    """What was removed in 2.4 is there in 2.3; nothing is said of names that no version has."""
    old, new = Versions((3, 13), (2, 3)), Versions((3, 13), (2, 4))
    assert name_sentence("numpy.trapz", old) == name_sentence("numpy.trapezoid", new) == ""
    assert name_sentence("numpy.trapz", new) == (
        "NumPy 2.4 has no `np.trapz` any more: use `np.trapezoid`."
    )
    assert (
        name_sentence("numpy.product", old)
        == "NumPy 2 has no `np.product` any more: use `np.prod`."
    )
    assert name_sentence("numpy.strings.slice", Versions((3, 13), (2, 2))) == (
        "`np.strings.slice` needs NumPy 2.3 or newer, and the grader has 2.2."
    )


def test_a_newer_python_is_not_asked_for_twice() -> None:
    """The newest form of a line decides."""
    if HERE.python < (3, 12):
        assert "3.13" in syntax_sentence("expected '('", "def g[T = int](x): pass")
    assert re.search("3.14", syntax_sentence("invalid syntax", "x = t'{1}'")) or HERE.python >= (
        3,
        14,
    )
