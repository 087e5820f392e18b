"""Linux system calls that Python has no function for, through ctypes.

Numbers and flags are from the kernel's own headers (asm/unistd_64.h, asm-generic/unistd.h,
linux/sched.h, linux/prctl.h, linux/landlock.h, linux/seccomp.h).
"""

import ctypes
import os
import struct

CLONE_NEWNS = 0x0002_0000
CLONE_NEWPID = 0x2000_0000

MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 8, 0x1000, 0x4000, 0x4_0000
MNT_DETACH = 2

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 1, 4, 38

SECCOMP_SET_MODE_FILTER = 1
SECCOMP_FILTER_FLAG_TSYNC = 1  # all threads, not just the calling one

LANDLOCK_CREATE_RULESET_VERSION = 1
LANDLOCK_RULE_PATH_BENEATH = 1

_AF_UNIX, _SOCK_STREAM = 1, 1

MACHINE = os.uname().machine
_NUMBERS = {
    "x86_64": {"capset": 126, "seccomp": 317},
    "aarch64": {"capset": 91, "seccomp": 277},
}
_LANDLOCK_CREATE_RULESET, _LANDLOCK_ADD_RULE, _LANDLOCK_RESTRICT_SELF = 444, 445, 446

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
_libc.mount.argtypes = [ctypes.c_char_p] * 3 + [ctypes.c_ulong, ctypes.c_char_p]
_libc.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
_with_interpreter_lock = ctypes.PyDLL(None, use_errno=True)
# ctypes makes a function on first use; the children inherit these.
_MADE = [getattr(_libc, name) for name in ("unshare", "setns", "socket", "signal")]

_CAPABILITIES_VERSION_3 = struct.pack("=II", 0x2008_0522, 0)
_NO_CAPABILITIES = bytes(24)


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def fork() -> int:
    """Fork a process of one thread; like `os.fork`, but without Python's work for other threads.

    `os.fork` makes new locks of the import system and of `threading`, and seeds `random`. This
    takes as long as all the rest of a fork.
    """
    return _checked(_with_interpreter_lock.fork(), "fork")


def unshare(flags: int) -> None:
    """Move this process (for NEWPID: its next child) into new namespaces."""
    _checked(_libc.unshare(flags), "unshare")


def setns(namespace: int, flags: int) -> None:
    """Join the namespace behind a file descriptor."""
    _checked(_libc.setns(namespace, flags), "setns")


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    """Mount a file system, or bind one path to another."""
    words = (source.encode(), target.encode(), kind.encode())
    _checked(_libc.mount(*words, flags, options.encode()), f"mount {target}")


def unmount(target: str) -> None:
    """Remove a mount from this mount namespace at once, even while it is used."""
    _checked(_libc.umount2(target.encode(), MNT_DETACH), f"umount {target}")


def prctl(option: int, value: int) -> None:
    """Set one attribute of this process."""
    _checked(_libc.prctl(option, value, 0, 0, 0), f"prctl {option}")


def drop_capabilities() -> None:
    """Drop every capability: permitted, effective and inheritable."""
    number = _NUMBERS[MACHINE]["capset"]
    _checked(_libc.syscall(number, _CAPABILITIES_VERSION_3, _NO_CAPABILITIES), "capset")


def is_refused_a_socket() -> bool:
    """Return whether this process can make no socket."""
    found: int = _libc.socket(_AF_UNIX, _SOCK_STREAM, 0)
    if found < 0:
        return True
    os.close(found)
    return False


def default_signal(number: int) -> None:
    """Reset a signal to its default action."""
    _libc.signal(number, None)


class _FilterProgram(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


class Filter:
    """A BPF program in memory, ready for seccomp."""

    def __init__(self, program: bytes) -> None:
        self._program = ctypes.create_string_buffer(program, len(program))
        self._header = _FilterProgram(len(program) // 8, ctypes.addressof(self._program))
        self._arguments = (
            _NUMBERS[MACHINE]["seccomp"],
            SECCOMP_SET_MODE_FILTER,
            SECCOMP_FILTER_FLAG_TSYNC,
            ctypes.byref(self._header),
        )

    def put(self, offset: int, value: int) -> None:
        """Replace 32 bits of the program."""
        struct.pack_into("=I", self._program, offset, value)

    def load(self) -> None:
        """Apply it to every system call of this process from now on."""
        _checked(_libc.syscall(*self._arguments), "seccomp")


def load_filter(program: bytes) -> None:
    """Apply a BPF program to every system call of this process from now on."""
    Filter(program).load()


def landlock_version() -> int:
    """Return the kernel's Landlock ABI version; 0 where there is none."""
    found: int = _libc.syscall(_LANDLOCK_CREATE_RULESET, None, 0, LANDLOCK_CREATE_RULESET_VERSION)
    return max(found, 0)


def landlock_ruleset(attributes: bytes) -> int:
    """Create a ruleset from its packed attributes; the caller closes the descriptor."""
    found = _libc.syscall(_LANDLOCK_CREATE_RULESET, attributes, len(attributes), 0)
    return _checked(found, "landlock_create_ruleset")


def landlock_allow(ruleset: int, path: int, rights: int) -> None:
    """Allow `rights` at and below an open path."""
    rule = struct.pack("=Qi", rights, path)
    _checked(
        _libc.syscall(_LANDLOCK_ADD_RULE, ruleset, LANDLOCK_RULE_PATH_BENEATH, rule, 0),
        "landlock_add_rule",
    )


def landlock_restrict_self(ruleset: int, flags: int) -> None:
    """Put this process, for good, under a ruleset."""
    _checked(_libc.syscall(_LANDLOCK_RESTRICT_SELF, ruleset, flags), "landlock_restrict_self")
