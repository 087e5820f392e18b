"""Writing the site into a folder, and taking away only what an earlier build of ours put there."""

import contextlib
import json
import os
import stat
import time
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Final, TypeAlias

from grader.errors import UsageError
from sitegen.digested_files import DigestedFile
from sitegen.incremental import Store

# Lists what the build wrote, one path a line. A folder that holds it is ours to build into again.
MARKER = ".etude-site"

_Place: TypeAlias = list[int]  # of a file on a disk, with its size and times
_TICK: Final = 100_000_000  # ns; what was changed so shortly ago could be changed again unseen


def write_site(files: Mapping[str, DigestedFile], output: Path, store: Store) -> None:
    """Write the files, and remove those that an earlier build wrote and this one did not.

    Files in the folder that no build of ours wrote stay as they are.

    Args:
        files: Contents by path, relative and with forward slashes.
        output: The folder; it is made if it is missing.
        store: Keeps what was written where, so that it need not be read to know it is there.

    Raises:
        UsageError: The folder holds something and is not one of ours, or it cannot be written.
    """
    earlier = _claim(output)
    folder = _Folder(output, store)
    try:
        output.mkdir(parents=True, exist_ok=True)
        # Before any file: should this build be cut short, the next one still knows what is ours.
        folder.write(MARKER, _listed(earlier | files.keys()))
        for name, file in files.items():
            folder.write(name, file)
        for name in sorted(earlier - files.keys()):
            folder.remove(name)
        folder.write(MARKER, _listed(files))
        folder.remember(files)
    except OSError as error:
        raise UsageError(f"Cannot write the site to {output}: {error.strerror}.") from error


def _claim(output: Path) -> set[str]:
    """Return the files of an earlier build; raise unless the folder is empty or ours."""
    if not output.exists():
        return set()
    if not output.is_dir():
        raise UsageError(f"Cannot build the site into {output}: it is not a folder.")
    marker = output / MARKER
    if marker.is_file():
        return set(filter(_is_ours, marker.read_text("utf-8").splitlines()))
    if any(output.iterdir()):
        raise UsageError(
            f"Cannot build the site into {output}: it holds files that are not from an earlier "
            f"build. Choose an empty or a new folder."
        )
    return set()


def _is_ours(name: str) -> bool:
    """True if a line of the marker can be a path that we wrote, for anyone may have edited it."""
    path = PurePosixPath(name)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts


def _listed(names: Iterable[str]) -> DigestedFile:
    return DigestedFile.of("".join(f"{name}\n" for name in sorted(names)).encode())


class _Folder:
    """A folder to write into, but never through a link to somewhere else.

    Paths are texts here, for there are thousands of them.
    """

    def __init__(self, path: Path, store: Store) -> None:
        self._path = os.fspath(path)
        self._root = path.resolve()
        self._inside = {self._path}  # folders that were found to be in it
        self._store = store
        self._key = f"written to {self._root}"
        self._known = _known(store.find(self._key))  # digest and place of what was there
        self._new: dict[str, tuple[str, _Place | None]] = {}  # likewise, of what is there now

    def write(self, name: str, file: DigestedFile) -> None:
        """Write a file, unless it is there with this content: then its time stays as well."""
        path = self._path_of(name)
        place = _place(path)
        if place and self._known.get(name) == (file.digest, place):
            return
        if not _has_content(path, place, file):
            target = Path(path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.unlink(missing_ok=True)  # what is a link is replaced, not followed
            target.write_bytes(file.content())
            place = _place(path)
        self._new[name] = file.digest, place

    def remove(self, name: str) -> None:
        """Remove a file, and the folders that are empty without it."""
        path, top = Path(self._path_of(name)), Path(self._path)
        path.unlink(missing_ok=True)
        while path.parent != top and path.parent.is_dir() and not any(path.parent.iterdir()):
            path = path.parent
            path.rmdir()

    def remember(self, files: Mapping[str, DigestedFile]) -> None:
        """Keep where the files are, so that the next build need not read them."""
        latest = time.time_ns() - _TICK
        known = {name: self._known[name] for name in files.keys() & self._known.keys()}
        known |= {
            name: (digest, place)
            for name, (digest, place) in self._new.items()
            if place and max(place[-2:]) < latest
        }
        if known != self._known:
            self._store.keep(self._key, json.dumps(known).encode())

    def _path_of(self, name: str) -> str:
        path = f"{self._path}/{name}"
        self._check(path.rpartition("/")[0], name)
        return path

    def _check(self, folder: str, name: str) -> None:
        """Check that a folder below this one is no link out of it.

        Raises:
            UsageError: It is one.
        """
        if folder in self._inside:
            return
        self._check(folder.rpartition("/")[0], name)
        if os.path.islink(folder) and not Path(folder).resolve().is_relative_to(self._root):  # noqa: PTH114  see above
            message = f"Cannot build the site into {self._path}: {name} lies behind a link."
            raise UsageError(message)
        self._inside.add(folder)


def _known(kept: bytes | None) -> dict[str, tuple[str, _Place]]:
    """Read what `remember` kept; nothing where that is damaged."""
    with contextlib.suppress(ValueError, TypeError, AttributeError):
        return {name: (digest, place) for name, (digest, place) in json.loads(kept or b"").items()}
    return {}


def _place(path: str) -> _Place | None:
    """Return what changes whenever somebody changes a file; None if it is no regular one."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    return [found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns]


def _has_content(path: str, place: _Place | None, file: DigestedFile) -> bool:
    if place is None or place[2] != file.size:
        return False
    try:
        with open(path, "rb") as there:  # noqa: PTH123  see _Folder
            return DigestedFile.of(there.read()).digest == file.digest
    except OSError:
        return False
