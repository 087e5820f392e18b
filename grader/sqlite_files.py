"""SQLite files that only their owner may read and write, from the first byte.

SQLite creates a database by the process's umask, and gives the files that it keeps beside it the
mode of the database. So the database is created here, before SQLite opens it.

Nothing here opens a file: to close any descriptor of a database ends the locks that SQLite holds on
it in the same process.
"""

import contextlib
import os
import stat
from pathlib import Path
from typing import Final

ENDINGS: Final = ("", "-journal", "-wal", "-shm")
"""The endings that SQLite appends to a database's name: the files that belong together."""

_OF_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


def create_private(path: Path) -> bool:
    """Create an empty file of mode 0600, whatever the umask; return False if there is one.

    Raises:
        OSError: it cannot be created there.
    """
    target = os.path.realpath(path)  # SQLite follows links, mknod does not
    try:
        os.mknod(target, stat.S_IFREG | 0o600)
    except FileExistsError:
        return False
    return True


def close_to_others(path: Path) -> bool:
    """Take from group and others what they may do with a database and the files beside it.

    Returns:
        whether they could do anything. What belongs to another user stays as it is.
    """
    target, had_any = os.path.realpath(path), False
    for ending in ENDINGS:
        with contextlib.suppress(OSError):
            mode = os.lstat(target + ending).st_mode
            if stat.S_ISREG(mode) and mode & _OF_OTHERS:
                Path(target + ending).chmod(stat.S_IMODE(mode) & ~_OF_OTHERS)
                had_any = True
    return had_any
