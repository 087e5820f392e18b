"""The data files of an exercise: found below its course's folder, and read."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final

from grader.definitions.files import read_file, refuse_link
from grader.definitions.load_course import course_file
from grader.definitions.problem_list import ProblemList
from grader.definitions.wording import quote
from grader.definitions.yaml_source import Document
from grader.errors import DefinitionError, UsageError

MOST_BYTES: Final = 8 << 20  # of a file
MOST_TOGETHER: Final = 12 << 20  # of an exercise's files; a submission writes beside them


def read_data(document: Document, keys: Mapping[str, Sequence[str]]) -> dict[str, dict[str, bytes]]:
    """Return the contents of the files that each key of an exercise lists, by name.

    Raises:
        DefinitionError: One is missing, too large or outside, or two have the same name.
    """
    report = ProblemList()
    folder = course_file(document.path).parent
    found: dict[str, dict[str, bytes]] = {key: {} for key in keys}
    total = 0
    for key, paths in keys.items():
        for index, written in enumerate(paths):
            where = document.node(key, index).where
            path = PurePosixPath(written)
            if path.is_absolute() or ".." in path.parts or not path.name or "\\" in written:
                report.add(where, f"{key}: {quote(written)} is no path below the course's folder")
            elif any(path.name in names for names in found.values()):
                report.add(where, f"{key}: there is another file called {quote(path.name)}")
            else:
                try:
                    for above in reversed(path.parents[:-1]):
                        refuse_link(folder / above)
                    found[key][path.name] = data = read_file(folder / path, MOST_BYTES)
                    total += len(data)
                except UsageError:
                    report.add(where, f"{key}: there is no file {quote(str(folder / path))}")
                except DefinitionError as error:
                    for problem in error.problems:
                        report.add(where, f"{key}: {problem.where.path}: {problem.message}")
    if total > MOST_TOGETHER:
        message = f"files: {total:,} bytes together; at most {MOST_TOGETHER:,} are allowed"
        report.add(document.root.where, message)
    report.raise_if_any()
    return found


def digest_of(data: Mapping[str, bytes]) -> Iterator[str]:
    """Yield what tells the contents of files from all others."""
    for name, content in data.items():
        yield f"{name} {hashlib.sha256(content).hexdigest()}"
