"""Collection of submissions from a platform's download as `<student>/<exercise>.py` or `.ipynb`.

Platforms name downloaded files by these patterns (as of 2026):

    lovelaceada_LATE_1234_56789_token_lookup-1.py              Canvas: name, id, upload, file
    Ada Lovelace_1234_assignsubmission_file_/token_lookup.py   Moodle: name, id, file
    Homework_ada_attempt_2026-11-20-10-00-00_token_lookup.py   Blackboard: login, date, file
    12-34 - Ada Lovelace - Nov 20, 2026 1000 AM/token_lookup.py
                                                    (Brightspace: id, name, date)
    ada/token_lookup.py                                        a folder for each student

`times.csv` in the output folder records when each submission was made, and the source of that time:
the file's name, or its date in the download. Canvas' names only mark late files, and the dates in
its zips are the date of the download. If all files have the same date, it is that of the download
and is dropped.

The student is the outermost part of a path that matches a pattern or is on the roster. A file of an
exercise that asks for several files goes to `<student>/<exercise>/<file>`. Such a file has a name
that only one exercise asks for, or lies in a folder named after the exercise.
"""

import contextlib
import datetime as dt
import functools
import io
import os
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import Final

from grader.course.times_file import TIMES_FILE, are_at_once, read_times, write_times
from grader.errors import UsageError
from grader.grading.submissions.platform_names import PlatformName
from grader.grading.submissions.submission import (
    Submission,
    compute_digest,
    is_notebook,
    size_limit,
)
from grader.grading.submissions.submission_time import FileDate, SubmissionTime, is_clone
from grader.grading.submissions.submitted_files import Candidate, choose, list_possible_ids
from grader.grading.submissions.zips import (
    ZipError,
    entry_path,
    find_single_code_file,
    is_code,
    is_folder,
    is_ignored,
    is_zip,
    list_files,
    open_zip,
    read_entry,
)
from grader.notebook_files import MAX_NOTEBOOK
from grader.safe_files import IrregularFileError, open_regular
from grader.student_names import LOST_ZEROS, find_lost_zeros, name_key
from grader.whole_files import write_whole

_MAX_FILES: Final = 100_000  # files in a download's zip
_ROSTER_ADVICE: Final = "name the students with --roster"
_ALIAS_ADVICE: Final = "put it into its column 'alias', beside the student"


class _RefusalError(Exception):
    """The reason for leaving out a file."""


@dataclass(frozen=True, slots=True)
class _Upload:
    """A file that a student uploaded, in a download."""

    path: str  # path in the download, with slashes
    changed: float  # seconds since 1970
    read: Callable[[int], bytes]  # reads at most so many bytes, or raises ZipError
    inner: str = ""  # path inside the student's own zip, whose path is then `path`
    source: FileDate = FileDate.FILE

    @property
    def platform(self) -> PlatformName | None:
        """The student's name and other facts in the outermost path part that a platform wrote."""
        return next(filter(None, map(PlatformName.parse, PurePosixPath(self.path).parts)), None)

    @property
    def outer_folders(self) -> list[str]:
        """The folders outside of that part."""
        folders = PurePosixPath(self.path).parts[:-1]
        return [*takewhile(lambda part: not PlatformName.parse(part), folders)]

    @property
    def name(self) -> str:
        return self.inner or self.path

    @property
    def label(self) -> str:
        return f"{self.path}/{self.inner}" if self.inner else self.path


