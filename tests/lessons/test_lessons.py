"""Lessons: reading, running in the sandbox, and the record of what they show."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from markdown_it import MarkdownIt

from grader.definitions.student_edition import student_files
from grader.errors import DefinitionError
from grader.lessons.blocks import Cell, Exercises, MatrixDisplay, Prose
from grader.lessons.computed_text import Value
from grader.lessons.execute import run_lesson
from grader.lessons.lesson import read_lesson
from grader.lessons.recorded_output import differences, record, record_path
from grader.sandbox.process import Sandbox
from tests.conftest import Etude

LESSON = """\
# A lesson

```python
import numpy as np
x = np.array([[1.0, 2.0], [3.0, 4.5]])
x.sum()
```

The mean is `= round(float(x.mean()), 3)`, and `x` stays code.

```python hidden
heatmap(x, rows=["a", "b"], title="Numbers")
```

```text
not run
```

```exercise
one
two
```
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "track" / "lessons" / "01-a-lesson.md"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def problem(error: pytest.ExceptionInfo[DefinitionError]) -> tuple[int, str]:
    (found,) = error.value.problems
    return found.where.line, found.message


def test_a_lesson_is_cut_into_prose_cells_and_exercises(path: Path) -> None:
    """Fences that Etude knows become blocks, a plain one stays prose, all with their lines."""
    lesson = read_lesson(write(path, LESSON))
    kinds = [type(block) for block in lesson.blocks]
    assert kinds == [Prose, Cell, Prose, Cell, Prose, Exercises]
    assert [block.where.line for block in lesson.blocks] == [1, 4, 8, 12, 14, 20]
    assert lesson.exercises == ("one", "two")
    prose = lesson.blocks[2]
    assert isinstance(prose, Prose)
    assert [type(part) for part in prose.text.parts] == [str, Value, str]


def test_a_value_that_begins_a_line_begins_no_list(path: Path, sandbox: Sandbox) -> None:
    """A sentence that ends with the number 1 would be the first item of a list otherwise."""
    text = "The sum is\n`= 2 - 1`. Here it is `= 2 - 1`.\n"
    (prose,) = run_lesson(read_lesson(write(path, text)), sandbox).blocks
    assert isinstance(prose, Prose)
    assert "<p>The sum is\n1. Here it is 1.</p>" in MarkdownIt().render(str(prose.text))


def test_a_text_can_be_folded_under_its_title(path: Path, sandbox: Sandbox) -> None:
    """It keeps its maths, its code and the line of its values."""
    text = "Why?\n\n````details Where $e$ comes from\nIt is `= 1 + 1`.\n```text\nx\n```\n````\n"
    text += "```python details The code\nx = 1\n```\n"
    _, folded, cell = run_lesson(read_lesson(write(path, text)), sandbox).blocks
    assert isinstance(folded, Prose)
    assert folded.title == "Where $e$ comes from"
    assert isinstance(cell, Cell)
    assert (cell.title, cell.code) == ("The code", "x = 1\n")
    assert str(folded.text) == "It is 2.\n```text\nx\n```\n"
    assert folded.where.line == 4


def test_cells_share_one_namespace_and_values_are_computed(path: Path, sandbox: Sandbox) -> None:
    """The last expression of a cell is printed, matrices are shown, prose gets its numbers."""
    blocks = run_lesson(read_lesson(write(path, LESSON)), sandbox).blocks
    first, prose, second = blocks[1], blocks[2], blocks[3]
    assert isinstance(first, Cell)
    assert isinstance(prose, Prose)
    assert isinstance(second, Cell)
    assert first.printed == "10.5\n"
    assert "The mean is 2.625, and `x` stays code." in str(prose.text)
    (shown,) = second.displays
    assert isinstance(shown, MatrixDisplay)
    assert second.hidden
    assert (shown.title, shown.rows, shown.columns) == ("Numbers", ("a", "b"), ())
    np.testing.assert_array_equal(shown.values, [[1.0, 2.0], [3.0, 4.5]])


