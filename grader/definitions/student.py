"""The student edition of an exercise: a definition without secrets.

It has no hidden tests, solution, explanation, misconceptions or mutants, and no comments, which are
written for other authors. Nor has it the visible tests that need the solution: `expect: solution`,
`run` without `stdout`, a budget where there is no reference; or that need a course's own reference,
which stays with the course. They are counted with the hidden ones.

`PUBLIC` lists what it may have, so a new key of the format stays out until it is listed. Whatever
is unclear about a test is an error, never a visible test.
"""

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, get_args

from grader.definitions.decode import keys_of
from grader.definitions.emit import emit
from grader.definitions.exercise import TestCase
from grader.definitions.files import (
    COURSE_FILE,
    LESSON_SUFFIX,
    REQUIREMENTS_FILE,
    TRACK_FILE,
    course_file,
    exists,
    files_by_folder,
    folders_in,
    lessons_folder,
    read_data_files,
    read_file,
)
from grader.definitions.images import ImageError, image_path, image_paths, read_image
from grader.definitions.rules.test_rules import uses_any
from grader.definitions.wording import quote
from grader.definitions.yaml_source import Document, Mapping, Node, Scalar, Sequence, read
from grader.errors import Location, ProblemList, UsageError

PUBLIC: Final = frozenset(
    {
        "id", "title", "kind", "difficulty", "xp", "requires", "concepts", "minutes",
        "instructions", "defines", "starter", "tests", "hints", "forbid", "limits",
        "files", "files_to_submit",
    }
)  # fmt: skip
"""The keys of an exercise that its student edition keeps; of the tests, those it can compare."""
PUBLIC_OF_COURSE: Final = frozenset({"title", "packages"})
"""The keys of a `course.yaml` that the student edition keeps."""

# The block of a lesson that lists data files; the parser of lessons is in a layer above.
_DATA_FILES: Final = re.compile(r"^(```|~~~)files[ \t]*\n(.*?)^\1", re.MULTILINE | re.DOTALL)
_LARGEST_FILE: Final = 64 << 20  # bytes of a file that is handed on as it is
_TEST_KEYS: Final = frozenset[str]().union(*map(keys_of, get_args(TestCase)))


def student_text(path: Path) -> str:
    """Return the student edition of an exercise as YAML.

    Our loader reads the same public content from it as from the full edition, with `edition:
    student` and, in `hidden_elsewhere`, how many tests were left out.

    Raises:
        UsageError: There is no such file.
        DefinitionError: It is not YAML that we read, or it is unclear which tests are hidden. The
            exercise as a whole is not checked: that is `load_exercise`.
    """
    document = read(path)
    report = ProblemList(document.problems)
    course = course_file(path)
    reference = read(course).node("reference") if exists(course) else None
    own = reference.text if isinstance(reference, Scalar) else ""
    edition = _student_edition(document, report, own)
    for scalar in _scalars(edition):
        if scalar.note:
            report.add(scalar.where, scalar.note)
    report.raise_if_any()
    absolute = path.absolute()
    # On one line, whatever the names are.
    name = ascii(f"{absolute.parent.name}/{absolute.name}")[1:-1]
    return f"# Generated from {name}, the full edition: edit that file.\n{emit(edition)}"


def student_files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield every file of a collection's student edition: path below the folder, and content.

    Tracks and what is in their `lessons` folders stay as they are. Other files are left out.

    Raises:
        UsageError: There is no such folder.
        DefinitionError: See `student_text`.
    """
    if len(folders_in(folder)) > 1:
        raise UsageError("a student edition is made of one collection; name one folder")
    done = set[Path]()  # two exercises may show the same image
    for path, content in _student_files(folder):
        name = Path(os.path.normpath(path))
        if name not in done:
            yield name.as_posix(), content
        done.add(name)


def _student_files(folder: Path) -> Iterator[tuple[Path, bytes]]:
    course = folder / COURSE_FILE
    if exists(course):
        document = read(course)
        report = ProblemList(document.problems)
        if not isinstance(document.root, Mapping):
            report.stop(document.root.where, "expected a mapping")
        report.raise_if_any()
        root = document.root
        public = tuple(entry for entry in root.entries if entry[0].text in PUBLIC_OF_COURSE)
        text = f"# Generated: edit the course's own file.\n{emit(Mapping(root.where, public))}"
        yield Path(COURSE_FILE), text.encode()
        requirements = course.with_name(REQUIREMENTS_FILE)
        if root.get("packages") is not None and exists(requirements):
            yield Path(REQUIREMENTS_FILE), read_file(requirements, _LARGEST_FILE)
    for below, exercises in files_by_folder(folder).items():
        track = below / TRACK_FILE
        if exists(track):
            lessons = lessons_folder(below)
            for path in (track, *(_all_files(lessons) if lessons else ())):
                yield path.relative_to(folder), read_file(path, _LARGEST_FILE)
                if path.suffix == LESSON_SUFFIX:
                    yield from _beside_lesson(path, folder)
        for path in exercises:
            yield path.relative_to(folder), student_text(path).encode()
            yield from _beside_exercise(path, folder)


def _beside_lesson(path: Path, folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield the images and the data files of a lesson."""
    text = read_file(path, _LARGEST_FILE).decode("utf-8", "replace")
    yield from _images(text, path, folder)
    where = Location(path)
    lines = (line.strip() for block in _DATA_FILES.finditer(text) for line in block[2].split("\n"))
    names = [line for line in lines if line]
    read_data_files(folder, [("files", name, where) for name in names], where)
    for name in names:
        yield Path(name), read_file(folder / name, _LARGEST_FILE)


