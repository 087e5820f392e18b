"""Files written in one step, in folders where other users may have placed links."""

import contextlib
import os
import re
import stat
from pathlib import Path

from grader.errors import UsageError
from grader.safe_files import find_linked_folder


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that at every moment it holds either the old text or the new text.

    A symbolic link is replaced by the file, because another user may have made it lead to any file
    of this user. A pipe, a device, or a descriptor such as `/dev/stdout` is not replaced: the
    content is written to it.

    Raises:
        OSError: The file cannot be written.
        UsageError: A folder above it is a symbolic link below the working directory.
    """
    data = content if isinstance(content, bytes) else content.encode("utf-8", "replace")
    refuse_linked_folders(path)
    mode = find_mode(path)
    if mode is None:
        descriptor = find_descriptor(path)  # keeps its position in the file
        if descriptor is None:
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
            descriptor = os.open(path, flags)
        else:
            descriptor = os.dup(descriptor)
        with open(descriptor, "wb") as file:  # noqa: PTH123  it is open already
            file.write(data)
        return
    replace_file(path, data, mode)


def replace_file(path: Path, data: bytes, mode: int) -> None:
    """Write a file beside another file or link, and then put it in the other's place.

    Raises:
        OSError: The file cannot be written.
    """
    import tempfile  # slow to import, and most commands write no file

    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123  it is open already
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, mode)  # noqa: PTH101  a name, not a path
        os.replace(name, path)  # noqa: PTH105  a name, not a path
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)  # noqa: PTH108  a name, not a path
        raise


def find_mode(path: Path) -> int | None:
    """Return the mode that a file has or would get; None if it is not a regular file or a link."""
    if find_descriptor(path) is not None:
        return None
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        mode = stat.S_IFLNK
    if stat.S_ISLNK(mode):  # the file will be created
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
    return stat.S_IMODE(mode) if stat.S_ISREG(mode) else None


def find_descriptor(path: Path) -> int | None:
    """Return the number of the open descriptor that a path names."""
    name = os.path.abspath(path)  # noqa: PTH100  unlike `resolve`, it does not follow links
    name = {"/dev/stdout": "/dev/fd/1", "/dev/stderr": "/dev/fd/2"}.get(name, name)
    match = re.fullmatch(r"/(?:dev|proc/self)/fd/([0-9]+)", name)
    return int(match[1]) if match else None


def refuse_linked_folders(path: Path) -> None:
    """Refuse a path that goes through a symbolic link below the working directory.

    Raises:
        UsageError: A folder above the path is such a link.
    """
    folder = find_linked_folder(path) if find_descriptor(path) is None else None
    if folder is not None:
        raise UsageError(f"{folder} is a symbolic link; name the folder that it leads to")
