"""Landlock: which paths a process may still open, without any privilege or namespace."""

import os
import struct
from collections.abc import Iterable

from . import syscalls

EXECUTE, READ_FILE, READ_DIR, IOCTL_DEV = 1 << 0, 1 << 2, 1 << 3, 1 << 15
_NOT_WRITING = EXECUTE | READ_FILE | READ_DIR | IOCTL_DEV

# How many file-system rights, and which other kinds of rights, each ABI version knows.
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
_LATEST_FILE_RIGHTS = 16
_NETWORK_SINCE, _SCOPES_SINCE = 4, 6
_TCP_BIND_AND_CONNECT = 0b11
_ABSTRACT_SOCKETS_AND_SIGNALS = 0b11


def _attributes(version: int, left_alone: int) -> bytes:
    """Everything this kernel can deny is handled, so what is not allowed is denied."""
    files = (1 << _FILE_RIGHTS.get(version, _LATEST_FILE_RIGHTS)) - 1
    packed = struct.pack("=Q", files & ~left_alone)
    if version >= _NETWORK_SINCE:
        packed += struct.pack("=Q", _TCP_BIND_AND_CONNECT)
    if version >= _SCOPES_SINCE:
        packed += struct.pack("=Q", _ABSTRACT_SOCKETS_AND_SIGNALS)
    return packed


def restrict_to(readable: Iterable[str]) -> None:
    """Let this process read these files and folders and nothing else, from now on.

    Needs no_new_privs. Paths that do not exist are passed over.

    Raises:
        OSError: if the kernel has no Landlock, or refuses.
    """
    _restrict(readable, left_alone=0)


def forbid_writing() -> None:
    """Keep this process from changing any file, and from TCP, from now on. Needs no_new_privs.

    Raises:
        OSError: if the kernel has no Landlock, or refuses.
    """
    _restrict((), left_alone=_NOT_WRITING)


def _restrict(readable: Iterable[str], left_alone: int) -> None:
    version = syscalls.landlock_version()
    ruleset = syscalls.landlock_ruleset(_attributes(version, left_alone))
    try:
        for path in readable:
            _allow_reading(ruleset, path)
        syscalls.landlock_restrict_self(ruleset)
    finally:
        os.close(ruleset)


def _allow_reading(ruleset: int, path: str) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        rights = READ_FILE | READ_DIR if os.path.isdir(path) else READ_FILE  # noqa: PTH112  no pathlib in here
        syscalls.landlock_allow(ruleset, descriptor, rights)
    finally:
        os.close(descriptor)
