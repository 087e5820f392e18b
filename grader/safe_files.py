"""Files opened and created safely, where others may have written or may read.

Of a file that others wrote no symbolic link is followed, and no pipe is waited for.

An SQLite file is for its owner alone from the first byte. SQLite creates a database by the umask,
and gives the files that it keeps beside it the mode of the database. So the database is created
here, before SQLite opens it. It is never opened here: to close any descriptor of a database ends
the locks that SQLite holds on it in the same process.
"""

import contextlib
import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO, Final

SQLITE_ENDINGS: Final = ("", "-journal", "-wal", "-shm")
"""The endings that SQLite appends to a database's name: the files that belong together."""
_OF_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)


class IrregularFileError(Exception):
    """The file at a path is no regular file; the message names its kind."""


class LinkError(IrregularFileError):
    """It is a symbolic link."""


class FolderError(IrregularFileError):
    """It is a folder."""


def open_regular(path: Path, *, below: Path | None = None) -> BinaryIO:
    """Open a regular file for reading.

    What is checked is what was opened, so nothing can be put in its place in between.

    Args:
        below: A folder on the way to it. From there on no folder is reached by a symbolic link
            either, which then is an `OSError`; without it only the file itself must not be one.

    Raises:
        IrregularFileError: It is something else: a link, a folder, a pipe, a socket, a device.
        OSError, ValueError: It cannot be opened.
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
    raise IrregularFileError("it is no regular file")


def linked_folder(path: Path) -> Path | None:
    """Return the folder on the way to a path that is a link below the working directory, if any.

    In a CI job that directory is a checkout, and who filled it chose where the link leads.
    """
    try:
        here = Path.cwd()
    except FileNotFoundError:  # it was removed, so nothing is below it
        return None
    for folder in path.absolute().parents:
        if folder.is_symlink() and Path(os.path.realpath(folder.parent)).is_relative_to(here):
            return folder
    return None


def _open_below(path: Path, folder: Path) -> int:
    *way, name = path.relative_to(folder).parts
    here = os.open(folder, _FLAGS | os.O_DIRECTORY)
    try:
        for part in way:
            inner = os.open(part, _FLAGS | _NO_LINK | os.O_DIRECTORY, dir_fd=here)
            os.close(here)
            here = inner
        return os.open(name, _FLAGS | _NO_LINK, dir_fd=here)
    finally:
        os.close(here)


def create_private(path: Path) -> bool:
    """Create an empty file of mode 0600, whatever the umask; return False if there is one.

    Raises:
        OSError: It cannot be created there.
    """
    target = os.path.realpath(path)  # SQLite follows links, mknod does not
    try:
        os.mknod(target, stat.S_IFREG | 0o600)
    except FileExistsError:
        return False
    return True


def deny_others(path: Path) -> bool:
    """Take from group and others what they may do with a database and the files beside it.

    Returns:
        Whether they could do anything. What belongs to another user stays as it is.
    """
    target, had_any = os.path.realpath(path), False
    for ending in SQLITE_ENDINGS:
        with contextlib.suppress(OSError):
            mode = os.lstat(target + ending).st_mode
            if stat.S_ISREG(mode) and mode & _OF_OTHERS:
                Path(target + ending).chmod(stat.S_IMODE(mode) & ~_OF_OTHERS)
                had_any = True
    return had_any
