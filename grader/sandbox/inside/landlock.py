"""Landlock: an unprivileged process gives up rights over files, network and processes.

Each version of the kernel's interface (ABI) added rights. All rights that the running kernel knows
are denied, except reading the readable paths. The bits are those of linux/landlock.h.
"""

import os
import struct
from collections.abc import Iterable

from . import syscalls

_READ_FILE, _READ_DIR = 1 << 2, 1 << 3

# ABI version: the rights that it added, and their bits among those of files, network and scopes.
_ADDED = {
    1: ("files", (1 << 13) - 1, 0, 0),
    2: ("moves between folders", 1 << 13, 0, 0),
    3: ("emptying files", 1 << 14, 0, 0),
    4: ("TCP", 0, 0b11, 0),
    5: ("ioctl on devices", 1 << 15, 0, 0),
    6: ("signals and abstract sockets", 0, 0, 0b11),
    9: ("sockets by path", 1 << 16, 0, 0),
    10: ("UDP", 0, 0b1100, 0),
}

# Denials are not logged: a submission could fill the host's audit log.
_LOG_SAME_EXEC_OFF, _LOG_FLAGS_SINCE = 1 << 0, 7


def rights(abi: int) -> tuple[str, ...]:
    """Return the names of the rights that this ABI version can deny."""
    return tuple(added[0] for since, added in _ADDED.items() if since <= abi)


def attributes(abi: int) -> tuple[int, int, int]:
    """Return the bits of everything that this ABI version can deny: files, network, scopes."""
    files = network = scopes = 0
    for since, (_, *more) in _ADDED.items():
        if since <= abi:
            files, network, scopes = files | more[0], network | more[1], scopes | more[2]
    return files, network, scopes


def restrict(readable: Iterable[str] | None, *, abi: int | None = None) -> None:
    """Deny this process everything that Landlock covers except reading, for good.

    Needs no_new_privs. Files that are open already stay as they are.

    Args:
        readable: the files and folders that stay readable, None for all; what cannot be
            reached is skipped.
        abi: the version to use instead of the kernel's newest one, to test an older one.

    Raises:
        OSError: the kernel has no Landlock, or refuses.
    """
    abi = syscalls.landlock_version() if abi is None else abi
    files, network, scopes = attributes(abi)
    if readable is None:
        files &= ~(_READ_FILE | _READ_DIR)
    # An older kernel takes the longer structure, as what it does not know is zero.
    ruleset = syscalls.landlock_ruleset(struct.pack("=3Q", files, network, scopes))
    try:
        for path in readable or ():
            _allow_reading(ruleset, path)
        flags = _LOG_SAME_EXEC_OFF if abi >= _LOG_FLAGS_SINCE else 0
        syscalls.landlock_restrict_self(ruleset, flags)
    finally:
        os.close(ruleset)


def _allow_reading(ruleset: int, path: str) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:  # what cannot be reached cannot be read either
        return
    try:
        allowed = _READ_FILE | _READ_DIR if os.path.isdir(path) else _READ_FILE  # noqa: PTH112  no pathlib in here
        syscalls.landlock_allow(ruleset, descriptor, allowed)
    finally:
        os.close(descriptor)
