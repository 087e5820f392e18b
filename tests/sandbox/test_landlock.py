"""Landlock denies what the kernel's version of it knows, and nothing that is to be read."""

import fcntl
import json
import os
import signal
import socket
import struct
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from grader.sandbox.backends import LANDLOCK, Backend, Host, Launch
from grader.sandbox.examination import examine
from grader.sandbox.in_child import seccomp, syscalls

NEWEST_KNOWN = 10
KERNEL = syscalls.landlock_version()
RNDGETENTCNT = 0x8004_5200

pytestmark = pytest.mark.skipif(not KERNEL, reason="this kernel has no Landlock")


class Outside:
    """Things outside a restricted process: a file, listeners and this process."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "file"
        self.file.write_text("as it was")
        self.pid = os.getpid()
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        self.path, self.abstract = (socket.socket(socket.AF_UNIX) for _ in range(2))
        self.path.bind(str(folder / "socket"))
        self.path.listen()
        self.abstract.bind(f"\0landlock-{self.pid}")
        self.abstract.listen()

    def close(self) -> None:
        """Close the listeners."""
        for listener in (self.tcp, self.udp, self.path, self.abstract):
            listener.close()


@pytest.fixture
def outside() -> Iterator[Outside]:
    """Return the targets of the attempts."""
    with tempfile.TemporaryDirectory() as folder:
        made = Outside(Path(folder))
        yield made
        made.close()


def _connect(listener: socket.socket) -> None:
    socket.socket(listener.family, listener.type).connect(listener.getsockname())


def _empty(outside: Outside) -> None:
    os.close(os.open(outside.file, os.O_RDONLY | os.O_TRUNC))


def _ask_a_device(outside: Outside) -> None:
    del outside
    with Path("/dev/urandom").open("rb") as device:
        fcntl.ioctl(device, RNDGETENTCNT, bytes(4))


# Each attempt, with the version of Landlock from which on it is refused.
SINCE: dict[str, tuple[int, Callable[[Outside], object]]] = {
    "write": (1, lambda outside: os.open(outside.file, os.O_WRONLY)),
    "make": (1, lambda outside: outside.file.with_name("new").mkdir()),
    "remove": (1, lambda outside: outside.file.unlink()),
    "empty": (3, _empty),
    "tcp": (4, lambda outside: _connect(outside.tcp)),
    "listen": (4, lambda _: socket.create_server(("127.0.0.1", 0))),
    "ioctl": (5, _ask_a_device),
    "signal": (6, lambda outside: os.kill(outside.pid, signal.SIGCONT)),
    "abstract socket": (6, lambda outside: _connect(outside.abstract)),
    "socket": (9, lambda outside: _connect(outside.path)),
    "udp": (10, lambda outside: _connect(outside.udp)),
    "udp port": (10, lambda _: socket.socket(type=socket.SOCK_DGRAM).bind(("127.0.0.1", 0))),
}


def _is_refused(attempt: Callable[[], object], readable: list[str] | None, abi: int) -> bool:
    """Make an attempt in a process of its own that Landlock restricts."""
    pid = os.fork()
    if pid == 0:
        met = 2
        try:
            syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
            syscalls.landlock_restrict(readable, abi=abi)
            attempt()
            met = 0
        except PermissionError:
            met = 1
        finally:
            os._exit(met)
    return (False, True)[os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])]


@pytest.mark.parametrize("name", SINCE)
def test_each_right_is_denied_from_its_version_on(name: str, outside: Outside) -> None:
    """A version denies the rights that it knows; the version before it allows the attempt."""
    since, attempt = SINCE[name]
    if since > KERNEL:
        pytest.skip(f"this kernel has version {KERNEL}, the right came with {since}")
    assert _is_refused(lambda: attempt(outside), None, since)
    assert _is_refused(lambda: attempt(outside), None, KERNEL)
    if since > 1:
        assert not _is_refused(lambda: attempt(outside), None, since - 1)


@pytest.mark.parametrize("abi", range(1, KERNEL + 1))
def test_only_what_is_named_can_be_read(abi: int, outside: Outside) -> None:
    """In each version a file or folder that is named opens, every other one does not."""
    library = Path(os.__file__).parent
    names = [str(outside.file), str(library), "/does/not/exist"]
    assert not _is_refused(outside.file.read_bytes, names, abi)
    assert not _is_refused(lambda: list(library.iterdir()), names, abi)
    assert _is_refused(lambda: list(outside.file.parent.iterdir()), names, abi)
    assert _is_refused(Path(sys.executable).read_bytes, names, abi)
    assert not _is_refused(Path(sys.executable).read_bytes, None, abi)


def _of_version(abi: int) -> Backend:
    """Return the backend as it is on a kernel with an older version of Landlock."""

    def launch(host: Host, control: int, many: bool) -> Launch:
        launched = LANDLOCK.launch(host, control, many)
        *words, configuration = launched.command
        older = json.dumps(json.loads(configuration) | {"landlock": abi})
        return Launch((*words, older), launched.environment)

    return replace(LANDLOCK, launch=launch)


@pytest.mark.parametrize("abi", [1, 2])
def test_the_sandbox_holds_on_kernels_that_let_files_be_emptied(abi: int) -> None:
    """Before version 3 Landlock does not cover it; the system call filter does."""
    (examination,) = examine([_of_version(abi)])
    assert examination.works, examination.reason


@pytest.mark.parametrize("access", [os.O_RDONLY, os.O_ACCMODE])
def test_the_grading_process_empties_no_file_on_older_kernels(
    access: int, outside: Outside
) -> None:
    """Its own filter refuses what Landlock does not cover."""

    def attempt() -> None:
        syscalls.load_filter(seccomp.worker_program(syscalls.MACHINE))
        os.open(outside.file, access | os.O_TRUNC)

    assert _is_refused(attempt, None, 2)
    assert outside.file.read_text() == "as it was"


@pytest.mark.skipif(KERNEL > NEWEST_KNOWN, reason="a newer kernel may know more rights")
def test_every_right_of_this_kernel_is_denied() -> None:
    """Each bit that the kernel takes is among those that are used, and no other."""
    accepted = []
    for place in range(3):
        bits = [1 << bit for bit in range(64) if _takes(place, 1 << bit)]
        accepted.append(sum(bits))
    assert tuple(accepted) == syscalls.landlock_attributes(KERNEL)


def _takes(place: int, bit: int) -> bool:
    words = [1, 0, 0]
    words[place] = bit
    try:
        os.close(syscalls.landlock_ruleset(struct.pack("=3Q", *words)))
    except OSError:
        return False
    return True
