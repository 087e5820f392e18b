"""The rules for a student's files: the exercise of a file, and the one of several that counts.

All commands read file names by these rules, since people and platforms write `Row_Shares (1).py`,
`Copy of row-shares.ipynb`, or `lovelaceada_101_5001_row-shares-1.py`.
"""

import contextlib
import os
import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final

from grader.grading.submissions.platform_names import PlatformName
from grader.grading.submissions.read_submission import find_zip, read_submission
from grader.grading.submissions.zips import (
    ZipError,
    find_single_code_file,
    is_code,
    is_ignored,
    is_zip,
    list_files,
    open_zip,
)
from grader.safe_files import IrregularFileError, open_regular

_EXTRAS: Final = (
    re.compile(r"^(?:copy-of|kopie-von|copie-de|copia-de|copy|kopie|copie|copia)-"),
    re.compile(r"-(?:copy|kopie|copie|copia)$"),
    re.compile(r"-[0-9]{1,3}$"),  # `(1)`, or the number that Canvas adds to a repeated name
    re.compile(r"-(?:py|ipynb)$"),  # as in `row-shares.py.py`
    re.compile(
        r"^(?:[0-9]{1,4}|(?:hw|homework|exercise|ex|assignment|lab|week|sheet)-?[0-9]{1,3})-"
    ),
    re.compile(r"-(?:v[0-9]{1,3})$"),
)
_WORD: Final = re.compile(r"[^\W_]+")
SAME_MOMENT_SECONDS: Final = 60.0
"""The time within which two dates count as equal, since a clone or an unpacked zip writes all files
at about the same time."""


def list_possible_ids(file: str) -> tuple[str, ...]:
    """Return the ids that a file's name may stand for, closest first.

    Case is ignored, and spaces, underscores and all kinds of dashes are equal. An id that ends in a
    number comes before the one without it.
    """
    stem = PurePosixPath(file).stem
    platform = PlatformName.parse(stem)
    names = [_plain(each) for each in (stem, platform.file if platform else "") if _plain(each)]
    for name in names:  # the list grows during the loop
        names += dict.fromkeys(
            plain for extra in _EXTRAS if (plain := extra.sub("", name)) and plain not in names
        )
    return tuple(names)


