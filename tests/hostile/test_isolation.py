"""The view of a child: little of its own, nothing of the host, no other child."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from grader.sandbox.answers import Returned
from grader.sandbox.interface import Child
from grader.sandbox.process import Sandbox
from tests.hostile.conftest import Sandboxes, Target

each_backend = pytest.mark.parametrize("backend", ["namespaces", "landlock"])

# Whatever one submission could leave for another to find, or see of another that is alive.
MEETING = """
import ctypes, os, signal, socket, threading, time

LIBC = ctypes.CDLL(None, use_errno=True)
PLACES = ["/", "/tmp", "/var/tmp", "/dev", "/dev/shm", "/dev/mqueue", "/run", "/proc", ".", "..",
          os.path.dirname(os.__file__), os.path.dirname(os.__file__) + "/site-packages"]
HEARD = []

def tried(attempt):
    try:
        return repr(attempt())
    except (OSError, ImportError, ValueError) as error:
        return type(error).__name__

def leave(pids, folder):
    left = []
    for place in [*PLACES, folder]:
        left.append(tried(lambda: open(place + "/meeting", "w").write("here")))
        left.append(tried(lambda: os.mkdir(place + "/meeting.d")))
    for path in ("/dev/null", "/dev/urandom", folder + "/peer.txt", os.__file__):
        left.append(tried(lambda: os.utime(path)))
        left.append(tried(lambda: open(path, "r+b").close()))
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        left.append(tried(lambda: socket.socket(socket.AF_UNIX, kind).bind("\\0meeting")))
    for pid in set(pids) - {os.getpid()}:
        for number in (signal.SIGUSR1, signal.SIGTERM, signal.SIGKILL):
            left.append(tried(lambda: os.kill(pid, number)))
    LIBC.shmget(0x4554, 4096, 0o1666)
    LIBC.prctl(15, b"meeting", 0, 0, 0)
    return left

def look(pids, folder):
    seen = []
    for place in PLACES:
        seen.append((place, tried(lambda: sorted(os.listdir(place)))))
    for path in ("/dev/null", "/dev/urandom", folder, folder + "/peer.txt", folder + "/meeting"):
        seen.append((path, tried(lambda: os.stat(path).st_mtime_ns)))
    for pid in set(pids) - {os.getpid()}:
        for name in ("comm", "cmdline", "environ", "fd/0", "cwd/meeting", "root/tmp/meeting"):
            seen.append((name, tried(lambda: open(f"/proc/{pid}/{name}").read())))
        seen.append(("exe", tried(lambda: os.readlink(f"/proc/{pid}/fd/3"))))
        seen.append(("signal", tried(lambda: os.kill(pid, 0))))
        seen.append(("priority", tried(lambda: os.getpriority(os.PRIO_PROCESS, pid))))
    seen.append(("shm", LIBC.shmget(0x4554, 4096, 0o666)))
    seen.append(("socket", tried(lambda: socket.socket(socket.AF_UNIX).connect("\\0meeting"))))
    seen.append(("heard", list(HEARD)))
    return seen

def alive():
    return True

for number in (signal.SIGUSR1, signal.SIGTERM):
    signal.signal(number, lambda *a: HEARD.append(a[0]))
"""

FACTS = """
import ctypes, os

def descriptors():
    found = []
    for number in range(4096):
        try:
            os.fstat(number)
        except OSError:
            continue
        found.append(number)
    return found

def environment():
    environ = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
    names = [f"{k}={v}" for k, v in os.environ.items()]
    index = 0
    while environ[index]:
        names.append(environ[index].decode())
        index += 1
    return names

def users():
    return [os.getuid(), os.geteuid(), os.getgid(), os.getegid()]

def where():
    return os.getcwd()
"""

# Whatever can be changed about an open file, and all that can be seen of it.
OPEN_FILES = """
import fcntl, os, select

def tried(attempt):
    try:
        return repr(attempt())
    except OSError as error:
        return type(error).__name__