@dataclass(frozen=True, slots=True)
class _Naming:
    """The rules by which a file belongs to an exercise."""

    exercise_of: Callable[[str], str | None]
    files_of: Mapping[str, Sequence[str]]  # required files of each exercise that asks for several
    single: str | None = None  # exercise for files without an exercise's name, or None

    def is_named(self, file: _Upload, exercise: str) -> bool:
        """Return whether the file or a folder around it is named after the exercise."""
        return exercise in map(self.exercise_of, PurePosixPath(file.label).parts)

    def list_paths(self, file: _Upload) -> list[str]:
        """Return the paths of a file; a notebook with several exercises has one for each."""
        path, ids = Path(file.name), list[str]()
        if is_notebook(path) and self.exercise_of(path.name) is None:
            names = Submission.from_bytes(path, file.read(size_limit(path))).sections
            ids = [name for name in names if self.exercise_of(name) == name]
        return ids or [self.find_path(file)]

    def find_path(self, file: _Upload) -> str:
        """Return a file's path below the student's folder, without suffix.

        Raises:
            _RefusalError: The path fits no exercise, or more than one.
        """
        *parts, name = PurePosixPath(file.label).parts
        stems = {
            exercise: PurePosixPath(part).stem
            for exercise, files in self.files_of.items()
            for part in files
            if list_possible_ids(part)[0] in list_possible_ids(name)
        }
        for folder in filter(None, map(self.exercise_of, reversed(parts))):
            if folder in stems:
                return f"{folder}/{stems[folder]}"
        if exercise := self.exercise_of(name):
            return exercise
        stem = PurePosixPath(name).stem
        if len(stems) > 1:
            raise _RefusalError(
                f"{len(stems)} exercises ask for {stem}.py; put it into a folder named after one"
            )
        if stems:
            ((exercise, stem),) = stems.items()
            return f"{exercise}/{stem}"
        if self.single is not None and self.single not in self.files_of:
            return self.single
        file_name = platform.file if (platform := PlatformName.parse(stem)) else stem
        raise _RefusalError(
            f"there is no exercise {file_name!r}; rename it, or give --exercise if all are of one"
        )


@dataclass(slots=True)
class CollectResult:
    """The outcome of collecting a download.

    Attributes:
        placed: The written files, by their new path.
        unchanged: Student and exercise of submissions whose existing file is newer or the same.
        left_out: The reason why each other file of the download was not placed.
        is_damaged: True if a file of the download could not be read.
        times: The times of the written files, by student and exercise.
        are_dates_equal: True if all dates were equal, and therefore are not submission times.
    """

    placed: dict[str, str] = field(default_factory=dict)
    unchanged: set[tuple[str, str]] = field(default_factory=set)
    left_out: dict[str, str] = field(default_factory=dict)
    is_damaged: bool = False
    times: dict[tuple[str, str], SubmissionTime] = field(default_factory=dict)
    are_dates_equal: bool = False


