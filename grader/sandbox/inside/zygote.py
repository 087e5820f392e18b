"""The zygote: an isolated process with NumPy imported that never runs a submission itself.

For each submission it forks a child and locks it in: its own pid and mount namespaces and a small
tmpfs where the backend has namespaces, no capabilities, resource limits, the seccomp filter. It
holds nothing secret. The trusted side asks over a socket, one JSON object a message:

    {"op": "spawn", "limits": {...}} with two descriptors (connection, output)  ->  {"pid": n}
    {"op": "reap", "pid": n}  ->  {"status": exit code, or minus the signal, "cpu": s, "rss": KiB}

It is started by `BOOTSTRAP` in `grader.sandbox.backends`.
"""

import functools
import gc
import importlib
import json
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from . import landlock, seccomp, syscalls, worker

# Imported ahead so that no submission pays for them, and so that they are the real ones.
_AHEAD = (
    "ast", "collections", "dataclasses", "functools", "inspect", "itertools", "json", "math",
    "random", "re", "string", "textwrap", "time", "traceback", "typing",
    "numpy", "numpy.fft", "numpy.linalg", "numpy.random",
)  # fmt: skip

_CONNECTION, _HIGHEST = 3, 4096
_SETUP_FAILED = 97

_RLIMITS = {
    "cpu_seconds": resource.RLIMIT_CPU,
    "address_space": resource.RLIMIT_AS,
    "file_size": resource.RLIMIT_FSIZE,
    "open_files": resource.RLIMIT_NOFILE,
    "stack": resource.RLIMIT_STACK,
}


def main(control: int, configuration: str) -> NoReturn:
    """Prepare, report `ready`, then serve until the trusted side hangs up.

    Args:
        control: descriptor of a SEQPACKET socket to the trusted side.
        configuration: JSON with `backend` (`namespaces`, `landlock` or `none`), `import_only` (the
            folders that this file and NumPy were imported from, and no submission imports from)
            and `readable` (what Landlock leaves visible).
    """
    config = json.loads(configuration)
    channel = socket.socket(fileno=control)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the trusted side to handle
    own_pids = _open_pid_namespace() if config["backend"] == "namespaces" else None
    _import_ahead()
    sys.path[:] = [path for path in sys.path if path not in config["import_only"]]
    if config["backend"] == "landlock":
        syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
        landlock.restrict_to(config["readable"])
    if config["backend"] != "none":
        _must_fail(lambda: os.listdir("/etc"), "the file system is open")  # noqa: PTH208  no pathlib in here
    _filter(1)  # assembled ahead: with a pid namespace of its own, every child is number 1
    gc.collect()
    gc.freeze()  # the heap stays shared with the children
    gc.disable()
    if config["backend"] != "none":
        syscalls.prctl(syscalls.PR_SET_DUMPABLE, 0)  # its links in /proc are nobody's to follow
    channel.send(json.dumps({"ready": True}).encode())
    while True:
        _serve_one(channel, config["backend"], own_pids)


def _open_pid_namespace() -> int:
    """Keep a handle on our own pid namespace, then make /proc disappear for good."""
    descriptor = os.open("/proc/self/ns/pid", os.O_RDONLY)
    syscalls.unmount("/proc")
    return descriptor


def _import_ahead() -> None:
    for name in _AHEAD:
        importlib.import_module(name)


def _serve_one(channel: socket.socket, backend: str, own_pids: int | None) -> None:
    message, descriptors, _, _ = socket.recv_fds(channel, 1 << 16, 2)
    if not message:
        os._exit(0)
    request = json.loads(message)
    if request["op"] == "spawn":
        answer = _spawn(request["limits"], descriptors, backend, own_pids, channel)
    else:
        answer = _reap(request["pid"])
    channel.send(json.dumps(answer).encode())


