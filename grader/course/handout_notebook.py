"""Handout notebooks: instructions, starter, and the visible tests as runnable cells.

They hold only public parts of an exercise, none of which is run here. A test whose inputs must be
computed is only named; `etude check` runs it.
"""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from grader.course.notebook_attachments import attach_images, make_data_cells
from grader.definitions.exercise import Exercise, Literals, LiteralValue, TestCase, Tolerance
from grader.definitions.track import Track
from grader.definitions.wording import plural
from grader.grading.diagnosis.input_values import NotWritableError, count_numbers, python_text
from grader.notebook_files import TEST_CELL, code_cell, notebook, text_cell

_MAX_NUMBERS: Final = 2_000  # most numbers in a value that is written out
# Loose enough for float32, which `accept` may allow.
_CLOSE: Final = Tolerance(atol=1e-7, rtol=1e-5)


def make_handout(exercise: Exercise, course: str | None = None) -> str:
    """Return an exercise's notebook as JSON; `check` finds the course at `course`."""
    about = f"Write your solution in the cell below. Submit this notebook as `{exercise.id}.ipynb`."
    tests = [test for test in exercise.tests if not test.hidden]
    cells = [_make_instructions(exercise, about), *make_data_cells(exercise.data)]
    if exercise.asks_for_suite:  # the exercise's own programs are not public
        empty = "\n\n\n".join(f"def {name}(*args):\n    ..." for name in exercise.defines)
        program = code_cell("program", _PROGRAM.format(empty=empty), {"etude": TEST_CELL})
        cells += [text_cell("about-program", _ABOUT_PROGRAM), program]
    cells.append(code_cell("solution", exercise.starter.rstrip("\n")))
    if tests and exercise.kind not in ("predict", "test"):
        cells.append(text_cell("tests", _ABOUT_TESTS))
        cells += (_test_cell(number, test) for number, test in enumerate(tests, 1))
    feedback = text_cell("feedback", _ABOUT_FEEDBACK.format(exercise=exercise.id))
    return notebook([*cells, feedback, _check_cell(exercise, course)])


def make_track_handout(track: Track, course: str | None = None) -> str:
    """Return a track's notebook; `read_python_cells` finds the exercise of each cell."""
    definition = track.definition
    about = _ABOUT_TRACK.format(track=definition.id)
    cells = [text_cell("track", f"# {definition.title}\n\n{definition.description}\n\n{about}")]
    for exercise in (exercise for exercise in track.exercises if not exercise.files_to_submit):
        marker = {"etude": {"exercise": exercise.id}}
        parts = [
            {**_make_instructions(exercise), "metadata": marker},
            *make_data_cells(exercise.data),
            code_cell("solution", exercise.starter.rstrip("\n"), marker),
            _check_cell(exercise, course),
        ]
        number = len(cells)  # ids are unique in a notebook
        cells += [{**part, "id": f"{part['id']}-{number}"} for part in parts]
    return notebook(cells)


def _make_instructions(exercise: Exercise, about: str = "") -> dict[str, Any]:
    rule = exercise.forbid.sentence if exercise.forbid else ""
    texts = [f"# {exercise.title}", exercise.instructions.strip("\n"), rule, about]
    cell = text_cell("instructions", "\n\n".join(filter(None, texts)))
    attach_images(cell, exercise.instructions, exercise.where.path)
    return cell


def _check_cell(exercise: Exercise, course: str | None) -> dict[str, Any]:
    words = f'"{exercise.id}"' + (f", course={course!r}" if course else "")
    source = f"from grader.notebook import check\n\ncheck({words})"
    return code_cell("check", source, {"etude": TEST_CELL})


_ABOUT_TRACK: Final = """\
Write each solution in the cell below its instructions, and run the cell after it to grade it. Save
this notebook and submit it as it is, with the name `{track}.ipynb`."""

_ABOUT_PROGRAM: Final = """\
The next cell writes the module `program`, which your tests import. Put a right or a wrong program
there to try your tests on it, and restart the kernel. It is not part of what you submit."""

_PROGRAM: Final = """\
from pathlib import Path

Path("program.py").write_text('''\\
import numpy as np


{empty}
''')"""

_ABOUT_TESTS: Final = """\
## Tests

Run these cells to try your solution. They are not part of what you submit."""

_ABOUT_FEEDBACK: Final = """\
## Feedback

Where Etude is installed, the next cell grades your solution. So does `etude check {exercise}` in a
terminal, once the notebook is saved."""


def _test_cell(number: int, test: TestCase) -> dict[str, Any]:
    """Return a test's cell: code, or text if a value must be computed."""
    title = f"{' '.join(test.description.split()) or test.id} ({plural(test.points, 'point')})"
    code = test.code.strip("\n").rstrip()
    values = test.given.values if isinstance(test.given, Literals) else None
    inputs = {name: format_value(value) for name, value in (values or {}).items()}
    lines = [f"# {title}", "import numpy as np", ""]
    lines += [f"{name} = {value}" for name, value in inputs.items()]
    match "unknown" if values is None or None in inputs.values() else test.compared:
        case "nothing" if "capsys" not in code:
            # The body itself asserts.
            lines += ["import pytest", code]
        case "text":
            expected = [] if test.stdout is None else ["# prints", *_comment_lines(test.stdout)]
            lines += [code, *expected]
        case "value":
            lines += [f"result = {' '.join(code.split())}", "print(result)"]
            if isinstance(test.expect, LiteralValue):
                lines += _compare_lines(test.expect.value, test.tolerance or _CLOSE)
        case _:
            return text_cell(f"test-{number}", f"**{title}** runs with `etude check`.")
    return code_cell(f"test-{number}", "\n".join(lines), {"etude": TEST_CELL})


def _compare_lines(expected: object, tolerance: Tolerance) -> Iterator[str]:
    text = format_value(expected)
    if text is None:
        return
    is_number = isinstance(expected, (int, float, complex)) and not isinstance(expected, bool)
    if is_number or (isinstance(expected, np.ndarray) and expected.dtype.kind in "iufc"):
        close = f"rtol={tolerance.rtol:g}, atol={tolerance.atol:g}"
        yield f"np.testing.assert_allclose(result, {text}, {close})"
    elif isinstance(expected, (bool, str, np.ndarray)):
        yield f"np.testing.assert_equal(result, {text})"
    else:
        # Equality would be too strict for the numbers in it.
        yield from ("# gives", *_comment_lines(text))


def _comment_lines(text: str) -> list[str]:
    return [f"#   {line}".rstrip() for line in text.rstrip("\n").split("\n")]


def format_value(value: object) -> str | None:
    """Return a value as Python source, or None if it is too large or cannot be written."""
    try:
        return python_text(value) if count_numbers(value) <= _MAX_NUMBERS else None
    except NotWritableError:
        return None