def collect(
    source: Path,
    into: Path,
    exercise_of: Callable[[str], str | None],
    students_by_name: Mapping[str, str] | None = None,
    files_by_exercise: Mapping[str, Sequence[str]] | None = None,
    single_exercise: str | None = None,
) -> CollectResult:
    """Copy the files of a zip or folder into one folder per student.

    If a student has two files for an exercise, `choose` decides between them. Files keep their
    dates.

    Args:
        source: The download.
        into: The folder for the submissions, which is created if necessary.
        exercise_of: Returns the id of the exercise after which a file or folder is named, or None.
        students_by_name: The student for each platform id or name, in the form of `name_key`.
            Without it, the platform's name and id identify the student.
        files_by_exercise: The required files of each exercise that asks for several.
        single_exercise: The exercise of a download for a single assignment, whose files may have
            any name.

    Raises:
        UsageError: The source, or the times of earlier downloads, cannot be read.
    """
    naming = _Naming(exercise_of, files_by_exercise or {}, single_exercise)
    result = CollectResult()
    earlier = read_times(into / TIMES_FILE) if (into / TIMES_FILE).exists() else {}
    files_with_paths: list[tuple[_Upload, str]] = []
    with contextlib.ExitStack() as stack:
        for packed in _walk_source(source, stack, result):
            with _record_refusals(result, packed):
                files_with_paths += _find_files(packed, naming, result)
        chosen: dict[tuple[str, str], list[tuple[Candidate, _Upload]]] = {}
        unnamed_files = [file for file, _ in files_with_paths if file.platform is None]
        level = _find_level(unnamed_files, naming)
        for file, relative_path in files_with_paths:
            with _record_refusals(result, file):
                student = _find_student(file, students_by_name, level, naming)
                candidate = _make_candidate(file, _find_platform_name(file, students_by_name))
                chosen.setdefault((student, relative_path), []).append((candidate, file))
        for (student, relative_path), candidates in sorted(chosen.items()):
            files = _select_files(candidates, relative_path, naming, result)
            best, left_out = choose([candidate for candidate, _ in files])
            result.left_out.update({str(path): reason for path, reason in left_out.items()})
            for file in [file for candidate, file in files if candidate is best]:
                suffix = PurePosixPath(file.name).suffix.lower()
                key = student, relative_path.split("/")[0]
                with _record_refusals(result, file):
                    if _write(into / student / f"{relative_path}{suffix}", key, file, result):
                        _note_time(result, key, file, _find_platform_name(file, students_by_name))
    result.are_dates_equal = are_at_once((who, time) for (who, _), time in result.times.items())
    if result.are_dates_equal:
        result.times = {
            key: SubmissionTime(None, time.source) if time.at else time
            for key, time in result.times.items()
        }
    if result.times:
        write_times(into / TIMES_FILE, earlier | result.times)
    return result


def _select_files(
    files: list[tuple[Candidate, _Upload]],
    relative_path: str,
    naming: _Naming,
    result: CollectResult,
) -> list[tuple[Candidate, _Upload]]:
    """Return a student's candidate files: of one person only, and named ones if there are any."""
    people = {(platform.name, platform.id) for _, file in files if (platform := file.platform)}
    if len({number for _, number in people if number}) > 1:
        listing = " and ".join(f"{name!r} with {number}" for name, number in sorted(people))
        reason = (
            f"{listing} are one on the roster; give each number a line there, in the column 'alias'"
        )
        result.left_out.update({file.label: reason for _, file in files})
        return []
    named_files = [file for file in files if naming.is_named(file[1], relative_path)]
    if naming.single == relative_path and 0 < len(named_files) < len(files):
        reason = f"{named_files[0][1].label} is named after the exercise"
        result.left_out.update({file[1].label: reason for file in files if file not in named_files})
        return named_files
    return files


def _note_time(
    result: CollectResult, key: tuple[str, str], file: _Upload, platform: PlatformName | None
) -> None:
    """Record the time of a file; the latest counts if a submission has several files."""
    source = (platform and platform.platform) or file.source
    time = (platform and platform.time) or SubmissionTime(
        None if file.source == FileDate.CLONE else file.changed, source
    )
    before = result.times.get(key, time)
    result.times[key] = max(before, time, key=lambda time: (time.is_late, time.at or 0))


@contextlib.contextmanager
def _record_refusals(result: CollectResult, file: _Upload) -> Iterator[None]:
    try:
        yield
    except _RefusalError as refusal:
        result.left_out[file.label] = str(refusal)
    except (ZipError, IrregularFileError, OSError) as error:
        result.left_out[file.label] = f"it cannot be read: {error}"
        result.is_damaged = True


