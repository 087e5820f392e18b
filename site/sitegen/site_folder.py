"""The writing of a site into a folder, where only files of earlier builds are removed."""

import gzip
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from grader.errors import UsageError
from sitegen.hosting import PYODIDE
from sitegen.links import ASSETS

# Lists the files of the build, one path a line. A folder that holds it may be built into again.
MARKER = ".etude-site"

_ZIPPED = ".gz"
_COMPRESSIBLE = frozenset({".css", ".js", ".json", ".mjs", ".svg", ".txt", ".wasm"})
_WORTH_IT = 1 << 10  # smaller files are not compressed, in bytes


def write_site(files: Mapping[str, bytes], output: Path) -> None:
    """Write the files, and remove those of an earlier build that this one did not write.

    Other files in the folder stay. Files that pages load get a compressed copy, because few hosts
    compress Python's WebAssembly themselves.

    Args:
        files: Contents by path, relative and with forward slashes.
        output: The folder, which is created if it is missing.

    Raises:
        UsageError: The folder is neither empty nor an earlier build, or it cannot be written.
    """
    earlier = _claim(output)
    zipped = {
        name: f"{name}{_ZIPPED}"
        for name, content in files.items()
        if (path := PurePosixPath(name)).parts[0] in (ASSETS, PYODIDE)
        and path.suffix in _COMPRESSIBLE
        and len(content) >= _WORTH_IT
    }
    ours = files.keys() | zipped.values()
    folder = _Folder(output)
    try:
        output.mkdir(parents=True, exist_ok=True)
        # Written first, so that after an interrupted build the next one knows our files.
        folder.write(MARKER, _list_files(earlier | ours))
        for name, content in files.items():
            is_new = folder.write(name, content)
            copy = zipped.get(name)
            if copy and (is_new or not (output / copy).is_file()):
                folder.write(copy, gzip.compress(content, mtime=0))
        for name in sorted(earlier - ours):
            folder.remove(name)
        folder.write(MARKER, _list_files(ours))
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
        # Anyone may have edited the list, so only paths that we could have written count.
        return {
            name
            for name in marker.read_text("utf-8").splitlines()
            if (path := PurePosixPath(name)).parts
            and not path.is_absolute()
            and ".." not in path.parts
        }
    if any(output.iterdir()):
        raise UsageError(
            f"Cannot build the site into {output}: it holds files that are not from an earlier "
            f"build. Choose an empty or a new folder."
        )
    return set()


def _list_files(names: Iterable[str]) -> bytes:
    return "".join(f"{name}\n" for name in sorted(names)).encode()


class _Folder:
    """A folder for writing, never through a link that leads out of it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._root = path.resolve()
        self._inside = {path}  # folders known to be inside

    def write(self, name: str, content: bytes) -> bool:
        """Write a file and return True, unless it has this content: then its time stays."""
        path = self._path / name
        self._check(path.parent, name)
        if not path.is_symlink() and path.is_file() and path.read_bytes() == content:
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)  # replaces a link instead of following it
        path.write_bytes(content)
        return True

    def remove(self, name: str) -> None:
        """Remove a file, and the folders that become empty."""
        path = self._path / name
        self._check(path.parent, name)
        path.unlink(missing_ok=True)
        folder = path.parent
        while folder != self._path and folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
            folder = folder.parent

    def _check(self, folder: Path, name: str) -> None:
        """Check that a subfolder is not a link out of this folder.

        Raises:
            UsageError: It is such a link.
        """
        if folder in self._inside:
            return
        self._check(folder.parent, name)
        if folder.is_symlink() and not folder.resolve().is_relative_to(self._root):
            message = f"Cannot build the site into {self._path}: {name} lies behind a link."
            raise UsageError(message)
        self._inside.add(folder)
