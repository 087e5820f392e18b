"""The confinement of a process before it runs authors' code.

Definitions contain code: their `given` is Python. A collection from elsewhere need not be trusted,
because the process that runs it permanently gives up what grading does not need: the environment
with its tokens, all files but Python and its packages, capabilities, network and programs.
"""

import contextlib
import ctypes
import importlib
import logging
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from grader.sandbox.in_child import seccomp, syscalls
from grader.sandbox.limits import ONE_BLAS_THREAD

ENVIRONMENT, FILES, CAPABILITIES, CALLS = (
    "environment",
    "files",
    "capabilities",
    "network and programs",
)

# Imported before the confinement: NumPy reads the environment at import, and the folder of the
# reference is readable only if its package is imported already.
_BEFORE = ("numpy", "reference")
_PACKAGES = ("site-packages", "dist-packages")
_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache")
_DEVICES = ("/dev/null", "/dev/urandom")
# Positions of env_start and env_end among the fields after the program's name, see proc(5).
_BOUNDS = (47, 48)

# Matplotlib needs a folder that looks writable, and must not read settings of this machine.
LEFT_IN_ENVIRONMENT = {"MPLBACKEND": "agg", "MPLCONFIGDIR": "/tmp", "MATPLOTLIBRC": os.devnull}  # noqa: S108  nothing is written
"""The whole environment of a confined process."""


def confine_this_process(readable: Iterable[Path] = ()) -> tuple[str, ...]:
    """Drop the rights to environment, files, network and programs, as far as this host allows.

    Call it after the sandbox was started, since the start needs all of these rights.

    Args:
        readable: Files and folders that stay readable besides Python and installed packages.

    Returns:
        The names of the rights that were dropped. Some are missing on a kernel without Landlock or
        seccomp.
    """
    paths = [*_readable_paths(), *map(os.fspath, readable)]
    steps: dict[str, Callable[[], None]] = {
        ENVIRONMENT: _forget_environment,
        FILES: lambda: syscalls.landlock_restrict(paths),
        CAPABILITIES: syscalls.drop_capabilities,
        CALLS: lambda: syscalls.load_filter(seccomp.worker_program(syscalls.MACHINE)),
    }
    given_up = []
    for name, step in steps.items():
        try:
            syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
            step()
        except (OSError, KeyError):
            continue
        given_up.append(name)
    return tuple(given_up)


def _readable_paths() -> list[str]:
    """Return the files and folders of Python, its packages, and the libraries that they load.

    Other folders on the path, such as a checkout or the working directory, are not included: only
    the packages in them that are already imported.
    """
    for name in _BEFORE:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    prefixes = {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}
    paths = {f"{prefix}/{name}" for prefix in prefixes for name in ("lib", "lib64")}
    paths.update(each for each in sys.path if each.endswith(_PACKAGES) or os.path.isfile(each))  # noqa: PTH113  texts
    paths.update(_LIBRARIES, _DEVICES)
    folder_prefixes = tuple(f"{folder}/" for folder in paths)
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file and "." not in name and name != "__main__" and not file.startswith(folder_prefixes):
            paths.update(getattr(module, "__path__", None) or [file])
    return sorted(paths)


def _forget_environment() -> None:
    """Empty the environment, and overwrite its copies in this process's memory.

    One copy is in the bytes objects of `os.environ`. The other is the block that the kernel filled
    for this process or its parent, which `/proc/self/environ` shows regardless of later changes.
    """
    held = [each for pair in os.environb.items() for each in pair if len(each) > 1]
    os.environ.clear()
    for content in held:
        _overwrite(id(content) + bytes.__basicsize__ - 1, len(content))
    fields = Path("/proc/self/stat").read_bytes().rpartition(b")")[2].split()
    begin, end = (int(fields[number]) for number in _BOUNDS)
    _overwrite(begin, end - begin)
    # Kept for packages that are imported later with a BLAS of their own: threads are forbidden.
    for name, value in ONE_BLAS_THREAD.items():
        os.putenv(name, value)
    os.environ.update(LEFT_IN_ENVIRONMENT)
    # matplotlib would warn that it cannot write its font cache.
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)


def _overwrite(address: int, size: int) -> None:
    ctypes.memset(address, 0, size)