@pytest.mark.parametrize(
    ("cell", "line", "said"),
    [
        ("x = 1\ny = x / 0\n", 5, "ZeroDivisionError"),
        ("def f():\n    return 1 / 0\n\nf()\n", 7, "ZeroDivisionError"),
        ("x = (\n", 4, "SyntaxError"),
        ("import socket\nsocket.socket().connect(('127.0.0.1', 9))\n", 5, "Error"),
        ("open('/etc/passwd')\n", 4, "Error"),
        ("heatmap([1, 2])\n", 4, "a heatmap shows a matrix"),
        ("import os\nos._exit(0)\n", 4, "did not end well"),
    ],
)
def test_a_failing_cell_is_an_error_with_its_own_line(
    path: Path, sandbox: Sandbox, cell: str, line: int, said: str
) -> None:
    """What a cell raises is reported in the lesson's lines; files and network are out of reach."""
    lesson = read_lesson(write(path, f"# Title\n\n```python\n{cell}```\n"))
    with pytest.raises(DefinitionError) as error:
        run_lesson(lesson, sandbox)
    found, message = problem(error)
    assert found == line
    assert said in message


def test_a_failing_value_in_prose_is_an_error_with_its_line(path: Path, sandbox: Sandbox) -> None:
    """An expression in prose that raises names the line of the prose."""
    lesson = read_lesson(write(path, "# Title\n\nIt is\n`= missing` here.\n"))
    with pytest.raises(DefinitionError) as error:
        run_lesson(lesson, sandbox)
    assert problem(error) == (4, "the cell raises NameError: name 'missing' is not defined")


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (
            "# T\n\n```ruby\n1\n```\n",
            3,
            "expected one of python, python hidden, python details TITLE, exercise, files, figure, question, try, break, details TITLE, text",
        ),
        ("# T\n\n```break a b\n```\n", 3, "a misconception after 'break', and a text below"),
        ("```break a b c\nText.\n```\n", 1, "a misconception after 'break', and a text below"),
        (b"\xff", 1, "not UTF-8"),
        ("a" * ((1 << 20) + 1), 1, "at most 1,048,576 are allowed"),
    ],
)
def test_a_file_that_is_no_lesson_is_refused(
    path: Path, text: str | bytes, line: int, said: str
) -> None:
    """An unknown fence, bytes that are not text and a huge file each get a sentence."""
    write(path, "").write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(DefinitionError) as error:
        read_lesson(path)
    found, message = problem(error)
    assert found == line
    assert said in message


def test_a_changed_number_differs_from_the_record(path: Path, sandbox: Sandbox) -> None:
    """A record agrees with the run that made it, and names the first line that changed."""
    before = run_lesson(read_lesson(write(path, LESSON)), sandbox)
    missing = differences(before)
    advice = f"run `etude lesson run --update {path}` and read the diff"
    assert (
        missing[0].message
        == f"there is no record of its outputs, {record_path(path).name}; {advice}"
    )
    write(record_path(path), record(before))
    assert differences(before) == []
    after = run_lesson(read_lesson(write(path, LESSON.replace("4.5", "5.5"))), sandbox)
    (changed,) = differences(after)
    assert changed.message == f"the record says '10.5', but running gives '11.5'; {advice}"


def test_neither_a_lesson_nor_its_record_is_a_link(path: Path, sandbox: Sandbox) -> None:
    """A page or a message would show what it leads to."""
    finished = run_lesson(read_lesson(write(path, LESSON)), sandbox)
    path.unlink()
    for file, read in ((path, read_lesson), (record_path(path), lambda _: differences(finished))):
        file.parent.mkdir(exist_ok=True)
        file.symlink_to("/etc/passwd")
        with pytest.raises(DefinitionError) as error:
            read(file)
        assert str(error.value) == f"{file}:1:1: a symbolic link; put the file itself here"
    folder = record_path(path).parent
    shutil.rmtree(folder)
    folder.symlink_to("/etc")
    with pytest.raises(DefinitionError, match="a symbolic link; put the folder itself here"):
        differences(finished)


