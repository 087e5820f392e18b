"""A content-addressed disk cache, for values that are expensive to compute.

An entry's name is a digest of everything that the entry is made from, so none is ever out of date.
Entries are trusted, so they have to be this user's own: on a shared machine others may have made
the folder, and `sudo` may have left another user's home in the environment.
"""

import contextlib
import hashlib
import importlib.util
import os
import platform
import re
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from grader.errors import GraderFault

_SOURCES: Final = frozenset({".py", ".html", ".css", ".js", ".json", ".txt"})
_MAX_ENTRIES: Final = 20_000  # of a folder; then the oldest are removed
_MAX_BYTES: Final = 1 << 29  # of all its entries together
_ENTRY: Final = re.compile(r"[0-9a-f]{64}(\.\w+)?")  # with an ending while it is written
_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH
_DIGEST_BYTES: Final = hashlib.sha256().digest_size


def cache_folder(name: str) -> Path | None:
    """Return the folder of a cache of this user; None if the user has no known home."""
    from platformdirs import user_cache_path  # most commands keep nothing

    try:
        return user_cache_path("etude", appauthor=False) / name
    except RuntimeError:  # a user without a name and without $HOME, as in some containers
        return None


def fingerprint(folders: Iterable[Path], packages: Iterable[str] = ("numpy",)) -> str:
    """Hash the sources in folders, and the versions of Python and of packages."""
    from importlib import metadata  # slow, and most commands need none

    versions = [platform.python_version(), *map(metadata.version, packages)]
    total = hashlib.sha256(repr(versions).encode())
    for folder in folders:
        paths = (path for path in folder.rglob("*") if path.suffix in _SOURCES)
        for path in sorted(paths):
            if "__pycache__" not in path.parts and path.is_file():  # an editor's link leads nowhere
                total.update(os.fsencode(path.relative_to(folder)) + b"\0")
                total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def package_folder(name: str) -> Path:
    """Return a package's folder, without importing it.

    Raises:
        GraderFault: There is no such package.
    """
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise GraderFault(f"the package {name!r} is missing")
    return Path(spec.origin).parent


def compute_key(parts: Iterable[bytes]) -> str:
    """Return the digest of a sequence of parts."""
    total = hashlib.sha256()
    for part in parts:
        total.update(hashlib.sha256(part).digest())
    return total.hexdigest()


class Cache:
    """Contents by their keys. An entry that cannot be read or written counts as missing.

    Args:
        folder: Is made when the first content is kept; without one nothing is kept.
        made_by: What else the contents depend on: see `fingerprint`.
    """

    def __init__(self, folder: Path | None, made_by: str) -> None:
        self._folder = Path(os.devnull) if folder is None else folder
        self._made_by = made_by.encode()

    def find(self, key: str) -> bytes | None:
        """Return the content under a key; None if it is missing or damaged."""
        try:
            with open(self._path(key), "rb", opener=_open_own) as file:
                digest, content = file.read(_DIGEST_BYTES), file.read()
        except OSError:
            return None
        return content if hashlib.sha256(content).digest() == digest else None

    def keep(self, key: str, content: bytes) -> None:
        """Keep a content under a key."""
        with contextlib.suppress(OSError):
            # No other user but the system's may decide what this folder is, there or not.
            trusted = {os.geteuid(), Path("/").stat().st_uid}
            for above in (self._folder, *self._folder.parents):
                with contextlib.suppress(FileNotFoundError):
                    if above.lstat().st_uid not in trusted:  # of a link: who chose where it leads
                        return
            # One by one: of folders above the last, `mkdir` leaves the mode to the umask.
            for folder in (self._folder.parent, self._folder):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # In one step, so that another process never reads half an entry.
            path = self._path(key)
            descriptor, unfinished = tempfile.mkstemp(prefix=f"{path.name}.", dir=path.parent)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(hashlib.sha256(content).digest() + content)
                Path(unfinished).replace(path)
            except BaseException:
                Path(unfinished).unlink()  # a full disk must not fill up with halves
                raise

    def tidy(self) -> None:
        """Remove the oldest entries if there are too many, or too large ones."""
        entries = []
        with contextlib.suppress(OSError):
            for path in self._folder.iterdir():
                if _ENTRY.fullmatch(path.name):
                    with contextlib.suppress(OSError):  # another process has removed it
                        status = path.lstat()
                        entries.append((status.st_mtime_ns, status.st_size, path))
        left = _MAX_BYTES
        for number, (_, size, path) in enumerate(sorted(entries, reverse=True)):
            left -= size
            if number >= _MAX_ENTRIES or left < 0:
                with contextlib.suppress(OSError):
                    path.unlink()

    def _path(self, key: str) -> Path:
        made_from = self._made_by + b"\0" + key.encode(errors="surrogateescape")
        return self._folder / hashlib.sha256(made_from).hexdigest()


def _open_own(path: str, flags: int) -> int:
    """Open a regular file of this user.

    Raises:
        OSError: It cannot be read, it is no regular file, or others could have written it.
    """
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
