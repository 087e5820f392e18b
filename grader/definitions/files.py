"""The files of a collection: where they are, the ids in their names, and what is in them.

A collection is a folder of tracks, `<track>/track.yaml` with `<track>/<nn>-<id>.yaml` and
`<track>/lessons/<nn>-<id>.md` beside it, and of exercises in no track, `<nn>-<id>.yaml`; the number
may be left out. A `course.yaml` beside the tracks makes it a course, and a `schedule.yaml` says
when it is due. Names that begin with a dot are no part of it. None of its files and folders is a
symbolic link, which could show what is elsewhere on this machine; the folder itself may be one.
"""

import hashlib
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from grader.definitions.wording import quote
from grader.errors import DefinitionError, Location, Problem, ProblemList, UsageError
from grader.safe_files import FolderError, IrregularFileError, LinkError, open_regular

TRACK_FILE: Final = "track.yaml"
COURSE_FILE: Final = "course.yaml"
REQUIREMENTS_FILE: Final = "requirements.txt"  # beside it, for pip
SCHEDULE_FILE: Final = "schedule.yaml"
LESSONS: Final = "lessons"
SUFFIXES: Final = frozenset({".yaml", ".yml"})

LESSON_SUFFIX: Final = ".md"
MAX_BYTES: Final = 1 << 20  # of a definition, and of a lesson
MAX_DATA_BYTES: Final = 8 << 20  # of a data file
_MAX_TOGETHER: Final = 12 << 20  # of all data files; a submission writes beside them
_NUMBER: Final = re.compile(r"\d+-(?=.)")


def default_folder() -> Path:
    """Return the exercises that come with Etude: inside an installed package, or in a checkout."""
    package = Path(__file__).parents[1]
    packaged = package / "_content" / "exercises"
    return packaged if packaged.is_dir() else package.parent / "exercises"


def courses() -> dict[str, Path]:
    """Return the folders of the courses that come with Etude, by their names."""
    paths = default_folder().parent.glob(f"courses/*/{COURSE_FILE}")
    return {path.parent.name: path.parent for path in sorted(paths)}


def is_path(name: str, suffixes: Collection[str] = SUFFIXES) -> bool:
    """Return whether a name on a command line is a path: it has a separator or one of the suffixes.

    Anything else is an id, whichever files exist: else a file could take the place of the exercise
    with that id.
    """
    return "/" in name or os.sep in name or name in {".", ".."} or name.endswith(tuple(suffixes))


def path_hint(name: str) -> str:
    """Return what to write for the file or folder that is called like an unknown id, if any."""
    if not os.path.lexists(name):
        return ""
    kind = "folder" if Path(name).is_dir() else "file"
    return f" (for the {kind} here, write {quote(f'./{name}')})"


def folders_in(path: Path) -> list[Path]:
    """Return the folders of a collection: one, or several with colons between, as in PATH."""
    names = str(path).split(os.pathsep)
    return [path] if len(names) == 1 or path.is_dir() else [Path(name) for name in names]


def files_by_folder(folder: Path) -> dict[Path, list[Path]]:
    """Return the exercise files of a collection: those in no track first, then track by track.

    Of several folders, one after the other.

    Raises:
        UsageError: There is no such folder, it cannot be read, or it is a single track.
        DefinitionError: A track's folder is a symbolic link, or a name cannot be printed.
    """
    files: dict[Path, list[Path]] = {}
    for each in folders_in(folder):
        if not each.is_dir():
            raise UsageError(f"no folder '{each}'; name the folder that holds the exercises")
        if exists(each / TRACK_FILE):
            raise UsageError(f"'{each}' is a single track; name the folder above it")
        files[each] = exercise_files(each)
        for below in filter(Path.is_dir, _visible(each)):
            exercises = exercise_files(below)
            if exercises or exists(below / TRACK_FILE):
                refuse_link(below)
                _refuse_unprintable(below)
                files[below] = exercises
    return files


def exercise_files(folder: Path) -> list[Path]:
    """Return the exercise files in a folder, in the order of their names.

    Raises:
        DefinitionError: A name cannot be printed.
    """
    return [
        _refuse_unprintable(path)
        for path in _visible(folder)
        if path.suffix in SUFFIXES and path.name not in {TRACK_FILE, COURSE_FILE, SCHEDULE_FILE}
    ]


