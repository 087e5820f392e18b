"""Folders with a solution and pytest or unittest files, found by convention or named.

Files keep their places in the folder, so that imports keep their meaning. Besides small files that
are not Python, only modules that the tests or the solution import are taken.
"""

import ast
import contextlib
import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Final

from grader.authoring.sources.assignment import Assignment
from grader.authoring.sources.folder_files import FolderFiles
from grader.authoring.sources.python_parsing import error_in, has_test, is_test_case, parse
from grader.authoring.sources.source_files import (
    MAX_FILE,
    UnreadableError,
    printable_name,
    read_text,
)
from grader.definitions.imports import ImportedName, walk_imports
from grader.errors import UsageError

_HELPERS: Final = frozenset(
    {"common", "config", "constants", "data", "helper", "helpers", "testing", "test_utils", "types",
     "util", "utils"}
)  # fmt: skip
_SOURCE_FOLDERS: Final = ("src", "lib", "code")
_SOLUTIONS: Final = (
    "solution/{}.py", "solutions/{}.py", "reference/{}.py", "{}_solution.py", "{}_solutions.py",
    "{}_sol.py", "{}_reference.py", "solution_{}.py", "solution.py", "solutions.py",
    "reference_solution.py",
)  # fmt: skip
_STARTERS: Final = (
    "starter/{}.py", "starter_code/{}.py", "skeleton/{}.py", "template/{}.py", "stub/{}.py",
    "handout/{}.py", "student/{}.py", "{}_starter.py", "starter_{}.py", "{}_skeleton.py",
    "starter.py", "starter_code.py", "skeleton.py", "template.py",
)  # fmt: skip
_TEST_FOLDERS: Final = ("tests", "test")
_FARTHEST: Final = 3  # levels between named files and the folder that contains them all
_MAX_NAMES: Final = 6


def is_test_file(name: str) -> bool:
    """Return whether a file's name is that of a test module."""
    stem = PurePosixPath(name).stem
    return name.endswith(".py") and (
        stem.startswith("test_") or stem.endswith(("_test", "_tests")) or stem in ("test", "tests")
    )


def load_python_folder(
    folder: Path | None,
    *,
    solution: Path | None = None,
    tests: Sequence[Path] = (),
    starter: Path | None = None,
    advice: tuple[str, str] = ("name it with --solution", "name one with --solution"),
) -> Assignment:
    """Read a solution and its tests.

    Args:
        folder: The folder around them; by default the one that contains all named files.
        solution: The solution's file; by default found by convention.
        tests: Test files, or folders of them; by default found by convention.
        starter: The starter's file; by default found by convention, if there is one.
        advice: What to do where no file, or more than one, may be the solution.

    Raises:
        DefinitionError: A file cannot be used, or the choice of a file is ambiguous.
        UsageError: A named file does not exist or lies outside the folder.
    """
    named = [path for path in (solution, *tests, starter) if path is not None]
    for path in named:
        if path.is_symlink():
            raise error_in(path, "a symbolic link is not followed; name the file itself")
        if not path.exists():
            raise UsageError(f"there is no {printable_name(path)}")
    if folder is None:
        parents = [path.absolute() if path.is_dir() else path.absolute().parent for path in named]
        root = Path(os.path.commonpath(parents))
        if any(len(path.relative_to(root).parts) > _FARTHEST for path in parents):
            raise UsageError(
                "the solution and its tests lie in folders far apart; put them into one folder"
            )
    else:
        root = folder.absolute()
    files = FolderFiles(root)
    names = {path: _find_name(root, path) for path in named}
    reader = _Reader(files, [names[path] for path in tests], advice, is_whole=folder is not None)
    return reader.read_assignment(
        None if solution is None else names[solution], None if starter is None else names[starter]
    )


def _find_name(root: Path, path: Path) -> str:
    """Return a file's path relative to the folder."""
    try:
        return path.absolute().relative_to(root).as_posix()
    except ValueError:
        message = f"{printable_name(path)} does not lie in {printable_name(root)}"
        raise UsageError(message) from None