def _find_files(file: _Upload, naming: _Naming, result: CollectResult) -> list[tuple[_Upload, str]]:
    """Return the file, or the files in a student's own zip, each with its path.

    A single file in a zip may take its name from the zip.

    Raises:
        ZipError: The zip cannot be read, or has several files and none names an exercise.
        _RefusalError: The file names no exercise.
    """
    if is_code(file.path):
        return [(file, relative_path) for relative_path in naming.list_paths(file)]
    if not is_zip(file.path):
        raise _RefusalError("neither Python nor a notebook")
    archive = open_zip(io.BytesIO(file.read(MAX_NOTEBOOK)))
    entries = list_files(archive)
    files_with_paths, refused = [], dict[str, str]()
    for path in filter(is_code, entries):
        read = functools.partial(read_entry, archive, entries[path])
        inner = replace(file, inner=path, read=read)
        try:
            files_with_paths += [
                (inner, relative_path) for relative_path in naming.list_paths(inner)
            ]
        except _RefusalError as refusal:
            refused[inner.label] = str(refusal)
    if not files_with_paths:
        find_single_code_file(entries)
        if (exercise := naming.exercise_of(PurePosixPath(file.path).name)) is None:
            (reason,) = refused.values()  # the reason for the only code file
            raise _RefusalError(reason)
        return [(inner, exercise)]
    result.left_out |= refused
    return files_with_paths


def _find_platform_name(
    file: _Upload, students_by_name: Mapping[str, str] | None
) -> PlatformName | None:
    """Return the platform's name for a file, or None below a folder that is a roster name."""
    is_below = any(name_key(part) in (students_by_name or {}) for part in file.outer_folders)
    return None if is_below else file.platform


def _list_folders(file: _Upload, naming: _Naming) -> list[str]:
    """Return the file's folders that are not named after an exercise, outermost first."""
    # An unpacked zip may give `ada/ada/`.
    parts = dict.fromkeys(PurePosixPath(file.path).parts[:-1])
    return [part for part in parts if naming.exercise_of(part) is None]


def _find_level(files: Sequence[_Upload], naming: _Naming) -> int | _RefusalError:
    """Return the index of the student's folder in each path, or an error if it is uncertain."""
    paths = [path for path in (_list_folders(file, naming) for file in files) if path]
    if len({len(path) for path in paths}) > 1:
        return _RefusalError(
            "files lie at different depths, so no folder is sure to be a student's; "
            f"{_ROSTER_ADVICE}"
        )
    levels = [level for level, parts in enumerate(zip(*paths, strict=True)) if len({*parts}) > 1]
    if len(levels) == 1:
        return levels[0]
    return _RefusalError(f"no folder in its path is sure to be a student's; {_ROSTER_ADVICE}")


def _find_student(
    file: _Upload,
    students_by_name: Mapping[str, str] | None,
    level: int | _RefusalError,
    naming: _Naming,
) -> str:
    """Return the student of a file.

    Raises:
        _RefusalError: The path names no student, or more than one.
    """
    platform = file.platform
    if students_by_name is not None:
        return _find_on_roster(file, students_by_name, platform)
    folders = _list_folders(file, naming)
    if platform and isinstance(level, int) and len(file.outer_folders) > level:
        raise _RefusalError(
            f"{file.outer_folders[level]!r} or {platform.name!r} may be meant; {_ROSTER_ADVICE}"
        )
    if platform:
        student = f"{platform.name}_{platform.id}" if platform.id else platform.name
    elif not folders:
        raise _RefusalError("no student is named in its path")
    elif isinstance(level, _RefusalError):
        raise level
    else:
        student = folders[level]
    if is_ignored(student) or "/" in student:
        raise _RefusalError(f"{student!r} cannot be the name of a folder")
    return student


def _find_on_roster(
    file: _Upload, students_by_name: Mapping[str, str], platform: PlatformName | None
) -> str:
    """Return the roster's student named in a path, up to the platform's part."""
    labels = file.outer_folders
    if platform:
        labels += filter(None, (platform.id, platform.name))
    students = {students_by_name[key] for key in map(name_key, labels) if key in students_by_name}
    if len(students - {""}) == 1:
        return max(students)
    if students == {""}:
        raise _RefusalError(
            f"{labels[-1]!r} is the name of two on the roster; put the platform's number of each "
            "into its column 'id' or 'alias'"
        )
    if students:
        students_text = " and ".join(map(repr, sorted(students - {""})))
        raise _RefusalError(f"its path names {students_text}, who are two on the roster")
    if lost := find_lost_zeros(labels, students_by_name):
        raise _RefusalError(f"{lost[0]!r} is not on the roster, but {lost[1]!r} is: {LOST_ZEROS}")
    if not labels:
        raise _RefusalError("no student is named in its path")
    name = platform.name if platform else "/".join(labels)
    raise _RefusalError(f"{name!r} is not on the roster; {_ALIAS_ADVICE}")


