"""The kind of a source, found by its content, and the reader for each kind."""

import os
from collections.abc import Callable
from pathlib import Path

from grader.authoring.importing import exercism, js_document, notebook, problem_folder
from grader.authoring.importing.draft import SourceDrafts
from grader.authoring.importing.fill_in import fill_in_draft, number_repeated_ids
from grader.authoring.importing.source_files import UnreadableError, entries, shown, subfolders
from grader.errors import UsageError

_NOTEBOOK = ".ipynb"


def read_source(source: Path) -> SourceDrafts:
    """Read a source and complete its drafts.

    Raises:
        UsageError: there is no such source, or nothing in it can be imported.
    """
    try:
        found = _read(source)
    except UnreadableError as error:
        raise UsageError(str(error)) from error
    if not found.drafts and not found.failures:
        raise UsageError(
            f"nothing to import in {shown(source)}: no exercise block, no folder with tests.json "
            "or .meta/config.json, no notebook with solutions"
        )
    for draft in found.drafts:
        fill_in_draft(draft)
    number_repeated_ids(found.drafts)
    return found


def _read(source: Path) -> SourceDrafts:
    if source.is_dir():
        # Read a folder that is an exercise, or else the exercises in the folders below.
        if exercism.is_exercise(source):
            return _one(exercism.read_exercise, source)
        if problem_folder.is_problem(source):
            return _one(problem_folder.read_problem, source)
        return _below(source)
    if not os.path.lexists(source):
        raise UsageError(f"there is no {shown(source)}")
    if source.suffix.lower() == _NOTEBOOK:
        return notebook.read_notebook(source)
    return js_document.read_document(source)


_DEEPEST = 4
_MOST_FOLDERS = 5_000
_NOT_SEARCHED = frozenset({"node_modules", "__pycache__", "venv"})


def _one(read: Callable[[Path], SourceDrafts], folder: Path) -> SourceDrafts:
    try:
        return read(folder)
    except UnreadableError as error:
        return SourceDrafts(failures=[f"{shown(folder)}: {error}"])


def _below(folder: Path) -> SourceDrafts:
    """Read every exercise in the folders below one, and the notebooks and documents in it."""
    found = SourceDrafts()
    waiting = [(folder, 0)]
    looked_at = 0
    while waiting:
        here, depth = waiting.pop(0)
        looked_at += 1
        if looked_at > _MOST_FOLDERS:
            found.failures.append(f"more than {_MOST_FOLDERS:,} folders; the rest was left out")
            break
        if exercism.is_exercise(here):
            found.take(_one(exercism.read_exercise, here))
        elif problem_folder.is_problem(here):
            found.take(_one(problem_folder.read_problem, here))
        else:
            found.take(_files_in(here))
            if depth < _DEEPEST:
                below = [each for each in subfolders(here) if each.name not in _NOT_SEARCHED]
                waiting += [(each, depth + 1) for each in below]
    return found


def _files_in(folder: Path) -> SourceDrafts:
    """Read the notebooks and documents in a folder; one without exercises is no failure."""
    found = SourceDrafts()
    for entry in entries(folder):
        path = Path(entry.path)
        if not entry.is_file(follow_symlinks=False):
            if entry.is_symlink():
                found.remarks.append(f"{shown(path)} is a symbolic link; it was not followed")
            continue
        if path.suffix.lower() == _NOTEBOOK:
            found.take(_one(notebook.read_notebook, path))
        elif path.suffix.lower() in js_document.SUFFIXES:
            found.take(_one(js_document.read_document, path))
    return found
