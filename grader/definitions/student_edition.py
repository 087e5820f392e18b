"""The student edition of an exercise: a definition without secrets.

It lacks hidden tests, solution, explanation, misconceptions and mutants, and comments, which are
written for other authors. It also lacks visible tests that need the solution (`expect: solution`,
`run` without `stdout`, a budget without a reference) or the course's own reference. These tests are
counted with the hidden ones.

`PUBLIC` lists the keys that it may have, so a new key of the format is left out until it is listed.
Only a valid exercise has a student edition, so anything unclear about a test is an error.
"""

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from grader.definitions.collection import read_exercise
from grader.definitions.emit import emit
from grader.definitions.exercise import Exercise, FromExpression, FromReference, TestCase
from grader.definitions.files import (
    COURSE_FILE,
    LESSON_SUFFIX,
    REQUIREMENTS_FILE,
    TRACK_FILE,
    exists,
    files_by_folder,
    lessons_folder,
    read_data_files,
    read_file,
)
from grader.definitions.images import ImageError, image_path, image_paths, read_image
from grader.definitions.rules.test_rules import uses_any
from grader.definitions.yaml_source import ListNode, MappingNode, Node, Scalar, read_yaml
from grader.errors import Location, ProblemList, UsageError

PUBLIC: Final = frozenset(
    {
        "id", "title", "kind", "difficulty", "xp", "requires", "concepts", "minutes",
        "instructions", "defines", "starter", "tests", "hints", "forbid", "limits",
        "files", "files_to_submit",
    }
)  # fmt: skip
"""The keys of an exercise that its student edition keeps, although it keeps only some tests."""
PUBLIC_OF_COURSE: Final = frozenset({"title", "packages"})
"""The keys of a `course.yaml` that the student edition keeps."""

# The block of a lesson that lists data files. The parser of lessons cannot be used, since it is in
# a higher layer.
_DATA_FILES: Final = re.compile(r"^(```|~~~)files[ \t]*\n(.*?)^\1", re.MULTILINE | re.DOTALL)
_MAX_FILE_BYTES: Final = 64 << 20  # size of a file that is copied unchanged


def student_text(path: Path) -> str:
    """Return the student edition of an exercise as YAML.

    The loader reads the same public content from it as from the full edition, with `edition:
    student` and, in `hidden_elsewhere`, the number of tests that were left out.

    Raises:
        UsageError: There is no such file.
        DefinitionError: It is not a valid exercise.
    """
    exercise, document = read_exercise(path)
    absolute = path.absolute()
    # Escaped, so that the comment stays on one line with any name.
    name = ascii(f"{absolute.parent.name}/{absolute.name}")[1:-1]
    edition = emit(_student_edition(exercise, document.root))
    return f"# Generated from {name}, the full edition: edit that file.\n{edition}"


def student_files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the path below the folder and the content of each file of the student edition.

    Track files and the contents of `lessons` folders are unchanged. Other files are left out.

    Raises:
        UsageError: There is no such folder.
        DefinitionError: See `student_text`.
    """
    done = set[Path]()  # two exercises may show the same image
    for path, content in _student_files(folder):
        name = Path(os.path.normpath(path))
        if name not in done:
            yield name.as_posix(), content
        done.add(name)


def write_bundle(collection: Path, target: Path) -> list[Path]:
    """Write the student edition of a collection into a new or empty folder.

    Returns:
        The files written, in order.

    Raises:
        UsageError: The target folder is not empty, or cannot be written.
        DefinitionError: A definition is not valid; nothing is written.
    """
    files = list(student_files(collection))  # complete before writing, so that errors leave nothing
    try:
        target.mkdir(parents=True, exist_ok=True)
        if any(target.iterdir()):
            raise UsageError(f"{target} is not empty; name a new folder")
        written = []
        for name, content in files:
            path = target / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            written.append(path)
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {error.strerror}") from error
    return written


def _student_files(folder: Path) -> Iterator[tuple[Path, bytes]]:
    course = folder / COURSE_FILE
    if exists(course):
        document = read_yaml(course)
        problems = ProblemList(document.problems)
        if not isinstance(document.root, MappingNode):
            problems.stop(document.root.where, "expected a mapping")
        problems.raise_if_any()
        root = document.root
        public = tuple(entry for entry in root.entries if entry[0].text in PUBLIC_OF_COURSE)
        text = f"# Generated: edit the course's own file.\n{emit(MappingNode(root.where, public))}"
        yield Path(COURSE_FILE), text.encode()
        requirements = course.with_name(REQUIREMENTS_FILE)
        if root.get("packages") is not None and exists(requirements):
            yield Path(REQUIREMENTS_FILE), read_file(requirements, _MAX_FILE_BYTES)
    for below, exercises in files_by_folder(folder).items():
        track = below / TRACK_FILE
        if exists(track):
            lessons = lessons_folder(below)
            for path in (track, *(_all_files(lessons) if lessons else ())):
                yield path.relative_to(folder), read_file(path, _MAX_FILE_BYTES)
                if path.suffix == LESSON_SUFFIX:
                    yield from _beside_lesson(path, folder)
        for path in exercises:
            yield path.relative_to(folder), student_text(path).encode()
            yield from _beside_exercise(path, folder)


def _beside_lesson(path: Path, folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield the images and the data files of a lesson."""
    text = read_file(path, _MAX_FILE_BYTES).decode("utf-8", "replace")
    yield from _images(text, path, folder)
    where = Location(path)
    lines = (line.strip() for block in _DATA_FILES.finditer(text) for line in block[2].split("\n"))
    names = [line for line in lines if line]
    read_data_files(folder, [("files", name, where) for name in names], where)
    for name in names:
        yield Path(name), read_file(folder / name, _MAX_FILE_BYTES)


