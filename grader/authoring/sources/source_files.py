"""Bounded reading of untrusted files: regular files only, never outside the source's folder."""

import json
import os
from pathlib import Path, PurePosixPath
from typing import Any, Final

from grader.errors import EtudeError
from grader.safe_files import IrregularFileError, open_regular

MAX_DOCUMENT: Final = 4 << 20
MAX_FILE: Final = 1 << 20  # bytes of one file in an exercise's folder

_IN_A_FOLDER: Final = 10_000  # most entries of a folder
_MAX_AT_EACH_END: Final = 60
_MAX_NESTING: Final = 24  # levels of JSON


class UnreadableError(EtudeError):
    """A file of a source cannot be used; the message names the file and the reason."""


class NotJsonError(UnreadableError):
    """A file is not JSON of the right form; the message begins with its name and the line."""


def read_text(path: Path, cap: int) -> str:
    """Read a UTF-8 text file, with line ends converted to line feeds.

    Raises:
        UnreadableError: The file is missing, not regular, too large, or not text.
    """
    try:
        with open_regular(path) as file:
            data = file.read(cap + 1)
    except (OSError, ValueError, IrregularFileError) as error:
        reason = (error.strerror or "") if isinstance(error, OSError) else str(error)
        raise UnreadableError(f"{printable_name(path)} cannot be read: {reason}") from error
    if len(data) > cap:
        raise UnreadableError(f"{printable_name(path)} has more than {cap:,} bytes")
    if b"\0" in data:
        raise UnreadableError(f"{printable_name(path)} is not a text")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"{printable_name(path)} is not UTF-8 at byte {error.start:,}"
        raise UnreadableError(message) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def parse_json(text: str, name: str) -> Any:
    """Parse JSON.

    Raises:
        NotJsonError: The text is not JSON, or is nested too deeply.
    """
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        position = f"{name}:{error.lineno}:{error.colno}"
        raise NotJsonError(f"{position}: not valid JSON: {error.msg}") from error
    except (RecursionError, ValueError) as error:
        # RecursionError: nested too deeply. ValueError: a number has too many digits.
        raise NotJsonError(f"{name}: not valid JSON that can be read here") from error
    level = [data]
    for _ in range(_MAX_NESTING):
        level = [
            below
            for value in level
            if isinstance(value, (dict, list))
            for below in (value.values() if isinstance(value, dict) else value)
        ]
        if not level:
            return data
    raise NotJsonError(f"{name}: nested more than {_MAX_NESTING} levels deep")


def find_path_inside(folder: Path, name: object) -> Path:
    """Return the path of a file that a source names in its own folder.

    Raises:
        UnreadableError: The name is not a relative path, leads outside, or passes a symbolic link.
    """
    parts = PurePosixPath(name).parts if isinstance(name, str) and "\0" not in name else ()
    label = printable_name(name)
    if not parts or parts[0] == "/" or ".." in parts or "\\" in str(name):
        raise UnreadableError(f"{label} is not the path of a file in {printable_name(folder)}")
    path = folder
    for part in parts:
        path /= part
        if path.is_symlink():
            raise UnreadableError(f"{label} leads over a symbolic link; such files are not read")
    return path


def read_text_inside(folder: Path, name: object) -> str:
    """Read a file that a source names.

    Raises:
        UnreadableError: See `find_path_inside` and `read_text`.
    """
    return read_text(find_path_inside(folder, name), MAX_FILE)


def read_first_text(folder: Path, *names: str) -> str:
    """Read the first existing file of several, or return "".

    Raises:
        UnreadableError: The file exists but cannot be read.
    """
    first = next((name for name in names if os.path.lexists(folder / name)), None)
    return "" if first is None else read_text_inside(folder, first)


def entries(folder: Path) -> list[os.DirEntry[str]]:
    """Return the entries of a folder, sorted by name.

    Raises:
        UnreadableError: The folder cannot be listed, or has too many entries.
    """
    try:
        with os.scandir(folder) as listing:
            listed = [entry for entry, _ in zip(listing, range(_IN_A_FOLDER + 1), strict=False)]
    except OSError as error:
        message = f"the folder {printable_name(folder)} cannot be read: {error.strerror}"
        raise UnreadableError(message) from error
    if len(listed) > _IN_A_FOLDER:
        raise UnreadableError(
            f"the folder {printable_name(folder)} has more than {_IN_A_FOLDER:,} entries"
        )
    return sorted(listed, key=lambda entry: entry.name)


def subfolders(folder: Path) -> list[Path]:
    """Return the subfolders of a folder, without hidden ones and symbolic links.

    Raises:
        UnreadableError: See `entries`.
    """
    return [
        folder / entry.name
        for entry in entries(folder)
        if entry.is_dir(follow_symlinks=False) and not entry.name.startswith(".")
    ]


def printable_name(name: object) -> str:
    """Format an untrusted name so that it cannot control a terminal."""
    text = str(name)
    if len(text) > 2 * _MAX_AT_EACH_END:
        text = f"{text[:_MAX_AT_EACH_END]}…{text[-_MAX_AT_EACH_END:]}"
    return escape_controls(text)


def escape_controls(text: str, keep: str = "") -> str:
    """Escape the characters of a source that could control a terminal, or are invalid in YAML."""
    return "".join(c if c.isprintable() or c in keep else repr(c)[1:-1] for c in text)
