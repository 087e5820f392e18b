"""Notebooks, folders of problems and exercises of Exercism as assignments."""

import json
import runpy
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from grader.audit.loading.load_assignment import load_all
from grader.authoring.sources.assignment import Assignment
from grader.errors import DefinitionError, EtudeError

SOURCES = Path(__file__).parents[1] / "golden" / "importing"


def load(path: Path) -> Assignment:
    (found,) = load_all(path)
    return found


def failing(assignment: Assignment, monkeypatch: pytest.MonkeyPatch, source: str = "") -> list[str]:
    """Run an assignment's test functions here, and return the names of those that fail."""
    files = {**assignment.modules, **assignment.tests}
    files[assignment.solution] = source or assignment.modules[assignment.solution]
    (test_file,) = assignment.tests
    found = []
    with tempfile.TemporaryDirectory() as folder, monkeypatch.context() as patch:
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
            patch.delitem(sys.modules, path.stem, raising=False)
        patch.syspath_prepend(folder)
        for name, test in runpy.run_path(str(Path(folder, test_file))).items():
            if name.startswith("test_"):
                try:
                    test()
                except Exception:  # noqa: BLE001  it fails however it likes
                    found.append(name)
        for name in assignment.modules:
            sys.modules.pop(Path(name).stem, None)
    return found


def notebook(path: Path, cells: list[tuple[str, str, Mapping[str, object]]]) -> Path:
    """Write a notebook of nbgrader: kind, source and metadata of each cell."""
    written = [
        {"cell_type": kind, "source": source, "metadata": {"nbgrader": data} if data else {}}
        for kind, source, data in cells
    ]
    path.write_text(
        json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": written})
    )
    return path


def test_a_notebook_of_nbgrader(monkeypatch: pytest.MonkeyPatch) -> None:
    """All answers are one module; each cell of tests, and its hidden part, is a function."""
    found = load(SOURCES / "lab.ipynb")
    assert (found.name, found.kind, found.solution) == ("lab", "nbgrader", "solution.py")
    assert failing(found, monkeypatch) == []
    assert found.tests["test_notebook.py"].count("\ndef test_") == 3
    right = found.modules["solution.py"]
    changed = right.replace("axis=1", "axis=0")
    assert failing(found, monkeypatch, changed) == ["test_row_sums_hidden", "test_shares"]
    assert failing(found, monkeypatch, found.starter or "") == [
        "test_row_sums",
        "test_row_sums_hidden",
        "test_shares",
    ]
    assert any("is graded by hand" in note for note in found.notes)


def test_a_notebook_with_a_module_beside_it(tmp_path: Path) -> None:
    """What it imports comes along."""
    answer = "import helpers\n\n\ndef f(x):\n    return helpers.g(x)\n"
    path = notebook(
        tmp_path / "a.ipynb",
        [
            ("code", answer, {"solution": True, "grade_id": "f"}),
            ("code", "assert f(1) == 2", {"grade": True, "grade_id": "one"}),
        ],
    )
    (tmp_path / "helpers.py").write_text("def g(x):\n    return x + 1\n")
    assert load(path).modules["helpers.py"].startswith("def g(x)")