def _beside_exercise(path: Path, folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield the images and the visible data files of an exercise."""
    exercise, _ = read_exercise(path)
    for written in exercise.files:
        yield Path(written), exercise.data[Path(written).name]
    for text in (exercise.instructions, *(hint.text for hint in exercise.hints)):
        yield from _images(text, path, folder)


def _images(markdown: str, definition: Path, folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield the images of a text, without invalid ones, which building the pages reports."""
    for written in image_paths(markdown):
        with contextlib.suppress(ImageError):
            path = image_path(written, definition)
            yield path.relative_to(folder.resolve()), read_image(written, definition)


def _all_files(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder, except hidden files and those in hidden folders."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if path.is_dir() and not path.is_symlink():
            yield from _all_files(path)
        else:
            yield path


def _student_edition(exercise: Exercise, root: Node) -> MappingNode:
    assert isinstance(root, MappingNode)  # otherwise it would not be a valid exercise
    own_package = exercise.course.reference if exercise.course else ""
    without = frozenset(
        name
        for name, definition in exercise.defines.items()
        if definition.reference is None or _is_own(definition.reference, own_package)
    )
    public_tests = [
        not test.hidden and not _needs_secret(test, without, own_package) for test in exercise.tests
    ]
    left_out = exercise.hidden_elsewhere + public_tests.count(False)
    entries: list[tuple[Scalar, Node]] = [
        _entry(root.where, "edition", "student"),
        _entry(root.where, "hidden_elsewhere", left_out),
    ]
    for key, value in root.entries:
        match key.text, value:
            case "tests", ListNode(where, tests):
                pairs = zip(tests, public_tests, strict=True)
                entries.append((key, ListNode(where, tuple(t for t, public in pairs if public))))
            case "defines", MappingNode():
                entries.append((key, _without_reference(value, own_package)))
            case name, _ if name in PUBLIC:
                entries.append((key, value))
    return MappingNode(root.where, tuple(entries))


def _needs_secret(test: TestCase, without: frozenset[str], own: str) -> bool:
    """Return whether a test needs the solution, a program, or the course's own reference."""
    if test.needs_solution or test.kind == "suite":
        return True
    if test.budget is not None and uses_any(test.code, without):
        return True
    match test.expect:
        case FromExpression(code=code) if own:
            return uses_any(code, without | {own})
        case FromReference() if own:
            return uses_any(test.code, without | {own})
    return False


def _without_reference(defines: MappingNode, own: str) -> MappingNode:
    """Return the node of `defines` without references to the course's own package."""
    entries: list[tuple[Scalar, Node]] = []
    for name, definition in defines.entries:
        reference = definition.get("reference") if isinstance(definition, MappingNode) else None
        if isinstance(reference, Scalar) and _is_own(reference.text, own):
            assert isinstance(definition, MappingNode)  # for the type checker
            others = tuple(entry for entry in definition.entries if entry[0].text != "reference")
            entries.append((name, MappingNode(definition.where, others)))
        else:
            entries.append((name, definition))
    return MappingNode(defines.where, tuple(entries))


def _is_own(reference: str, own: str) -> bool:
    """Return whether a reference is in the course's own package."""
    return bool(own) and reference.partition(":")[0].partition(".")[0] == own


def _entry(where: Location, key: str, value: str | int) -> tuple[Scalar, Scalar]:
    return Scalar(where, key, "plain", key), Scalar(where, str(value), "plain", value)
