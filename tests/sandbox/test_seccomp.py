"""The system call filter: its numbers are the kernel's, its policy is what the page says."""

import errno
import re
import struct
from pathlib import Path

import pytest

from grader.sandbox.inside import seccomp

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
    table = {name: numbers[column] for name, numbers in seccomp.ALLOWED.items()}
    ours = {name: number for name, number in table.items() if number is not None}
    assert ours == {name: known[alias.get(name, name)] for name in ours}


def test_nothing_dangerous_is_on_the_list() -> None:
    """No call that starts, signals, traces or connects is allowed without a condition."""
    assert FORBIDDEN.isdisjoint(seccomp.ALLOWED)


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


@pytest.mark.parametrize("machine", seccomp.ARCHITECTURES)
def test_the_program_allows_the_table_and_nothing_else(machine: str) -> None:
    """Each number, run through the program, is judged as the page says."""
    architecture, column = seccomp.ARCHITECTURES[machine]
    program = seccomp.program(machine, 1)
    table = {numbers[column] for numbers in seccomp.ALLOWED.values()}
    allow, refuse, missing = 0x7FFF_0000, 0x0005_0000 | errno.EPERM, 0x0005_0000 | errno.ENOSYS
    arguments = (0xFFFF_FFFF,) * 12  # none that a condition would allow
    for number in [*range(1200), 0x4000_0001, 0xFFFF_FFFF]:
        expected = allow if number in table else missing if number == 435 else refuse
        assert _judge(program, (number, architecture, 0, 0, *arguments)) == expected
        assert _judge(program, (number, 0x4000_0003, 0, 0, *arguments)) == 0x8000_0000


@pytest.mark.parametrize("machine", seccomp.ARCHITECTURES)
def test_the_places_of_the_pid_are_where_it_stands(machine: str) -> None:
    """A program for one process becomes that for another by replacing these words."""
    program = bytearray(seccomp.program(machine, 7))
    for place in seccomp.places_of_pid(machine):
        struct.pack_into("=I", program, place, 123_456)
    assert program == seccomp.program(machine, 123_456)


def test_a_program_fits_the_kernel() -> None:
    """Eight bytes an instruction, at most 4096 of them, for each architecture."""
    for machine in seccomp.ARCHITECTURES:
        program = seccomp.program(machine, 1)
        assert len(program) % 8 == 0
        assert len(program) // 8 <= 4096