def _plain(text: str) -> str:
    return "-".join(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def match_exercise(ids: Collection[str], file: str) -> str | None:
    """Return the id, among the given ones, that a file or folder is named after, or None.

    A name without dashes, such as `rowshares`, counts if it is unambiguous.
    """
    names = list_possible_ids(file)
    if exact := next((name for name in names if name in ids), None):
        return exact
    joined = {name.replace("-", "") for name in names}
    meant = {exercise_id for exercise_id in ids if exercise_id.replace("-", "") in joined}
    return meant.pop() if len(meant) == 1 else None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file that may be a student's submission to an exercise."""

    path: Path
    changed: float | None  # time of the last change, in seconds since 1970
    upload_number: int | None = None  # counted by the platform
    # Computes the content's hash.
    digest: Callable[[], str] | None = field(default=None, compare=False)

    def reason_to_prefer(self, other: "Candidate") -> str | None:
        """Return the reason why this candidate counts rather than the other, or None."""
        own_number, other_number = self.upload_number, other.upload_number
        if own_number is not None and other_number is not None and own_number != other_number:
            is_later = own_number > other_number
            return f"{self.path} is a later upload" if is_later else None
        if self.changed is None or other.changed is None:
            return None
        is_newer = self.changed - other.changed > SAME_MOMENT_SECONDS
        return f"{self.path} is newer" if is_newer else None


def choose(candidates: Sequence[Candidate]) -> tuple[Candidate | None, dict[Path, str]]:
    """Return the candidate that counts, and the reason against each of the others.

    The number of the upload decides, or else a clearly newer date. Among files with the same
    content the first counts. Otherwise the result is None, with a reason for every file.
    """
    for best in candidates:
        others = {each.path: best.reason_to_prefer(each) for each in candidates if each is not best}
        if None not in others.values():
            return best, {path: reason or "" for path, reason in others.items()}
    digests = {each.digest() if each.digest else str(each.path) for each in candidates}
    if len(digests) == 1:
        first = candidates[0]
        same = f"{first.path} has the same content"
        return first, {each.path: same for each in candidates[1:]}
    paths = " and ".join(str(each.path) for each in candidates)
    why = f"neither date nor number says which counts of {paths}; keep one of them"
    return None, {each.path: why for each in candidates}


def make_candidate(
    path: Path, files: Sequence[str] = (), *, below: Path | None = None
) -> Candidate:
    """Return a file, a file in a zip, or a folder of several files as a candidate.

    The arguments are those of `read_submission`.
    """

    def digest() -> str:
        return read_submission(path, files, below=below).digest

    on_disk = find_zip(path) or path
    platform = PlatformName.parse(on_disk.stem)
    return Candidate(
        path, find_change_time(on_disk), platform.upload_number if platform else None, digest
    )


def find_change_time(path: Path) -> float | None:
    """Return the time of a file's last change or, for a folder, the latest one of its files."""
    with contextlib.suppress(OSError):
        own = path.lstat().st_mtime
        if path.is_symlink() or not path.is_dir():
            return own
        return max(
            (entry.stat(follow_symlinks=False).st_mtime for entry in os.scandir(path)), default=own
        )
    return None


@dataclass(slots=True)
class ClassifiedFiles:
    """The files below a student's folder.

    Attributes:
        candidates: The files of each exercise, by the exercise's id.
        unnamed: Code directly in the folder that is not named after an exercise, with an empty
            reason, and zips that cannot be read, with the reason.
        others: Files that are not submissions.
    """

    candidates: dict[str, list[Path]] = field(default_factory=dict)
    unnamed: dict[Path, str] = field(default_factory=dict)
    others: list[Path] = field(default_factory=list)

    def add(self, folder: Path, path: Path, exercise: str | None, reason: str = "") -> None:
        """Add a file with code, or a zip that cannot be read with the reason."""
        if exercise is not None:
            self.candidates.setdefault(exercise, []).append(path)
        elif reason or path.parent == folder:
            self.unnamed[path] = reason
        else:
            self.others.append(path)


def classify_files(
    folder: Path,
    exercise_of: Callable[[str], str | None],
    files_of: Callable[[str], Sequence[str]],
    *,
    below: Path,
) -> ClassifiedFiles:
    """Find the files below a student's folder that are named after an exercise.

    A folder or zip that is named after an exercise of several files counts as a whole.

    Args:
        exercise_of: Returns the id of the exercise that a file is named after, or None.
        files_of: Returns the required files of the exercise with an id, if there are several.

    Raises:
        OSError: The folder itself cannot be read.
    """
    classified_files = ClassifiedFiles()

    def is_whole(name: str) -> bool:
        exercise = exercise_of(name)
        return exercise is not None and bool(files_of(exercise))

    def add(path: Path, exercise: str | None) -> None:
        several = [] if exercise else list_exercises(path, exercise_of, below=below)
        for each in (*several,) if several else (exercise,):
            classified_files.add(folder, path, each)

    for path, is_folder in _walk(folder, is_whole):
        exercise = exercise_of(path.name)
        if is_zip(path.name) and not is_whole(path.name):
            try:
                for name, named in find_named_files(
                    list_zip_files(path, below), path.name, exercise_of
                ).items():
                    add(path / name if named else path, named)
            except ZipError as error:
                classified_files.add(
                    folder, path, exercise, f"{path}: The zip cannot be read: {error}."
                )
        elif is_folder or is_code(path.name) or is_zip(path.name):
            add(path, exercise)
        else:
            classified_files.others.append(path)
    return classified_files


def list_exercises(
    path: Path, exercise_of: Callable[[str], str | None], *, below: Path | None = None
) -> list[str]:
    """Return the exercises of a notebook of several exercises; other files have none."""
    sections = read_submission(path, (), below=below).sections
    return [name for name in sections if exercise_of(name) == name]


def _walk(folder: Path, is_whole: Callable[[str], bool]) -> Iterator[tuple[Path, bool]]:
    """Yield the files below a folder, and the folders that count as a whole.

    The flag is true for a folder. Links are not followed, and hidden files are skipped. A folder
    whose name is that of a Python file or a notebook counts as a whole too.

    Raises:
        OSError: The folder itself cannot be read.
    """
    waiting = [os.fspath(folder)]  # not recursive, since a student could choose the depth
    while waiting:
        subfolder = waiting.pop()
        try:
            entries = sorted(os.scandir(subfolder), key=lambda entry: entry.name)
        except OSError:
            if Path(subfolder) == folder:
                raise
            continue
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            if is_ignored(entry.name):
                continue
            if is_folder and not (is_code(entry.name) or is_whole(entry.name)):
                waiting.append(entry.path)
            else:
                yield Path(entry.path), is_folder


def list_zip_files(path: Path, below: Path | None = None) -> list[str]:
    """Return the paths of the files in a zip.

    Raises:
        ZipError: The zip cannot be read.
    """
    try:
        with open_regular(path, below=below) as file, open_zip(file) as archive:
            return [*list_files(archive)]
    except (IrregularFileError, OSError, ValueError) as error:
        raise ZipError(str(error)) from None


def find_named_files(
    names: Sequence[str], zip_name: str, exercise_of: Callable[[str], str | None]
) -> dict[str, str | None]:
    """Return the exercise of each file with code in a zip, by its path in the zip.

    A single file without an exercise's name gets the exercise of the zip's name, or None.

    Args:
        names: The paths of all files in the zip.

    Raises:
        ZipError: No file is named after an exercise, and there is not exactly one.
    """
    code = [name for name in names if is_code(name)]
    exercises = {name: exercise_of(PurePosixPath(name).name) for name in code}
    if any(exercise is not None for exercise in exercises.values()):
        return {name: exercise for name, exercise in exercises.items() if exercise is not None}
    return {find_single_code_file(names): exercise_of(zip_name)}


def find_in_zip(path: Path, exercise: str, ids: Collection[str]) -> Path:
    """Return the only file in a zip that is named after an exercise, or the path itself.

    Args:
        ids: The ids of all exercises.
    """
    if is_zip(path.name):
        with contextlib.suppress(ZipError):
            names = [name for name in list_zip_files(path) if is_code(name)]
            matches = [
                name for name in names if match_exercise(ids, PurePosixPath(name).name) == exercise
            ]
            if len(matches) == 1:
                return path / matches[0]
    return path
