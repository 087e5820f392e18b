"""Landlock denies what the kernel's version of it knows, and nothing that is to be read."""

import fcntl
import os
import signal
import socket
import struct
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.sandbox.inside import landlock, syscalls

NEWEST_KNOWN = 10
KERNEL = syscalls.landlock_version()
RNDGETENTCNT = 0x8004_5200

pytestmark = pytest.mark.skipif(not KERNEL, reason="this kernel has no Landlock")


class Host:
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
def host() -> Iterator[Host]:
    """Return what attempts aim at."""
    with tempfile.TemporaryDirectory() as folder:
        made = Host(Path(folder))
        yield made
        made.close()


def _connect(listener: socket.socket) -> None:
    socket.socket(listener.family, listener.type).connect(listener.getsockname())


def _empty(host: Host) -> None:
    os.close(os.open(host.file, os.O_RDONLY | os.O_TRUNC))


def _ask_a_device(host: Host) -> None:
    del host
    with Path("/dev/urandom").open("rb") as device:
        fcntl.ioctl(device, RNDGETENTCNT, bytes(4))


# Each attempt, with the version of Landlock from which on it is refused.
SINCE: dict[str, tuple[int, Callable[[Host], object]]] = {
    "write": (1, lambda host: os.open(host.file, os.O_WRONLY)),
    "make": (1, lambda host: host.file.with_name("new").mkdir()),
    "remove": (1, lambda host: host.file.unlink()),
    "empty": (3, _empty),
    "tcp": (4, lambda host: _connect(host.tcp)),
    "listen": (4, lambda _: socket.create_server(("127.0.0.1", 0))),
    "ioctl": (5, _ask_a_device),
    "signal": (6, lambda host: os.kill(host.pid, signal.SIGCONT)),
    "abstract socket": (6, lambda host: _connect(host.abstract)),
    "socket": (9, lambda host: _connect(host.path)),
    "udp": (10, lambda host: _connect(host.udp)),
    "udp port": (10, lambda _: socket.socket(type=socket.SOCK_DGRAM).bind(("127.0.0.1", 0))),
}


def _is_refused(attempt: Callable[[], object], readable: list[str] | None, abi: int) -> bool:
    """Make an attempt in a process of its own that Landlock restricts."""
    pid = os.fork()
    if pid == 0:
        met = 2
        try:
            syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
            landlock.restrict(readable, abi=abi)
            attempt()
            met = 0
        except PermissionError:
            met = 1
        finally:
            os._exit(met)
    return (False, True)[os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])]


@pytest.mark.parametrize("name", SINCE)
def test_each_right_is_denied_from_its_version_on(name: str, host: Host) -> None:
    """A version closes what it knows; the one before does not, so the attempt is a real one."""
    since, attempt = SINCE[name]
    if since > KERNEL:
        pytest.skip(f"this kernel has version {KERNEL}, the right came with {since}")
    assert _is_refused(lambda: attempt(host), None, since)
    assert _is_refused(lambda: attempt(host), None, KERNEL)
    if since > 1:
        assert not _is_refused(lambda: attempt(host), None, since - 1)


@pytest.mark.parametrize("abi", range(1, KERNEL + 1))
def test_only_what_is_named_can_be_read(abi: int, host: Host) -> None:
    """In each version a file or folder that is named opens, every other one does not."""
    library = Path(os.__file__).parent
    names = [str(host.file), str(library), "/does/not/exist"]
    assert not _is_refused(host.file.read_bytes, names, abi)
    assert not _is_refused(lambda: list(library.iterdir()), names, abi)
    assert _is_refused(lambda: list(host.file.parent.iterdir()), names, abi)
    assert _is_refused(Path(sys.executable).read_bytes, names, abi)
    assert not _is_refused(Path(sys.executable).read_bytes, None, abi)


@pytest.mark.skipif(KERNEL > NEWEST_KNOWN, reason="a newer kernel may know more rights")
def test_every_right_of_this_kernel_is_denied() -> None:
    """Each bit that the kernel takes is among those that are used, and no other."""
    accepted = []
    for place in range(3):
        bits = [1 << bit for bit in range(64) if _takes(place, 1 << bit)]
        accepted.append(sum(bits))
    assert tuple(accepted) == landlock.attributes(KERNEL)


def _takes(place: int, bit: int) -> bool:
    words = [1, 0, 0]
    words[place] = bit
    try:
        os.close(syscalls.landlock_ruleset(struct.pack("=3Q", *words)))
    except OSError:
        return False
    return True