def _beside_exercise(path: Path, folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield the images and the visible data files of an exercise."""
    document = read(path)
    files = document.node("files")
    items = files.items if isinstance(files, Sequence) else ()
    listed = [("files", item.text, item.where) for item in items if isinstance(item, Scalar)]
    read_data_files(course_file(path).parent, listed, document.root.where)  # or raise what is wrong
    for _, name, _ in listed:
        yield Path(name), read_file(folder / name, _LARGEST_FILE)
    for key in ("instructions", "hints"):
        for scalar in _scalars(document.node(key)) if document.has(key) else ():
            yield from _images(scalar.text, path, folder)


def _images(markdown: str, definition: Path, folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield the images of a text, but those that pages cannot show, which is an error there."""
    for written in image_paths(markdown):
        with contextlib.suppress(ImageError):
            path = image_path(written, definition)
            yield path.relative_to(folder.resolve()), read_image(written, definition)


def _all_files(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder, but none whose way there has a name with a dot in front."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if path.is_dir() and not path.is_symlink():
            yield from _all_files(path)
        else:
            yield path


def _student_edition(document: Document, report: ProblemList, own: str) -> Mapping:
    root = document.root
    if not isinstance(root, Mapping):
        report.stop(root.where, "expected a mapping")
    tests = root.get("tests")
    if not isinstance(tests, Sequence):
        report.stop(document.node("tests").where, "tests: expected a list")
    defines = root.get("defines")
    defined = defines.entries if isinstance(defines, Mapping) else ()
    without = frozenset(
        key.text for key, definition in defined if not _has_reference(definition, own)
    )
    public_tests = tuple(
        test
        for test in tests.items
        if not _is_hidden(test, report) and not _needs_secret(test, without, own)
    )
    left_out = len(tests.items) - len(public_tests)
    match root.get("hidden_elsewhere"):
        case Scalar(value=int(count)):  # it is a student edition already
            left_out += count
    entries: list[tuple[Scalar, Node]] = [
        _entry(root.where, "edition", "student"),
        _entry(root.where, "hidden_elsewhere", left_out),
    ]
    for key, value in root.entries:
        if key.text in PUBLIC:
            kept_value = value
            if value is tests:
                kept_value = Sequence(value.where, public_tests)
            elif value is defines and own:
                kept_value = _without_reference(defines, own)
            entries.append((key, kept_value))
    return Mapping(root.where, tuple(entries))


def _is_hidden(test: Node, report: ProblemList) -> bool:
    """Return whether a test is hidden; what the loader would not understand is not visible."""
    if not isinstance(test, Mapping):
        report.stop(test.where, "tests: expected a mapping")
    for key, _ in test.entries:
        if key.text not in _TEST_KEYS:
            report.add(key.where, f"unknown key {quote(key.text)} in a test")
    hidden = test.get("hidden")
    if hidden is None:
        return False
    if isinstance(hidden, Scalar) and isinstance(hidden.value, bool):
        return hidden.value
    note = hidden.note if isinstance(hidden, Scalar) else ""
    report.add(hidden.where, f"hidden: {note or 'expected true or false'}")
    return True


def _needs_secret(test: Node, without: frozenset[str], own: str) -> bool:
    """Return whether a test needs a program, or compares with a course's own reference."""
    if not isinstance(test, Mapping):
        return False
    needs = any(test.get(key) is not None for key in ("figure", "suite"))
    match test.get("run"), test.get("stdout"):
        case ((Scalar() | Sequence() | Mapping()), (None | Scalar(value=None))):
            needs = True
    match test.get("expect"):
        case Scalar(style="plain", text="solution"):
            needs = True
    match test.get("budget"), test.get("call"):
        case Mapping(), Scalar(text=call):
            needs = needs or uses_any(call, without)
    if not own:
        return needs
    match test.get("call"), test.get("holds"), test.get("expect"):
        case _, None, Mapping(entries=((Scalar(text="expression"), Scalar(text=code)),)):
            return needs or uses_any(code, without | {own})
        case Scalar(text=call), None, (None | Scalar(style="plain", text="reference")):
            return needs or uses_any(call, without | {own})
    return needs


def _without_reference(defines: Node, own: str) -> Node:
    """Return what is to be defined, without the names of a course's own reference."""
    if not isinstance(defines, Mapping):
        return defines
    return Mapping(
        defines.where,
        tuple(
            (name, definition)
            if not isinstance(definition, Mapping) or _has_reference(definition, own)
            else (
                name,
                Mapping(
                    definition.where,
                    tuple(e for e in definition.entries if e[0].text != "reference"),
                ),
            )
            for name, definition in defines.entries
        ),
    )


def _has_reference(definition: Node, own: str) -> bool:
    """Return whether the student edition has the reference, other than a course's own."""
    match definition.get("reference") if isinstance(definition, Mapping) else None:
        case Scalar(value=str(reference)):
            return not own or reference.partition(":")[0].partition(".")[0] != own
        case _:
            return False


def _entry(where: Location, key: str, value: str | int) -> tuple[Scalar, Scalar]:
    return Scalar(where, key, "plain", key), Scalar(where, str(value), "plain", value)


def _scalars(node: Node) -> Iterator[Scalar]:
    match node:
        case Scalar():
            yield node
        case Sequence(items=items):
            for item in items:
                yield from _scalars(item)
        case Mapping(entries=entries):
            for key, value in entries:
                yield key
                yield from _scalars(value)
