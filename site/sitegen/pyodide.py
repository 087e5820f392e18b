"""A Pyodide distribution in a folder: the files that a site needs, and the modules in them."""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from grader.errors import UsageError
from grader.grading.feedback.versions import Versions

PUBLIC_PACKAGES: Final = frozenset(
    {
        *("PIL", "autograd", "h5py", "joblib", "matplotlib", "networkx", "pandas", "patsy"),
        *("pywt", "scipy", "shapely", "skimage", "sklearn", "sortedcontainers", "statsmodels"),
        *("sympy", "toolz", "xarray", "yaml"),
    }
)
"""Modules of the public distribution, other than NumPy, that a course may need."""

_CORE: Final = ("pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip")
_LOCK: Final = "pyodide-lock.json"
_NUMPY: Final = "numpy"


def list_packages(folder: Path) -> frozenset[str]:
    """Return the modules other than NumPy that pages can import from a distribution.

    Raises:
        UsageError: The folder has no Pyodide.
    """
    listed = _read_packages(folder, _read(folder, _LOCK))
    modules = set[str]()
    for name, entry in listed.items():
        # A package counts only if the folder has it and all its dependencies.
        try:
            needed = _with_needed(listed, [name])
            is_whole = all(
                (folder / Path(package["file_name"]).name).is_file() for package in needed
            )
        except (KeyError, TypeError):
            is_whole = False
        if is_whole and name != _NUMPY:
            modules |= _imports(entry)
    return frozenset(modules)


def read_distribution(folder: Path, packages: Collection[str] = ()) -> dict[str, bytes]:
    """Return the files that a site needs, by name.

    Args:
        packages: The modules other than NumPy that pages import; see `list_packages`.

    Raises:
        UsageError: The folder has no Pyodide with NumPy, or a file differs from the lock file.
    """
    core = {name: _read(folder, name) for name in (*_CORE, _LOCK)}
    listed = _read_packages(folder, core[_LOCK])
    names = [name for name, entry in listed.items() if not _imports(entry).isdisjoint(packages)]
    try:
        needed = _with_needed(listed, [_NUMPY, *names])
        wheels = {package["file_name"]: package["sha256"] for package in needed}
    except (KeyError, TypeError) as error:
        raise _no_lock(folder) from error
    contents = {name: _read(folder, name) for name in wheels}
    for name, digest in wheels.items():
        if hashlib.sha256(contents[name]).hexdigest() != digest:
            raise UsageError(f"{folder / name} is not the file that {_LOCK} lists")
    return core | contents


def read_versions(files: Mapping[str, bytes]) -> Versions | None:
    """Return the versions of a distribution, or None if its lock file lacks them."""
    try:
        lock = json.loads(files[_LOCK])
        return Versions.from_text(lock["info"]["python"], lock["packages"][_NUMPY]["version"])
    except (ValueError, LookupError, TypeError, AttributeError):
        return None


def _read_packages(folder: Path, lock: bytes) -> Mapping[str, Any]:
    try:
        packages = json.loads(lock)["packages"]
    except (ValueError, KeyError, TypeError) as error:
        raise _no_lock(folder) from error
    if not isinstance(packages, dict):
        raise _no_lock(folder)
    return packages


def _no_lock(folder: Path) -> UsageError:
    return UsageError(f"{folder / _LOCK} does not list NumPy as Pyodide's lock does")


def _imports(entry: Any) -> set[str]:
    names = entry.get("imports", ()) if isinstance(entry, dict) else ()
    return {str(name).partition(".")[0] for name in names}


def _with_needed(listed: Mapping[str, Any], names: Iterable[str]) -> list[Mapping[str, Any]]:
    """Return the entries of packages and of their dependencies."""
    waiting, entries = list(names), dict[str, Mapping[str, Any]]()
    while waiting:
        name = waiting.pop(0)
        if name not in entries:
            entries[name] = listed[name]
            waiting += listed[name]["depends"]
    return list(entries.values())


def _read(folder: Path, name: str) -> bytes:
    if Path(name).name != name:
        raise UsageError(f"{folder / _LOCK} lists {name!r}, which is no file of that folder")
    try:
        return (folder / name).read_bytes()
    except OSError as error:
        message = f"{folder} is no Pyodide distribution with NumPy: {name}: {error.strerror}"
        raise UsageError(message) from error
