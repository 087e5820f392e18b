"""Jupyter notebooks with solutions in them: nbgrader's and Otter's."""

from pathlib import Path
from typing import Any, Final

from grader.authoring.importing.draft import SourceDrafts
from grader.authoring.importing.nbgrader import NbgraderReader
from grader.authoring.importing.notebook_cells import NotebookCell
from grader.authoring.importing.otter import OtterReader, has_questions
from grader.authoring.importing.source_files import (
    MAX_NOTEBOOK,
    UnreadableError,
    parse_json,
    read_text,
    shown,
)

_FORMAT: Final = 4
_MOST_CELLS: Final = 5_000
_MOST_OUTPUT: Final = 20_000  # characters


def read_notebook(path: Path) -> SourceDrafts:
    """Make a draft of each question in a notebook.

    Raises:
        UnreadableError: it cannot be read, or is no notebook of this format.
    """
    name = shown(path.name)
    book = parse_json(read_text(path, MAX_NOTEBOOK), name)
    if not isinstance(book, dict) or not isinstance(book.get("cells"), list):
        raise UnreadableError(f"{name} is no notebook of format {_FORMAT}: it has no list of cells")
    if book.get("nbformat") != _FORMAT:
        found = str(book.get("nbformat"))[:20]
        raise UnreadableError(f"{name} is a notebook of format {found}; format {_FORMAT} is read")
    if len(book["cells"]) > _MOST_CELLS:
        raise UnreadableError(f"{name} has more than {_MOST_CELLS:,} cells")
    cells = [
        _cell(each, f"{name}: cell {number}")
        for number, each in enumerate(book["cells"], 1)
        if isinstance(each, dict)
    ]
    if has_questions(cells):
        return OtterReader().read(cells)
    return NbgraderReader().read(cells)


def _cell(each: dict[str, Any], where: str) -> NotebookCell:
    metadata = each.get("metadata")
    outputs = each.get("outputs")
    return NotebookCell(
        kind=str(each.get("cell_type")),
        source=_joined(each.get("source")),
        metadata=metadata if isinstance(metadata, dict) else {},
        output=_output(outputs if isinstance(outputs, list) else []),
        where=where,
        attachments=bool(each.get("attachments")),
    )


def _joined(source: object) -> str:
    """Return a text that may be split into lines; what is neither is nothing."""
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    text = source if isinstance(source, str) else ""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _output(outputs: list[Any]) -> str | None:
    """Return what a cell printed and showed as text; None if nothing was recorded."""
    texts: list[str] = []
    for each in outputs:
        match each:
            case {"output_type": "stream", "name": "stdout", "text": text}:
                texts.append(_joined(text))
            case {"output_type": "execute_result", "data": {"text/plain": text}}:
                texts.append(_joined(text) + "\n")
    joined = "".join(texts)[:_MOST_OUTPUT]
    return joined or None