def _make_candidate(file: _Upload, platform: PlatformName | None) -> Candidate:
    def digest() -> str:
        with contextlib.suppress(ZipError, IrregularFileError, OSError):
            return compute_digest(file.read(size_limit(Path(file.name))))
        return file.label

    upload_number = platform.upload_number if platform else None
    return Candidate(Path(file.label), file.changed, upload_number, digest)


def _write(target: Path, key: tuple[str, str], file: _Upload, result: CollectResult) -> bool:
    """Write a file with its date, unless the existing file is newer; return whether it wrote."""
    data = file.read(size_limit(Path(file.name)))
    if target.is_symlink() or target.parent.is_symlink():
        raise UsageError(f"{target} is reached by a symbolic link")
    if target.exists():
        existing = Candidate(target, target.stat().st_mtime)
        best, left_out = choose([existing, Candidate(Path(file.label), file.changed)])
        if best is existing or target.read_bytes() == data:
            result.unchanged.add(key)
            return False
        if best is None:
            result.left_out[file.label] = left_out[target]
            return False
    target.parent.mkdir(parents=True, exist_ok=True)
    write_whole(target, data)
    os.utime(target, (file.changed, file.changed))
    result.placed[str(target)] = file.label
    return True


def _walk_source(
    source: Path, stack: contextlib.ExitStack, result: CollectResult
) -> Iterator[_Upload]:
    """Yield all files except hidden ones, sorted by path."""
    files = _walk_folder(source) if source.is_dir() else _walk_zip(source, stack, result)
    for file in sorted(files, key=lambda file: file.path):
        if not any(map(is_ignored, PurePosixPath(file.path).parts)):
            yield file


def _walk_folder(source: Path) -> Iterator[_Upload]:
    def read(path: Path, max_bytes: int) -> bytes:
        with open_regular(path, below=source) as file:
            data = file.read(max_bytes + 1)
        if len(data) > max_bytes:
            raise ZipError(f"{path.name!r} has more than {max_bytes >> 10:,} KiB")
        return data

    clones = set[Path]()
    for here, _, names in os.walk(source):
        if is_clone(Path(here)) or clones.intersection(Path(here).parents):
            clones.add(Path(here))
        for path in (Path(here, name) for name in names):
            inner = path.relative_to(source).as_posix()
            kind = FileDate.CLONE if Path(here) in clones else FileDate.FILE
            yield _Upload(inner, path.lstat().st_mtime, functools.partial(read, path), source=kind)


def _walk_zip(
    source: Path, stack: contextlib.ExitStack, result: CollectResult
) -> Iterator[_Upload]:
    try:
        file = stack.enter_context(source.open("rb"))
        archive = stack.enter_context(open_zip(file, _MAX_FILES))
    except (OSError, ZipError) as error:
        raise UsageError(f"{source} cannot be collected: {error}") from None
    for entry in archive.infolist():
        path = entry_path(entry)
        if path is None:
            result.left_out[entry.filename] = "its path leads outside"
            result.is_damaged = True
        elif not is_folder(entry):
            read = functools.partial(read_entry, archive, entry)
            yield _Upload(path, _read_date(entry), read, source=FileDate.ZIP)


def _read_date(entry: zipfile.ZipInfo) -> float:
    # A zip stores no time zone, so local time is assumed.
    try:
        return dt.datetime(*entry.date_time).timestamp()  # noqa: DTZ001  see above
    except ValueError:
        return 0.0
