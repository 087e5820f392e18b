"""Sources without any marks: files of pytest, docstrings with examples, notebooks with asserts."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from grader.authoring.importing.read_source import read_source
from grader.authoring.sources.draft import SourceDrafts
from grader.errors import UsageError
from tests.conftest import Etude

GREY = '''"""Write `grey`."""

import numpy as np

from helpers import scale as scaled

ONE = 1


def grey(image):
    """Return the sum of the channels."""
    return scaled(image.sum(axis=-1), ONE)


if __name__ == "__main__":
    print(grey(np.ones(3)))
'''
HELPERS = "def scale(x, k):\n    return x * k\n"
TESTS = """import numpy as np
import pytest
import grey
from grey import grey as to_grey


@pytest.fixture
def image():
    yield np.arange(12.0).reshape(2, 2, 3)
    print("clean up")


@pytest.fixture()
def half(image):
    return image / 2


@pytest.mark.slow
def test_half(half, image):
    np.testing.assert_allclose(to_grey(half) * 2, grey.grey(image))


@pytest.mark.parametrize(("n", "total"), [(2, 2), pytest.param(3, 3, id="three")])
def test_ones(n, total):
    assert to_grey(np.ones(n)) == total


def test_error():
    try:
        to_grey(3)
    except AttributeError:
        return
    raise AssertionError("a number has no channels")
"""
LEFT_OUT = """

@pytest.mark.skip
def test_later():
    assert False


def test_file(tmp_path):
    assert to_grey(np.ones((1, 3))).shape == (1,)
"""
EXAMPLES = '''"""Divisors.

