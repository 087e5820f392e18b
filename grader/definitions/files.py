"""Where definitions are: the files of a collection, and the ids that their names carry.

A collection is a folder of tracks, `<track>/track.yaml` with `<track>/<nn>-<id>.yaml` and
`<track>/lessons/<nn>-<id>.md` beside it, and of exercises in no track, `<nn>-<id>.yaml`; the number
may be left out. Names that begin with a dot are no part of it.
"""

import os
import re
from collections.abc import Collection
from pathlib import Path
from typing import Final

from grader.definitions.wording import quote
from grader.errors import UsageError

TRACK_FILE: Final = "track.yaml"
LESSONS: Final = "lessons"
SUFFIXES: Final = frozenset({".yaml", ".yml"})

LESSON_SUFFIX: Final = ".md"
_NUMBER: Final = re.compile(r"\d+-(?=.)")


def default_folder() -> Path:
    """Return the exercises that come with Etude: inside an installed package, or in a checkout."""
    package = Path(__file__).parents[1]
    packaged = package / "_content" / "exercises"
    return packaged if packaged.is_dir() else package.parent / "exercises"


def is_path(name: str, suffixes: Collection[str] = SUFFIXES) -> bool:
    """Return whether a name on a command line is a path: it has a separator or one of the suffixes.

    Anything else is an id. Which files exist plays no part, since whoever can make a file could
    otherwise put it in the place of the exercise with that id.
    """
    return "/" in name or os.sep in name or name in {".", ".."} or name.endswith(tuple(suffixes))


def path_hint(name: str) -> str:
    """Return what to write for the file or folder that is called like an unknown id, if any."""
    if not os.path.lexists(name):
        return ""
    kind = "folder" if Path(name).is_dir() else "file"
    return f" (for the {kind} here, write {quote(f'./{name}')})"


def files_by_folder(folder: Path) -> dict[Path, list[Path]]:
    """Return the exercise files of a collection: those in no track first, then track by track.

    Raises:
        UsageError: There is no such folder, it cannot be read, or it is a single track.
    """
    if not folder.is_dir():
        raise UsageError(f"no folder '{folder}'; name the folder that holds the exercises")
    if exists(folder / TRACK_FILE):
        raise UsageError(f"'{folder}' is a single track; name the folder above it")
    files = {folder: exercise_files(folder)}
    for below in sorted(folder.iterdir()):
        if not below.name.startswith(".") and below.is_dir():
            found = exercise_files(below)
            if found or exists(below / TRACK_FILE):
                files[below] = found
    return files


def exercise_files(folder: Path) -> list[Path]:
    """Return the exercise files in a folder, in the order of their names."""
    return [
        path for path in _visible(folder) if path.suffix in SUFFIXES and path.name != TRACK_FILE
    ]


def lesson_files(track_folder: Path) -> list[Path]:
    """Return the lessons of the track in a folder, in the order of their names."""
    folder = track_folder / LESSONS
    if not folder.is_dir():
        return []
    return [path for path in _visible(folder) if path.suffix == LESSON_SUFFIX]


def exists(path: Path) -> bool:
    """Tell whether there is a regular file."""
    try:
        return path.is_file()
    except (OSError, ValueError):  # too long, or with a NUL: no file has such a name
        return False


def id_in_name(path: Path) -> str:
    """Return the id in a file's name: `softmax` in `03-softmax.yaml`."""
    return path.stem[len(number_in_name(path)) :]


def number_in_name(path: Path) -> str:
    """Return what stands before the id: `03-` in `03-softmax.yaml`."""
    number = _NUMBER.match(path.stem)
    return number.group() if number else ""


def _visible(folder: Path) -> list[Path]:
    try:
        paths = sorted(folder.iterdir())
    except OSError as error:
        raise UsageError(f"the folder '{folder}' cannot be read: {error.strerror}") from None
    return [path for path in paths if not path.name.startswith(".")]
