"""Folders of pytest and unittest files as assignments."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from grader.audit.loading.load_assignment import load_all
from grader.authoring.sources.assignment import Assignment
from grader.errors import DefinitionError, EtudeError, UsageError

Write: TypeAlias = Callable[[Mapping[str, str]], Path]

SOLUTION = "def double(x):\n    return 2 * x\n"
TESTS = "from {} import double\n\n\ndef test_two():\n    assert double(2) == 4\n"


def load(path: Path | None, **named: Any) -> Assignment:
    (found,) = load_all(path, **named)
    return found


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write files by their names into a folder; returns it."""

    def write(files: Mapping[str, str]) -> Path:
        folder = tmp_path / "homework"
        folder.mkdir(exist_ok=True)
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        return folder

    return write


def shape(assignment: Assignment) -> tuple[str, list[str], list[str]]:
    return assignment.solution, list(assignment.modules), list(assignment.tests)


def test_a_solution_and_its_tests_are_found(write: Write) -> None:
    """With what they import and read; other modules of the folder are left out."""
    folder = write(
        {
            "doubling.py": "import numpy as np\nfrom helpers import one\n" + SOLUTION,
            "helpers.py": "one = 1\n",
            "other.py": "import nothing\n",
            "test_doubling.py": TESTS.format("doubling"),
            "data/numbers.csv": "1,2\n",
        }
    )
    found = load(folder)
    assert (found.name, found.kind, found.starter) == ("homework", "pytest", None)
    assert shape(found) == ("doubling.py", ["doubling.py", "helpers.py"], ["test_doubling.py"])
    assert found.data == {"data/numbers.csv": b"1,2\n"}
    assert found.modules["helpers.py"] == "one = 1\n"


def test_packages_and_folders_of_tests_keep_their_places(write: Write) -> None:
    """The module that a package's own file imports is the solution, not that file."""
    folder = write(
        {
            "doubling/__init__.py": "from .core import double\n__all__ = ['double']\n",
            "doubling/core.py": "from . import helpers\n" + SOLUTION,
            "doubling/helpers.py": "",
            "tests/__init__.py": "",
            "tests/common.py": "",
            "tests/test_double.py": "import common\n" + TESTS.format("doubling"),
        }
    )
    assert shape(load(folder)) == (
        "doubling/core.py",
        ["doubling/__init__.py", "doubling/core.py", "doubling/helpers.py", "tests/common.py"],
        ["tests/test_double.py"],
    )


def test_a_test_that_imports_relatively_stays_in_its_package(write: Write) -> None:
    """Its folder stays a package."""
    folder = write(
        {
            "shop/__init__.py": "",
            "shop/doubling.py": SOLUTION,
            "shop/test_doubling.py": TESTS.format(".doubling"),
        }
    )
    assert "shop/__init__.py" in load(folder).modules


def test_a_folder_of_sources_is_on_the_path(write: Write) -> None:
    """As `pythonpath = src` has it."""
    folder = write({"src/doubling.py": SOLUTION, "tests/test_it.py": TESTS.format("doubling")})
    assert shape(load(folder)) == ("doubling.py", ["doubling.py"], ["tests/test_it.py"])


def test_a_solution_replaces_the_starter_that_tests_import(write: Write) -> None:
    """The module that it replaces becomes the starter, under its own name."""
    folder = write(
        {
            "homework.py": "def double(x):\n    ...\n",
            "solution.py": SOLUTION,
            "test_homework.py": TESTS.format("homework"),
        }
    )
    found = load(folder)
    assert found.modules == {"homework.py": SOLUTION}
    assert found.starter == "def double(x):\n    ...\n"
    assert found.notes == ("solution.py is the solution: it replaces homework.py for the tests",)


def test_a_solution_is_imported_by_the_name_in_the_tests(write: Write) -> None:
    """Where learners write a file that the assignment does not have."""
    folder = write({"solution.py": SOLUTION, "test_it.py": TESTS.format("submission")})
    found = load(folder)
    assert found.modules == {"submission.py": SOLUTION}
    named = load(
        None,
        solution=folder / "solution.py",
        tests=[folder / "test_it.py"],
        starter=folder / "solution.py",
    )
    assert (named.modules, named.starter) == (found.modules, SOLUTION)


def test_a_starter_is_found_beside_the_solution(write: Write) -> None:
    """In a folder of its own, or by its name."""
    files = {"doubling.py": SOLUTION, "test_doubling.py": TESTS.format("doubling")}
    assert load(write({**files, "starter/doubling.py": "x = 1\n"})).starter == "x = 1\n"


