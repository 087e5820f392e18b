"""The cells of Jupyter notebook files that others wrote, and new notebooks."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

MAX_NOTEBOOK: Final = 16 << 20  # bytes of a file, which also stores pictures and other outputs
FORMAT: Final = 4  # the major version of the notebook format, which Jupyter has written since 2015
TEST_CELL: Final = "test"
"""The `etude` metadata of a cell that was handed out and does not belong to a submission."""

CHECK_CALL: Final = re.compile(r"""^check\(\s*(["'])(?P<exercise>[a-z0-9-]+)\1""", re.MULTILINE)
"""The call in the cell that grades an exercise."""

Sections = dict[str, tuple[int, int]]
"""For each exercise of a notebook, the range of its code cells: start index and end index."""

_MINOR: Final = 5  # the minor version of new notebooks, the first in which cells have ids
_MAX_CELLS: Final = 5_000  # cells of a notebook
_MAX_NAME_LENGTH: Final = 20  # characters of a language or a format in a message


class NotebookError(Exception):
    """A notebook cannot be used; the message is a sentence, and `line` is the line of the file."""

    def __init__(self, message: str, line: int | None = None) -> None:
        self.line = line
        super().__init__(message)


def read_python_cells(data: bytes) -> tuple[list[tuple[int, str]], Sections]:
    """Return the code cells of a Python notebook with their numbers among all cells, from 1.

    Cells with tests that were handed out are left out. The second result is empty unless the
    notebook has several exercises.

    Raises:
        NotebookError: The data is not JSON, not a notebook, or a notebook in another language.
    """
    try:
        book = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise NotebookError(
            f"The notebook is not UTF-8 (line {line}). Save it again.", line
        ) from None
    except json.JSONDecodeError as error:
        message = (
            f"The notebook is broken: its JSON cannot be read from line {error.lineno} on. "
            "Save it again in Jupyter."
        )
        raise NotebookError(message, error.lineno) from None
    except (RecursionError, ValueError):  # too deep, or a number of too many digits
        raise NotebookError("The notebook is broken: its JSON cannot be read.") from None
    cells = read_cells(book)
    language = find_language(book)
    if language.lower() != "python":
        raise NotebookError(f"The notebook is in {language}; a submission is in Python.")
    code_cells: list[tuple[int, str]] = []
    sections: Sections = {}
    exercise = ""
    for number, cell in enumerate(cells, 1):
        marker = _find_marker(cell)
        exercise = str(marker.get("exercise")) if isinstance(marker, dict) else exercise
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            if not isinstance(cell.get("source"), str | list):
                raise NotebookError(
                    f"Cell {number} is broken: its code is not a text. Save it again in Jupyter."
                )
            if marker != TEST_CELL:
                begin = sections.get(exercise, (len(code_cells), 0))[0]
                code_cells.append((number, join_text(cell.get("source"))))
                sections[exercise] = begin, len(code_cells)
    sections.pop("", None)
    return code_cells, sections if len(sections) > 1 else find_sections(code_cells)


def _find_marker(cell: Any) -> Any:
    """Return the metadata that Etude gave a cell: `TEST_CELL`, or a dict with the exercise."""
    metadata = cell.get("metadata") if isinstance(cell, dict) else None
    return metadata.get("etude") if isinstance(metadata, dict) else None


def find_sections(cells: Sequence[tuple[int, str]]) -> Sections:
    """Return the sections of a notebook that has lost its markers.

    The section of an exercise is all cells up to its call of `check`.
    """
    sections = {
        call["exercise"]: (0, place)
        for place, (_, source) in enumerate(cells, 1)
        for call in CHECK_CALL.finditer(source)
    }
    return sections if len(sections) > 1 else {}


def read_cells(book: Any) -> list[Any]:
    """Return the cells of a notebook.

    Raises:
        NotebookError: The data is not a notebook of format 4, or has too many cells.
    """
    version = book.get("nbformat", FORMAT) if isinstance(book, dict) else FORMAT
    if version != FORMAT:  # older formats keep the cells elsewhere
        raise NotebookError(
            f"It is a notebook of format {_quote_name(repr(version))}; format {FORMAT} is "
            "read. Open it in Jupyter and save it again."
        )
    if not isinstance(book, dict) or not isinstance(book.get("cells"), list):
        raise NotebookError(f"It is not a notebook of format {FORMAT}: it has no list of cells.")
    if len(book["cells"]) > _MAX_CELLS:
        raise NotebookError(f"The notebook has more than {_MAX_CELLS:,} cells.")
    return list(book["cells"])


def find_language(book: Any) -> str:
    """Return the language that a notebook names, by default Python."""
    metadata = book.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    for part, key in (("kernelspec", "language"), ("language_info", "name")):
        facts = metadata.get(part)
        if isinstance(facts, dict) and isinstance(facts.get(key), str):
            return _quote_name(facts[key])
    return "python"


def join_text(source: object) -> str:
    """Return a text that may be stored as a list of lines; empty for any other data."""
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    text = source if isinstance(source, str) else ""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _quote_name(value: object) -> str:
    return "".join(c for c in str(value) if c.isprintable())[:_MAX_NAME_LENGTH]


def notebook(cells: Sequence[dict[str, Any]]) -> str:
    """Return the JSON of a notebook with these cells."""
    book = {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": FORMAT,
        "nbformat_minor": _MINOR,
    }
    return json.dumps(book, indent=1, ensure_ascii=False) + "\n"


def text_cell(name: str, source: str) -> dict[str, Any]:
    """Return a Markdown cell."""
    return _cell("markdown", name, source, {})


def code_cell(name: str, source: str, metadata: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return a Python cell that has not run."""
    cell = _cell("code", name, source, metadata or {})
    return {**cell, "execution_count": None, "outputs": []}


def _cell(kind: str, name: str, source: str, metadata: Mapping[str, Any]) -> dict[str, Any]:
    lines = source.splitlines(keepends=True)
    return {"cell_type": kind, "id": name, "metadata": dict(metadata), "source": lines}
