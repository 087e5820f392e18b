"""The system calls that a submission may make: an allow list, assembled into a BPF program.

All other calls fail with EPERM. Deliberately missing are calls that start or signal another process
or thread (execve, fork, clone, kill of others), open a socket, send descriptors (sendmsg), make a
namespace, trace, mount, change a file by its path (truncate, chmod, utimensat), expose more of the
kernel (ptrace, bpf, io_uring, keyctl, userfaultfd, perf, memfd_create), or reveal something about
other processes (sysinfo, getpriority, get_robust_list, mincore). `clone3` returns ENOSYS, because
glibc then falls back to `clone`, whose error programs expect.
"""

import errno
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass

_X86_64, _AARCH64 = 0xC000_003E, 0xC000_00B7
ARCHITECTURES = {"x86_64": (_X86_64, 0), "aarch64": (_AARCH64, 1)}

# name: (number on x86_64, number on aarch64); None where the architecture lacks the call.
Numbers = tuple[int | None, int | None]
Calls = dict[str, Numbers]

ALLOWED: Calls = {
    # reading and writing of open descriptors
    "read": (0, 63), "write": (1, 64), "readv": (19, 65), "writev": (20, 66),
    "pread64": (17, 67), "pwrite64": (18, 68), "preadv": (295, 69), "pwritev": (296, 70),
    "lseek": (8, 62), "close": (3, 57), "close_range": (436, 436), "dup": (32, 23),
    "dup2": (33, None), "dup3": (292, 24), "pipe": (22, None), "pipe2": (293, 59),
    "recvfrom": (45, 207), "poll": (7, None), "ppoll": (271, 73), "select": (23, None),
    "pselect6": (270, 72), "epoll_create1": (291, 20), "epoll_ctl": (233, 21),
    "epoll_wait": (232, None), "epoll_pwait": (281, 22), "eventfd2": (290, 19),
    # files, which the mount namespace or Landlock restricts
    "access": (21, None), "faccessat": (269, 48), "faccessat2": (439, 439), "stat": (4, None),
    "lstat": (6, None), "fstat": (5, 80), "newfstatat": (262, 79), "statx": (332, 291),
    "getdents64": (217, 61), "getcwd": (79, 17), "chdir": (80, 49), "fchdir": (81, 50),
    "fsync": (74, 82), "fdatasync": (75, 83), "fadvise64": (221, 223), "umask": (95, 166),
    # memory
    "munmap": (11, 215), "mprotect": (10, 226), "mremap": (25, 216), "madvise": (28, 233),
    "brk": (12, 214),
    # its own locks and signals
    "futex": (202, 98), "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139), "rt_sigpending": (127, 136), "rt_sigtimedwait": (128, 137),
    "sigaltstack": (131, 132), "rseq": (334, 293), "set_robust_list": (273, 99),
    "set_tid_address": (218, 96), "membarrier": (324, 283), "sched_yield": (24, 124),
    "getcpu": (309, 168), "exit": (60, 93), "exit_group": (231, 94), "restart_syscall": (219, 128),
    "alarm": (37, None), "setitimer": (38, 103), "getitimer": (36, 102), "pause": (34, None),
    # time and identity
    "nanosleep": (35, 101), "gettimeofday": (96, 169), "time": (201, None), "times": (100, 153),
    "getrandom": (318, 278), "getpid": (39, 172), "gettid": (186, 178), "getppid": (110, 173),
    "getuid": (102, 174), "geteuid": (107, 175), "getgid": (104, 176), "getegid": (108, 177),
    "getpgrp": (111, None), "getrusage": (98, 165), "getrlimit": (97, 163), "uname": (63, 160),
}  # fmt: skip

# Additional calls for processes with a scratch folder.
SCRATCH: Calls = {
    "open": (2, None), "openat": (257, 56), "unlink": (87, None), "unlinkat": (263, 35),
    "mkdir": (83, None), "mkdirat": (258, 34), "rmdir": (84, None), "rename": (82, None),
    "renameat": (264, 38), "renameat2": (316, 276), "ftruncate": (77, 46), "fallocate": (285, 47),
}  # fmt: skip

