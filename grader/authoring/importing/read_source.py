"""Detection of a source's kind from its content, and dispatch to the matching reader."""

import os
from collections.abc import Callable
from pathlib import Path

from grader.authoring.importing.fill_in import fill_in_draft, make_unused_id
from grader.authoring.sources import (
    exercism,
    js_document,
    notebook_reader,
    problem_folder,
    python_module,
)
from grader.authoring.sources.draft import SourceDrafts
from grader.authoring.sources.source_files import (
    UnreadableError,
    entries,
    printable_name,
    subfolders,
)
from grader.errors import UsageError

_READERS = {
    **dict.fromkeys(js_document.SUFFIXES, js_document.read_document),
    ".ipynb": notebook_reader.read_notebook,
    ".py": python_module.read_module,
}
_FOLDERS = (
    (exercism.is_exercise, exercism.read_exercism),
    (problem_folder.is_problem, problem_folder.read_problem),
)
_MAX_FOLDER_DEPTH = 4  # levels of subfolders
_MAX_FOLDERS = 5_000  # folders searched for exercises
_NOT_SEARCHED = frozenset({"node_modules", "__pycache__", "venv"})


def read_source(source: Path) -> SourceDrafts:
    """Read a source and complete its drafts.

    Raises:
        UsageError: The source does not exist, or contains nothing to import.
    """
    if not os.path.lexists(source):
        raise UsageError(f"there is no {printable_name(source)}")
    try:
        if source.is_dir():
            source_drafts = _read_folders(source)
        else:
            source_drafts = _READERS.get(source.suffix.lower(), js_document.read_document)(source)
    except UnreadableError as error:
        raise UsageError(str(error)) from error
    if not source_drafts.drafts and not source_drafts.failures:
        raise UsageError(f"nothing to import in {printable_name(source)}: {_advise(source)}")
    for draft in source_drafts.drafts:
        fill_in_draft(draft)
    taken: set[str] = set()
    for draft in source_drafts.drafts:
        name = make_unused_id(draft.id, taken)
        taken.add(name)
        if name != draft.id:
            draft.remarks.append(f"the id {draft.id!r} is taken; it is {name!r} now")
        draft.id = name
    return source_drafts


def _advise(source: Path) -> str:
    """Return a sentence that says what a source lacks, and how its author can proceed."""
    match source.suffix.lower():
        case ".py":
            return (
                "its docstrings have no example with a result, and no test file lies beside it; "
                f"write `>>>` lines, or a test_{source.stem}.py with asserts"
            )
        case ".ipynb":
            return (
                "no cell with an answer has a cell with asserts after it; import a version with "
                "solutions, and write the checks as `assert`"
            )
    return (
        "no exercise block, no folder with tests.json or .meta/config.json, no test_*.py with the "
        "module that it imports, no docstring with examples, no notebook with answers and asserts; "
        "'etude new' begins an exercise by hand"
    )


def _read_or_fail(read: Callable[[Path], SourceDrafts], folder: Path) -> SourceDrafts:
    try:
        return read(folder)
    except UnreadableError as error:
        return SourceDrafts(failures=[f"{printable_name(folder)}: {error}"])


def _read_folders(folder: Path) -> SourceDrafts:
    """Read a folder's own exercise, or all exercises in it and its subfolders.

    A notebook or document without exercises is not a failure.
    """
    source_drafts = SourceDrafts()
    waiting = [(folder, 0)]
    looked_at = 0
    while waiting:
        here, depth = waiting.pop(0)
        looked_at += 1
        if looked_at > _MAX_FOLDERS:
            source_drafts.failures.append(
                f"more than {_MAX_FOLDERS:,} folders; the rest was left out"
            )
            break
        read = next((read for is_exercise, read in _FOLDERS if is_exercise(here)), None)
        if read is not None:
            source_drafts.add(_read_or_fail(read, here))
            continue
        is_tested = python_module.has_tests(here)
        if is_tested:
            source_drafts.add(_read_or_fail(python_module.read_tested_modules, here))
        for entry in entries(here):
            path = Path(entry.path)
            if is_tested and path.suffix == ".py":
                continue
            reader = _READERS.get(path.suffix.lower())
            if entry.is_symlink():
                source_drafts.remarks.append(
                    f"{printable_name(path)} is a symbolic link; it was not followed"
                )
            elif reader is not None and entry.is_file(follow_symlinks=False):
                source_drafts.add(_read_or_fail(reader, path))
        if depth < _MAX_FOLDER_DEPTH:
            ignored = {*_NOT_SEARCHED, *(python_module.TEST_FOLDERS if is_tested else ())}
            below = [subfolder for subfolder in subfolders(here) if subfolder.name not in ignored]
            waiting += [(subfolder, depth + 1) for subfolder in below]
    return source_drafts
