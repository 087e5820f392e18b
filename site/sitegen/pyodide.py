"""A Pyodide distribution in a folder: which of its files a site needs to have NumPy."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from grader.errors import UsageError

_CORE: Final = ("pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip")
_LOCK: Final = "pyodide-lock.json"
_WANTED: Final = "numpy"


def read_distribution(folder: Path) -> dict[str, bytes]:
    """Return the files that a site needs, by name.

    Raises:
        UsageError: The folder has no Pyodide with NumPy, or a file that is not the one it lists.
    """
    core = {name: _read(folder, name) for name in (*_CORE, _LOCK)}
    try:
        packages: dict[str, Any] = json.loads(core[_LOCK])["packages"]
        wheels = {each["file_name"]: each["sha256"] for each in _needed(packages)}
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{folder / _LOCK} does not list NumPy as Pyodide's lock does") from error
    found = {name: _read(folder, name) for name in wheels}
    for name, digest in wheels.items():
        if hashlib.sha256(found[name]).hexdigest() != digest:
            raise UsageError(f"{folder / name} is not the file that {_LOCK} lists")
    return core | found


def _needed(packages: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The entries of NumPy and of whatever it depends on."""
    waiting, seen = [_WANTED], set()
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += packages[name]["depends"]
            yield packages[name]


def _read(folder: Path, name: str) -> bytes:
    if Path(name).name != name:
        raise UsageError(f"{folder / _LOCK} lists {name!r}, which is no file of that folder")
    try:
        return (folder / name).read_bytes()
    except OSError as error:
        message = f"{folder} is no Pyodide distribution with NumPy: {name}: {error.strerror}"
        raise UsageError(message) from error
