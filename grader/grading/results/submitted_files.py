"""The rule for a student's file: which exercise its name stands for, and which of several counts.

Every command reads names here: people and platforms write `Row_Shares (1).py`, `Copy of
row-shares.ipynb`, or `lovelaceada_101_5001_row-shares-1.py`.
"""

import contextlib
import os
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final, TypeVar

from grader.errors import UsageError
from grader.grading.results.zips import ZipError, files_inside, is_zip, only_code, open_zip
from grader.safe_files import IrregularFileError, open_regular

T = TypeVar("T")

_PLATFORMS: Final = (
    # Moodle: name, number, file. The file is a part of its own if there are folders.
    re.compile(r"(?P<name>.+)_(?P<id>[0-9]+)_assignsubmission_file(?:_(?P<file>.*))?"),
    # Canvas: name, number, number of the upload, file.
    re.compile(r"(?P<name>.+?)_(?:LATE_)?(?P<id>[0-9]+)_(?P<attempt>[0-9]+)_(?P<file>.+)"),
    # Blackboard: assignment, login, date of the attempt, file.
    re.compile(r".+?_(?P<name>[^_]+)_attempt_(?P<attempt>[0-9-]+)(?:_(?P<file>.*))?"),
)
_EXTRAS: Final = (
    re.compile(r"^(?:copy-of|kopie-von|copie-de|copia-de|copy|kopie|copie|copia)-"),
    re.compile(r"-(?:copy|kopie|copie|copia)$"),
    re.compile(r"-[0-9]{1,3}$"),  # `(1)`, and what Canvas adds to a name that is there
    re.compile(r"-(?:py|ipynb)$"),  # `row-shares.py.py`
    re.compile(r"^[0-9]{1,3}-"),  # the number of a definition's file
)
_WORD: Final = re.compile(r"[^\W_]+")
SAME_MOMENT: Final = 60.0
"""Seconds between two dates that say nothing: a clone and an unpacked zip write all files now."""


@dataclass(frozen=True, slots=True)
class PlatformName:
    """The facts that a learning platform writes into the name of a file or folder."""

    name: str  # of the student
    id: str | None
    attempt: int | None  # later uploads have higher ones
    file: str  # the student's own name of the file; may be empty

    @classmethod
    def of(cls, part: str) -> "PlatformName | None":
        """Read a part of a path; None if no platform has written it."""
        match = next(filter(None, (each.fullmatch(part) for each in _PLATFORMS)), None)
        if match is None:
            return None
        facts = match.groupdict()
        attempt = (facts.get("attempt") or "").replace("-", "")
        number = int(attempt) if attempt else None
        return cls(facts["name"].strip(), facts.get("id"), number, facts["file"] or "")


def exercise_names(file: str) -> tuple[str, ...]:
    """Return the ids that a file's name may stand for, the closest first.

    Case, spaces, underscores and dashes of all kinds are alike. An id that ends in a number comes
    before the one without it.
    """
    stem = PurePosixPath(file).stem
    platform = PlatformName.of(stem)
    names = [_plain(each) for each in (stem, platform.file if platform else "") if _plain(each)]
    for name in names:  # grows
        names += dict.fromkeys(
            plain for each in _EXTRAS if (plain := each.sub("", name)) and plain not in names
        )
    return tuple(names)


def _plain(text: str) -> str:
    return "-".join(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def exercise_for(file: str, exercise_named: Callable[[str], T]) -> T:
    """Return the exercise that a file is named after.

    Args:
        file: the file's name.
        exercise_named: gives the exercise of an id, or raises `UsageError`.

    Raises:
        UsageError: there is none; the sentence has the name as it is written.
    """
    stem = PurePosixPath(file).stem
    problem = None
    for name in dict.fromkeys((stem, *exercise_names(file))):
        try:
            return exercise_named(name)
        except UsageError as error:
            problem = problem or error
    raise problem or UsageError(f"{file} names no exercise")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file that may be a student's submission to an exercise."""

    path: Path
    changed: float | None  # seconds since 1970
    attempt: int | None = None  # the platform's number

    def reason_over(self, other: "Candidate") -> str | None:
        """Return why this one counts and not the other; None if it does not."""
        if self.attempt != other.attempt and None not in (self.attempt, other.attempt):
            is_later = (self.attempt or 0) > (other.attempt or 0)
            return f"{self.path} is a later upload" if is_later else None
        if self.changed is None or other.changed is None:
            return None
        is_newer = self.changed - other.changed > SAME_MOMENT
        return f"{self.path} is newer" if is_newer else None


def choose(candidates: Sequence[Candidate]) -> tuple[Candidate | None, dict[Path, str]]:
    """Return the candidate that counts, and of each other one why it does not.

    The platform's number decides, else a date that is truly newer. Otherwise none counts.
    """
    for best in candidates:
        others = {each.path: best.reason_over(each) for each in candidates if each is not best}
        if None not in others.values():
            return best, {path: reason or "" for path, reason in others.items()}
    paths = " and ".join(str(each.path) for each in candidates)
    why = f"neither date nor number says which counts of {paths}; keep one of them"
    return None, {each.path: why for each in candidates}


def candidate(path: Path) -> Candidate:
    """Return a file, or a folder of several, as a candidate."""
    platform = PlatformName.of(path.stem)
    return Candidate(path, changed(path), platform.attempt if platform else None)


def changed(path: Path) -> float | None:
    """Return when a file was last changed; of a folder, the last of its files."""
    with contextlib.suppress(OSError):
        own = path.lstat().st_mtime
        if path.is_symlink() or not path.is_dir():
            return own
        return max(
            (each.stat(follow_symlinks=False).st_mtime for each in os.scandir(path)), default=own
        )
    return None


def name_inside(path: Path, *, below: Path | None = None) -> str:
    """Return the name of the one file in a zip, or of what is no zip.

    Raises:
        UsageError: the zip has no such file, or cannot be read.
    """
    if not is_zip(path.name):
        return path.name
    try:
        with open_regular(path, below=below) as file, open_zip(file) as archive:
            return PurePosixPath(only_code(files_inside(archive))).name
    except (ZipError, IrregularFileError, OSError, ValueError) as error:
        raise UsageError(f"{path}: The zip cannot be read: {error}.") from None
