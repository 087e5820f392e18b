"""Loading of a course: its `course.yaml`, and the package of its reference."""

import ast
import hashlib
import json
import sys
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from grader.definitions import packages
from grader.definitions.course import CourseDefinition
from grader.definitions.decode import decode
from grader.definitions.exercise import Course
from grader.definitions.files import (
    COURSE_FILE,
    LESSON_SUFFIX,
    LESSONS,
    TRACK_FILE,
    exists,
    read_file,
    refuse_link,
)
from grader.definitions.wording import quote
from grader.definitions.yaml_source import Document, read
from grader.errors import DefinitionError, Location, Problem, ProblemList

MOST_MODULES: Final = 200  # of a course's reference
# Names that mean something else where the reference is imported.
_TAKEN: Final = frozenset({"grader", "numpy", "pytest", "reference", "sitegen"})


def load_course(path: Path) -> Course:
    """Load a course, given its `course.yaml`, with the modules of its reference.

    Raises:
        UsageError: There is no such file.
        DefinitionError: It is not valid, or a module of the reference is no Python.
    """
    document = read(path)
    definition = decode(document, CourseDefinition)
    report = ProblemList()
    sources: dict[str, str] = {}
    if definition.reference is not None:
        try:
            sources = _sources(document, definition.reference)
        except DefinitionError as error:
            for problem in error.problems:
                report.add(problem.where, problem.message)
    versions = set()
    for index, module in enumerate(definition.packages):
        if why := packages.refusal(module):
            where = document.node("packages", index).where
            report.add(where, f"packages: {quote(module)} {why}")
        else:
            versions.add(packages.version(module))
    report.raise_if_any()
    contents = json.dumps([definition.reference, sorted(sources.items()), sorted(versions)])
    return Course(
        definition.where,
        definition.title,
        definition.grading,
        reference=definition.reference or "",
        sources=sources,
        packages=definition.packages,
        digest=hashlib.sha256(contents.encode()).hexdigest() if sources or versions else "",
    )


def course_file(exercise: Path) -> Path:
    """Return where the `course.yaml` of an exercise's collection is, if it has one."""
    folder = exercise.parent
    if exists(folder / TRACK_FILE):
        folder = folder.parent if folder.name not in {"", ".."} else folder / ".."
    return folder / COURSE_FILE


def course_folder(definition: Path) -> Path:
    """Return the folder of the course that an exercise or a lesson is in."""
    folder = definition.parent
    if definition.suffix == LESSON_SUFFIX and folder.name == LESSONS:
        return folder.parent.parent
    return course_file(definition).parent


def digest_in_course(digest: str, course: Course | None, data: Iterable[str] = ()) -> str:
    """Return the digest of an exercise: of its file, and of what it takes from its course.

    Args:
        digest: of its file.
        course: its course.
        data: what tells its data files from others.
    """
    parts = [digest, *([course.digest] if course is not None and course.digest else []), *data]
    return digest if len(parts) == 1 else hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _sources(document: Document, name: str) -> dict[str, str]:
    """Return the modules of a reference by their paths below the course."""
    where = document.node("reference").where
    refusal = _refusal(name)
    if refusal:
        raise DefinitionError([Problem(where, f"reference: {refusal}")])
    course = document.path.parent
    refuse_link(course / name)
    if not (course / name / "__init__.py").is_file():
        message = f"reference: there is no {name}/__init__.py beside {document.path.name}"
        raise DefinitionError([Problem(where, message)])
    sources: dict[str, str] = {}
    for path in _modules(course / name):
        if len(sources) == MOST_MODULES:
            message = f"reference: more than {MOST_MODULES} modules"
            raise DefinitionError([Problem(where, message)])
        sources[path.relative_to(course).as_posix()] = _source(path)
    return sources


def _refusal(name: str) -> str:
    """Return why a name cannot be that of a course's reference; "" if it can."""
    if not name.isidentifier():
        return f"{quote(name)} is no name of a Python package"
    if name in _TAKEN or name in sys.stdlib_module_names:
        return f"{quote(name)} is the name of another package; call the folder otherwise"
    return ""


def _modules(folder: Path) -> Iterator[Path]:
    """Yield the modules in a package, those of packages below it too."""
    for path in sorted(folder.iterdir()):
        if path.is_dir() and (path / "__init__.py").exists():
            refuse_link(path)
            yield from _modules(path)
        elif path.suffix == ".py" and path.stem.isidentifier():
            yield path


def _source(path: Path) -> str:
    """Return the text of a module, which is parsed and not run."""
    try:
        text = read_file(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DefinitionError([Problem(Location(path), "not UTF-8")]) from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # doubtful escapes are a linter's job
            ast.parse(text)
    except SyntaxError as error:
        where = Location(path, error.lineno or 1, error.offset or 1)
        raise DefinitionError([Problem(where, f"not valid Python: {error.msg}")]) from None
    except (MemoryError, RecursionError, ValueError):
        raise DefinitionError([Problem(Location(path), "too complex to read")]) from None
    return text
