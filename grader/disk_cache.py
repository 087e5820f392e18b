"""What could be made again, kept on disk under a digest of all that it is made from.

There is nothing to invalidate: an entry that no longer fits is simply never found. What is found is
believed, so it has to be this user's own: on a machine that many use, others may have made the
folder, and `sudo` may have left the home of somebody else in the environment.
"""

import contextlib
import hashlib
import importlib.util
import os
import platform
import re
import stat
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Final

from grader.errors import GraderFault

_SOURCES: Final = frozenset({".py", ".html", ".css", ".js", ".json"})
_KEPT: Final = 5_000  # entries beside those that are in use; then the oldest go
_KEPT_BYTES: Final = 1 << 29  # of all these entries together
_ENTRY: Final = r"[0-9a-f]{64}(\.\w+)?"  # with an ending while it is written
_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH


def cache_folder(name: str) -> Path | None:
    """Return the folder for one kind of things that this user's programs could make again.

    None means that nothing can be kept: nobody knows where this user's home is.
    """
    from platformdirs import user_cache_path  # noqa: PLC0415  most commands keep nothing

    try:
        return user_cache_path("etude", appauthor=False) / name
    except RuntimeError:  # a user without a name and without $HOME, as in some containers
        return None


def fingerprint(folders: Iterable[Path], *, packages: Iterable[str] = ("numpy",)) -> str:
    """Hash the sources in folders, and the versions that they run on."""
    from importlib import metadata  # noqa: PLC0415  it takes long, and who only reads needs none

    total = hashlib.sha256(platform.python_version().encode())
    for package in packages:
        total.update(f"{package} {metadata.version(package)}\n".encode())
    for folder in folders:
        for path in sorted(_sources(os.fspath(folder))):
            total.update(os.fsencode(path[len(os.fspath(folder)) :]) + b"\0")
            total.update(hashlib.sha256(Path(path).read_bytes()).digest())
    return total.hexdigest()


def package_folder(name: str) -> Path:
    """Return a package's folder, without importing it.

    Raises:
        GraderFault: there is no such package.
    """
    found = importlib.util.find_spec(name)
    if found is None or found.origin is None:
        raise GraderFault(f"the package {name!r} is missing")
    return Path(found.origin).parent


def key_of(parts: Iterable[bytes]) -> str:
    """Return a digest of parts, which differs as soon as one of them does."""
    total = hashlib.sha256()
    for part in parts:
        total.update(hashlib.sha256(part).digest())
    return total.hexdigest()


def _sources(folder: str) -> Iterator[str]:
    for found in os.scandir(folder):
        if found.is_dir(follow_symlinks=False):
            if found.name != "__pycache__":
                yield from _sources(found.path)
        elif os.path.splitext(found.name)[1] in _SOURCES and found.is_file():  # noqa: PTH122  hundreds of files
            yield found.path  # editors leave links there that lead nowhere


class Cache:
    """Contents by their keys. What cannot be read or written is as if it were not there.

    Args:
        folder: is made when the first content is kept; without one nothing is kept.
        made_by: what else the contents depend on: see `fingerprint`.
    """

    def __init__(self, folder: Path | None, made_by: str) -> None:
        self._folder = os.devnull if folder is None else os.fspath(folder)
        self._made_by = made_by.encode()
        self._used: set[str] = set()
        self._has_grown = False

    def find(self, key: str) -> bytes | None:
        """Return what is kept under a key, if it is."""
        try:
            with _open_own(self._path(key)) as file:
                return file.read()
        except OSError:
            return None

    def first_line(self, key: str) -> bytes | None:
        """Return what is kept under a key up to its first line feed, if it is."""
        try:
            with _open_own(self._path(key)) as file:
                return file.readline()
        except OSError:
            return None

    def keep(self, key: str, content: bytes) -> None:
        """Keep a content under a key."""
        with contextlib.suppress(OSError):
            path = self._path(key)
            if _is_own(self._folder):
                for folder in (os.path.dirname(self._folder), self._folder):  # noqa: PTH120  as below
                    # Each by itself: of those above the last, makedirs leaves the mode to umask.
                    os.makedirs(folder, mode=0o700, exist_ok=True)  # noqa: PTH103
                _write(path, content)
                self._has_grown = True

    def tidy(self) -> None:
        """Remove the oldest entries that were not asked for, if there are too many since."""
        if not self._has_grown:
            return
        left = _KEPT_BYTES
        for number, (_, size, path) in enumerate(sorted(self._unused(), reverse=True)):
            left -= size
            if number >= _KEPT or left < 0:
                with contextlib.suppress(OSError):
                    os.unlink(path)  # noqa: PTH108  an entry is no Path

    def _unused(self) -> Iterator[tuple[int, int, str]]:
        """Yield when each other entry was made, its size and its path; nothing else is ours."""
        with contextlib.suppress(OSError), os.scandir(self._folder) as found:
            for entry in found:
                if entry.path not in self._used and re.fullmatch(_ENTRY, entry.name):
                    with contextlib.suppress(OSError):  # another process has removed it
                        status = entry.stat(follow_symlinks=False)
                        yield status.st_mtime_ns, status.st_size, entry.path

    def _path(self, key: str) -> str:
        made_from = self._made_by + b"\0" + key.encode(errors="surrogateescape")
        path = f"{self._folder}/{hashlib.sha256(made_from).hexdigest()}"
        self._used.add(path)
        return path


def _open_own(path: str) -> BinaryIO:
    """Open a file.

    Raises:
        OSError: it cannot be read, it is no regular file, or others could have written it.
    """
    return open(path, "rb", opener=_open_if_own)


def _open_if_own(path: str, flags: int) -> int:
    # Without waiting: others may have put a pipe there.
    descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
    status = os.fstat(descriptor)
    if (
        stat.S_ISREG(status.st_mode)
        and status.st_uid == os.geteuid()
        and not status.st_mode & _OTHERS_WRITE
    ):
        return descriptor
    os.close(descriptor)
    raise PermissionError(f"{path} is not this user's own")


def _is_own(folder: str) -> bool:
    """Return whether no other user but the system's decides what this folder is, there or not."""
    trusted = {os.geteuid(), os.stat("/").st_uid}  # noqa: PTH116  there is no method for it
    for path in (Path(folder), *Path(folder).parents):
        with contextlib.suppress(FileNotFoundError):
            if path.lstat().st_uid not in trusted:  # of a link: whoever chose where it leads
                return False
    return True


def _write(path: str, content: bytes) -> None:
    """Write a file in one step, so that another process never reads half an entry."""
    folder, name = os.path.split(path)
    descriptor, unfinished = tempfile.mkstemp(prefix=f"{name}.", dir=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.replace(unfinished, path)  # noqa: PTH105  both are texts
    except BaseException:
        os.unlink(unfinished)  # noqa: PTH108  a full disk must not fill up with halves
        raise
