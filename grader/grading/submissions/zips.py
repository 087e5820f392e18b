"""Untrusted zips: their files by path, each read only up to its maximum size."""

import io
import stat
import struct
import zipfile
from collections.abc import Collection
from pathlib import PurePosixPath
from typing import IO, Final

from grader.definitions.wording import join_first
from grader.grading.submissions.file_kinds import file_kind

_HEAD: Final = 4096  # bytes from which the kind of another file is recognized
_TAIL: Final = 22 + 65_535  # maximum size in bytes of the end record with its comment
_LENGTHS: Final = struct.Struct("<6xHL")  # fields of the end record: number and size of entries
_MAX_ENTRY_BYTES: Final = 1024  # bytes that the list of files may have for each file
_IGNORED_NAMES: Final = ("__pycache__", "__MACOSX", "node_modules", "site-packages")
MAX_FILES: Final = 1000
"""The maximum number of files in a student's zip."""


class ZipError(Exception):
    """A zip or a file in it cannot be used. The message is the reason, without a full stop."""


def is_code(name: str) -> bool:
    """Return whether a file has the extension of a Python file or a notebook."""
    return name.lower().endswith((".py", ".ipynb"))


def is_zip(name: str) -> bool:
    """Return whether a file has the extension of a zip."""
    return name.lower().endswith(".zip")


def is_ignored(name: str) -> bool:
    """Return whether a file or folder of this name is ignored."""
    return name.startswith(".") or name in _IGNORED_NAMES


def open_zip(file: IO[bytes], max_files: int = MAX_FILES) -> zipfile.ZipFile:
    """Open a zip.

    Raises:
        ZipError: The file is not a zip, or has more than `max_files` files.
    """
    try:
        _refuse_long_list(file, max_files)
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        file.seek(0)
        head = file.read(_HEAD)
        kind = "" if head.startswith(b"PK") else file_kind(head).rstrip(".")
        raise ZipError(f"it is no zip. {kind}" if kind else f"it is damaged: {error}") from None
    if len(archive.infolist()) > max_files:
        raise ZipError(f"it has more than {max_files:,} files")
    return archive


def _refuse_long_list(file: IO[bytes], max_files: int) -> None:
    """Raise if the end record states too many files; reading 100,000 entries takes seconds."""
    end = file.seek(0, io.SEEK_END)
    file.seek(max(0, end - _TAIL))
    _, marker, record = file.read().rpartition(b"PK\5\6")
    if marker and len(record) >= _LENGTHS.size:
        count, length = _LENGTHS.unpack_from(record)
        if count > max_files or length > max_files * _MAX_ENTRY_BYTES:
            raise ZipError(f"it has more than {max_files:,} files")


def entry_path(entry: zipfile.ZipInfo) -> str | None:
    """Return the path of a file in a zip, or None if it leads outside.

    Backslashes, which some programs write, become slashes.
    """
    path = entry.filename.replace("\\", "/")
    parts = PurePosixPath(path).parts
    if path.startswith("/") or ".." in parts or "\0" in path or path[1:2] == ":":
        return None
    return "/".join(parts)


def is_folder(entry: zipfile.ZipInfo) -> bool:
    """Return whether an entry is a folder."""
    return entry.filename.endswith(("/", "\\"))


def list_files(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Return the files of a student's zip by path, without hidden ones.

    Raises:
        ZipError: A path leads outside, or two paths differ only in case.
    """
    files: dict[str, zipfile.ZipInfo] = {}
    spellings: dict[str, str] = {}
    for entry in archive.infolist():
        path = entry_path(entry)
        if path is None:
            raise ZipError(f"the path {entry.filename!r} in it leads outside")
        if is_folder(entry):
            continue
        if any(map(is_ignored, PurePosixPath(path).parts)):
            continue
        spelling = spellings.get(path.casefold())
        if spelling is not None:
            raise ZipError(f"it has {spelling!r} and {path!r}, whose names differ at most in case")
        spellings[path.casefold()] = path
        files[path] = entry
    return files


def find_single_code_file(files: Collection[str]) -> str:
    """Return the path of the one Python file or notebook among the files of a zip.

    Raises:
        ZipError: There is no such file, or there are several.
    """
    code = [path for path in files if is_code(path)]
    if len(code) == 1:
        return code[0]
    if code:
        names = join_first([ascii(path)[1:-1] for path in code])
        raise ZipError(f"it has {len(code)} Python files or notebooks ({names}); submit one")
    if any(map(is_zip, files)):
        raise ZipError("it has a zip inside; unpack that, and submit the Python file or notebook")
    raise ZipError("it has no Python file and no notebook")


def read_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, max_bytes: int) -> bytes:
    """Return the bytes of a file in a zip.

    Raises:
        ZipError: The file is encrypted, a link, damaged, or larger than `max_bytes` bytes.
    """
    if entry.flag_bits & 1:
        raise ZipError("it is encrypted; submit it without a password")
    if stat.S_ISLNK(entry.external_attr >> 16):
        raise ZipError("it is a symbolic link")
    try:
        with archive.open(entry) as file:
            data = file.read(max_bytes + 1)
    except Exception as error:  # noqa: BLE001  each kind of compression raises other errors
        raise ZipError(f"it is damaged: {error}") from None
    if len(data) > max_bytes:
        raise ZipError(f"{entry.filename!r} has more than {max_bytes >> 10:,} KiB")
    return data