def _spawn(
    limits: dict[str, int],
    descriptors: list[int],
    backend: str,
    own_pids: int | None,
    channel: socket.socket,
) -> dict[str, Any]:
    if own_pids is not None:  # the child becomes the first process of a pid namespace of its own
        syscalls.setns(own_pids, syscalls.CLONE_NEWPID)
        syscalls.unshare(syscalls.CLONE_NEWPID)
    pid = os.fork()
    if pid == 0:
        channel.detach()
        _child(limits, descriptors, backend)
    for descriptor in descriptors:
        os.close(descriptor)
    return {"pid": pid}


def _reap(pid: int) -> dict[str, Any]:
    """End a child with everything it started, and say how it ended and what it used."""
    os.kill(
        pid, signal.SIGKILL
    )  # also safe if it has ended: its pid is kept until it is waited for
    _, status, usage = os.wait4(pid, 0)
    return {
        "status": os.waitstatus_to_exitcode(status),
        "cpu": usage.ru_utime + usage.ru_stime,
        "rss": usage.ru_maxrss,
    }


def _child(limits: dict[str, int], descriptors: list[int], backend: str) -> NoReturn:
    try:
        connection, output = _keep_only(*descriptors)
        _lock_in(limits, backend)
        worker.serve(connection, output, limits["output"])
    finally:
        os._exit(_SETUP_FAILED)


def _keep_only(connection: int, output: int) -> tuple[socket.socket, int]:
    """Lay out the descriptors: 0 nothing, 1 and 2 the output, 3 the connection, no others."""
    connection, output = os.dup(connection), os.dup(output)  # above the places they will take
    for target in (1, 2):
        os.dup2(output, target)
    nothing = os.open("/dev/null", os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(connection, _CONNECTION)
    os.closerange(_CONNECTION + 1, _HIGHEST)
    # Wrapped now: asking a socket for its name is not allowed later.
    return socket.socket(fileno=_CONNECTION), 1


def _lock_in(limits: dict[str, int], backend: str) -> None:
    """Take everything away that a submission does not need. The order matters: rights go last."""
    syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
    os.setsid()  # or a signal to the process group would reach the zygote
    if backend == "namespaces":
        syscalls.unshare(syscalls.CLONE_NEWNS)
        flags = syscalls.MS_NOSUID | syscalls.MS_NODEV | syscalls.MS_NOEXEC
        options = f"size={limits['tmpfs_bytes']},nr_inodes={limits['tmpfs_files']},mode=700"
        syscalls.mount("tmpfs", "/tmp", "tmpfs", flags, options)  # noqa: S108  the sandbox's own
        os.chdir("/tmp")  # noqa: S108  the sandbox's own
    _limit(limits, backend)
    if backend == "none":
        return
    syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
    syscalls.drop_capabilities()
    syscalls.prctl(syscalls.PR_SET_DUMPABLE, 0)
    syscalls.load_filter(_filter(os.getpid()))
    _must_fail(socket.socket, "sockets can be made")


@functools.cache
def _filter(pid: int) -> bytes:
    return seccomp.program(syscalls.MACHINE, pid)


def _must_fail(attempt: Callable[[], object], otherwise: str) -> None:
    """Fail closed: what should be impossible is tried before a submission is let in."""
    try:
        attempt()
    except OSError:
        return
    raise RuntimeError(f"not isolated: {otherwise}")


def _limit(limits: dict[str, int], backend: str) -> None:
    # Soft and hard alike: the first process of a pid namespace would never see SIGXCPU.
    for name, number in _RLIMITS.items():
        resource.setrlimit(number, (limits[name], limits[name]))
    if backend == "namespaces":  # elsewhere the user's other processes would count too
        resource.setrlimit(resource.RLIMIT_NPROC, (limits["processes"], limits["processes"]))
    for number in (resource.RLIMIT_CORE, resource.RLIMIT_MEMLOCK, resource.RLIMIT_MSGQUEUE):
        resource.setrlimit(number, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_DFL)
