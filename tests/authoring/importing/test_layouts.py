"""Details of layouts that the golden sources do not show."""

import json
from pathlib import Path
from typing import Any

import pytest

from grader.authoring.importing.read_source import read_source
from grader.authoring.sources.notebook_cells import split_hidden, split_solution
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
    assert [(test.is_hidden, test.points) for test in draft.tests] == [(False, 1), (True, 1)]
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
    with pytest.raises(UsageError, match="a notebook of format 3; format 4 is read"):
        read_source(tmp_path / "old.ipynb")


ANSWER = {"nbgrader": {"solution": True, "grade": False, "grade_id": "squares"}}
TEST = {"nbgrader": {"solution": False, "grade": True, "grade_id": "check", "points": 1}}
HTML = '<div class="cell">\n<div class="prompt">\n</div>\n<pre>\n{}\n</pre>\n</div>\n'


def test_plain_cells_and_prose_between_an_answer_and_its_tests(tmp_path: Path) -> None:
    """They close nothing; a test gets of them what it needs, and so does a later answer."""
    path = notebook(
        tmp_path / "a.ipynb",
        ("markdown", "## Squares", {}),
        ("code", "def squares(n):\n    return [i**2 for i in range(n)]  # SOLUTION", ANSWER),
        ("markdown", "Try it:", {}),
        ("code", "ten = squares(10)\nten", {}),
        ("code", "assert ten == squares(10)", TEST),
        ("code", "squares(3)", {}),
        ("markdown", "More tests, then the next part.", {}),
        ("code", "try:\n    squares('a')\nexcept TypeError:\n    pass\nelse:\n    raise AssertionError", TEST),
        ("code", "def total(n):\n    return sum(squares(n)) + ten[0]  # SOLUTION", ANSWER),
        ("code", "assert total(3) == 5", TEST),
    )  # fmt: skip
    found = read_source(path)
    assert found.failures == []
    squares, total = found.drafts
    assert squares.instructions == "## Squares\n\nTry it:\n\nWrite `squares`.\n"
    assert [test.key for test in squares.tests] == ["pytest", "pytest"]
    assert squares.tests[0].code == "ten = squares(10)\nassert ten == squares(10)\n"
    assert "ten = squares(10)" in total.solution


def test_answers_that_people_grade_are_left_out_with_their_prose(tmp_path: Path) -> None:
    """What they define is there for the answers after them."""
    by_hand = {"nbgrader": {"solution": True, "grade": True, "grade_id": "essay", "points": 2}}
    path = notebook(
        tmp_path / "a.ipynb",
        ("markdown", "Write an essay.", {}),
        ("code", "def given(x):\n    return x", by_hand),
        ("code", "def twice(x):\n    return 2 * given(x)  # SOLUTION", ANSWER),
        ("code", "assert twice(3) == 6", TEST),
    )
    found = read_source(path)
    assert found.failures == ["a.ipynb: cell 2: 'essay' is graded by hand; it was left out"]
    (draft,) = found.drafts
    assert "essay" not in draft.instructions
    assert "def given" in draft.solution


def test_autotests_print_what_the_solution_gives(tmp_path: Path) -> None:
    """Several on a line, hashed or not; beside assertions they are a test of their own."""
    path = notebook(
        tmp_path / "a.ipynb",
        ("code", "### BEGIN SOLUTION\na = 5\ndef f(x):\n    return x\n### END SOLUTION", ANSWER),
        ("code", "### AUTOTEST f(a); type(a)\n# HASHED AUTOTEST f(2)", TEST),
        ("code", "b = 7\nassert f(b) == 7\n### AUTOTEST f(b)\n### AUTOTEST (", TEST),
    )
    (draft,) = read_source(path).drafts
    printed, apart, asserted = draft.tests
    assert printed.code == "print(repr(f(a)))\nprint(repr(type(a)))\nprint(repr(f(2)))\n"
    assert (printed.key, printed.stdout) == ("run", None)
    assert apart.code == "b = 7\nprint(repr(f(b)))\n"
    assert (asserted.key, "### AUTOTEST (" in asserted.code) == ("pytest", True)
    assert draft.starter == "a = ...\n\n\ndef f(x):\n    ...\n"


def test_marks_of_otter_may_stand_in_html(tmp_path: Path) -> None:
    """Test functions are called with what their parameters name; ignored lines are left out."""
    path = notebook(
        tmp_path / "a.ipynb",
        ("raw", HTML.format("# BEGIN QUESTION\nname: q1\npoints: 2"), {}),
        ("markdown", "Write `add`.", {}),
        ("raw", HTML.format("# BEGIN SOLUTION"), {}),
        ("code", "def add(a, b):\n    return a + b  # SOLUTION\nadd(1, 1)  # IGNORE", {}),
        ("raw", HTML.format("# END SOLUTION"), {}),
        ("raw", HTML.format("# BEGIN TESTS"), {}),
        ("code", "def test_low(add):\n    assert add(1, 2) == 3\n\ntest_low(add)  # IGNORE", {}),
        ("code", "# HIDDEN\ndef test_high(add, np):\n    assert add(np.pi, 0) == np.pi", {}),
        ("raw", HTML.format("# END TESTS"), {}),
        ("raw", HTML.format("# END QUESTION"), {}),
        ("raw", HTML.format("# BEGIN QUESTION\nname: q2\nmanual: true"), {}),
        ("raw", HTML.format("# END QUESTION"), {}),
    )
    found = read_source(path)
    assert found.failures == ["a.ipynb: cell 11: question 'q2' is graded by hand; it was left out"]
    (draft,) = found.drafts
    assert draft.solution == "def add(a, b):\n    return a + b\n"
    low, high = draft.tests
    assert low.code.endswith("test_low(add)\n")
    assert (high.is_hidden, high.code.endswith("test_high(add, np)\n")) == (True, True)


@pytest.mark.parametrize(
    "metadata", [{"kernelspec": {"language": "R"}}, {"language_info": {"name": "R"}}]
)
def test_a_notebook_in_another_language_is_refused(
    tmp_path: Path, metadata: dict[str, Any]
) -> None:
    """With a sentence that names the language."""
    path = notebook(tmp_path / "a.ipynb", ("code", "x <- 2 # SOLUTION", {}))
    path.write_text(json.dumps({**json.loads(path.read_text()), "metadata": metadata}))
    with pytest.raises(UsageError, match="a notebook in R; notebooks in Python are read"):
        read_source(path)
