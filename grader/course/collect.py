"""Submissions from a learning platform: downloads put into `<student>/<exercise>.py` or `.ipynb`.

Canvas and Moodle name what they hand out by these patterns (as of 2026):

    lovelaceada_LATE_1234_56789_token_lookup-1.py              Canvas: name, id, submission, file
    Ada Lovelace_1234_assignsubmission_file_/token_lookup.py   Moodle: name, id, file
    ada/token_lookup.py                                        a folder for each student

A file of an exercise that asks for several goes to `<student>/<exercise>/<file>`. It is named after
what only one exercise asks for, or lies in a folder named after the exercise.
"""

import contextlib
import datetime as dt
import functools
import os
import re
import stat
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final

from grader.course.grades import name_key
from grader.errors import UsageError
from grader.grading.results.submission import is_notebook
from grader.grading.results.zips import is_code as is_submission
from grader.grading.results.zips import is_passed_over
from grader.notebooks import MAX_NOTEBOOK
from grader.reports.formats import write_whole
from grader.safe_files import IrregularFileError, open_regular
from grader.sandbox.limits import SOURCE_CAP

_CANVAS: Final = re.compile(
    r"(?P<name>[^_/]+)_(?:LATE_)?(?P<id>[0-9]+)_[0-9]+_(?P<file>[^/]+\.(?:py|ipynb))"
)
_MOODLE: Final = re.compile(
    r"(?P<name>[^_/]+)_(?P<id>[0-9]+)_assignsubmission_file_/?(?P<file>[^/]+\.(?:py|ipynb))"
)
_FOLDER: Final = re.compile(r"(?P<name>[^/]+)/(?P<file>[^/]+\.(?:py|ipynb))")
_COPY: Final = re.compile(r"(?:-[0-9]+|\s*\([0-9]+\))$")  # what is added to a name that is there
_MOST_FILES: Final = 100_000


@dataclass(frozen=True, slots=True)
class Found:
    """A file of a download."""

    path: str  # in the download, with slashes
    changed: float  # seconds since 1970
    read: Callable[[], bytes]  # at most one byte more than a submission may have


@dataclass(frozen=True, slots=True)
class _Exercises:
    """The exercises that files are named after."""

    exercise_of: Callable[[str], str | None]
    several: Mapping[str, Sequence[str]]  # the files of those that ask for several

    def asks_for(self, exercise: str, file: str) -> bool:
        """Return whether an exercise asks for a file, beside others."""
        return f"{PurePosixPath(file).stem}.py" in self.several.get(exercise, ())

    def place(self, stem: str) -> str | list[str]:
        """Return the path of a file below its student's, without suffix.

        If there is none, return the exercises that it could belong to.
        """
        for name in dict.fromkeys((stem, _COPY.sub("", stem))):
            if exercise := self.exercise_of(name):
                return exercise
            if asking := [each for each in self.several if self.asks_for(each, f"{name}.py")]:
                return f"{asking[0]}/{name}" if len(asking) == 1 else asking
        return []


@dataclass(slots=True)
class Collected:
    """The outcome of collecting a download.

    Attributes:
        placed: the files that were written, by the path that they have now.
        kept: files that were there already, and newer or the same.
        left_out: the files of the download that could not be placed, and why.
    """

    placed: dict[str, str] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)


def collect(
    source: Path,
    into: Path,
    exercise_of: Callable[[str], str | None],
    names: Mapping[str, str] | None = None,
    several: Mapping[str, Sequence[str]] | None = None,
) -> Collected:
    """Put the files of a zip or a folder into a folder for each student.

    Of two files for the same exercise the newer one counts. Each keeps its date.

    Args:
        source: what was downloaded.
        into: the folder for the submissions; it is made if it is not there.
        exercise_of: gives the id of the exercise that a file is named after.
        names: the student that an id or a name of the platform stands for, as `name_key` writes
            it; without it the platform's name and id are the student's.
        several: the files of each exercise that asks for several, by its id.

    Raises:
        UsageError: the source cannot be read.
    """
    exercises = _Exercises(exercise_of, several or {})
    done = Collected()
    newest: dict[tuple[str, str], Found] = {}  # a Python file or a notebook
    with contextlib.ExitStack() as stack:
        for found in _files(source, stack):
            if is_passed_over(PurePosixPath(found.path).name) or "__MACOSX/" in found.path:
                continue
            place = _place(found.path, exercises, names)
            if isinstance(place, str):
                done.left_out[found.path] = place
                continue
            other = newest.get(place)
            if other is not None and other.changed >= found.changed:
                done.left_out[found.path] = f"{other.path} is newer"
                continue
            if other is not None:
                done.left_out[other.path] = f"{found.path} is newer"
            newest[place] = found
        for (student, name), found in newest.items():
            suffix = PurePosixPath(found.path).suffix
            _write(into / student / f"{name}{suffix}", found, done)
    return done