def test_a_notebook_of_otter(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test without an assert compares what it prints with what was recorded."""
    found = load(SOURCES / "homework.ipynb")
    assert found.kind == "otter"
    assert failing(found, monkeypatch) == []
    changed = found.modules["solution.py"].replace(">", "<")
    assert failing(found, monkeypatch, changed) == ["test_1", "test_2"]
    assert "test-3 has no assert: it fails if it raises" in found.notes
    assert found.tests["test_notebook.py"].count("\ndef test_") == 3


def test_answers_that_build_on_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test of the second calls the first of the module, so that a mistake there is seen."""
    path = notebook(
        tmp_path / "week.ipynb",
        [
            ("code", "import numpy as np\nfrom nose.tools import assert_equal\nstep = 1", {}),
            (
                "code",
                "def one():\n    ### BEGIN SOLUTION\n    return step\n    ### END SOLUTION",
                {"solution": True, "grade_id": "one"},
            ),
            (
                "code",
                'text = """a\n  b"""\nassert_equal(one(), 1)\nassert text == "a\\n  b"',
                {"grade": True, "grade_id": "t1"},
            ),
            (
                "code",
                "def two():\n    return one() + 1  # SOLUTION",
                {"solution": True, "grade_id": "two"},
            ),
            (
                "code",
                "step = step + 0\nassert two() == one() + 1 == 2",
                {"grade": True, "grade_id": "t2"},
            ),
        ],
    )
    found = load(path)
    assert failing(found, monkeypatch) == []
    assert "def one" not in found.tests["test_notebook.py"]
    changed = found.modules["solution.py"].replace("return step", "return 5")
    assert failing(found, monkeypatch, changed) == ["test_one_t1", "test_two_t2"]
    assert failing(found, monkeypatch, found.starter or "") == ["test_one_t1", "test_two_t2"]
    assert "nose.tools" in found.notes[-1]


def test_what_a_cell_deletes_is_gone_for_the_functions_of_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All cells share one namespace, which is restored for the next test."""
    path = notebook(
        tmp_path / "week.ipynb",
        [
            (
                "code",
                "def twice(x):\n    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION",
                {"solution": True, "grade_id": "twice"},
            ),
            ("code", "assert twice(2) == 4", {"grade": True, "grade_id": "t1"}),
            (
                "code",
                "def four(x):\n    ### BEGIN SOLUTION\n    return twice(twice(x))\n"
                "    ### END SOLUTION",
                {"solution": True, "grade_id": "four"},
            ),
            (
                "code",
                "kept = twice\ndel twice\ntry:\n    four(1)\nexcept NameError:\n    pass\n"
                "else:\n    assert False\nfinally:\n    twice = kept",
                {"grade": True, "grade_id": "t2"},
            ),
            ("code", "assert four(1) == 4", {"grade": True, "grade_id": "t3"}),
        ],
    )
    found = load(path)
    assert failing(found, monkeypatch) == []
    alone = found.modules["solution.py"].replace("twice(twice(x))", "4 * x")
    assert failing(found, monkeypatch, alone) == ["test_four_t2"]


def test_a_folder_of_problems(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each folder is an assignment; a wrong number in the list fails a test."""
    printed, called = load_all(SOURCES / "problems")
    assert (printed.kind, printed.starter is not None) == ("problem folder", True)
    assert failing(printed, monkeypatch) == ["test_2"]
    assert failing(called, monkeypatch) == ["test_2"]
    assert printed.notes == ("tests.json[2].seconds was left out",)


def test_an_exercise_of_exercism() -> None:
    """The exemplar under the name of the stub, which is the starter."""
    found = load(SOURCES / "exercism" / "tally-box")
    assert (found.kind, found.solution) == ("exercism", "tally_box.py")
    assert list(found.tests) == ["tally_box_test.py"]
    assert found.starter not in (None, found.modules["tally_box.py"])


BAD = {
    "json": ('{"cells":\n [', r"^\S+/week.ipynb:2:\d+: not valid JSON"),
    "format": ('{"cells": [], "nbformat": 3}', "It is a notebook of format 3; format 4 is read"),
    "empty": ('{"cells": [], "nbformat": 4}', "there is no answer with tests in it"),
    "language": (
        '{"cells": [], "nbformat": 4, "metadata": {"kernelspec": {"language": "R"}}}',
        "is a notebook in R; notebooks in Python are read",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_broken_notebook_is_one_sentence(tmp_path: Path, case: str) -> None:
    """With its file."""
    text, sentence = BAD[case]
    path = tmp_path / "week.ipynb"
    path.write_text(text)
    with pytest.raises(EtudeError, match=sentence):
        load(path)


def test_an_answer_without_tests_is_no_assignment(tmp_path: Path) -> None:
    """The sentence names the cell; a cell that is not Python is named by its line."""
    answer = ("code", "def f():\n    return 1 # SOLUTION", {"solution": True, "grade_id": "f"})
    path = notebook(tmp_path / "week.ipynb", [answer])
    with pytest.raises(DefinitionError, match="cell 1: question 'f' has no tests"):
        load(path)


def test_a_problem_with_a_broken_list(tmp_path: Path) -> None:
    """The file has no list, the list is empty, or its code is not Python."""
    (tmp_path / "solution.py").write_text("def f(x):\n    return x\n")
    for text, sentence in {
        "[1, ": r"tests.json:1:5: not valid JSON",
        "[]": "tests.json:1:1: there is no test in it",
        '[{"test": "f(", "expected_output": "1"}]': r"tests.json:\d:\d+: Python 3",
    }.items():
        (tmp_path / "tests.json").write_text(text)
        with pytest.raises(EtudeError, match=sentence):
            load(tmp_path)


def test_a_definition_of_etude_is_for_verify() -> None:
    """It runs hidden tests, properties and figures on the same mutants, and knows the reference."""
    folder = Path(__file__).parents[2] / "exercises" / "attention"
    for path in (folder / "09-stable-softmax.yaml", folder):
        with pytest.raises(DefinitionError, match="'etude verify' proves its tests"):
            load_all(path)
