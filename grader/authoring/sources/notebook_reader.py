"""Jupyter notebooks with solutions: nbgrader's, Otter's, and plain ones."""

from pathlib import Path
from typing import Final

from grader.authoring.sources.draft import SourceDrafts
from grader.authoring.sources.nbgrader import MARKS, NbgraderReader
from grader.authoring.sources.notebook_cells import NotebookCell
from grader.authoring.sources.otter import OtterReader, has_questions
from grader.authoring.sources.plain_notebook import PlainReader
from grader.authoring.sources.source_files import (
    NotJsonError,
    UnreadableError,
    parse_json,
    printable_name,
    read_text,
)
from grader.notebook_files import MAX_NOTEBOOK, NotebookError, find_language, join_text, read_cells

_MAX_OUTPUT: Final = 20_000  # longest recorded output, in characters


def read_notebook(path: Path) -> SourceDrafts:
    """Make a draft from each question in a notebook.

    Raises:
        UnreadableError: The file cannot be read, or is not a notebook of a supported format.
    """
    name = printable_name(path.name)
    book = parse_json(read_text(path, MAX_NOTEBOOK), name)
    try:
        book_cells = read_cells(book)
    except NotebookError as error:
        raise NotJsonError(f"{name}: {error}") from None
    if (language := find_language(book)).lower() != "python":
        raise UnreadableError(f"{name} is a notebook in {language}; notebooks in Python are read")
    cells = []
    for number, book_cell in enumerate(book_cells, 1):
        if not isinstance(book_cell, dict):
            continue
        printed = ""  # the cell's recorded output
        outputs, metadata = book_cell.get("outputs"), book_cell.get("metadata")
        for output in outputs if isinstance(outputs, list) else ():
            match output:
                case {"output_type": "stream", "name": "stdout", "text": text}:
                    printed += join_text(text)
                case {"output_type": "execute_result", "data": {"text/plain": text}}:
                    printed += join_text(text) + "\n"
        cell = NotebookCell(
            kind=str(book_cell.get("cell_type")),
            source=join_text(book_cell.get("source")),
            metadata=metadata if isinstance(metadata, dict) else {},
            output=printed[:_MAX_OUTPUT] or None,
            where=f"{name}: cell {number}",
            has_attachments=bool(book_cell.get("attachments")),
        )
        cells.append(cell)
    if has_questions(cells):
        return OtterReader().read(cells)
    has_marks = any("nbgrader" in cell.metadata or MARKS.search(cell.source) for cell in cells)
    return (NbgraderReader() if has_marks else PlainReader()).read(cells)
