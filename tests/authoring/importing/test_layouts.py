"""Details of layouts that the golden sources do not show."""

import json
from pathlib import Path
from typing import Any

import pytest

from grader.authoring.importing.notebook_cells import split_hidden, split_solution
from grader.authoring.importing.source_kind import read_source
from grader.errors import UsageError


def notebook(path: Path, *cells: tuple[str, str, dict[str, Any]]) -> Path:
    book = {
        "nbformat": 4,
        "cells": [
            {"cell_type": kind, "source": source, "metadata": metadata}
            for kind, source, metadata in cells
        ],
    }
    path.write_text(json.dumps(book))
    return path


@pytest.mark.parametrize(
    ("source", "starter", "solution"),
    [
        ("x = 5 # SOLUTION", "x = ...", "x = 5"),
        ("def f():\n    return 5  # SOLUTION", "def f():\n    ...", "def f():\n    return 5"),
        ("y = 2 # SOLUTION NO PROMPT\nz = 1", "z = 1", "y = 2\nz = 1"),
        ("# BEGIN SOLUTION\na = 1\n# END SOLUTION", "...", "a = 1"),
        (
            '# BEGIN SOLUTION NO PROMPT\na = 1\n# END SOLUTION\n""" # BEGIN PROMPT\na = ...\n""" # END PROMPT',
            "a = ...",
            "a = 1",
        ),
        ("def f(x):\n    '''Doc.'''\n    return x", "def f(x):\n    '''Doc.'''\n    ...\n", None),
    ],
)
def test_answers_are_taken_out_of_cells(source: str, starter: str, solution: str | None) -> None:
    """Marks on lines, around regions, with prompts; without marks every body is emptied."""
    given, answer, _ = split_solution(source)
    assert given.replace('"""', "'''") == starter
    assert answer == (source if solution is None else solution)


def test_hidden_tests_are_split_off() -> None:
    """Lines between the marks are hidden, the others are not."""
    shown, hidden = split_hidden("a\n### BEGIN HIDDEN TESTS\nb\n### END HIDDEN TESTS\nc")
    assert (shown, hidden) == ("a\nc", "b")


def test_the_older_notation_of_otter(tmp_path: Path) -> None:
    """Settings in a block quote, tests in cells that say so."""
    path = notebook(
        tmp_path / "old.ipynb",
        ("markdown", "Add them.\n\n```\nBEGIN QUESTION\nname: q1\npoints: 2\n```", {}),
        ("code", "def add(a, b):\n    return a + b # SOLUTION", {}),
        ("code", "# TEST\nassert add(1, 2) == 3", {}),
        ("code", "# HIDDEN TEST\nassert add(5, -1) == 4", {}),
        ("markdown", "The end.", {}),
    )
    (draft,) = read_source(path).drafts
    assert (draft.id, list(draft.defines)) == ("q1", ["add"])
    assert [(test.hidden, test.points) for test in draft.tests] == [(False, 1), (True, 1)]
    assert "BEGIN QUESTION" not in draft.instructions


def test_a_folder_of_folders_is_walked(tmp_path: Path) -> None:
    """Problems at any depth up to four are found; hidden folders and links are not entered."""
    for name in ("a/one", "b/two", ".hidden/three"):
        folder = tmp_path / "all" / name
        folder.mkdir(parents=True)
        (folder / "solution.py").write_text("def f():\n    return 1\n")
        (folder / "tests.json").write_text('[{"test": "print(f())", "expected_output": "1"}]')
    (tmp_path / "all" / "link").symlink_to(tmp_path / "all" / "a")
    assert [draft.id for draft in read_source(tmp_path / "all").drafts] == ["one", "two"]


def test_two_exercises_of_one_id_get_two(tmp_path: Path) -> None:
    """The second has a number, and the report says so."""
    block = "{type: 'exercise', id: 'same', solution: 'def f():\\n    return 1'}\n"
    (tmp_path / "two.txt").write_text(block * 2)
    first, second = read_source(tmp_path / "two.txt").drafts
    assert (first.id, second.id) == ("same", "same-2")
    assert "the id 'same' is taken; it is 'same-2' now" in second.remarks


def test_a_notebook_of_another_format_is_refused(tmp_path: Path) -> None:
    """Format 3 has no list of cells."""
    (tmp_path / "old.ipynb").write_text('{"nbformat": 3, "worksheets": []}')
    with pytest.raises(UsageError, match="no notebook of format 4"):
        read_source(tmp_path / "old.ipynb")