def test_unittest_is_recognized(write: Write) -> None:
    """A module whose tests are methods alone."""
    tests = (
        "import unittest\nimport doubling\n\n\nclass Doubling(unittest.TestCase):\n"
        "    def test_two(self):\n        self.assertEqual(doubling.double(2), 4)\n"
    )
    assert load(write({"doubling.py": SOLUTION, "test_it.py": tests})).kind == "unittest"


def test_the_module_that_tests_are_named_after_is_the_solution(write: Write) -> None:
    """Among several that they import; a name on the command line decides otherwise."""
    tests = "import tripling\n" + TESTS.format("doubling")
    folder = write({"doubling.py": SOLUTION, "tripling.py": "", "test_doubling.py": tests})
    assert load(folder).solution == "doubling.py"
    assert load(folder, solution=folder / "tripling.py").solution == "tripling.py"
    (folder / "test_doubling.py").rename(folder / "test_all.py")
    with pytest.raises(UsageError, match=r"may be the solution: tripling.py, doubling.py"):
        load(folder)


def test_a_conftest_that_changes_the_path_alone_is_left_out(write: Write) -> None:
    """Any other one is refused where it begins to do something."""
    files = {"doubling.py": SOLUTION, "tests/test_doubling.py": TESTS.format("doubling")}
    conftest = (
        "import sys\nfrom pathlib import Path\n\nsys.path.insert(0, str(Path(__file__).parent))\n"
    )
    found = load(write({**files, "tests/conftest.py": conftest}))
    assert "tests/conftest.py was left out" in found.notes[0]
    folder = write(
        {"tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef x():\n    return 1\n"}
    )
    with pytest.raises(DefinitionError, match=r"conftest.py:5:1: a conftest file is not run"):
        load(folder)


BAD = {
    "nothing": ({"a.py": ""}, r"[a-z0-9]: there are no tests: no file test_"),
    "no test": ({"a.py": "", "test_a.py": "import a\n"}, "test_a.py:1:1: there is no test in it"),
    "no import": (
        {"a.py": "", "test_b.py": "def test_b():\n    pass\n"},
        "the tests import no module of the folder",
    ),
    "not there": (
        {"test_a.py": "import os\n" + TESTS.format("nowhere_to_be_found")},
        "test_a.py:2:1: there is no solution: the tests import 'nowhere_to_be_found'",
    ),
    "syntax": (
        {"a.py": "x = 1\ny = = 2\n", "test_a.py": TESTS.format("a")},
        r"a.py:2:5: Python 3\.\d+ cannot read this: invalid syntax. If it is the syntax of a newer",
    ),
    "plugins": (
        {"a.py": "", "test_a.py": 'import a\npytest_plugins = ["x"]\ndef test_a(): a\n'},
        "test_a.py:2:1: plugins of pytest are not loaded",
    ),
    "large": (
        {"a.py": "#" * (1 << 20) + "\n", "test_a.py": TESTS.format("a")},
        "a.py has more than 1,048,576 bytes",
    ),
    "null": ({"a.py": "\0", "test_a.py": TESTS.format("a")}, r"^[^:]*/a\.py is not a text$"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_sentence(write: Write, case: str) -> None:
    """With the file, and its line where there is one."""
    files, sentence = BAD[case]
    with pytest.raises(EtudeError, match=sentence) as caught:
        load(write(files))
    assert "\n" not in str(caught.value)


def test_what_is_named_has_to_be_there(write: Write, tmp_path: Path) -> None:
    """A file that is missing, a link, a solution without tests."""
    folder = write({"a.py": SOLUTION, "test_a.py": TESTS.format("a")})
    with pytest.raises(UsageError, match="there is no "):
        load(folder, solution=folder / "b.py")
    with pytest.raises(UsageError, match="name a folder or a notebook, or --solution and --tests"):
        load(None, solution=folder / "a.py")
    link = tmp_path / "link"
    link.symlink_to(folder)
    with pytest.raises(DefinitionError, match="a symbolic link is not followed"):
        load(link)
    (folder / "b.csv").symlink_to("/etc/passwd")
    found = load(folder)
    assert (found.data, found.notes) == ({}, ("b.csv is a symbolic link; it was not followed",))
    (folder / "c.csv").write_bytes(bytes(3 << 20))
    assert load(folder).notes[-1] == "c.csv is too large; it was left out"