def change():
    for descriptor in range(4):
        for bit in range(32):
            tried(lambda: fcntl.fcntl(descriptor, fcntl.F_SETFL, 1 << bit))
            tried(lambda: fcntl.fcntl(descriptor, fcntl.F_SETFD, 1 << bit))
        for flags in (os.O_APPEND | os.O_NONBLOCK, -1):
            tried(lambda: fcntl.fcntl(descriptor, fcntl.F_SETFL, flags))
        for command in [*range(5, 64), *range(1024, 1048)]:
            for value in (1, os.getpid(), fcntl.F_WRLCK, b"\\x01" * 32):
                tried(lambda: fcntl.fcntl(descriptor, command, value))
        for lock in (fcntl.LOCK_EX, fcntl.LOCK_SH):
            tried(lambda: fcntl.flock(descriptor, lock | fcntl.LOCK_NB))
        for request in range(0x5400, 0x5480):
            tried(lambda: fcntl.ioctl(descriptor, request, b"\\x01" * 8))
        tried(lambda: os.lseek(descriptor, 13, os.SEEK_SET))
        tried(lambda: os.ftruncate(descriptor, 13))

def look():
    seen = []
    for descriptor in range(4):
        # flags, locks, owner, signal, lease, size of a pipe, seals, life time of what is written
        for command in (1, 3, 5, 9, 11, 16, 17, 36, 1025, 1032, 1034, 1035, 1037):
            seen.append((descriptor, command, tried(lambda: fcntl.fcntl(descriptor, command, bytes(32)))))
            seen.append((descriptor, command, tried(lambda: fcntl.fcntl(descriptor, command))))
        seen.append((descriptor, "unread", tried(lambda: fcntl.ioctl(descriptor, 0x541B, bytes(8)))))
        seen.append((descriptor, "place", tried(lambda: os.lseek(descriptor, 0, os.SEEK_CUR))))
        seen.append((descriptor, "size", tried(lambda: os.fstat(descriptor).st_size)))
    return seen
"""

SIGNALS = """
import os, signal

def queue(times):
    number = signal.SIGRTMIN + 3
    signal.pthread_sigmask(signal.SIG_BLOCK, [number])
    for _ in range(times):
        os.kill(os.getpid(), number)
    queued = 0
    while signal.sigtimedwait([number], 0):
        queued += 1
    return queued
"""

THREADS = """
import threading, time

HOLD = threading.Event()

def start(most):
    started = 0
    for _ in range(most):
        try:
            threading.Thread(target=HOLD.wait, args=(20,), daemon=True).start()
        except RuntimeError:
            break
        started += 1
    return started