def lesson_files(track_folder: Path) -> list[Path]:
    """Return the lessons of the track in a folder, in the order of their names.

    Raises:
        DefinitionError: Their folder is a symbolic link, or a name cannot be printed.
    """
    folder = lessons_folder(track_folder)
    if folder is None:
        return []
    return [_refuse_unprintable(path) for path in _visible(folder) if path.suffix == LESSON_SUFFIX]


def lessons_folder(track_folder: Path) -> Path | None:
    """Return the folder of a track's lessons, if it has one.

    Raises:
        DefinitionError: It is a symbolic link.
    """
    folder = track_folder / LESSONS
    refuse_link(folder)
    return folder if folder.is_dir() else None


def all_lesson_files(folder: Path) -> list[Path]:
    """Return the lessons of a collection, track by track.

    Raises:
        UsageError, DefinitionError: See `files_by_folder` and `lesson_files`.
    """
    return [path for below in files_by_folder(folder) for path in lesson_files(below)]


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


def read_file(path: Path, most: int = MAX_BYTES) -> bytes:
    """Return what is in a file of a collection.

    Raises:
        UsageError: There is no such file.
        DefinitionError: It is a symbolic link or no regular file, it has more bytes than are
            allowed, or it cannot be read.
    """
    try:
        with open_regular(path) as file:
            size = f"{os.fstat(file.fileno()).st_size:,}"
            data = file.read(most + 1)
    except FileNotFoundError:
        raise UsageError(f"no file '{path}'") from None
    except LinkError:
        raise _problem(path, "a symbolic link; put the file itself here") from None
    except FolderError:
        raise _problem(path, "this is a folder") from None
    except IrregularFileError:
        raise _problem(path, "not a regular file") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise _problem(path, f"the file cannot be read: {reason}") from None
    if len(data) > most:
        raise _problem(path, f"the file has {size} bytes; at most {most:,} are allowed")
    return data


def read_data_files(
    folder: Path, listed: Sequence[tuple[str, str, Location]], whole: Location
) -> dict[str, bytes]:
    """Return the contents of data files by their names without folders.

    Args:
        listed: Of each file the key that lists it, the path as written, and its place.

    Raises:
        DefinitionError: One is missing, too large or outside, or two have the same name.
    """
    report = ProblemList()
    contents: dict[str, bytes] = {}
    for key, written, where in listed:
        path = PurePosixPath(written)
        if path.is_absolute() or ".." in path.parts or not path.name or "\\" in written:
            report.add(where, f"{key}: {quote(written)} is no path below the course's folder")
        elif path.name in contents:
            report.add(where, f"{key}: there is another file called {quote(path.name)}")
        else:
            try:
                for above in reversed(path.parents[:-1]):
                    refuse_link(folder / above)
                contents[path.name] = read_file(folder / path, MAX_DATA_BYTES)
            except UsageError:
                message = f"{key}: there is no file {quote(written)} in the folder {folder}"
                report.add(where, message)
            except DefinitionError as error:
                for problem in error.problems:
                    report.add(where, f"{key}: {problem.where.path}: {problem.message}")
    total = sum(map(len, contents.values()))
    if total > _MAX_TOGETHER:
        message = f"files: {total:,} bytes together; at most {_MAX_TOGETHER:,} are allowed"
        report.add(whole, message)
    report.raise_if_any()
    return contents


def data_digests(data: Mapping[str, bytes]) -> Iterator[str]:
    """Yield what tells the contents of data files from all others."""
    for name, content in data.items():
        yield f"{name} {hashlib.sha256(content).hexdigest()}"


def refuse_link(folder: Path) -> None:
    """Refuse a folder of a collection that is a symbolic link.

    Raises:
        DefinitionError: It is one.
    """
    if folder.is_symlink():
        raise _problem(folder, "a symbolic link; put the folder itself here")


def exists(path: Path) -> bool:
    """Return whether there is a regular file."""
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


def _refuse_unprintable(path: Path) -> Path:
    """Refuse a name that could steer a terminal or begin a line of a log; return any other."""
    if not path.name.isprintable():
        raise _problem(path, "this name has characters that cannot be printed; rename it")
    return path


def _problem(path: Path, message: str) -> DefinitionError:
    return DefinitionError([Problem(Location(path), message)])


def _visible(folder: Path) -> list[Path]:
    try:
        paths = sorted(folder.iterdir())
    except OSError as error:
        raise UsageError(f"the folder '{folder}' cannot be read: {error.strerror}") from None
    return [path for path in paths if not path.name.startswith(".")]
