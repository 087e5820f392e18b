"""Files in memory, which `open` finds in a process that has no folder for them.

NumPy, pandas and the standard library use Python's `open`. C code that opens a file by its name
does not find these files.
"""

import builtins
import contextlib
import errno
import io
import os
import stat
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

_WRITING = frozenset("wax+")

_contents: dict[str, bytes] = {}
_open, _stat = open, os.stat


class _VirtualFile(io.BytesIO):
    """A read-only file with the bytes of a virtual one."""

    mode = "rb"

    def __init__(self, name: str, content: bytes) -> None:
        super().__init__(content)
        self.name = name

    def writable(self) -> bool:
        return False


def serve(contents: Mapping[str, bytes]) -> None:
    """Add files that `open` finds by name."""
    if builtins.open is _open:
        builtins.open = io.open = _open_file
        os.stat = _stat_file
        # NumPy keeps a reference to the original function.
        source: Any = getattr(np.lib, "_datasource", None)
        with contextlib.suppress(AttributeError):
            source._file_openers._file_openers[None] = _open_file  # noqa: SLF001  NumPy has no public way
    _contents.update(contents)


@contextlib.contextmanager
def provide(contents: Mapping[str, bytes]) -> Iterator[None]:
    """Let `open` find only these virtual files during the block."""
    if not contents:
        yield
        return
    previous = dict(_contents)
    _contents.clear()
    serve(contents)
    try:
        yield
    finally:
        _contents.clear()
        _contents.update(previous)


def _lookup(file: Any) -> tuple[str, bytes] | None:
    """Return the name and the content of the virtual file at a path, or None."""
    if not _contents or not isinstance(file, str | os.PathLike):
        return None
    path = os.fspath(file)
    if not isinstance(path, str):
        return None
    folder, name = os.path.split(os.path.normpath(path))
    content = _contents.get(name)
    return None if content is None or folder not in {"", os.getcwd()} else (name, content)  # noqa: PTH109  `pathlib` is slow to import


def _open_file(  # with the parameters of `open`
    file: Any,
    mode: str = "r",
    buffering: int = -1,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
    closefd: bool = True,
    opener: Any = None,
) -> Any:
    entry = _lookup(file)
    if entry is None:
        return _open(file, mode, buffering, encoding, errors, newline, closefd, opener)
    if _WRITING & set(mode):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), entry[0])
    raw = _VirtualFile(*entry)
    return raw if "b" in mode else io.TextIOWrapper(raw, encoding, errors, newline)


def _stat_file(path: Any, *args: Any, **kwargs: Any) -> os.stat_result:
    entry = _lookup(path)
    if entry is None:
        return _stat(path, *args, **kwargs)
    return os.stat_result((stat.S_IFREG | 0o444, 0, 0, 1, 0, 0, len(entry[1]), 0, 0, 0))