>>> gcd(12, 18)
6
"""


def gcd(a, b):
    """Return the greatest common divisor.

    >>> from divisors import gcd
    >>> x = 9
    >>> print(gcd(x, 6), "is it")
    3 is it
    >>> gcd(-1, 2)
    Traceback (most recent call last):
        ...
    ValueError: no negative numbers
    >>> gcd(10 ** 30, 1)  # doctest: +ELLIPSIS
    1...
    """
    if a < 0:
        raise ValueError("no negative numbers")
    return a if b == 0 else gcd(b, a % b)


def show(numbers):
    """Print numbers.

    >>> show([1, 2])
    1
    2
    """
    for number in numbers:
        print(number)
'''
CELLS = (
    ("markdown", "# Means\n\nWrite `mean(x)`."),
    ("code", "import numpy as np\nN = 3"),
    ("code", "def mean(x):\n    return sum(x) / len(x)\n\nprint(mean([1, N]))"),
    ("code", "data = np.arange(N)\nassert mean(data) == 1"),
    ("code", "def helper(x):\n    return x * x"),
    ("code", "def var(x):\n    return mean([helper(a) for a in x]) - helper(mean(x))"),
    ("code", "def test_var():\n    assert var([0, 2]) == 1"),
    ("code", "def last(x):\n    return x[-1]\n\n\nassert last([1, 2]) == 2"),
    ("code", "def unused():\n    pass"),
)


def write(folder: Path, files: Mapping[str, str]) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    return folder


def notebook(*cells: tuple[str, str]) -> str:
    book = [{"cell_type": kind, "source": source, "metadata": {}} for kind, source in cells]
    return json.dumps({"nbformat": 4, "cells": book})


def shape(result: SourceDrafts) -> list[tuple[str, list[str], list[str]]]:
    return [(d.id, [*d.defines], [test.id for test in d.tests]) for d in result.drafts]


def test_a_module_and_its_tests(tmp_path: Path) -> None:
    """Fixtures, cases and marks come over; what a body cannot say is kept and named."""
    files = {"grey.py": GREY, "helpers.py": HELPERS, "tests/test_grey.py": TESTS + LEFT_OUT}
    result = read_source(write(tmp_path / "lab", files))
    assert shape(result) == [("grey", ["grey"], ["half", "ones", "error"])]
    (draft,) = result.drafts
    assert draft.instructions == "Write `grey`."
    assert "return x * k" in draft.starter
    assert "ONE = 1" in draft.starter
    assert "sum(axis" not in draft.starter
    assert "__main__" not in draft.solution
    assert draft.tests[0].code.count("image = image()") == 1
    assert "for n, total in [(2, 2), (3, 3)]:" in draft.tests[1].code
    assert [name for name, _ in draft.notes] == ["test_later", "test_file"]
    assert "test_file cannot be said in the format: it needs the fixture 'tmp_path'" in "".join(
        draft.remarks
    )


def test_several_modules_in_a_folder(tmp_path: Path) -> None:
    """Each is an exercise of its own, and so are modules with examples beside no tests."""
    one = "from {0} import {0}\n\n\ndef test_it():\n    assert {0}() == 1\n"
    files = {
        **{f"{name}.py": f"def {name}():\n    return 1\n" for name in "ab"},
        **{f"test_{name}.py": one.format(name) for name in "ab"},
        "more/divisors.py": EXAMPLES,
        "more/nothing.py": "x = 1\n",
    }
    result = read_source(write(tmp_path / "lab", files))
    assert shape(result) == [
        ("a", ["a"], ["it"]),
        ("b", ["b"], ["it"]),
        ("divisors", ["gcd", "show"], ["divisors", "gcd", "show"]),
    ]
    assert not result.failures


def test_a_module_of_a_package(tmp_path: Path) -> None:
    """Its tests name the package from outside; the module has a name of its own in it."""
    files = {
        "shop/__init__.py": "",
        "shop/prices.py": "def total(x):\n    return sum(x)\n",
        "shop/test_prices.py": "from shop import prices as p\n\n\ndef test_total():\n"
        "    assert p.total([1, 2]) == 3\n",
    }
    (draft,) = read_source(write(tmp_path / "lab", files)).drafts
    assert (draft.id, [*draft.defines]) == ("prices", ["total"])
    assert draft.tests[0].code == "assert total([1, 2]) == 3\n"


def test_examples_in_docstrings(tmp_path: Path) -> None:
    """Results, output and errors; an example with `...` in its result is left out and named."""
    path = write(tmp_path, {"divisors.py": EXAMPLES}) / "divisors.py"
    (draft,) = read_source(path).drafts
    assert [test.stdout for test in draft.tests] == [
        "6\n",
        "3 is it\nValueError: no negative numbers\n",
        "1\n2\n",
    ]
    assert "if value is not None:" in draft.tests[2].code
    assert any("the result of an example of gcd is left out" in each for each in draft.remarks)
    assert draft.instructions == "Divisors.\n\nWrite `gcd` and `show`.\n"


def test_a_notebook_with_asserts(tmp_path: Path) -> None:
    """Definitions are answers, the asserts after them tests, in cells of their own or in one."""
    path = write(tmp_path, {"means.ipynb": notebook(*CELLS)}) / "means.ipynb"
    result = read_source(path)
    assert shape(result) == [
        ("mean", ["mean"], ["test-1"]),
        ("helper", ["var"], ["test-1"]),
        ("last", ["last"], ["test-1"]),
    ]
    first, second, _ = result.drafts
    assert first.tests[0].code.startswith("N = 3\ndata = np.arange(N)\n")
    assert second.tests[0].code.endswith("\n\n\ntest_var()\n")
    assert "return sum(x) / len(x)" in second.starter


@pytest.mark.parametrize(
    ("name", "text", "hint"),
    [
        ("lab.py", "def f():\n    return 1\n", "write `>>>` lines, or a test_lab.py with asserts"),
        ("lab.ipynb", notebook(("code", "x = 1")), "write the checks as `assert`"),
        ("lab.txt", "prose", "'etude new' begins an exercise by hand"),
        ("test_lab.py", "import labs\n\n\ndef test_f():\n    assert labs.f()\n", "under that name"),
    ],
)
def test_a_source_without_exercises_has_a_next_step(
    tmp_path: Path, name: str, text: str, hint: str
) -> None:
    """The sentence says what is missing, and what to do."""
    with pytest.raises(UsageError, match=hint):
        read_source(write(tmp_path, {name: text}) / name)


@pytest.mark.slow
def test_solutions_pass_what_is_imported(etude_import: Etude, tmp_path: Path) -> None:
    """All three kinds pass in the sandbox; lint's only error is that no test is hidden."""
    files = {
        "grey.py": GREY, "helpers.py": HELPERS, "test_grey.py": TESTS,
        "more/divisors.py": EXAMPLES, "more/means.ipynb": notebook(*CELLS),
    }  # fmt: skip
    finished = etude_import(write(tmp_path / "lab", files), "--into", "out")
    assert "5 exercises imported" in finished.stdout
    assert "In 5 the solution passes every test." in finished.stdout
    assert "ETU" not in finished.stdout
