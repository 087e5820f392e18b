"""The files of a collection: their places, the ids in their names, and their contents.

A collection is a folder with tracks and standalone exercises. A track has the files
`<track>/track.yaml`, `<track>/<nn>-<id>.yaml` and `<track>/lessons/<nn>-<id>.md`, and a standalone
exercise has `<nn>-<id>.yaml`; the number may be left out. A `course.yaml` beside the tracks makes
it a course, and a `schedule.yaml` has its due dates. Names that begin with a dot are ignored. Files
and folders in a collection must not be symbolic links, which could expose other files of this
machine, but the folder itself may be one.
"""

import hashlib
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from grader.definitions.wording import quote
from grader.errors import DefinitionError, Location, ProblemList, UsageError
from grader.safe_files import FolderError, IrregularFileError, LinkError, open_regular

TRACK_FILE: Final = "track.yaml"
COURSE_FILE: Final = "course.yaml"
REQUIREMENTS_FILE: Final = "requirements.txt"  # beside it, for pip
SCHEDULE_FILE: Final = "schedule.yaml"
LESSONS: Final = "lessons"
SUFFIXES: Final = frozenset({".yaml", ".yml"})

LESSON_SUFFIX: Final = ".md"
MAX_BYTES: Final = 1 << 20  # size of a definition or a lesson
MAX_DATA_BYTES: Final = 8 << 20  # size of a data file
_MAX_TOTAL_BYTES: Final = 12 << 20  # size of all data files, which share the scratch folder's space
_NUMBER: Final = re.compile(r"\d+-(?=.)")


def default_folder() -> Path:
    """Return the folder of Etude's own exercises, in an installed package or in a checkout."""
    package = Path(__file__).parents[1]
    packaged = package / "_content" / "exercises"
    return packaged if packaged.is_dir() else package.parent / "exercises"


def courses() -> dict[str, Path]:
    """Return the folders of Etude's own courses by name."""
    paths = default_folder().parent.glob(f"courses/*/{COURSE_FILE}")
    return {path.parent.name: path.parent for path in sorted(paths)}


def is_path(name: str, suffixes: Collection[str] = SUFFIXES) -> bool:
    """Return whether a name on a command line is a path: with a separator or one of the suffixes.

    Any other name is an id, even if a file of that name exists. Otherwise a file could replace the
    exercise with that id.
    """
    return "/" in name or os.sep in name or name in {".", ".."} or name.endswith(tuple(suffixes))


def path_hint(name: str) -> str:
    """Return a hint about a file or folder with the name of an unknown id, or ""."""
    if not os.path.lexists(name):
        return ""
    kind = "folder" if Path(name).is_dir() else "file"
    return f" (for the {kind} here, write {quote(f'./{name}')})"


def files_by_folder(*folders: Path) -> dict[Path, list[Path]]:
    """Return the exercise files of a collection by folder, with standalone ones first.

    Several folders are listed one after the other.

    Raises:
        UsageError: There is no such folder, it cannot be read, or it is a single track.
        DefinitionError: A track's folder is a symbolic link, or a name cannot be printed.
    """
    files: dict[Path, list[Path]] = {}
    for path in folders:
        if not path.is_dir():
            raise UsageError(f"no folder '{path}'; name the folder that holds the exercises")
        if exists(path / TRACK_FILE):
            raise UsageError(f"'{path}' is a single track; name the folder above it")
        files[path] = exercise_files(path)
        for below in filter(Path.is_dir, _visible(path)):
            exercises = exercise_files(below)
            if exercises or exists(below / TRACK_FILE):
                refuse_link(below)
                _refuse_unprintable(below)
                files[below] = exercises
    return files


def folder_list(folders: Iterable[Path]) -> str:
    """Return the folders of a collection for a message, separated by colons, as in PATH."""
    return os.pathsep.join(map(str, folders))


def exercise_files(folder: Path) -> list[Path]:
    """Return the exercise files in a folder, sorted by name.

    Raises:
        DefinitionError: A name cannot be printed.
    """
    return [
        _refuse_unprintable(path)
        for path in _visible(folder)
        if path.suffix in SUFFIXES and path.name not in {TRACK_FILE, COURSE_FILE, SCHEDULE_FILE}
    ]


def lesson_files(track_folder: Path) -> list[Path]:
    """Return the lessons of the track in a folder, sorted by name.

    Raises:
        DefinitionError: The folder of lessons is a symbolic link, or a name cannot be printed.
    """
    folder = lessons_folder(track_folder)
    if folder is None:
        return []
    return [_refuse_unprintable(path) for path in _visible(folder) if path.suffix == LESSON_SUFFIX]


def lessons_folder(track_folder: Path) -> Path | None:
    """Return the folder of a track's lessons, or None.

    Raises:
        DefinitionError: The folder is a symbolic link.
    """
    folder = track_folder / LESSONS
    refuse_link(folder)
    return folder if folder.is_dir() else None