def _place(
    path: str, exercises: _Exercises, names: Mapping[str, str] | None
) -> tuple[str, str] | str:
    """Return the student of a file and its path without suffix, or why there are none."""
    parts = PurePosixPath(path).parts
    if path.startswith("/") or ".." in parts or "\\" in path or "\0" in path:
        return "its path leads outside"
    folder = parts[-2] if len(parts) > 1 else ""
    if exercises.asks_for(folder, parts[-1]):
        parts = (*parts[:-2], parts[-1])
    else:
        folder = ""
    tail = "/".join(parts[-2:])
    patterns = (_MOODLE.fullmatch(tail), _CANVAS.fullmatch(parts[-1]), _FOLDER.fullmatch(tail))
    match = next((each for each in patterns if each), None)
    if match is None:
        is_code = is_submission(path)
        return "no student is named in its path" if is_code else "neither Python nor a notebook"
    facts = match.groupdict()
    stem = facts["file"].rpartition(".")[0]
    place = f"{folder}/{stem}" if folder else exercises.place(stem)
    if isinstance(place, list):
        return (
            f"{len(place)} exercises ask for {stem}.py; put it into a folder named after one"
            if place
            else f"there is no exercise {stem!r}"
        )
    name, number = facts["name"].strip(), facts.get("id")
    if names is None:
        student = name if number is None else f"{name}_{number}"
    else:
        known = (names.get(name_key(key)) for key in (number, name) if key)
        student = next((each for each in known if each), "")
        if not student:
            return f"{name!r} is not on the roster"
    if is_passed_over(student) or "/" in student:
        return f"{student!r} cannot be the name of a folder"
    return student, place


def _write(target: Path, found: Found, done: Collected) -> None:
    """Write a file with its date, unless what is there is newer or the same."""
    try:
        data = found.read()
    except (
        IrregularFileError,
        OSError,
        zipfile.BadZipFile,
        NotImplementedError,
        RuntimeError,
    ) as e:
        done.left_out[found.path] = f"it cannot be read: {e}"
        return
    if len(data) > (cap := _cap(found.path)):
        done.left_out[found.path] = f"it has more than {cap >> 10:,} KiB"
        return
    if target.is_symlink() or target.parent.is_symlink():
        raise UsageError(f"{target} is reached by a symbolic link")
    if target.exists() and (target.stat().st_mtime >= found.changed or target.read_bytes() == data):
        done.kept.append(str(target))
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    write_whole(target, data)
    os.utime(target, (found.changed, found.changed))
    done.placed[str(target)] = found.path


def _cap(path: str) -> int:
    return MAX_NOTEBOOK if is_notebook(Path(path)) else SOURCE_CAP


def _files(source: Path, stack: contextlib.ExitStack) -> Iterator[Found]:
    def read(path: Path) -> bytes:
        with open_regular(path, below=source) as file:
            return file.read(_cap(path.name) + 1)

    if source.is_dir():
        for here, folders, files in os.walk(source):
            folders.sort()
            for name in sorted(files):
                path = Path(here, name)
                changed = path.lstat().st_mtime
                inner = path.relative_to(source).as_posix()
                yield Found(inner, changed, functools.partial(read, path))
        return
    try:
        archive = stack.enter_context(zipfile.ZipFile(source))
    except (OSError, zipfile.BadZipFile) as error:
        raise UsageError(f"{source} is neither a folder nor a zip: {error}") from None
    entries = archive.infolist()
    if len(entries) > _MOST_FILES:
        raise UsageError(f"{source} has more than {_MOST_FILES:,} files")
    yield from (_of_zip(archive, each) for each in entries if not each.is_dir())


def _of_zip(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Found:
    def read() -> bytes:
        if stat.S_ISLNK(entry.external_attr >> 16):
            raise IrregularFileError("it is a symbolic link")
        with archive.open(entry) as file:
            return file.read(_cap(entry.filename) + 1)

    # A zip has no time zone: it is that of the machine that made it, taken for this one's.
    try:
        changed = dt.datetime(*entry.date_time).timestamp()  # noqa: DTZ001  see above
    except ValueError:
        changed = 0.0
    return Found(entry.filename, changed, read)