_MSG_OOB, _MAP_HUGETLB = 1, 0x4_0000
_FCNTL = (72, 25)
_DUP_AND_FLAGS = (0, 1, 2, 3, 4, 1030, 1034)  # without F_SETOWN and F_SETSIG, which send signals


@dataclass(frozen=True)
class Condition:
    """A condition on a call: `argument & mask` must be one of `values`.

    Attributes:
        argument: The index of the argument.
        wide: Whether to compare all 64 bits of the argument.
        otherwise: The error number if the condition does not hold.
    """

    argument: int
    values: tuple[int, ...]
    mask: int = 0xFFFF_FFFF
    wide: bool = False
    otherwise: int = errno.EPERM


Conditions = dict[str, tuple[Numbers, tuple[Condition, ...]]]


def conditions(pid: int, *, scratch: bool) -> Conditions:
    """Return the calls that are allowed only for some arguments.

    Args:
        pid: The pid of the process, which may make some calls only for itself.
        scratch: Whether there is a folder to write to. Otherwise files may be opened only for
            reading.
    """
    terminal_and_blocking = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
    set_name, get_name = 15, 16
    itself = Condition(0, (0, pid))
    # Other clock ids refer to files, or to the CPU time of another process.
    common_clock = Condition(0, (0,), 0xFFFF_FFF0)
    allowed: Conditions = {
        "fcntl": (_FCNTL, (Condition(1, _DUP_AND_FLAGS),)),
        "ioctl": ((16, 29), (Condition(1, terminal_and_blocking),)),
        "prctl": ((157, 167), (Condition(0, (set_name, get_name)),)),
        # Huge pages are a small pool that all processes of the host share.
        "mmap": ((9, 222), (Condition(3, (0,), _MAP_HUGETLB),)),
        # Urgent data would make a stream look readable although there is nothing to read.
        "sendto": ((44, 206), (Condition(3, (0,), _MSG_OOB),)),
        # Limits may be read, but not set.
        "prlimit64": ((302, 261), (itself, Condition(2, (0,), wide=True))),
        "sched_getaffinity": ((204, 123), (itself,)),
        "clock_gettime": ((228, 113), (common_clock,)),
        "clock_getres": ((229, 114), (common_clock,)),
        "clock_nanosleep": ((230, 115), (common_clock,)),
        "kill": ((62, 129), (Condition(0, (pid,)),)),
        "tgkill": ((234, 131), (Condition(0, (pid,)),)),
    }
    if not scratch:
        # Before version 3, Landlock allows truncating a readable file. All versions allow opening
        # any file with access mode 3 (neither read nor write), and the first two also allow
        # truncating it that way.
        flags = os.O_ACCMODE | os.O_CREAT | os.O_TRUNC
        for name, numbers, argument in (("open", (2, None), 1), ("openat", (257, 56), 2)):
            reading = Condition(argument, (os.O_RDONLY,), flags, otherwise=errno.EACCES)
            allowed[name] = (numbers, (reading,))
    return allowed


_CLONE3 = (435, 435)

# Constants of classic BPF, from linux/filter.h and linux/seccomp.h.
_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _AND, _RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
_ALLOW, _KILL_PROCESS, _ERRNO = 0x7FFF_0000, 0x8000_0000, 0x0005_0000
_NR_OFFSET, _ARCH_OFFSET, _ARGUMENTS_OFFSET = 0, 4, 16
_X32_BIT = 0x4000_0000  # set in the numbers of x32 calls

Instruction = tuple[int, int, int, int]


def _conditional(number: int, conditions: tuple[Condition, ...]) -> Iterator[Instruction]:
    """Yield code that allows a call if all conditions hold, and falls through for others."""
    body: list[Instruction] = []
    for condition in conditions:
        low = _ARGUMENTS_OFFSET + 8 * condition.argument
        refuse = (_RETURN, 0, 0, _ERRNO | condition.otherwise)
        if condition.wide:
            body += [(_LOAD, 0, 0, low + 4), (_JUMP_EQUAL, 1, 0, 0), refuse]
        body.append((_LOAD, 0, 0, low))
        if condition.mask != 0xFFFF_FFFF:  # noqa: PLR2004  the mask that keeps all bits
            body.append((_AND, 0, 0, condition.mask))
        for left, value in zip(range(len(condition.values), 0, -1), condition.values, strict=True):
            body.append((_JUMP_EQUAL, left, 0, value))
        body.append(refuse)
    body.append((_RETURN, 0, 0, _ALLOW))
    yield (_JUMP_EQUAL, 0, len(body), number)
    yield from body


