"""Zips that others made: their files by path, each read only as far as it may be long."""

import stat
import zipfile
from pathlib import PurePosixPath
from typing import IO, Final

_NAMED: Final = 3
MOST_FILES: Final = 1000
"""The files that a student's zip may have."""


class ZipError(Exception):
    """A zip or a file of it cannot be used; the message is the reason, without a full stop."""


def is_code(name: str) -> bool:
    """Return whether a file is called as a Python file or a notebook."""
    return name.lower().endswith((".py", ".ipynb"))


def is_zip(name: str) -> bool:
    """Return whether a file is called as a zip."""
    return name.lower().endswith(".zip")


def is_passed_over(name: str) -> bool:
    """Return whether a file or folder is ignored."""
    return name.startswith(".") or name in ("__pycache__", "__MACOSX")


def open_zip(file: IO[bytes]) -> zipfile.ZipFile:
    """Open a zip.

    Raises:
        ZipError: it is none.
    """
    try:
        return zipfile.ZipFile(file)
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        raise ZipError(str(error)) from None


def path_of(entry: zipfile.ZipInfo) -> str | None:
    """Return the path of a file in a zip, with slashes; None if it leads outside.

    Some programs write backslashes.
    """
    path = entry.filename.replace("\\", "/")
    parts = PurePosixPath(path).parts
    if path.startswith("/") or ".." in parts or "\0" in path or path[1:2] == ":":
        return None
    return "/".join(parts)


def is_folder(entry: zipfile.ZipInfo) -> bool:
    """Return whether an entry is a folder."""
    return entry.filename.endswith(("/", "\\"))


def files_inside(archive: zipfile.ZipFile, most: int = MOST_FILES) -> dict[str, zipfile.ZipInfo]:
    """Return the files of a student's zip by their paths; hidden ones are passed over.

    Raises:
        ZipError: there are too many, one leads outside, or two differ only in case.
    """
    entries = archive.infolist()
    if len(entries) > most:
        raise ZipError(f"it has more than {most:,} files")
    files: dict[str, zipfile.ZipInfo] = {}
    seen: dict[str, str] = {}
    for entry in entries:
        path = path_of(entry)
        if path is None:
            raise ZipError(f"the path {entry.filename!r} in it leads outside")
        if is_folder(entry):
            continue
        if any(map(is_passed_over, PurePosixPath(path).parts)):
            continue
        other = seen.get(path.casefold())
        if other is not None:
            raise ZipError(f"it has {other!r} and {path!r}, whose names differ at most in case")
        seen[path.casefold()] = path
        files[path] = entry
    return files


def only_code(files: dict[str, zipfile.ZipInfo]) -> str:
    """Return the path of the one Python file or notebook among the files of a zip.

    Raises:
        ZipError: there is none, or there are several.
    """
    code = [path for path in files if is_code(path)]
    if len(code) == 1:
        return code[0]
    if code:
        more = ", ..." if len(code) > _NAMED else ""
        named = ", ".join(ascii(path)[1:-1] for path in code[:_NAMED])
        raise ZipError(f"it has {len(code)} Python files or notebooks ({named}{more}); submit one")
    if any(map(is_zip, files)):
        raise ZipError("it has a zip inside; unpack that, and submit the Python file or notebook")
    raise ZipError("it has no Python file and no notebook")


def read_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, most: int) -> bytes:
    """Return the bytes of a file, at most one more than it may have.

    Raises:
        ZipError: it is encrypted, a link or damaged.
    """
    if entry.flag_bits & 1:
        raise ZipError("it is encrypted; submit it without a password")
    if stat.S_ISLNK(entry.external_attr >> 16):
        raise ZipError("it is a symbolic link")
    try:
        with archive.open(entry) as file:
            return file.read(most + 1)
    except Exception as error:  # noqa: BLE001  each kind of compression raises errors of its own
        raise ZipError(f"it cannot be read: {error}") from None
