"""Finds out which backends this host has, by doing: start each, let a child try to escape."""

import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass

from grader.errors import SandboxFault
from grader.sandbox.answers import ChildGoneError, Raised, Returned
from grader.sandbox.backends import BACKENDS, Backend, unsupported_reason
from grader.sandbox.interface import Child
from grader.sandbox.process import Sandbox

# Each function is an attempt and returns whether it got out. The port is one that really listens,
# the pid is of a process that really runs.
_ATTEMPTS = """
import os, socket

def read_a_file(port, pid):
    return bool(open("/etc/passwd").read(1))

def list_folders(port, pid):
    return "etc" in os.listdir("/")

def look_at_processes(port, pid):
    return bool(open(f"/proc/{pid}/environ", "rb").read(1) or os.listdir("/proc"))

def start_a_process(port, pid):
    child = os.fork()
    if child == 0:
        os._exit(0)
    return True

def open_a_connection(port, pid):
    socket.create_connection(("127.0.0.1", port), 1).close()
    return True

def signal_a_process(port, pid):
    os.kill(pid, 0)
    return True
"""

_LABELS = {
    "read_a_file": "read a file of the host",
    "list_folders": "list the host's folders",
    "look_at_processes": "look at other processes",
    "start_a_process": "start a process",
    "open_a_connection": "open a connection",
    "signal_a_process": "signal a process",
}


@dataclass(frozen=True, slots=True)
class Examination:
    """What one backend was found to be."""

    backend: Backend
    works: bool
    reason: str  # why it is missing, with the fix; empty if it works
    escapes: tuple[str, ...]  # attempts that got out; of a working backend none
    held: tuple[str, ...]  # attempts that did not


def examine(backends: Sequence[Backend] = BACKENDS) -> list[Examination]:
    """Try every backend."""
    return [_examine(backend) for backend in backends]


def _examine(backend: Backend) -> Examination:
    if reason := unsupported_reason():
        return Examination(backend, works=False, reason=reason, escapes=(), held=())
    try:
        with Sandbox(backend) as sandbox, sandbox.child() as child:
            results = _attempt_all(child)
    except (SandboxFault, ChildGoneError, OSError) as error:
        return Examination(backend, works=False, reason=str(error), escapes=(), held=())
    escapes = tuple(_LABELS[name] for name, out in results.items() if out)
    held = tuple(_LABELS[name] for name, out in results.items() if not out)
    reason = f"a child could {', '.join(escapes)}" if escapes else ""
    return Examination(backend, works=not escapes, reason=reason, escapes=escapes, held=held)


def _attempt_all(child: Child) -> dict[str, bool]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        loaded = child.load(_ATTEMPTS, list(_LABELS))
        if not isinstance(loaded, Returned):
            raise SandboxFault(f"the attempts to escape could not be made: {loaded}")
        return {name: _got_out(child, name, port) for name in _LABELS}


def _got_out(child: Child, name: str, port: int) -> bool:
    """Make one attempt. Only an error of the system counts as held, and a plain no."""
    answer = child.call(name, [port, os.getpid()], {})
    if isinstance(answer, Raised) and "OSError" in answer.bases:
        return False
    if isinstance(answer, Returned):
        return answer.value is True
    raise SandboxFault(f"the attempt to {_LABELS[name]} could not be made: {answer}")
