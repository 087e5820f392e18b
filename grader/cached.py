"""What could be made again, kept on disk under a digest of all that it is made from.

There is nothing to invalidate: an entry that no longer fits is simply never found.
"""

import contextlib
import hashlib
import importlib.util
import os
import platform
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from grader.errors import GraderFault

_SOURCES: Final = frozenset({".py", ".html", ".css", ".js", ".json"})
_KEPT: Final = 5_000  # entries beside those that are in use; then the oldest go


def cache_folder(name: str) -> Path:
    """Return the folder for one kind of things that this user's programs could make again."""
    from platformdirs import user_cache_path  # noqa: PLC0415  most commands keep nothing

    return user_cache_path("etude", appauthor=False) / name


def fingerprint(folders: Iterable[Path], *, packages: Iterable[str] = ("numpy",)) -> str:
    """Hash the sources in folders, and the versions that they run on."""
    from importlib import metadata  # noqa: PLC0415  it takes long, and who only reads needs none

    total = hashlib.sha256(platform.python_version().encode())
    for package in packages:
        total.update(f"{package} {metadata.version(package)}\n".encode())
    for folder in folders:
        for path in sorted(_sources(os.fspath(folder))):
            total.update(path[len(os.fspath(folder)) :].encode())
            total.update(Path(path).read_bytes())
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
        elif os.path.splitext(found.name)[1] in _SOURCES:  # noqa: PTH122  hundreds of files
            yield found.path


class Cache:
    """Contents by their keys. What cannot be read or written is as if it were not there.

    Args:
        folder: is made when the first content is kept.
        made_by: what else the contents depend on: see `fingerprint`.
    """

    def __init__(self, folder: Path, made_by: str) -> None:
        self._folder = os.fspath(folder)
        self._made_by = made_by.encode()
        self._used: set[str] = set()
        self._has_grown = False

    def find(self, key: str) -> bytes | None:
        """Return what is kept under a key, if it is."""
        try:
            with open(self._path(key), "rb") as file:  # noqa: PTH123  thousands of files
                return file.read()
        except OSError:
            return None

    def first_line(self, key: str) -> bytes | None:
        """Return what is kept under a key up to its first line feed, if it is."""
        try:
            with open(self._path(key), "rb") as file:  # noqa: PTH123  thousands of files
                return file.readline()
        except OSError:
            return None

    def keep(self, key: str, content: bytes) -> None:
        """Keep a content under a key."""
        with contextlib.suppress(OSError):
            path = self._path(key)
            Path(self._folder).mkdir(parents=True, exist_ok=True)
            # In one step, so that another process never reads half an entry.
            with tempfile.NamedTemporaryFile(dir=self._folder, delete=False) as file:
                file.write(content)
            Path(file.name).replace(path)
            self._has_grown = True

    def tidy(self) -> None:
        """Remove the oldest entries that were not asked for, if there are too many since."""
        if not self._has_grown:
            return
        with contextlib.suppress(OSError):
            unused = (each for each in os.scandir(self._folder) if each.path not in self._used)
            entries = sorted(unused, key=lambda each: each.stat().st_mtime)
            for entry in entries[:-_KEPT]:
                os.unlink(entry.path)  # noqa: PTH108  an entry is no Path

    def _path(self, key: str) -> str:
        digest = hashlib.sha256(self._made_by + b"\0" + key.encode()).hexdigest()
        path = f"{self._folder}/{digest}"
        self._used.add(path)
        return path
