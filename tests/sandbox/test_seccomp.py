"""The system call filter: its numbers are the kernel's, its policy is what the page says."""

import errno
import os
import re
import struct
from pathlib import Path

import pytest

from grader.sandbox.in_child import seccomp

HEADERS = {
    "x86_64": (0, Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")),
    "aarch64": (1, Path("/usr/include/asm-generic/unistd.h")),
}
FORBIDDEN = {
    "execve", "execveat", "fork", "vfork", "clone3", "socket", "socketpair", "connect", "bind",
    "ptrace", "process_vm_readv", "process_vm_writev", "unshare", "setns", "mount", "umount2",
    "pivot_root", "chroot", "bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "keyctl",
    "add_key", "request_key", "memfd_create", "setrlimit", "setuid", "capset", "pidfd_getfd",
    "kexec_load", "init_module", "finit_module", "open_by_handle_at", "personality", "shmget",
    "msgget", "semget", "mq_open", "symlink", "link", "mknod", "sched_setaffinity",
    "openat2", "creat", "truncate", "sendmsg", "sendmmsg", "flock", "readlink", "readlinkat",
    "sysinfo", "getpriority", "get_robust_list", "mincore",
}  # fmt: skip


@pytest.mark.parametrize("machine", HEADERS)
def test_numbers_are_those_of_the_kernel_headers(machine: str) -> None:
    """Each number in the table is the one that the architecture's header gives the name."""
    column, header = HEADERS[machine]
    if not header.exists():
        pytest.skip(f"{header} is not installed")
    pattern = re.compile(r"^#define __NR(?:3264)?_(\w+)\s+(\d+)", re.MULTILINE)
    known = {name: int(number) for name, number in pattern.findall(header.read_text())}
    alias = {"newfstatat": "fstatat"} if machine == "aarch64" else {}
    conditional = seccomp.conditions(0, scratch=False)
    every = (
        seccomp.ALLOWED | seccomp.SCRATCH | {name: each[0] for name, each in conditional.items()}
    )
    table = {name: numbers[column] for name, numbers in every.items()}
    ours = {name: number for name, number in table.items() if number is not None}
    assert ours == {name: known[alias.get(name, name)] for name in ours}


def test_nothing_dangerous_is_on_the_list() -> None:
    """No call that starts, signals, traces or connects is allowed without a condition."""
    assert FORBIDDEN.isdisjoint(seccomp.ALLOWED | seccomp.SCRATCH)


def _judge(program: bytes, words: tuple[int, ...]) -> int:
    """Run a BPF program over the 32-bit words of a call, as the kernel does."""
    accumulator, position = 0, 0
    while True:
        code, true, false, constant = struct.unpack_from("=HBBI", program, 8 * position)
        position += 1
        match code:
            case 0x20:
                accumulator = words[constant // 4]
            case 0x54:
                accumulator &= constant
            case 0x15:
                position += true if accumulator == constant else false
            case 0x35:
                position += true if accumulator >= constant else false
            case _:
                return int(constant)


ALLOW, REFUSE, MISSING = 0x7FFF_0000, 0x0005_0000 | errno.EPERM, 0x0005_0000 | errno.ENOSYS
CANNOT_WRITE = 0x0005_0000 | errno.EACCES


@pytest.mark.parametrize("scratch", [True, False])
@pytest.mark.parametrize("machine", seccomp.ARCHITECTURES)
def test_the_program_allows_the_table_and_nothing_else(machine: str, scratch: bool) -> None:
    """Each number, run through the program, is judged as the page says."""
    architecture, column = seccomp.ARCHITECTURES[machine]
    program = seccomp.program(machine, 1, scratch=scratch)
    table = seccomp.ALLOWED | seccomp.SCRATCH if scratch else seccomp.ALLOWED
    expected = {numbers[column]: ALLOW for numbers in table.values()} | {435: MISSING}
    opening = {seccomp.SCRATCH[name][column] for name in ("open", "openat")}
    expected |= {} if scratch else dict.fromkeys(opening, CANNOT_WRITE)
    arguments = (0xFFFF_FFFF,) * 12  # none that a condition would allow
    for number in [*range(1200), 0x4000_0001, 0xFFFF_FFFF]:
        judged = _judge(program, (number, architecture, 0, 0, *arguments))
        assert judged == expected.get(number, REFUSE), number
        assert _judge(program, (number, 0x4000_0003, 0, 0, *arguments)) == 0x8000_0000


# A call by its number on x86_64, its arguments, and whether process 7 may make it.
CONDITIONS = [
    ("prlimit64", 302, (0, 7, 0), True),
    ("prlimit64", 302, (7, 7, 0), True),
    ("prlimit64 of another", 302, (8, 7, 0), False),
    ("prlimit64 that sets", 302, (0, 7, 1), False),
    ("prlimit64 that sets, above 4 GiB", 302, (0, 7, 1 << 32), False),
    ("sched_getaffinity", 204, (0,), True),
    ("sched_getaffinity of another", 204, (8,), False),
    ("clock_gettime", 228, (11,), True),
    ("clock_gettime of a process", 228, (~8 << 3 | 2,), False),
    ("clock_getres of a process", 229, (~8 << 3 | 2,), False),
    ("clock_nanosleep by a process", 230, (~8 << 3 | 2,), False),
    ("kill", 62, (7,), True),
    ("kill of another", 62, (8,), False),
    ("kill of the group", 62, (0,), False),
    ("mmap", 9, (0, 4096, 3, 0x22), True),
    ("mmap of huge pages", 9, (0, 4096, 3, 0x4_0022), False),
    ("sendto", 44, (3, 0, 1, 0), True),
    ("sendto, urgent", 44, (3, 0, 1, 1), False),
]


@pytest.mark.parametrize(("name", "number", "arguments", "may"), CONDITIONS)
def test_a_condition_looks_at_the_arguments(
    name: str, number: int, arguments: tuple[int, ...], may: bool
) -> None:
    """A process learns about itself and no other, and sets nothing."""
    del name
    for scratch in (True, False):
        program = seccomp.program("x86_64", 7, scratch=scratch)
        judged = _judge(program, _words(number, arguments))
        assert judged == (ALLOW if may else REFUSE)


def _words(number: int, arguments: tuple[int, ...]) -> tuple[int, ...]:
    """Lay out a call on x86_64 as a filter sees it."""
    halves = struct.unpack("=12I", struct.pack("=6q", *arguments, *[0] * (6 - len(arguments))))
    return (number, 0xC000_003E, 0, 0, *halves)


@pytest.mark.parametrize(("number", "place"), [(2, 1), (257, 2)])
def test_without_a_scratch_folder_files_are_opened_to_be_read(number: int, place: int) -> None:
    """The flags to write, make and empty are refused to a submission and to a worker."""
    reading = seccomp.program("x86_64", 7, scratch=False), seccomp.worker_program("x86_64")
    for flags in (os.O_RDONLY, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY, os.O_PATH):
        call = _words(number, (0,) * place + (flags,))
        assert [_judge(program, call) for program in reading] == [ALLOW] * 2
    for flags in (os.O_WRONLY, os.O_RDWR, os.O_ACCMODE, os.O_CREAT, os.O_TRUNC):
        call = _words(number, (0,) * place + (flags,))
        assert [_judge(program, call) for program in reading] == [CANNOT_WRITE] * 2
        assert _judge(seccomp.program("x86_64", 7, scratch=True), call) == ALLOW


def test_a_program_fits_the_kernel() -> None:
    """Eight bytes an instruction, at most 4096 of them, for each architecture."""
    for machine in seccomp.ARCHITECTURES:
        program = seccomp.program(machine, 1, scratch=False)
        assert len(program) % 8 == 0
        assert len(program) // 8 <= 4096