"""


@contextmanager
def _child_with(sandbox: Sandbox, source: str, names: list[str]) -> Iterator[Child]:
    with sandbox.child() as child:
        loaded = child.load(source, names)
        assert isinstance(loaded, Returned), loaded
        yield child


def _returned(child: Child, name: str, *args: object) -> Any:
    answer = child.call(name, args, {})
    assert isinstance(answer, Returned), answer
    return answer.value


@each_backend
def test_two_submissions_do_not_meet(backend: str, sandboxes: Sandboxes, target: Target) -> None:
    """What one does in files, sockets, memory and signals changes nothing that another sees."""
    sandbox, names = sandboxes.get(backend), ["leave", "look", "alive"]
    with (
        target.untouched(),
        _child_with(sandbox, MEETING, names) as one,
        _child_with(sandbox, MEETING, names) as other,
    ):
        pids = sorted(sandboxes.descendants(backend) - sandboxes.family(backend))
        assert len(pids) == 2
        before = _returned(other, "look", pids, str(target.folder))
        _returned(one, "leave", pids, str(target.folder))
        after = _returned(other, "look", pids, str(target.folder))
        assert after == before
        assert _returned(other, "alive") is True


@each_backend
def test_nothing_is_left_for_the_next_submission(
    backend: str, sandboxes: Sandboxes, target: Target
) -> None:
    """A child that starts after another sees the same as one that starts first."""
    seen = []
    for name in ("look", "leave", "look"):
        with _child_with(sandboxes.get(backend), MEETING, ["leave", "look"]) as child:
            seen.append(_returned(child, name, [], str(target.folder)))
    own = {".", "/tmp", ".."}  # noqa: S108  each child has its own, made when it starts
    first, last = ([pair for pair in one if pair[0] not in own] for one in (seen[0], seen[2]))
    assert last == first


@each_backend
def test_what_a_child_does_to_its_open_files_is_nobody_else_s(
    backend: str, sandboxes: Sandboxes
) -> None:
    """Changed flags, locks, owners and offsets do not reach another child."""
    sandbox, names = sandboxes.get(backend), ["change", "look"]
    with _child_with(sandbox, OPEN_FILES, names) as beside:
        fresh = _returned(beside, "look")
        with _child_with(sandbox, OPEN_FILES, names) as hostile:
            assert _returned(hostile, "look") == fresh
            hostile.call("change", [], {})  # which may cost it its connection
        assert _returned(beside, "look") == fresh
    with _child_with(sandbox, OPEN_FILES, names) as following:
        assert _returned(following, "look") == fresh


@each_backend
def test_a_child_queues_no_signals(backend: str, sandboxes: Sandboxes) -> None:
    """The kernel counts queued signals for all processes of a user together."""
    with _child_with(sandboxes.get(backend), SIGNALS, ["queue"]) as child:
        assert _returned(child, "queue", 5) == 1


@each_backend
def test_a_child_cannot_use_up_the_threads_of_another(backend: str, sandboxes: Sandboxes) -> None:
    """How many threads one submission has changes nothing for another."""
    sandbox = sandboxes.get(backend)
    with _child_with(sandbox, THREADS, ["start"]) as alone:
        started = _returned(alone, "start", 8)
    with (
        _child_with(sandbox, THREADS, ["start"]) as greedy,
        _child_with(sandbox, THREADS, ["start"]) as other,
    ):
        _returned(greedy, "start", 30)
        assert _returned(other, "start", 8) == started


@each_backend
def test_a_child_has_four_descriptors(backend: str, sandboxes: Sandboxes) -> None:
    """Nothing of the grader or the zygote stays open: input, two outputs, the connection."""
    with _child_with(sandboxes.get(backend), FACTS, ["descriptors"]) as child:
        assert _returned(child, "descriptors") == [0, 1, 2, 3]


@each_backend
def test_a_child_has_nothing_of_the_host_in_its_environment(
    backend: str, sandboxes: Sandboxes
) -> None:
    """A token that was set when the sandbox started is not there, nor any name but our own."""
    with _child_with(sandboxes.get(backend), FACTS, ["environment"]) as child:
        environment = _returned(child, "environment")
    assert "CANARY" not in repr(environment)
    assert {word.partition("=")[0] for word in environment} <= {
        "HOME",  # the root, whoever the user is
        "LANG",
        "LC_CTYPE",  # Python sets it for itself
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "PATH",  # the system's own
        "PWD",
        "PYTHONHASHSEED",
    }


@each_backend
def test_a_child_is_not_root(backend: str, sandboxes: Sandboxes) -> None:
    """A submission always runs without root's user and group."""
    with _child_with(sandboxes.get(backend), FACTS, ["users"]) as child:
        users = _returned(child, "users")
    assert 0 not in users


@each_backend
def test_a_child_is_not_told_where_the_grader_runs(backend: str, sandboxes: Sandboxes) -> None:
    """Its working directory is its own or the root, not the one in which the grader was started."""
    with _child_with(sandboxes.get(backend), FACTS, ["where"]) as child:
        assert _returned(child, "where") in {"/", "/tmp"}  # noqa: S108  the sandbox's own