class _Reader:
    """A reader for the files of one assignment."""

    def __init__(
        self, files: FolderFiles, tests: Sequence[str], advice: tuple[str, str], *, is_whole: bool
    ) -> None:
        self._files = files
        self._is_whole = is_whole
        self._advice_if_none, self._advice_if_several = advice
        self._read: dict[str, tuple[str, ast.Module]] = {}
        self._notes: list[str] = []
        self._tests = self._find_tests(tests)
        # Direct imports of the tests: names of files by their place in the assignment.
        self._tested: dict[str, str] = {}
        for name in self._tests:
            self._tested |= self._find_imported_files(name, is_test=True)
        self._tested = {
            place: name for place, name in self._tested.items() if name not in self._tests
        }

    def read_assignment(self, solution: str | None, starter: str | None) -> Assignment:
        """Find the files that were not named, and read all files."""
        place, source, replaced_file = self._find_solution(solution)
        places = {place: source}  # names of files by their place in the assignment
        waiting = [*self._tested.items(), (place, source)]
        while waiting:
            next_place, name = waiting.pop()
            if next_place in places and name != source:
                continue
            places.setdefault(next_place, name)
            imports = self._find_imported_files(name, is_test=False)
            waiting += [item for item in imports.items() if item[0] not in places]
        for name in self._tests:
            if any(module_name.level for module_name in walk_imports(self._parse(name))):
                packages = (f"{parent}/__init__.py" for parent in PurePosixPath(name).parents)
                places |= {package: package for package in packages if package in self._files}
        patterns = (pattern.format(PurePosixPath(place).stem) for pattern in _STARTERS)
        starters = (
            name for name in patterns if name in self._files and name not in (place, source)
        )
        starter = starter or replaced_file or next(starters, None)
        modules = {place: self._load(name)[0] for place, name in sorted(places.items())}
        tests = {name: self._load(name)[0] for name in self._tests}
        nodes = [node for name in self._tests for node in self._parse(name).body]
        has_function = any(
            isinstance(node, ast.FunctionDef) and node.name.startswith("test") for node in nodes
        )
        is_unittest = any(map(is_test_case, nodes)) and not has_function
        texts = [*modules.values(), *tests.values()]
        data = {
            name: content
            for name, content in self._files.read_data().items()
            if self._is_whole or any(PurePosixPath(name).name in text for text in texts)
        }
        path, here = self._files.find_path(source), Path.cwd()
        return Assignment(
            name=self._files.root.name,
            kind="unittest" if is_unittest else "pytest",
            solution=place,
            modules=modules,
            tests=tests,
            starter=None if starter is None else self._load(starter)[0],
            data=data,
            notes=(*self._notes, *self._files.notes),
            source=(path.relative_to(here) if path.is_relative_to(here) else path).as_posix(),
        )

    def _load(self, name: str) -> tuple[str, ast.Module]:
        """Return a file's text and its syntax tree."""
        if name not in self._read:
            path = self._files.find_path(name)
            try:
                source = read_text(path, MAX_FILE)
            except UnreadableError as error:
                raise UsageError(str(error)) from error
            self._read[name] = source, parse(source, path)
        return self._read[name]

    def _parse(self, name: str) -> ast.Module:
        return self._load(name)[1]

    # Tests

    def _find_tests(self, named: Sequence[str]) -> list[str]:
        """Return the names of files that contain tests."""
        chosen: list[str] = []
        for name in named or ["."]:
            if self._files.find_path(name).is_dir():
                prefix = "" if name == "." else f"{name}/"
                chosen += [
                    file
                    for file in self._files.python
                    if file.startswith(prefix) and is_test_file(file)
                ]
            else:
                chosen.append(name)
        test_files = [name for name in chosen if has_test(self._parse(name))]
        for name in test_files:
            for node in self._parse(name).body:
                targets = node.targets if isinstance(node, ast.Assign) else ()
                if any(isinstance(t, ast.Name) and t.id == "pytest_plugins" for t in targets):
                    message = "plugins of pytest are not loaded; put their fixtures into this file"
                    raise error_in(self._files.find_path(name), message, node.lineno)
        parents = {parent for name in test_files for parent in PurePosixPath(name).parents}
        for conftest in sorted(str(parent / "conftest.py") for parent in parents):
            if conftest in self._files:
                self._leave_out_conftest(conftest)
        if test_files:
            return sorted(dict.fromkeys(test_files))
        if chosen:
            message = (
                "there is no test in it: pytest collects functions and methods whose names begin "
                "with 'test'"
            )
            raise error_in(self._files.find_path(chosen[0]), message)
        message = (
            "there are no tests: no file test_*.py or *_test.py, no notebook of nbgrader or otter, "
            "no folder of a problem, of Exercism or of Etude; name them with --tests"
        )
        raise error_in(self._files.root, message)

    def _leave_out_conftest(self, name: str) -> None:
        """Leave out a conftest file that only makes modules importable; refuse any other."""
        for node in self._parse(name).body:
            text = ast.unparse(node)
            # An assignment for `sys.path`.
            is_folder = isinstance(node, ast.Assign) and "__file__" in text
            if not (_is_boilerplate(node) or is_folder or "sys.path" in text):
                message = "a conftest file is not run; put its fixtures into the file of the tests"
                raise error_in(self._files.find_path(name), message, node.lineno)
        self._notes.append(
            f"{printable_name(name)} was left out: the folder can be imported from anyway"
        )

    # Imports

    def _find_imported_files(self, name: str, *, is_test: bool) -> dict[str, str]:
        """Return the files of the folder that a file imports, by their place in the assignment."""
        files: dict[str, str] = {}
        for module_name in walk_imports(self._parse(name)):
            files |= self._resolve(module_name, name, is_test=is_test)
        return files

    def _resolve(
        self, module_name: ImportedName, importer: str, *, is_test: bool
    ) -> dict[str, str]:
        here = PurePosixPath(importer).parent
        if module_name.level:
            for _ in range(module_name.level - 1):
                here = here.parent
            return self._find_module(module_name.parts, here, PurePosixPath())
        for base in dict.fromkeys((str(here), ".", *_SOURCE_FOLDERS)):
            # Both a test's folder and the assignment's own folder are on Python's path.
            strip = PurePosixPath() if is_test and base == str(here) else PurePosixPath(base)
            if files := self._find_module(module_name.parts, PurePosixPath(base), strip):
                return files
        return {}

    def _find_module(
        self, parts: Sequence[str], base: PurePosixPath, strip: PurePosixPath
    ) -> dict[str, str]:
        """Return the file of a module, and those of the packages around it."""
        packages: dict[str, str] = {}
        for length in range(1, len(parts)):
            name = str(base.joinpath(*parts[:length], "__init__.py"))
            if name in self._files:
                packages[str(PurePosixPath(name).relative_to(strip))] = name
        for length in range(len(parts), 0, -1):
            module_path = base.joinpath(*parts[:length])
            for name in (f"{module_path}.py", f"{module_path}/__init__.py"):
                if name in self._files:
                    return {**packages, str(PurePosixPath(name).relative_to(strip)): name}
        return {}

    # The solution

    def _find_solution(self, named: str | None) -> tuple[str, str, str | None]:
        """Return the solution's place, its file, and the file that it replaces."""
        candidates = self._find_candidates()
        if named is not None:
            tested_place = next(
                (place for place, name in self._tested.items() if name == named), None
            )
            place = tested_place or self._find_replaced_module(named, candidates)
            return place, named, None if tested_place else candidates.get(place)
        if not candidates:
            return self._find_unimported_solution()
        place = self._choose(candidates)
        for name in (pattern.format(PurePosixPath(place).stem) for pattern in _SOLUTIONS):
            if name in self._files and name not in self._tested.values() and name != place:
                self._notes.append(f"{name} is the solution: it replaces {place} for the tests")
                return place, name, candidates[place]
        return place, candidates[place], None

    def _find_candidates(self) -> dict[str, str]:
        """Return the modules that tests import, without package files and helpers."""
        candidates: dict[str, str] = {}
        for place, name in self._tested.items():
            is_package = PurePosixPath(name).name == "__init__.py"
            if is_package and all(map(_is_boilerplate, self._parse(name).body)):
                # The package only re-exports names, so the modules that it imports are meant.
                prefix = name.removesuffix(place)
                candidates |= {
                    module_place.removeprefix(prefix): file
                    for module_place, file in self._find_imported_files(name, is_test=False).items()
                    if file != name
                }
            else:
                candidates[place] = name
        modules = {
            place: name
            for place, name in candidates.items()
            if PurePosixPath(place).stem not in _HELPERS
            and PurePosixPath(place).parts[0] not in _TEST_FOLDERS
            and not is_test_file(place)
        }
        return modules or candidates

    def _find_replaced_module(self, named: str, candidates: dict[str, str]) -> str:
        """Return the path of the module that a named solution replaces."""
        stem, missing = PurePosixPath(named).stem, self._find_missing()
        paths = [*candidates] or [f"{name}.py" for name in missing]
        same = [path for path in paths if PurePosixPath(path).stem == stem]
        if len(paths) != 1 and len(same) != 1:
            modules = ", ".join([*candidates, *missing][:_MAX_NAMES]) or "no module of the folder"
            message = f"the tests import {modules}, and none of these is this file"
            raise error_in(self._files.find_path(named), message)
        if not candidates and not same:
            self._notes.append(f"{named} is imported as {missing[0]}, the name in the tests")
        return (same or paths)[0]

    def _find_unimported_solution(self) -> tuple[str, str, str | None]:
        """Find the solution of tests that import no existing module."""
        missing, lines = self._find_missing(), list[int]()
        message = "the tests import no module of the folder"
        if missing:
            first = missing[0]
            names = (pattern.format(first) for pattern in _SOLUTIONS)
            name = next((name for name in names if name in self._files), None)
            if len(missing) == 1 and name is not None:
                self._notes.append(f"{name} is imported as {first}, the name in the tests")
                return f"{first}.py", name, None
            message = f"the tests import {first!r}, and no file has it"
            imports = walk_imports(self._parse(self._tests[0]))
            lines = [module.line for module in imports if module.parts[0] == first]
        message = f"there is no solution: {message}; {self._advice_if_none}"
        raise error_in(self._files.find_path(self._tests[0]), message, *lines[:1])

    def _find_missing(self) -> list[str]:
        """Return the modules that tests import although neither the folder nor Python has them."""
        missing: dict[str, None] = {}
        for name in self._tests:
            for module_name in walk_imports(self._parse(name)):
                if not module_name.level and not self._resolve(module_name, name, is_test=True):
                    missing.setdefault(module_name.parts[0])
        for name in [*missing]:
            with contextlib.suppress(ImportError, ValueError):
                if name in sys.stdlib_module_names or find_spec(name) is not None:
                    del missing[name]
        return [*missing]

    def _choose(self, candidates: dict[str, str]) -> str:
        """Return the only candidate for the solution.

        Raises:
            UsageError: There are several candidates.
        """
        stems = {place: PurePosixPath(place).stem for place in candidates}
        test_stems = {PurePosixPath(name).stem for name in self._tests}
        named_solution = [
            place for place, stem in stems.items() if stem in ("solution", "solutions")
        ]
        named_by_test = [
            place
            for place, stem in stems.items()
            if test_stems & {f"test_{stem}", f"{stem}_test", f"{stem}_tests"}
        ]
        imported = {
            imported_place
            for place, name in candidates.items()
            for imported_place in self._find_imported_files(name, is_test=False)
            if imported_place != place
        }
        not_imported = [place for place in candidates if place not in imported]
        for choice in (list(candidates), named_solution, named_by_test, not_imported):
            if len(choice) == 1:
                return choice[0]
        several = ", ".join(list(candidates)[:_MAX_NAMES])
        message = f"each of these may be the solution: {several}; {self._advice_if_several}"
        raise error_in(self._files.root, message)


def _is_boilerplate(node: ast.stmt) -> bool:
    """Return whether a statement is an import, a string, or metadata about the module."""
    match node:
        case ast.Import() | ast.ImportFrom() | ast.Pass() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Assign(targets=[target, *_]):
            return ast.unparse(target).startswith("__")
    return False
