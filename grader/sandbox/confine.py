"""The rights that a process gives up before it runs an author's code.

Definitions are code too: their `given` is Python. A collection from elsewhere need not be trusted,
because the process that runs it loses for good what grading does not need: the environment with its
tokens, all files but Python and its packages, capabilities, network, programs.
"""

import contextlib
import ctypes
import importlib
import logging
import os
import resource
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from grader.sandbox.inside import seccomp, syscalls
from grader.sandbox.limits import ONE_BLAS_THREAD, WORKER_ADDRESS_SPACE
from grader.sandbox.output_file import print_to

ENVIRONMENT, FILES, CAPABILITIES, CALLS = (
    "environment",
    "files",
    "capabilities",
    "network and programs",
)

# NumPy reads the environment when it is imported. The modules of the reference are imported when an
# exercise names them, for which the package itself must be known.
_BEFORE = ("numpy", "reference")
_PACKAGES = ("site-packages", "dist-packages")
_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache")
_DEVICES = ("/dev/null", "/dev/urandom")
_DESCRIPTORS = 4096
# env_start and env_end among what follows the name of the program, see proc(5).
_BOUNDS = (47, 48)

# Matplotlib wants a folder that looks as if one could write there, and no settings of this machine.
LEFT_IN_ENVIRONMENT = {"MPLBACKEND": "agg", "MPLCONFIGDIR": "/tmp", "MATPLOTLIBRC": os.devnull}  # noqa: S108  nothing is written
"""All that a confined process has in its environment, whatever was there before."""


def confine_this_process(readable: Iterable[Path] = ()) -> tuple[str, ...]:
    """Drop the rights to environment, files, network and programs, as far as this host allows it.

    Call it after the sandbox was started: starting one needs all of these.

    Args:
        readable: Files and folders that stay readable besides Python, NumPy and what is installed.

    Returns:
        What was given up; fewer than all on a kernel without Landlock or seccomp.
    """
    paths = [*_python(), *map(os.fspath, readable)]
    program = seccomp.grader_program
    steps: dict[str, Callable[[], None]] = {
        ENVIRONMENT: _forget_environment,
        FILES: lambda: syscalls.landlock_restrict(paths),
        CAPABILITIES: syscalls.drop_capabilities,
        CALLS: lambda: syscalls.load_filter(program(syscalls.MACHINE)),
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


def leave_parent(kept: set[int], output: int | None = None) -> None:
    """Close what an author's code could use of the parent: terminal, files, connections.

    Args:
        output: The descriptor of an `OutputFile` for what this process prints; without one it is
            lost. Results have a connection of their own.
    """
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    print_to(nothing if output is None else output)
    low = 3
    for descriptor in [*sorted(kept), _DESCRIPTORS]:
        os.closerange(low, descriptor)
        low = descriptor + 1
    most = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (WORKER_ADDRESS_SPACE, most))


def _python() -> list[str]:
    """Return the files and folders of Python, of packages, and of the libraries that they load.

    Of other folders on the path, such as a checkout or the working directory, only what is imported
    already.
    """
    for name in _BEFORE:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    prefixes = {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}
    paths = {f"{prefix}/{name}" for prefix in prefixes for name in ("lib", "lib64")}
    paths.update(each for each in sys.path if each.endswith(_PACKAGES) or os.path.isfile(each))  # noqa: PTH113  texts
    paths.update(_LIBRARIES, _DEVICES)
    inside = tuple(f"{folder}/" for folder in paths)
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file and "." not in name and name != "__main__" and not file.startswith(inside):
            paths.update(getattr(module, "__path__", None) or [file])
    return sorted(paths)


def _forget_environment() -> None:
    """Empty the environment, and overwrite it where a process can still find it in its memory.

    That is in the bytes that `os.environ` held, and where the kernel put it for this process or
    its parent. `/proc/self/environ` shows the latter, whatever has changed since.
    """
    held = [each for pair in os.environb.items() for each in pair if len(each) > 1]
    os.environ.clear()
    for each in held:
        _overwrite(id(each) + bytes.__basicsize__ - 1, len(each))
    fields = Path("/proc/self/stat").read_bytes().rpartition(b")")[2].split()
    begin, end = (int(fields[number]) for number in _BOUNDS)
    _overwrite(begin, end - begin)
    # A package that is imported later may bring a BLAS of its own, and no thread can be started.
    for name, value in ONE_BLAS_THREAD.items():
        os.putenv(name, value)
    os.environ.update(LEFT_IN_ENVIRONMENT)
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)  # it cannot keep its cache


def _overwrite(address: int, size: int) -> None:
    ctypes.memset(address, 0, size)