def test_the_record_forgives_the_last_digit(path: Path, sandbox: Sandbox) -> None:
    """Another order of summing may round the last digit that is shown differently."""
    lesson = write(path, "```python\nprint(0.12345678)\n```\n")
    finished = run_lesson(read_lesson(lesson), sandbox)
    write(record_path(path), record(finished).replace("0.12345678", "0.1234568"))
    assert differences(finished) == []


@pytest.mark.parametrize(
    ("cell", "printed"),
    [
        ("x = [1, 2]\nx  # a list\n", "[1, 2]\n"),
        ("x = 1; x + 1\n", "2\n"),
        ("'ü' * 2  # ü\n", "üü\n"),
        ("(1 +\n 2)\n", "3\n"),
        ("print(1)\n", "1\n"),
        ("x = 1\n", ""),
    ],
)
def test_the_last_expression_of_a_cell_is_printed(
    path: Path, sandbox: Sandbox, cell: str, printed: str
) -> None:
    """As in a notebook, whatever stands beside it on its line."""
    finished = run_lesson(read_lesson(write(path, f"```python\n{cell}```\n")), sandbox)
    (block,) = finished.blocks
    assert isinstance(block, Cell)
    assert block.printed == printed


def test_one_lesson_is_one_lesson(etude: Etude, tmp_path: Path) -> None:
    """Its record is asked for, written down, and then agrees."""
    lesson = tmp_path / "track" / "lessons" / "01-a-lesson.md"
    lesson.parent.mkdir(parents=True)
    write(lesson, LESSON)
    words = ("lesson", "run", lesson, "--exercises", tmp_path)
    missing = etude(*words)
    assert missing.returncode == 1
    assert f"run `etude lesson run --update {lesson}` and read the diff" in missing.stderr
    assert etude(*words, "--update").stdout == "1 lesson run, 1 written down\n"
    assert etude(*words).stdout == "1 lesson run, 1 as recorded\n"


def test_the_folder_of_a_track_stands_for_its_lessons(etude: Etude, tmp_path: Path) -> None:
    """Those of other tracks are not run; a track without lessons is named."""
    for track, numbers in {"one": (1, 2), "two": (3,), "none": ()}.items():
        (tmp_path / track / "lessons").mkdir(parents=True)
        (tmp_path / track / "track.yaml").write_text(f"id: {track}\n")
        for number in numbers:
            write(tmp_path / track / "lessons" / f"{number}-lesson-{number}.md", LESSON)
    words = ("lesson", "run", "--update", "--exercises", tmp_path)
    assert etude(*words, tmp_path / "one").stdout == "2 lessons run, 2 written down\n"
    assert etude(*words, tmp_path / "one", "lesson-3").stdout == "3 lessons run, 3 written down\n"
    assert f"there are no lessons in {tmp_path / 'none'}" in etude(*words, tmp_path / "none").stderr


FILES = "# T\n\n```files\ndata/three.csv\n```\n\n```python\nprint(open('three.csv').read())\n```\n"


def test_cells_read_the_data_files_of_a_lesson(path: Path, sandbox: Sandbox) -> None:
    """They lie below the course's folder, go into handouts, and nothing of the list is shown."""
    course = path.parent.parent.parent
    (course / "data").mkdir()
    (course / "data" / "three.csv").write_text("1,2,3")
    run = run_lesson(read_lesson(write(path, FILES)), sandbox)
    assert [block.printed for block in run.blocks if isinstance(block, Cell)] == ["1,2,3\n"]
    assert len(run.blocks) == 2
    (path.parent.parent / "track.yaml").write_text("id: track\n")
    assert dict(student_files(course))["data/three.csv"] == b"1,2,3"


@pytest.mark.parametrize("written", ["data/gone.csv", "../three.csv", "/etc/passwd"])
def test_a_data_file_that_is_none_is_said_with_its_line(path: Path, written: str) -> None:
    """Missing, or outside the course."""
    write(path, FILES.replace("data/three.csv", written))
    with pytest.raises(DefinitionError) as error:
        read_lesson(path)
    assert problem(error)[0] == 4
    assert written in problem(error)[1]
