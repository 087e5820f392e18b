"""Linux system calls that Python lacks, through ctypes, and the Landlock functions built on them.

Numbers and flags are from the kernel's own headers (asm/unistd_64.h, asm-generic/unistd.h,
linux/sched.h, linux/prctl.h, linux/landlock.h, linux/seccomp.h).
"""

import ctypes
import os
import struct
from collections.abc import Iterable

CLONE_NEWNS = 0x0002_0000
CLONE_NEWPID = 0x2000_0000

MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 8, 0x1000, 0x4000, 0x4_0000
MNT_DETACH = 2

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 1, 4, 38

SECCOMP_SET_MODE_FILTER = 1
SECCOMP_FILTER_FLAG_TSYNC = 1  # applies the filter to all threads, not only to the calling one

_AF_UNIX, _SOCK_STREAM = 1, 1

MACHINE = os.uname().machine
_NUMBERS = {
    "x86_64": {"capset": 126, "seccomp": 317},
    "aarch64": {"capset": 91, "seccomp": 277},
}

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
_libc.mount.argtypes = [ctypes.c_char_p] * 3 + [ctypes.c_ulong, ctypes.c_char_p]
_libc.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
_with_interpreter_lock = ctypes.PyDLL(None, use_errno=True)

_CAPABILITIES_VERSION_3 = struct.pack("=II", 0x2008_0522, 0)
_NO_CAPABILITIES = bytes(24)


def _check_result(result: int, call: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{call}: {os.strerror(number)}")
    return result


def fork() -> int:
    """Fork a process of one thread, without the work that `os.fork` does for other threads.

    `os.fork` replaces the locks of the import system and of `threading`, and seeds `random`. This
    takes as long as the rest of a fork.
    """
    return _check_result(_with_interpreter_lock.fork(), "fork")


def unshare(flags: int) -> None:
    """Move this process into new namespaces; with NEWPID, its next child."""
    _check_result(_libc.unshare(flags), "unshare")


def setns(namespace: int, flags: int) -> None:
    """Join the namespace behind a file descriptor."""
    _check_result(_libc.setns(namespace, flags), "setns")


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    """Mount a file system, or bind one path to another."""
    arguments = (source.encode(), target.encode(), kind.encode())
    _check_result(_libc.mount(*arguments, flags, options.encode()), f"mount {target}")


def unmount(target: str) -> None:
    """Remove a mount from this mount namespace immediately, even while it is in use."""
    _check_result(_libc.umount2(target.encode(), MNT_DETACH), f"umount {target}")


def prctl(option: int, value: int) -> None:
    """Set one attribute of this process."""
    _check_result(_libc.prctl(option, value, 0, 0, 0), f"prctl {option}")


def drop_capabilities() -> None:
    """Drop every capability: permitted, effective and inheritable."""
    number = _NUMBERS[MACHINE]["capset"]
    _check_result(_libc.syscall(number, _CAPABILITIES_VERSION_3, _NO_CAPABILITIES), "capset")


def is_refused_a_socket() -> bool:
    """Return whether this process cannot create a socket."""
    descriptor: int = _libc.socket(_AF_UNIX, _SOCK_STREAM, 0)
    if descriptor < 0:
        return True
    os.close(descriptor)
    return False


class _FilterProgram(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def load_filter(program: bytes) -> None:
    """Apply a BPF program to every system call of this process from now on."""
    instructions = ctypes.create_string_buffer(program, len(program))
    header = _FilterProgram(len(program) // 8, ctypes.addressof(instructions))
    arguments = (SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, ctypes.byref(header))
    _check_result(_libc.syscall(_NUMBERS[MACHINE]["seccomp"], *arguments), "seccomp")


# With Landlock an unprivileged process can give up rights over files, network and processes. Each
# version of the kernel's interface (ABI) added rights.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_CREATE_RULESET_VERSION, _RULE_PATH_BENEATH = 1, 1
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3

# For each ABI version: the name of the rights that it added, and their bits for files, network and
# scopes.
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

# Denials are not logged, since a submission could fill the host's audit log.
_LOG_SAME_EXEC_OFF, _LOG_FLAGS_SINCE = 1 << 0, 7


def landlock_version() -> int:
    """Return the kernel's Landlock ABI version, or 0 without Landlock."""
    version: int = _libc.syscall(_CREATE_RULESET, None, 0, _CREATE_RULESET_VERSION)
    return max(version, 0)


def landlock_rights(abi: int) -> tuple[str, ...]:
    """Return the names of the rights that this ABI version can deny."""
    return tuple(added[0] for since, added in _ADDED.items() if since <= abi)


def landlock_attributes(abi: int) -> tuple[int, int, int]:
    """Return the bits of all rights that this ABI version can deny: files, network, scopes."""
    files = network = scopes = 0
    for since, (_, *fields) in _ADDED.items():
        if since <= abi:
            files, network, scopes = files | fields[0], network | fields[1], scopes | fields[2]
    return files, network, scopes


def landlock_ruleset(attributes: bytes) -> int:
    """Create a ruleset from its packed attributes; the caller closes the descriptor."""
    descriptor = _libc.syscall(_CREATE_RULESET, attributes, len(attributes), 0)
    return _check_result(descriptor, "landlock_create_ruleset")


def landlock_restrict(readable: Iterable[str] | None, *, abi: int | None = None) -> None:
    """Permanently deny this process everything that Landlock covers except reading.

    This needs no_new_privs. Files that are already open stay usable.

    Args:
        readable: The files and folders that stay readable, or None for all. Missing ones are
            skipped.
        abi: The ABI version to use in place of the kernel's newest one, for tests.

    Raises:
        OSError: The kernel lacks Landlock, or refuses.
    """
    abi = landlock_version() if abi is None else abi
    files, network, scopes = landlock_attributes(abi)
    if readable is None:
        files &= ~(_READ_FILE | _READ_DIR)
    # An older kernel accepts the longer structure, since its additional fields are zero.
    ruleset = landlock_ruleset(struct.pack("=3Q", files, network, scopes))
    try:
        for path in readable or ():
            try:
                descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except OSError:  # missing, so it cannot be read anyway
                continue
            try:
                allowed = _READ_FILE | _READ_DIR if os.path.isdir(path) else _READ_FILE  # noqa: PTH112  no pathlib in here
                rule = struct.pack("=Qi", allowed, descriptor)
                added = _libc.syscall(_ADD_RULE, ruleset, _RULE_PATH_BENEATH, rule, 0)
                _check_result(added, "landlock_add_rule")
            finally:
                os.close(descriptor)
        flags = _LOG_SAME_EXEC_OFF if abi >= _LOG_FLAGS_SINCE else 0
        restricted = _libc.syscall(_RESTRICT_SELF, ruleset, flags)
        _check_result(restricted, "landlock_restrict_self")
    finally:
        os.close(ruleset)
