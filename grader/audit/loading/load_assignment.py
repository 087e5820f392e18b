"""Detection of an assignment's kind from its content, and dispatch to the matching reader."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from grader.audit.loading.exercise_folders import load_exercism, load_problem
from grader.audit.loading.notebook_assignment import load_notebook
from grader.authoring.sources import exercism, problem_folder
from grader.authoring.sources.assignment import Assignment
from grader.authoring.sources.assignment_folder import is_test_file, load_python_folder
from grader.authoring.sources.folder_files import FolderFiles
from grader.authoring.sources.python_parsing import error_in
from grader.authoring.sources.source_files import UnreadableError, printable_name, subfolders
from grader.definitions.files import SUFFIXES, TRACK_FILE
from grader.errors import UsageError

_NOTEBOOK: Final = ".ipynb"
_MAX_ASSIGNMENTS: Final = 500  # most assignments read from one folder
_MAX_NAMES: Final = 4
_IS_A_DEFINITION: Final = (
    "this is a definition of Etude's: 'etude verify' proves its tests with the same mutants"
)


def load_all(
    path: Path | None,
    *,
    solution: Path | None = None,
    tests: Sequence[Path] = (),
    starter: Path | None = None,
) -> list[Assignment]:
    """Read the assignments to audit.

    Args:
        path: A folder with a solution and its tests, a problem's folder, an Exercism exercise, a
            folder of such folders, or a notebook. May be None if solution and tests are given.
        solution: The solution's file, if it does not have a conventional name.
        tests: Test files, or folders of them.
        starter: The file that learners start from.

    Raises:
        DefinitionError: An assignment cannot be audited; the message gives reason, file and line.
        UsageError: A file does not exist, or the options contradict each other.
    """
    has_options = solution is not None or bool(tests) or starter is not None
    if path is None:
        if solution is None or not tests:
            raise UsageError("name a folder or a notebook, or --solution and --tests")
        return [load_python_folder(None, solution=solution, tests=tests, starter=starter)]
    if not os.path.lexists(path):
        raise UsageError(f"there is no {printable_name(path)}")
    if path.is_symlink():
        raise error_in(path, "a symbolic link is not followed; name the file or folder itself")
    if path.is_file():
        if path.suffix in SUFFIXES and not has_options:
            raise error_in(path, _IS_A_DEFINITION)
        return [_load_file(path, solution=solution, tests=tests, starter=starter)]
    if not path.is_dir():
        raise error_in(path, "this is no regular file and no folder")
    if has_options:
        return [load_python_folder(path, solution=solution, tests=tests, starter=starter)]
    return _load_folder(path)


def _load_file(
    path: Path, *, solution: Path | None, tests: Sequence[Path], starter: Path | None
) -> Assignment:
    if path.suffix.lower() == _NOTEBOOK:
        if solution is not None or tests or starter is not None:
            raise UsageError("a notebook has its solution and tests in it: name nothing else")
        return load_notebook(path)
    if path.suffix != ".py":
        raise error_in(path, "this is no Python, no notebook and no folder")
    if is_test_file(path.name):
        return load_python_folder(
            path.parent, solution=solution, tests=[path, *tests], starter=starter
        )
    if solution is None:
        return load_python_folder(path.parent, solution=path, tests=tests, starter=starter)
    raise UsageError(
        f"{printable_name(path)} holds no tests by its name; name its tests with --tests"
    )


def _load_folder(path: Path) -> list[Assignment]:
    if os.path.lexists(path / TRACK_FILE):
        raise error_in(path / TRACK_FILE, _IS_A_DEFINITION)
    if assignment := _load_exercise(path):
        return [assignment]
    try:
        folders = [inner for folder in subfolders(path) for inner in (folder, *subfolders(folder))]
    except UnreadableError as error:
        raise error_in(path, str(error)) from error
    exercises = [
        folder
        for folder in folders
        if exercism.is_exercise(folder) or problem_folder.is_problem(folder)
    ]
    if len(exercises) > _MAX_ASSIGNMENTS:
        raise error_in(
            path, f"there are more than {_MAX_ASSIGNMENTS} assignments in it; name a part of it"
        )
    if exercises:
        return [*filter(None, map(_load_exercise, exercises))]
    files = FolderFiles(path.absolute())
    notebooks = [name for name in files.names if name.endswith(_NOTEBOOK)]
    if not any(map(is_test_file, files.python)) and notebooks:
        if len(notebooks) == 1:
            return [load_notebook(files.find_path(notebooks[0]))]
        several = ", ".join(notebooks[:_MAX_NAMES])
        raise error_in(path, f"each of these notebooks may be meant: {several}; name one")
    return [load_python_folder(path)]


def _load_exercise(folder: Path) -> Assignment | None:
    try:
        if exercism.is_exercise(folder):
            return load_exercism(folder)
        return load_problem(folder) if problem_folder.is_problem(folder) else None
    except UnreadableError as error:
        raise error_in(folder, str(error)) from error
