"""The data files of an exercise or a lesson: found below its course's folder, and read."""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from grader.definitions.files import read_file, refuse_link
from grader.definitions.load_course import course_file
from grader.definitions.wording import quote
from grader.definitions.yaml_source import Document
from grader.errors import DefinitionError, Location, ProblemList, UsageError

MOST_BYTES: Final = 8 << 20  # of a file
MOST_TOGETHER: Final = 12 << 20  # of all files; a submission writes beside them

_BLOCK: Final = re.compile(r"^(```|~~~)files[ \t]*\n(.*?)^\1", re.MULTILINE | re.DOTALL)


def read_data(document: Document, keys: Mapping[str, Sequence[str]]) -> dict[str, dict[str, bytes]]:
    """Return the contents of the files that each key of an exercise lists, by name.

    Raises:
        DefinitionError: One is missing, too large or outside, or two have the same name.
    """
    listed = [
        (key, written, document.node(key, index).where)
        for key, paths in keys.items()
        for index, written in enumerate(paths)
    ]
    contents = read_listed(course_file(document.path).parent, listed, document.root.where)
    return {
        key: {name: contents[name] for name in map(_name_of, paths)} for key, paths in keys.items()
    }


def read_listed(
    folder: Path, listed: Sequence[tuple[str, str, Location]], whole: Location
) -> dict[str, bytes]:
    """Return the contents of data files by their names without folders.

    Args:
        folder: The course's.
        listed: Of each file the key that lists it, the path as written, and its place.
        whole: The place of the definition.

    Raises:
        DefinitionError: See `read_data`.
    """
    report = ProblemList()
    found: dict[str, bytes] = {}
    for key, written, where in listed:
        path = PurePosixPath(written)
        if path.is_absolute() or ".." in path.parts or not path.name or "\\" in written:
            report.add(where, f"{key}: {quote(written)} is no path below the course's folder")
        elif path.name in found:
            report.add(where, f"{key}: there is another file called {quote(path.name)}")
        else:
            try:
                for above in reversed(path.parents[:-1]):
                    refuse_link(folder / above)
                found[path.name] = read_file(folder / path, MOST_BYTES)
            except UsageError:
                report.add(
                    where, f"{key}: there is no file {quote(written)} in the folder {folder}"
                )
            except DefinitionError as error:
                for problem in error.problems:
                    report.add(where, f"{key}: {problem.where.path}: {problem.message}")
    total = sum(map(len, found.values()))
    if total > MOST_TOGETHER:
        message = f"files: {total:,} bytes together; at most {MOST_TOGETHER:,} are allowed"
        report.add(whole, message)
    report.raise_if_any()
    return found


def listed_in_lesson(markdown: str) -> list[str]:
    """Return the paths of the data files that a lesson lists.

    Needs no parser of Markdown, which the build of a package lacks.
    """
    lines = (line.strip() for found in _BLOCK.finditer(markdown) for line in found[2].split("\n"))
    return [line for line in lines if line]


def _name_of(written: str) -> str:
    return PurePosixPath(written).name


def digest_of(data: Mapping[str, bytes]) -> Iterator[str]:
    """Yield what tells the contents of files from all others."""
    for name, content in data.items():
        yield f"{name} {hashlib.sha256(content).hexdigest()}"
