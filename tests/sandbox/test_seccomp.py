"""The system call filter: its numbers are the kernel's, its policy is what the page says."""

import re
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


def test_a_program_fits_the_kernel() -> None:
    """Eight bytes an instruction, at most 4096 of them, for each architecture."""
    for machine in seccomp.ARCHITECTURES:
        program = seccomp.program(machine, 1)
        assert len(program) % 8 == 0
        assert len(program) // 8 <= 4096
