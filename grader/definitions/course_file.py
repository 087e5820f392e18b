"""The loading of `course.yaml`, and of the package of its reference."""

import ast
import hashlib
import json
import sys
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from grader.definitions import course_packages
from grader.definitions.course import CertificationMode, Course
from grader.definitions.decode import decode
from grader.definitions.exercise import documented_field
from grader.definitions.files import read_file, refuse_link
from grader.definitions.wording import quote
from grader.definitions.yaml_source import Document, read_yaml
from grader.errors import DefinitionError, Location, Problem, ProblemList

MAX_MODULES: Final = 200  # modules of a course's reference
# Names of other packages that can be imported where the reference is.
_RESERVED_NAMES: Final = frozenset({"grader", "numpy", "pytest", "reference", "sitegen"})


@dataclass(frozen=True, slots=True)
class CourseDefinition:
    """`course.yaml`, beside the tracks: names a course, and what its exercises share."""

    where: Location
    title: str = documented_field("The name of the course.")
    reference: str | None = documented_field(
        "The folder of the course's own reference, a Python package beside this file. Definitions "
        "name its functions as `package.module:name`. It is imported where expected values are "
        "computed, and nowhere else: no submission, handout or page has it.",
        default=None,
    )
    packages: tuple[str, ...] = documented_field(
        "Modules beside NumPy that submissions, tests and lessons may import, as in `import`: "
        "`scipy`, `sklearn`. The package is installed beside Etude: `etude packages install` takes "
        "it from `requirements.txt` in this folder. Name and version are part of the hash of each "
        "exercise. Each is imported before a submission runs, which saves "
        "time: name `scipy.optimize` if the exercises use that. Between a test and a submission "
        "only plain values and NumPy arrays pass: no `DataFrame`, no `Tensor`.",
        default=(),
    )
    grading: CertificationMode = documented_field(
        "`certified`: pages run the visible tests alone, and the grader says whether a submission "
        "passes. `practice`, for self-study: pages also run the hidden tests, on inputs drawn for "
        "the site, and show the solution after a pass. Readers of their data can find both.",
        default="certified",
    )


def load_course(path: Path) -> Course:
    """Load a course from its `course.yaml`, with the modules of its reference.

    Raises:
        UsageError: There is no such file.
        DefinitionError: It is not valid, or a module of the reference is not valid Python.
    """
    document = read_yaml(path)
    definition = decode(document, CourseDefinition)
    problems = ProblemList()
    sources: dict[str, str] = {}
    if definition.reference is not None:
        try:
            sources = _sources(document, definition.reference)
        except DefinitionError as error:
            for problem in error.problems:
                problems.add(problem.where, problem.message)
    versions = set()
    missing: dict[str, Problem] = {}
    for index, module in enumerate(definition.packages):
        where = document.node("packages", index).where
        if reason := course_packages.explain_refusal(module):
            problems.add(where, f"packages: {quote(module)} {reason}")
        elif reason := course_packages.explain_absence(module):
            missing[module] = Problem(where, f"packages: {quote(module)} {reason}")
            versions.add(module)  # the digest differs from that with the package
        else:
            versions.add(course_packages.describe_version(module))
    problems.raise_if_any()
    contents = json.dumps([definition.reference, sorted(sources.items()), sorted(versions)])
    return Course(
        definition.where,
        definition.title,
        definition.grading,
        reference=definition.reference or "",
        sources=sources,
        packages=tuple(module for module in definition.packages if module not in missing),
        problem_by_package=missing,
        digest=hashlib.sha256(contents.encode()).hexdigest() if sources or versions else "",
    )


def digest_in_course(digest: str, course: Course | None, data: Iterable[str] = ()) -> str:
    """Return the digest of an exercise, made from its file, its course and its data files.

    Args:
        digest: The digest of the file.
        data: The digests of its data files.
    """
    parts = [digest, *([course.digest] if course is not None and course.digest else []), *data]
    return digest if len(parts) == 1 else hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _sources(document: Document, name: str) -> dict[str, str]:
    """Return the source of each module of a reference, by path below the course."""
    where = document.node("reference").where
    if not name.isidentifier():
        message = f"reference: {quote(name)} is not the name of a Python package"
        raise DefinitionError.at(where, message)
    if name in _RESERVED_NAMES or name in sys.stdlib_module_names:
        message = f"{quote(name)} is the name of another package; call the folder otherwise"
        raise DefinitionError.at(where, f"reference: {message}")
    course = document.path.parent
    refuse_link(course / name)
    if not (course / name / "__init__.py").is_file():
        message = f"reference: there is no {name}/__init__.py beside {document.path.name}"
        raise DefinitionError.at(where, message)
    sources: dict[str, str] = {}
    for path in _modules(course / name):
        if len(sources) == MAX_MODULES:
            message = f"reference: more than {MAX_MODULES} modules"
            raise DefinitionError.at(where, message)
        try:
            text = read_file(path).decode("utf-8-sig")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # invalid escapes are a linter's job
                ast.parse(text)
        except UnicodeDecodeError:
            raise DefinitionError.at(Location(path), "not UTF-8") from None
        except SyntaxError as error:
            at = Location(path, error.lineno or 1, error.offset or 1)
            raise DefinitionError.at(at, f"not valid Python: {error.msg}") from None
        except (MemoryError, RecursionError, ValueError):
            raise DefinitionError.at(Location(path), "too complex to read") from None
        sources[path.relative_to(course).as_posix()] = text
    return sources


def _modules(folder: Path) -> Iterator[Path]:
    """Yield the modules in a package and its subpackages."""
    for path in sorted(folder.iterdir()):
        if path.is_dir() and (path / "__init__.py").exists():
            refuse_link(path)
            yield from _modules(path)
        elif path.suffix == ".py" and path.stem.isidentifier():
            yield path
