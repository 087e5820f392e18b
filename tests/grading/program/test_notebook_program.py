"""Notebooks as submissions: their cells as one program, and feedback that names cells."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from grader.grading.results.verdict import Outcome, Verdict
from grader.grading.results.verdict_json import verdict_data, verdict_from_data
from grader.grading.submissions.program_text import ProgramText
from grader.grading.submissions.submission import Submission
from grader.sandbox.answers import read_failed_cells
from grader.sandbox.in_child import cells
from grader.sandbox.process import Sandbox
from tests.grading.conftest import Fields, Make, grade
from tests.notebook_files import notebook

TEST: Fields = {"call": "f(3.0)", "expect": 6.0}
IMPORT, RIGHT = "import numpy as np", "def f(x):\n    return 2.0 * x"
GradeBook: TypeAlias = Callable[..., Verdict]


def submission(text: str) -> Submission:
    return Submission.from_bytes(Path("small.ipynb"), text.encode())


@pytest.fixture
def grade_book(make: Make, sandbox: Sandbox) -> GradeBook:
    """Grade a notebook of these cells against one test."""

    def verdict(*sources: str | None, test: Fields = TEST, **fields: object) -> Verdict:
        return grade(make(test, **fields), submission(notebook(*sources)), sandbox)

    return verdict


def test_cells_are_one_program_and_magics_are_left_out(grade_book: GradeBook) -> None:
    """In order, with a note on each line that only a notebook understands."""
    verdict = grade_book(
        None, f"%matplotlib inline\n!pip install x \\\n   y\n{IMPORT}", "%%time\n" + RIGHT, "f?"
    )
    assert verdict.outcome is Outcome.PASSED
    assert verdict.notes == (
        "Left out, since it works only in a notebook: `%matplotlib inline` (cell 2), "
        "`!pip install x \\` (cell 2), `f?` (cell 4).",
    )


def test_what_a_notebook_runs_is_run_without_a_note(grade_book: GradeBook) -> None:
    """The statement after `%time`, the cell after `%%capture`, and a cell that awaits."""
    verdict = grade_book(
        "%time N = 2.0", f"%%capture\n{RIGHT}", "import asyncio\nawait asyncio.sleep(0)\nN += 0"
    )
    assert verdict.outcome is Outcome.PASSED
    assert verdict.notes == ()


def test_a_file_that_a_cell_writes_is_a_module(grade_book: GradeBook) -> None:
    """It can be imported, errors name its lines, and what is forbidden is forbidden there."""
    write, use = "%%writefile helpers.py\n" + RIGHT, "from helpers import f"
    assert grade_book(write, use).outcome is Outcome.PASSED
    raised = grade_book(write.replace("return", "raise ValueError(x)\n    return"), use)
    assert raised.tests[0].message == "ValueError: 3.0 (line 2 of helpers.py, in f)."
    forbidden = grade_book(write + " * abs(1)", use, forbid={"calls": ["abs"]})
    assert forbidden.message.startswith("Line 2 of helpers.py uses `abs`")
    unreadable = grade_book(f"{write}\ny = = 3", use)
    assert "Cell 1 was left out. Python cannot read line 4 of cell 1" in unreadable.notes[0]
    shadowed = grade_book("%%writefile json.py\nx = 1", "import json\njson.dumps(1)", RIGHT)
    assert shadowed.notes == (
        "Left out, since it works only in a notebook: `%%writefile json.py` (cell 1).",
    )


def test_a_cell_that_fails_takes_no_definition_along(grade_book: GradeBook) -> None:
    """What it imports and defines is there, and so are the other cells; the failure is noted."""
    verdict = grade_book(
        "import no_such_module\nfrom operator import mul\nprint('never')\nx = 1",
        "y = = 3",
        "raise SystemExit(2)",
        "def f(x):\n    return mul(2.0, x)",
        "display(1 / 0)",
    )
    assert (verdict.outcome, verdict.output) == (Outcome.PASSED, "")
    assert verdict.notes == (
        "Cell 1 stopped at its line 1 (ModuleNotFoundError: No module named 'no_such_module'). "
        "What it defines and the other cells were run.",
        "Cell 2 was left out. Python cannot read line 1 of cell 2: `y = = 3` "
        "(SyntaxError: invalid syntax).",
        "Cell 3 stopped at its line 1 (SystemExit: 2). What it defines and the other cells "
        "were run.",
        "Cell 5 stopped at its line 1 (ZeroDivisionError: division by zero). What it defines and "
        "the other cells were run.",
    )
    assert verdict_from_data(verdict_data(verdict)).notes == verdict.notes


def test_feedback_names_the_line_of_a_cell(grade_book: GradeBook) -> None:
    """An error, a forbidden name and a missing return name their line together with its cell."""
    raised = grade_book(None, IMPORT, "# f\n\ndef f(x):\n    raise ValueError('bad line 4')")
    assert raised.tests[0].message == "ValueError: bad line 4 (line 4 of cell 3, in f)."
    assert raised.tests[0].line is None
    forbidden = grade_book(IMPORT, RIGHT, "np.sum([1])", forbid={"calls": ["np.sum"]})
    assert forbidden.message.startswith("Line 1 of cell 3 uses `np.sum`")
    assert forbidden.line is None
    forgot = grade_book(IMPORT, "def f(x):\n    y = 2 * x")
    assert "`y` is computed in line 2 of cell 2 and never returned." in forgot.tests[0].message


def test_a_missing_name_is_told_with_the_cell_that_failed(grade_book: GradeBook) -> None:
    """The reason for its absence is then on the same page."""
    verdict = grade_book("def f(x):\n    return 2.0 x")
    assert verdict.message.startswith("There is no function `f` in your code")
    assert verdict.notes[0].startswith(
        "Cell 1 was left out. Python cannot read line 2 of cell 1: `return 2.0 x`"
    )


def test_warnings_and_postponed_annotations_are_as_in_a_notebook(grade_book: GradeBook) -> None:
    """A warning names the cell; a future import holds for the cells after it."""
    verdict = grade_book(
        "from __future__ import annotations\nimport warnings",
        "def f(x: Unknown) -> int:\n    return 2 * x",
        "\nwarnings.warn('careful')",
    )
    assert verdict.outcome is Outcome.PASSED
    assert verdict.output.startswith("cell 3:2: UserWarning: careful\n")


def test_a_prediction_may_be_a_notebook(grade_book: GradeBook) -> None:
    """Its answers are read from the cells."""
    exercise = {
        "kind": "predict",
        "defines": {"a": {"kind": "value"}},
        "starter": "a = ...\n",
        "solution": "a = 6.0\n",
    }
    test: Fields = {"call": "a", "expect": 6.0}
    assert grade_book(None, "a = 6.0", test=test, **exercise).outcome is Outcome.PASSED
    beyond = grade_book("a = 6.0", "b = 1", test=test, **exercise)
    assert beyond.message.startswith("Line 1 of cell 2 sets `b`")


def test_outputs_are_no_part_of_a_submission() -> None:
    """Neither its digest nor its size counts them, and a run changes neither."""
    one, other = notebook(RIGHT), json.loads(notebook(RIGHT))
    other["cells"][0] |= {"outputs": [{"output_type": "display_data"}], "execution_count": 9}
    assert submission(one).digest == submission(json.dumps(other)).digest
    assert submission(one).digest != submission(notebook(RIGHT + " ")).digest


def test_a_cell_may_be_one_text_and_pictures_do_not_count() -> None:
    """Jupyter writes a list of lines, others a text."""
    book = json.loads(notebook(RIGHT, None))
    book["cells"][0]["source"] = RIGHT
    book["cells"][1]["attachments"] = {"a.png": {"image/png": "A" * (4 << 20)}}
    assert submission(json.dumps(book)).cells == ((1, RIGHT),)


@pytest.mark.parametrize(
    ("text", "said", "line"),
    [
        (notebook("x <- 1", language="R"), "The notebook is in R; a submission is in Pyth", None),
        (notebook("x = 1")[:-20], "its JSON cannot be read from line 25 on", 25),
        ('{\n"cells": \xff}', "its JSON cannot be read from line 2 on", 2),
        ("[" * 100_000, "its JSON cannot be read", None),
        ("{}", "It is not a notebook of format 4: it has no list of cells", None),
        (
            '{"nbformat": 3, "worksheets": [{"cells": []}]}',
            "a notebook of format 3; format 4 is read",
            None,
        ),
        ('{"nbformat": "4", "cells": []}', "a notebook of format '4'; format 4 is read", None),
        ('{"cells": [], "nbformat_minor": 5}', "The notebook has no code", None),
        ("", "The file is empty", None),
        (f"# mine\n{RIGHT}", "This is Python, not a notebook. Give it the ending", None),
        (
            '{"cells": [{"cell_type": "code", "metadata": {}, "source": {"a": "x = 1"}}]}',
            "Cell 1 is broken: its code is not a text",
            None,
        ),
        ("<<<<<<< HEAD\n{}", "its JSON cannot be read from line 1 on", 1),
        (" " * (17 << 20), "more than 16 MiB. Clear its outputs, take large pictures out", None),
        (notebook(None, " "), "The notebook has no code", None),
        (notebook("x = 1\0"), "Cell 1 has a character that is no text", None),
        (notebook("x = '\ud800'"), "Cell 1 has a character that is no text", None),
        (notebook("#" * 70_000), "The code has more than 64 KiB", None),
    ],
)
def test_what_is_no_notebook_is_said(text: str, said: str, line: int | None) -> None:
    """In one sentence, with the line of the file if there is one."""
    found = submission(text)
    assert said in found.problem
    assert found.line == line
    assert found.cells == ()


@pytest.mark.parametrize(
    ("source", "left"),
    [
        ("x = ('%d'\n  % 3)", ["x = ('%d'", "  % 3)"]),
        ("text = '''\n%matplotlib\n!ls\n'''", ["text = '''", "%matplotlib", "!ls", "'''"]),
        ("if True:\n    %time f()\nx = !ls", ["if True:", "    f()", "x = []"]),
        ("%%html\n<b>", ["", ""]),
        ("%config A.b = 'it'\n!echo it's", ["pass", "pass"]),
    ],
)
def test_a_magic_is_where_python_stops_reading(source: str, left: list[str]) -> None:
    """What goes on with a statement or stands in a text is Python; the lines keep their places."""
    made = cells.program([[1, source]])
    assert made.source.split("\n") == left
    assert not made.unreadable


def test_lines_of_a_program_are_named_as_lines_of_cells() -> None:
    """A line of no cell keeps its number."""
    text = ProgramText("", (2, 5), (3, 7))
    assert text.name_lines([1, 3, 4]) == ("line 1 of cell 2, line 3 of cell 2 and line 1 of cell 5")
    assert text.begin_with(4) == "Line 1 of cell 5"
    assert text.name_lines([3, 99]) == "lines 3 and 99"
    assert text.in_message("expected a block after line 4") == (
        "expected a block after line 1 of cell 5"
    )


def test_what_a_child_says_of_its_cells_is_checked() -> None:
    """It is a claim: other forms are left out, and there is an end to them."""
    right = [0, {"type": "KeyError", "message": "\x1b[31m", "frames": []}]
    forged = [[True, {}], ["1", {}], [1], [1 << 70, {}], {}, right, *[right] * 100]
    found = read_failed_cells({"failed": forged})
    assert {number for number, _ in found} == {0}
    assert len(found) < 20
    assert "\x1b" not in found[0][1].message
    assert read_failed_cells([]) == read_failed_cells({"failed": {}}) == []
