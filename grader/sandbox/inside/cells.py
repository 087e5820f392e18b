"""The cells of a notebook as one program, each line at the place that it has in the cells."""

import ast
import re
import warnings
from collections.abc import Iterator

_ONLY_IN_NOTEBOOKS = re.compile(r"\s*[%!?]|[^#]*\?\s*$|\s*[\w.,\s\[\]]+=\s*[%!]")
_OF_PYTHON = frozenset({"%%time", "%%timeit", "%%capture", "%%prun"})  # the cell goes on in Python
_LONGEST = 80
_MOST_LEFT_OUT = 100
DEFINITIONS = (
    ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef,
)  # fmt: skip
"""The statements that import or define something, and do nothing else."""

LeftOut = list[object]
"""The number of a cell, and a line of it."""


def program(
    cells: list[list[object]],
) -> tuple[str, list[LeftOut], list[tuple[int, Exception]]]:
    """Make one program of cells, given as number and source.

    A line that only a notebook understands is left out; so is a cell that Python cannot read.

    Returns:
        The source, which has as many lines as the cells have together; what was left out; and the
        error of each cell that cannot be read, with lines of the program.
    """
    texts, left_out, unreadable = [], list[LeftOut](), list[tuple[int, Exception]]()
    begin = 0
    for number, source in cells:
        assert isinstance(number, int)  # noqa: S101  for the type checker
        lines = str(source).split("\n")
        count = len(lines)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # they come when the cell is run
                left_out += ([number, line[:_LONGEST]] for line in _leave_out(lines))
        except Exception as error:  # noqa: BLE001  a tree that is too deep, too
            if isinstance(error, SyntaxError):
                error.lineno = begin + (error.lineno or 1)
            unreadable.append((number, error))
            lines = [""] * count
        texts.append("\n".join(lines))
        begin += count
    return "\n".join(texts), left_out[:_MOST_LEFT_OUT], unreadable


def _leave_out(lines: list[str]) -> Iterator[str]:
    """Empty the lines that Python cannot read and a notebook can, and yield them.

    Whether a line begins a statement is known to Python alone: `% 3)` may go on with one. So it is
    looked for where Python stops reading.

    Raises:
        SyntaxError: Python cannot read the cell for another reason.
    """
    first = next((number for number, line in enumerate(lines) if line.strip()), None)
    if first is not None and lines[first].startswith("%%"):
        magic = lines[first]
        yield magic.strip()
        lines[first] = ""
        if magic.split()[0] not in _OF_PYTHON:  # the rest is for another program
            lines[:] = [""] * len(lines)
    while True:
        try:
            ast.parse("\n".join(lines))
        except SyntaxError as error:
            number = (error.lineno or 0) - 1
            if not 0 <= number < len(lines) or not _ONLY_IN_NOTEBOOKS.match(lines[number]):
                raise
            yield lines[number].strip()
            line = lines[number]
            lines[number] = line[: len(line) - len(line.lstrip())] + "pass"
            while line.endswith("\\") and number + 1 < len(lines):  # the command goes on
                number += 1
                line, lines[number] = lines[number], ""
        else:
            return


def statements(source: str, ends: list[int]) -> Iterator[tuple[int, ast.stmt]]:
    """Yield the statements of a program, each with the place of its cell among those run.

    Args:
        source: of `program`.
        ends: the last line of each cell.
    """
    place = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        body = ast.parse(source).body
    for statement in body:
        while place < len(ends) - 1 and statement.lineno > ends[place]:
            place += 1
        yield place, statement
