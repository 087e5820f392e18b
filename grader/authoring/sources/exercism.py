"""Practice exercises of Exercism's Python track: a stub, an exemplar, and the original tests."""

import ast
import os
from pathlib import Path, PurePosixPath
from typing import Any, Final

from grader.authoring.sources.draft import Draft, SourceDrafts
from grader.authoring.sources.program_parts import parse_or_none
from grader.authoring.sources.source_files import (
    UnreadableError,
    find_path_inside,
    parse_json,
    printable_name,
    read_first_text,
    read_text_inside,
)
from grader.authoring.sources.translate_tests import add_tests
from grader.definitions.imports import walk_imports

CONFIG: Final = ".meta/config.json"
_MODEL: Final = ("exemplar", "example")
_DOCS: Final = (
    "introduction.md",
    "introduction.append.md",
    "instructions.md",
    "instructions.append.md",
)
_MAX_FILES: Final = 20  # files of one exercise


def is_exercise(folder: Path) -> bool:
    """Return whether a folder is an Exercism exercise."""
    return os.path.lexists(folder / CONFIG)


def read_exercism(folder: Path) -> SourceDrafts:
    """Make a draft of a practice exercise.

    Raises:
        UnreadableError: A file that the exercise names cannot be read, or lies outside the folder.
    """
    config, files = read_config(folder)
    name = folder.resolve().name
    draft = Draft(origin=f"{name}/", id=name, title=name.replace("-", " ").title())
    draft.starter = _read_python(draft, folder, files["solution"], "stub")
    model = next((files[key] for key in _MODEL if files[key]), [])
    draft.solution = _read_python(draft, folder, model, "exemplar")
    texts = [read_first_text(folder, f".docs/{name}") for name in _DOCS]
    draft.instructions = "\n\n".join(text.strip("\n") for text in texts if text.strip()) + "\n"
    for line in read_first_text(folder, ".docs/hints.md").split("\n"):
        if line.startswith(("- ", "* ")):
            draft.hints.append(line[2:].strip())
        elif draft.hints and line.startswith("  ") and line.strip():
            draft.hints[-1] += f"\n{line.strip()}"  # the line continues the list item above
    count = len(draft.notes)
    for key, value in config.items():
        if key != "files" and value not in ("", [], {}, None):
            draft.notes.append((key, str(value)[:2000]))
    if keys := [printable_name(key) for key, _ in draft.notes[count:]]:
        draft.remarks.append(f"kept as notes: {', '.join(keys)}")
    modules = {
        PurePosixPath(path).stem for path in [*files["solution"], f"{name.replace('-', '_')}.py"]
    }
    _add_tests(draft, folder, files["test"], modules)
    return SourceDrafts([draft])


def read_config(folder: Path) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """Return the configuration and the files by role; by default those with the usual names.

    Raises:
        UnreadableError: See `read_exercism`.
    """
    config = parse_json(read_text_inside(folder, CONFIG), CONFIG)
    if not isinstance(config, dict):
        raise UnreadableError(f"{CONFIG} holds no object")
    listed = config.get("files")
    listed = listed if isinstance(listed, dict) else {}
    stem = folder.resolve().name.replace("-", "_")
    usual = {
        "solution": f"{stem}.py",
        "test": f"{stem}_test.py",
        "exemplar": ".meta/exemplar.py",
        "example": ".meta/example.py",
    }
    files: dict[str, list[str]] = {}
    for key, fallback in usual.items():
        names = listed.get(key) or [fallback] * os.path.lexists(folder / fallback)
        if not isinstance(names, list):
            raise UnreadableError(f"{CONFIG}: files.{key} is not a list")
        if len(names) > _MAX_FILES:
            raise UnreadableError(f"{CONFIG}: files.{key} names {len(names):,} files")
        for name in names:
            find_path_inside(folder, name)  # refuses an outside path before any file is read
        files[key] = names
    return config, files


def _read_python(draft: Draft, folder: Path, names: list[str], purpose: str) -> str:
    """Read the program in the first of some files, and keep the other files as notes."""
    programs = [name for name in names if name.endswith(".py")]
    for name in names:
        if name not in programs[:1]:
            draft.notes.append((name, read_text_inside(folder, name)))
            draft.remarks.append(
                f"{printable_name(name)} is a second file of the {purpose}; kept as a note"
            )
    if not programs:
        draft.remarks.append(f"there is no {purpose}")
        return ""
    return read_text_inside(folder, programs[0])


def _add_tests(draft: Draft, folder: Path, names: list[str], modules: set[str]) -> None:
    sources: list[str] = []
    data: dict[str, str] = {}
    for name in names:
        if not name.endswith(".py"):
            draft.notes.append((name, read_text_inside(folder, name)))
            draft.remarks.append(f"{printable_name(name)} is not Python; it is kept as a note")
            continue
        source = read_text_inside(folder, name)
        tree = parse_or_none(source) or ast.Module([], [])
        packages = {imported.parts[0] for imported in walk_imports(tree) if not imported.level}
        for package in sorted(packages - modules)[:_MAX_FILES]:
            if os.path.lexists(folder / f"{package}.py"):
                data[package] = read_text_inside(folder, f"{package}.py")
        sources.append(source)
    add_tests(draft, sources, modules, data)
