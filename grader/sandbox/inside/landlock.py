"""Landlock: which paths a process may still open, without any privilege or namespace."""

import os
import struct
from collections.abc import Iterable

from . import syscalls

READ_FILE, READ_DIR = 1 << 2, 1 << 3

# How many file-system rights, and which other kinds of rights, each ABI version knows.
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
_LATEST_FILE_RIGHTS = 16
_NETWORK_SINCE, _SCOPES_SINCE = 4, 6
_TCP_BIND_AND_CONNECT = 0b11
_ABSTRACT_SOCKETS_AND_SIGNALS = 0b11


def _attributes(version: int) -> bytes:
    """Everything this kernel can deny is handled, so everything not allowed is denied."""
    files = (1 << _FILE_RIGHTS.get(version, _LATEST_FILE_RIGHTS)) - 1
    packed = struct.pack("=Q", files)
    if version >= _NETWORK_SINCE:
        packed += struct.pack("=Q", _TCP_BIND_AND_CONNECT)
    if version >= _SCOPES_SINCE:
        packed += struct.pack("=Q", _ABSTRACT_SOCKETS_AND_SIGNALS)
    return packed


def restrict_to(readable: Iterable[str]) -> int:
    """Let this process read these files and folders and nothing else, from now on.

    Needs no_new_privs. Paths that do not exist are passed over.

    Returns:
        The kernel's Landlock ABI version.

    Raises:
        OSError: if the kernel has no Landlock, or refuses.
    """
    version = syscalls.landlock_version()
    ruleset = syscalls.landlock_ruleset(_attributes(version))
    try:
        for path in readable:
            _allow_reading(ruleset, path)
        syscalls.landlock_restrict_self(ruleset)
    finally:
        os.close(ruleset)
    return version


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
