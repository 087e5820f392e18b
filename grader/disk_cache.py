"""A disk cache for values that are expensive to compute.

The name of an entry is a digest of everything that its content depends on, so an entry is never out
of date. The content is trusted, so the entry has to belong to this user: on a shared machine
another user may have made the folder, and `sudo` may keep another user's home in the environment.
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
# The most that one folder keeps, in entries and in bytes. The oldest entries are removed.
_MAX_ENTRIES: Final = 20_000
_MAX_BYTES: Final = 1 << 29
# The name of an entry, with a suffix while it is being written.
_ENTRY: Final = re.compile(r"[0-9a-f]{64}(\.\w+)?")
_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH
_DIGEST_BYTES: Final = hashlib.sha256().digest_size


def cache_folder(name: str) -> Path | None:
    """Return the folder of this user's cache with a name; None if the user has no known home."""
    from platformdirs import user_cache_path  # slow to import, and most commands do not cache

    try:
        return user_cache_path("etude", appauthor=False) / name
    except RuntimeError:  # a user without a name and without $HOME, as in some containers
        return None


def fingerprint(folders: Iterable[Path], packages: Iterable[str] = ("numpy",)) -> str:
    """Hash the sources in folders, and the versions of Python and of packages."""
    from importlib import metadata  # slow to import, and most commands do not need it

    versions = [platform.python_version(), *map(metadata.version, packages)]
    total = hashlib.sha256(repr(versions).encode())
    for folder in folders:
        paths = (path for path in folder.rglob("*") if path.suffix in _SOURCES)
        for path in sorted(paths):
            # `is_file` skips the dangling links that an editor leaves as locks.
            if "__pycache__" not in path.parts and path.is_file():
                total.update(os.fsencode(path.relative_to(folder)) + b"\0")
                total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def find_package(name: str) -> Path:
    """Return the folder of a package without importing the package.

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
    """A cache on disk. An entry that cannot be read counts as missing.

    Args:
        folder: Is made with the first entry. If it is None, nothing is kept.
        made_by: A digest of the code that computes the contents; see `fingerprint`.
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
        """Keep a content under a key, if it can be written."""
        with contextlib.suppress(OSError):
            # A folder above that belongs to another user would let that user replace this folder.
            trusted = {os.geteuid(), Path("/").stat().st_uid}
            for above in (self._folder, *self._folder.parents):
                with contextlib.suppress(FileNotFoundError):
                    if above.lstat().st_uid not in trusted:  # for a link: the owner of the link
                        return
            # Made one by one, because `mkdir` ignores `mode` for the parents that it makes.
            for folder in (self._folder.parent, self._folder):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Written aside and then renamed, so that no other process reads half an entry.
            path = self._path(key)
            descriptor, unfinished = tempfile.mkstemp(prefix=f"{path.name}.", dir=path.parent)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(hashlib.sha256(content).digest() + content)
                Path(unfinished).replace(path)
            except BaseException:
                Path(unfinished).unlink()  # a full disk must not collect unfinished entries
                raise

    def tidy(self) -> None:
        """Remove the oldest entries if there are too many, or if they take up too many bytes."""
        entries = []
        with contextlib.suppress(OSError):
            for path in self._folder.iterdir():
                if _ENTRY.fullmatch(path.name):
                    with contextlib.suppress(OSError):  # another process may have removed it
                        status = path.lstat()
                        entries.append((status.st_mtime_ns, status.st_size, path))
        bytes_left = _MAX_BYTES
        for number, (_, size, path) in enumerate(sorted(entries, reverse=True)):
            bytes_left -= size
            if number >= _MAX_ENTRIES or bytes_left < 0:
                with contextlib.suppress(OSError):
                    path.unlink()

    def _path(self, key: str) -> Path:
        made_from = self._made_by + b"\0" + key.encode(errors="surrogateescape")
        return self._folder / hashlib.sha256(made_from).hexdigest()


def _open_own(path: str, flags: int) -> int:
    """Open a regular file of this user.

    Raises:
        OSError: The file cannot be read, is not a regular file, or others could have written it.
    """
    # O_NONBLOCK, because another user may have put a pipe there, and opening a pipe would wait.
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
