"""Safe opening and creation of files in folders where other users may write or read.

When a file is opened, symbolic links are not followed, and a pipe is not waited for.

A database has to be private from the first byte. SQLite creates a database with the mode that the
umask allows, and gives the files beside it the mode of the database. So the database is created
here, before SQLite opens it. It is never opened here, because closing any descriptor of a database
ends the locks that SQLite holds on it in the same process.
"""

import contextlib
import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO, Final

SQLITE_ENDINGS: Final = ("", "-journal", "-wal", "-shm")
"""The endings that SQLite appends to a database's name, for the files that belong together."""
_GROUP_AND_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)


class IrregularFileError(Exception):
    """The file at a path is not a regular file; the message names its kind."""


class LinkError(IrregularFileError):
    """The file at a path is a symbolic link."""


class FolderError(IrregularFileError):
    """The file at a path is a folder."""


def open_regular(path: Path, *, below: Path | None = None) -> BinaryIO:
    """Open a regular file for reading.

    The check looks at the opened file, so the file cannot be replaced between check and reading.

    Args:
        below: A folder above the file. A symbolic link anywhere below this folder is an `OSError`.
            Without it, only the file itself must not be a link.

    Raises:
        IrregularFileError: The path is a link, a folder, a pipe, a socket or a device.
        OSError, ValueError: The file cannot be opened.
    """
    try:
        descriptor = os.open(path, _FLAGS | _NO_LINK) if below is None else _open_below(path, below)
    except OSError as error:
        if error.errno == errno.ELOOP and path.is_symlink():
            raise LinkError("it is a symbolic link") from None
        raise
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return open(descriptor, "rb")  # noqa: PTH123  it is open already
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise FolderError("it is a folder")
    raise IrregularFileError("it is not a regular file")


def find_linked_folder(path: Path) -> Path | None:
    """Return the nearest folder above a path that is a link below the working directory, if any.

    In a CI job the working directory is a checkout, whose author could choose where a link leads.
    """
    try:
        cwd = Path.cwd()
    except FileNotFoundError:  # the working directory was removed, so nothing is below it
        return None
    for folder in path.absolute().parents:
        if folder.is_symlink() and Path(os.path.realpath(folder.parent)).is_relative_to(cwd):
            return folder
    return None


def _open_below(path: Path, folder: Path) -> int:
    *way, name = path.relative_to(folder).parts
    descriptor = os.open(folder, _FLAGS | os.O_DIRECTORY)
    try:
        for part in way:
            inner = os.open(part, _FLAGS | _NO_LINK | os.O_DIRECTORY, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        return os.open(name, _FLAGS | _NO_LINK, dir_fd=descriptor)
    finally:
        os.close(descriptor)


def create_private(path: Path) -> bool:
    """Create an empty file of mode 0600, independent of the umask; return False if it exists.

    Raises:
        OSError: The file cannot be created.
    """
    target = os.path.realpath(path)  # SQLite follows links, but mknod does not
    try:
        os.mknod(target, stat.S_IFREG | 0o600)
    except FileExistsError:
        return False
    return True


def deny_others(path: Path) -> bool:
    """Remove all permissions of group and others on a database and the files beside it.

    Returns:
        True if they had any. A file of another user stays unchanged.
    """
    target, had_any = os.path.realpath(path), False
    for ending in SQLITE_ENDINGS:
        with contextlib.suppress(OSError):
            mode = os.lstat(target + ending).st_mode
            if stat.S_ISREG(mode) and mode & _GROUP_AND_OTHERS:
                Path(target + ending).chmod(stat.S_IMODE(mode) & ~_GROUP_AND_OTHERS)
                had_any = True
    return had_any