def all_exercise_files(*folders: Path) -> list[Path]:
    """Return the exercise files of a collection; see `files_by_folder`."""
    return [path for paths in files_by_folder(*folders).values() for path in paths]


def all_lesson_files(*folders: Path) -> list[Path]:
    """Return the lessons of a collection, track by track.

    Raises:
        UsageError, DefinitionError: See `files_by_folder` and `lesson_files`.
    """
    return [path for below in files_by_folder(*folders) for path in lesson_files(below)]


def course_file(exercise: Path) -> Path:
    """Return the path of the `course.yaml` of an exercise's collection, which may not exist."""
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


def read_file(path: Path, max_bytes: int = MAX_BYTES) -> bytes:
    """Return the content of a file of a collection.

    Raises:
        UsageError: There is no such file.
        DefinitionError: It is a symbolic link, not a regular file, larger than `max_bytes`, or
            cannot be read.
    """
    try:
        with open_regular(path) as file:
            size = f"{os.fstat(file.fileno()).st_size:,}"
            data = file.read(max_bytes + 1)
    except FileNotFoundError:
        raise UsageError(f"no file '{path}'") from None
    except LinkError:
        raise DefinitionError.at(
            Location(path), "a symbolic link; put the file itself here"
        ) from None
    except FolderError:
        raise DefinitionError.at(Location(path), "this is a folder") from None
    except IrregularFileError:
        raise DefinitionError.at(Location(path), "not a regular file") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise DefinitionError.at(Location(path), f"the file cannot be read: {reason}") from None
    if len(data) > max_bytes:
        raise DefinitionError.at(
            Location(path), f"the file has {size} bytes; at most {max_bytes:,} are allowed"
        )
    return data


def read_data_files(
    folder: Path, listed: Sequence[tuple[str, str, Location]], whole: Location
) -> dict[str, bytes]:
    """Return the contents of data files, by name without folders.

    Args:
        listed: The key, the path as written, and the place of each entry.
        whole: The place of the definition.

    Raises:
        DefinitionError: A file is missing, too large or outside, or two have the same name.
    """
    problems = ProblemList()
    contents: dict[str, bytes] = {}
    for key, written, where in listed:
        path = PurePosixPath(written)
        if path.is_absolute() or ".." in path.parts or not path.name or "\\" in written:
            problems.add(where, f"{key}: {quote(written)} is not a path below the course's folder")
        elif path.name in contents:
            problems.add(where, f"{key}: there is another file called {quote(path.name)}")
        else:
            try:
                for above in reversed(path.parents[:-1]):
                    refuse_link(folder / above)
                contents[path.name] = read_file(folder / path, MAX_DATA_BYTES)
            except UsageError:
                message = f"{key}: there is no file {quote(written)} in the folder {folder}"
                problems.add(where, message)
            except DefinitionError as error:
                for problem in error.problems:
                    problems.add(where, f"{key}: {problem.where.path}: {problem.message}")
    total = sum(map(len, contents.values()))
    if total > _MAX_TOTAL_BYTES:
        message = f"files: {total:,} bytes together; at most {_MAX_TOTAL_BYTES:,} are allowed"
        problems.add(whole, message)
    problems.raise_if_any()
    return contents


def data_digests(data: Mapping[str, bytes]) -> Iterator[str]:
    """Yield the name and the hash of each data file."""
    for name, content in data.items():
        yield f"{name} {hashlib.sha256(content).hexdigest()}"


def refuse_link(folder: Path) -> None:
    """Refuse a folder of a collection that is a symbolic link.

    Raises:
        DefinitionError: The folder is a symbolic link.
    """
    if folder.is_symlink():
        raise DefinitionError.at(Location(folder), "a symbolic link; put the folder itself here")


def exists(path: Path) -> bool:
    """Return whether a regular file exists."""
    try:
        return path.is_file()
    except (OSError, ValueError):  # an impossible name, too long or with a NUL
        return False


def id_in_name(path: Path) -> str:
    """Return the id in a file's name: `softmax` in `03-softmax.yaml`."""
    return path.stem[len(number_in_name(path)) :]


def number_in_name(path: Path) -> str:
    """Return the number in a file's name with its hyphen: `03-` in `03-softmax.yaml`."""
    number = _NUMBER.match(path.stem)
    return number.group() if number else ""


def _refuse_unprintable(path: Path) -> Path:
    """Return a path, or raise if its name has control characters, such as line breaks."""
    if not path.name.isprintable():
        raise DefinitionError.at(
            Location(path), "this name has characters that cannot be printed; rename it"
        )
    return path


def _visible(folder: Path) -> list[Path]:
    try:
        paths = sorted(folder.iterdir())
    except OSError as error:
        raise UsageError(f"the folder '{folder}' cannot be read: {error.strerror}") from None
    return [path for path in paths if not path.name.startswith(".")]