def _search(ranges: list[tuple[int, int]]) -> list[Instruction]:
    """Return a binary search that allows the numbers in these ranges and refuses all others.

    It must be short, since the kernel runs a program for every possible call when it is loaded.
    """
    if len(ranges) == 1:
        first, last = ranges[0]
        return [
            (_JUMP_AT_LEAST, 0, 2, first),
            (_JUMP_AT_LEAST, 1, 0, last + 1),
            (_RETURN, 0, 0, _ALLOW),
            (_RETURN, 0, 0, _ERRNO | errno.EPERM),
        ]
    middle = len(ranges) // 2
    below, above = _search(ranges[:middle]), _search(ranges[middle:])
    return [(_JUMP_AT_LEAST, len(below), 0, ranges[middle][0]), *below, *above]


def _allowing(architecture: int, column: int, allowed: Calls, conditional: Conditions) -> bytes:
    """Assemble an allow list and the calls with conditions for one architecture."""
    instructions: list[Instruction] = [
        (_LOAD, 0, 0, _ARCH_OFFSET),
        (_JUMP_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL_PROCESS),  # a call of another architecture
        (_LOAD, 0, 0, _NR_OFFSET),
    ]
    if architecture == _X86_64:  # x32 calls have other numbers, so they are refused
        instructions += [
            (_JUMP_AT_LEAST, 0, 1, _X32_BIT),
            (_RETURN, 0, 0, _ERRNO | errno.EPERM),
        ]
    instructions += [
        (_JUMP_EQUAL, 0, 1, _CLONE3[column]),
        (_RETURN, 0, 0, _ERRNO | errno.ENOSYS),
    ]
    for numbers, every in conditional.values():
        number = numbers[column]
        if number is not None:
            instructions += _conditional(number, every)
    ranges: list[tuple[int, int]] = []  # first and last of consecutive numbers
    plain = (numbers[column] for numbers in allowed.values())
    for number in sorted(number for number in plain if number is not None):
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    instructions += _search(ranges)
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in instructions)


# Additional calls of a worker, which talks to its sandbox, creates the output file and resolves
# paths.
_FOR_WORKERS: Calls = {
    "socketpair": (53, 199), "memfd_create": (319, 279), "wait4": (61, 260), "waitid": (247, 95),
    "getsockname": (51, 204), "getsockopt": (55, 209), "shutdown": (48, 210), "recvmsg": (47, 212),
    "readlink": (89, None), "readlinkat": (267, 78), "ftruncate": (77, 46),
}  # fmt: skip
_F_ADD_SEALS = 1033


def worker_program(machine: str) -> bytes:
    """Assemble the filter for a worker, which reads files but sends no signals.

    Raises:
        KeyError: For an architecture other than `x86_64` and `aarch64`.
    """
    conditional = conditions(0, scratch=False)
    del conditional["kill"], conditional["tgkill"]
    conditional["fcntl"] = (_FCNTL, (Condition(1, (*_DUP_AND_FLAGS, _F_ADD_SEALS)),))
    conditional["sendmsg"] = ((46, 211), (Condition(2, (0,), _MSG_OOB),))
    return _allowing(*ARCHITECTURES[machine], ALLOWED | _FOR_WORKERS, conditional)


def program(machine: str, pid: int, *, scratch: bool) -> bytes:
    """Assemble the filter for an architecture and for a process that may signal only itself.

    Args:
        machine: `x86_64` or `aarch64`, as `platform.machine()` returns it.
        pid: The result of `os.getpid()` in the process that will load the program.

    Raises:
        KeyError: For another architecture.
    """
    allowed = ALLOWED | SCRATCH if scratch else ALLOWED
    return _allowing(*ARCHITECTURES[machine], allowed, conditions(pid, scratch=scratch))
