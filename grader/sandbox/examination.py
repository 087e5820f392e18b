"""The examination of the backends on this host: each is started, and a child tries to escape."""

import os
import socket
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from grader.errors import SandboxFault
from grader.sandbox.answers import ChildGoneError, Raised, Returned
from grader.sandbox.backends import BACKENDS, Backend, Host, Launch, unsupported_reason
from grader.sandbox.confine import LEFT_IN_ENVIRONMENT, confine_this_process
from grader.sandbox.interface import Child
from grader.sandbox.process import Sandbox

# Each function is an attempt to escape and returns whether it succeeded. `host` names real targets:
# a file that everyone may read and write, ports and a socket name that we listen on, a process.
_ATTEMPTS = """
import fcntl, os, socket
import numpy

FILES = []

def find(host):
    # With a mount namespace it lies beside NumPy.
    packages = os.path.dirname(os.path.dirname(numpy.__file__))
    for path in (host["file"], os.path.join(packages, os.path.basename(host["file"]))):
        if os.path.exists(path):
            FILES.append(path)
    return open(FILES[0]).read()

def read_a_file(host):
    return bool(open("/etc/passwd").read(1))

def list_folders(host):
    return "etc" in os.listdir("/")

def change_a_file(host):
    open(FILES[0], "r+").close()
    return True

def empty_a_file(host):
    for access in (os.O_RDONLY, os.O_ACCMODE):  # the second is neither to read nor to write
        try:
            os.close(os.open(FILES[0], access | os.O_TRUNC))
        except OSError:
            pass
    return os.stat(FILES[0]).st_size == 0

def ask_a_device(host):
    random_bits = 0x80045200
    with open("/dev/urandom", "rb") as device:
        fcntl.ioctl(device, random_bits, bytes(4))
    return True

def look_at_processes(host):
    return bool(open(f"/proc/{host['pid']}/environ", "rb").read(1) or os.listdir("/proc"))

def signal_a_process(host):
    os.kill(host["pid"], 0)
    return True

def start_a_process(host):
    child = os.fork()
    if child == 0:
        os._exit(0)
    return True

def connect_by_tcp(host):
    socket.create_connection(("127.0.0.1", host["tcp"]), 1).close()
    return True

def send_by_udp(host):
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"out", ("127.0.0.1", host["udp"]))
    return True

def connect_by_name(host):
    socket.socket(socket.AF_UNIX).connect("\\0" + host["name"])
    return True
"""

_LABELS = {
    "read_a_file": "read a file of the host",
    "list_folders": "list the host's folders",
    "change_a_file": "change a file it may read",
    "empty_a_file": "empty a file it may read",
    "ask_a_device": "control a device",
    "look_at_processes": "look at other processes",
    "signal_a_process": "signal a process",
    "start_a_process": "start a process",
    "connect_by_tcp": "open a connection",
    "send_by_udp": "send a datagram",
    "connect_by_name": "connect to an abstract socket",
}
_CONTENT = "content"
_BLOCKED = 1  # exit status of an attempt that failed to escape


@dataclass(frozen=True, slots=True)
class BackendReport:
    """The result of the examination of one backend."""

    backend: Backend
    works: bool
    reason: str  # the reason why it does not work, with a fix; empty if it works
    escapes: tuple[str, ...]  # attempts that escaped
    blocked: tuple[str, ...]  # the other attempts


def examine(backends: Sequence[Backend] = BACKENDS) -> list[BackendReport]:
    """Examine each of the backends."""
    reports = []
    for backend in backends:
        results: dict[str, bool] = {}
        reason = unsupported_reason() or ""
        if not reason:
            try:
                with (
                    _targets() as (file, targets),
                    Sandbox(_showing(file, backend)) as sandbox,
                    sandbox.child() as child,
                ):
                    results = _attempt_all(child, {**targets, "pid": sandbox.pid})
            except (SandboxFault, ChildGoneError, OSError) as error:
                reason = str(error)
        escapes = tuple(_LABELS[name] for name, escaped in results.items() if escaped)
        blocked = tuple(_LABELS[name] for name, escaped in results.items() if not escaped)
        if escapes:
            reason = f"a child could {', '.join(escapes)}"
        works = bool(results) and not escapes
        reports.append(BackendReport(backend, works, reason, escapes, blocked))
    return reports


def examine_confinement() -> dict[str, bool]:
    """Try to escape from a confined process; return whether each attempt succeeded.

    Each attempt has its own process, which is confined like a worker.
    """
    with _targets() as (file, targets):
        starter, address = os.getpid(), ("127.0.0.1", cast("int", targets["tcp"]))
        attempts: dict[str, Callable[[], object]] = {
            "read a file of the host": file.read_bytes,
            "change a file": lambda: file.open("r+").close(),
            "see the environment": _see_environment,
            "look at other processes": Path(f"/proc/{starter}/environ").read_bytes,
            "start a program": lambda: os.execv("/bin/true", ["true"]),  # noqa: S606  expected to fail
            "open a connection": lambda: socket.create_connection(address, 1),
        }
        escaped = {}
        for name, attempt in attempts.items():
            pid = os.fork()
            if pid == 0:
                try:
                    confine_this_process()
                    attempt()
                except OSError:
                    os._exit(_BLOCKED)
                finally:
                    os._exit(0)
            escaped[name] = os.waitpid(pid, 0)[1] != _BLOCKED << 8
        return escaped


def _see_environment() -> None:
    """Raise `FileNotFoundError` if nothing of the environment is left to see."""
    if os.environ == LEFT_IN_ENVIRONMENT and not Path("/proc/self/environ").read_bytes().strip(
        b"\0"
    ):
        raise FileNotFoundError


@contextmanager
def _targets() -> Iterator[tuple[Path, dict[str, object]]]:
    """Provide a file and listening sockets as targets of the attempts."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        file = folder / f"etude-doctor-{os.getpid()}"
        file.write_text(_CONTENT)
        folder.chmod(0o755)  # so that file modes do not stop an attempt
        file.chmod(0o666)
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        udp.bind(("127.0.0.1", 0))
        named_socket = stack.enter_context(socket.socket(socket.AF_UNIX))
        named_socket.bind(f"\0{file.name}")
        named_socket.listen()
        ports = {"tcp": tcp.getsockname()[1], "udp": udp.getsockname()[1]}
        yield file, {"file": str(file), "name": file.name, **ports}


def _showing(file: Path, backend: Backend) -> Backend:
    """Return a backend that lets a submission read one more file."""

    def launch(host: Host, control: int, is_batch: bool) -> Launch:
        return backend.launch(replace(host, numpy=(*host.numpy, file)), control, is_batch)

    return replace(backend, launch=launch)


def _attempt_all(child: Child, targets: dict[str, object]) -> dict[str, bool]:
    """Make each attempt; return whether it escaped. An `OSError` counts as stopped."""
    loaded = child.load(_ATTEMPTS, list(_LABELS))
    if not isinstance(loaded, Returned):
        raise SandboxFault(f"the attempts to escape could not be made: {loaded}")
    reply = child.call("find", [targets], {})
    if reply != Returned(_CONTENT):
        raise SandboxFault(f"a file that it was given could not be read: {reply}")
    escaped = {}
    for name, label in _LABELS.items():
        answer = child.call(name, [targets], {})
        is_refused = isinstance(answer, Raised) and "OSError" in answer.bases
        if not is_refused and not isinstance(answer, Returned):
            raise SandboxFault(f"the attempt to {label} could not be made: {answer}")
        escaped[name] = isinstance(answer, Returned) and answer.value is True
    return escaped
