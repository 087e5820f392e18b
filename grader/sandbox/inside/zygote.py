"""The zygote: an isolated process with NumPy imported that never runs a submission itself.

For each submission it forks a child and locks it in: its own pid and mount namespaces and a small
tmpfs where the backend has namespaces, no capabilities, resource limits, the seccomp filter. It
holds nothing secret. The trusted side asks over a socket, one message for each request:

    a JSON object of limits, with two descriptors (connection, output): fork a child
        ->  {"pid": n}
    the pid of a child, in decimal: end it with everything it started
        ->  {"status": exit code, or minus the signal, "cpu": s, "rss": KiB}

It is started by `BOOTSTRAP` in `grader.sandbox.backends`.

Each memory page that a child touches costs a fault, a copy and its release. Hence the zygote makes
ahead what a child needs.
"""

import contextlib
import gc
import importlib
import json
import os
import resource
import signal
import socket
import sys
import tempfile
from collections.abc import Iterator
from typing import Any, NoReturn

from . import request_loop, seccomp, serving, syscalls, warm_up

# Imported ahead, if there will be many submissions.
_AHEAD = (
    "ast", "collections", "dataclasses", "functools", "inspect", "itertools", "json", "math",
    "random", "re", "string", "textwrap", "time", "traceback", "typing",
    "numpy", "numpy.fft", "numpy.linalg", "numpy.random",
)  # fmt: skip

# The descriptors of a child: nothing, the output twice, the connection. Ours come after them.
_NOTHING, _OUTPUTS, _CONNECTION, _CONTROL, _HIGHEST = 0, (1, 2), 3, 4, 4096
_SETUP_FAILED = 97
_MAX_REQUEST_BYTES = 1 << 12
_MAX_LIMITS = 64
_SEED = 0
_SECONDS_TO_REPORT = 1  # where a loop is that took all CPU time
# Plain numbers: members of an enumeration are another class to touch.
_SIGKILL, _SIGINT = int(signal.SIGKILL), int(signal.SIGINT)

_RLIMITS = {
    "address_space": resource.RLIMIT_AS,
    "file_size": resource.RLIMIT_FSIZE,
    "open_files": resource.RLIMIT_NOFILE,
    "stack": resource.RLIMIT_STACK,
}
# Queued signals and locked memory are counted for all processes of a user together.
_NONE_OF = (
    resource.RLIMIT_CORE,
    resource.RLIMIT_MEMLOCK,
    resource.RLIMIT_MSGQUEUE,
    resource.RLIMIT_SIGPENDING,
)


def main(control: int, configuration: str) -> NoReturn:
    """Prepare, report `ready`, then serve until the trusted side closes the connection.

    Args:
        control: Descriptor of a SEQPACKET socket to the trusted side.
        configuration: JSON with `backend` (`namespaces`, `landlock` or `none`), `import_only` (the
            folders that this file and NumPy were imported from, and no submission imports from),
            `packages` (modules that submissions may import besides), `required` (modules that
            these require), `folders` (where both are), `readable` (what Landlock leaves visible),
            `landlock` (the version of it to use, null for the kernel's) and `many` (whether there
            will be more submissions than one).
    """
    config = json.loads(configuration)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the trusted side handles Ctrl-C
    channel, connection = _lay_out(control)
    own_pids = None
    if config["backend"] == "namespaces":  # keep our pid-namespace descriptor, then unmount /proc
        own_pids = os.open("/proc/self/ns/pid", os.O_RDONLY)
        syscalls.unmount("/proc")
    importlib.import_module("numpy")
    _import_packages(config)
    hidden = {*config["import_only"], *config["folders"]}
    sys.path[:] = [path for path in sys.path if path not in hidden]
    # Of a child, see `_lock_in`; done here, it costs a child nothing.
    serving.leave_no_trace("/" if own_pids is None else "/tmp")  # noqa: S108  the sandbox's own
    if config["backend"] == "landlock":
        syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
        syscalls.landlock_restrict(config["readable"], abi=config["landlock"])
    os.chdir("/")  # a submission must not learn where the grader was started, nor write there
    if config["backend"] != "none":  # checked before there is any submission
        with contextlib.suppress(OSError):
            os.listdir("/etc")  # noqa: PTH208  no pathlib in here
            raise RuntimeError("not isolated: the file system is open")
    if config["many"]:
        warm_up.warm_up()
    zygote = _Zygote(config["backend"], channel, connection, own_pids)
    if config["many"]:
        gc.collect()
    gc.freeze()  # the heap stays shared with the children
    if config["backend"] != "none":
        syscalls.prctl(syscalls.PR_SET_DUMPABLE, 0)  # closes its links in /proc
    channel.send(json.dumps({"ready": True}).encode())
    while True:
        zygote.serve_one()


def _lay_out(control: int) -> tuple[socket.socket, socket.socket]:
    """Move descriptors to fixed numbers; return the control socket and the children's socket."""
    control = os.dup(control)  # above the fixed numbers
    while control <= _CONTROL:
        control = os.dup(control)
    os.dup2(os.open("/dev/null", os.O_RDONLY), _NOTHING)
    place, _ = (end.detach() for end in socket.socketpair())  # kept for a child
    os.dup2(place, _CONNECTION)
    os.dup2(control, _CONTROL)
    os.closerange(_CONTROL + 1, _HIGHEST)
    # With family and type: a child may not ask the kernel for a socket's name.
    return (
        socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, fileno=_CONTROL),
        socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, fileno=_CONNECTION),
    )


def _import_packages(config: dict[str, Any]) -> None:
    """Import a course's packages, whose folders no submission imports from, and import ahead."""
    if config["packages"]:
        importlib.import_module(".drawn_figure", __package__)
        sys.path += config["folders"]
        os.environ["MPLBACKEND"] = "agg"  # or matplotlib looks for a screen
        with _scratch(config["backend"]) as folder:
            os.environ["MPLCONFIGDIR"] = folder  # matplotlib is not imported without such a folder
            for name in config["packages"]:
                importlib.import_module(name)
            for name in config["required"]:  # what a package requires may be for other systems
                with contextlib.suppress(Exception):
                    importlib.import_module(name)
    if config["many"]:
        for name in _AHEAD:
            importlib.import_module(name)
        # As with hashing: a draw without a seed of the submission's own must not decide a verdict.
        for name in ("random", "numpy.random"):
            sys.modules[name].seed(_SEED)


@contextlib.contextmanager
def _scratch(backend: str) -> Iterator[str]:
    """Provide a folder that can be written to, and nothing of it afterwards."""
    if backend == "namespaces":
        flags = syscalls.MS_NOSUID | syscalls.MS_NODEV | syscalls.MS_NOEXEC
        syscalls.mount("tmpfs", "/tmp", "tmpfs", flags, "size=4m,mode=700")  # noqa: S108  the sandbox's own
        try:
            yield "/tmp"  # noqa: S108  as above
        finally:
            syscalls.unmount("/tmp")  # noqa: S108  as above
    else:
        with tempfile.TemporaryDirectory() as folder:
            yield folder


class _Zygote:
    """Forks children and ends them. It holds what can be made ahead for a child."""

    def __init__(
        self,
        backend: str,
        channel: socket.socket,
        connection: socket.socket,
        own_pids: int | None,
    ) -> None:
        self._backend = backend
        self._channel = channel
        self._own_pids = own_pids
        self._limits: dict[bytes, _ChildLimits] = {}
        self._loop = request_loop.RequestLoop(connection)
        # With a pid namespace of its own, every child is number 1 and has a scratch folder.
        alone = own_pids is not None
        self._filter = syscalls.Filter(seccomp.program(syscalls.MACHINE, 1, scratch=alone))
        self._places_of_pid = (
            [] if alone else seccomp.places_of_pid(syscalls.MACHINE, scratch=False)
        )

    def serve_one(self) -> None:
        """Wait for a request and answer it."""
        try:
            message, descriptors, _, _ = socket.recv_fds(self._channel, _MAX_REQUEST_BYTES, 2)
        except ConnectionResetError:  # closed, with unread answers
            message = b""
        if not message:
            os._exit(0)
        if descriptors:
            limits = self._limits.get(message)
            if limits is None:
                if len(self._limits) == _MAX_LIMITS:
                    self._limits.clear()
                limits = self._limits[message] = _ChildLimits(json.loads(message))
            connection, output = descriptors
            if self._own_pids is not None:  # the child is the first of a pid namespace of its own
                syscalls.setns(self._own_pids, syscalls.CLONE_NEWPID)
                syscalls.unshare(syscalls.CLONE_NEWPID)
            pid = syscalls.fork()
            if pid == 0:
                self._live(limits, connection, output)
            os.close(connection)
            os.close(output)
            self._channel.send(b'{"pid": %d}' % pid)
        else:
            pid = int(message)
            # Also safe if it has ended: its pid is kept until it is waited for.
            os.kill(pid, _SIGKILL)
            _, status, usage = os.wait4(pid, 0)
            ended = os.waitstatus_to_exitcode(status)
            facts = ended, usage.ru_utime + usage.ru_stime, usage.ru_maxrss
            self._channel.send(b'{"status": %d, "cpu": %.6f, "rss": %d}' % facts)

    def _live(self, limits: "_ChildLimits", connection: int, output: int) -> NoReturn:
        """Run a child to its end."""
        try:
            # No child shares an open file with another: its flags would outlive the child.
            os.dup2(os.open("/dev/null", os.O_RDONLY), _NOTHING)
            for place in _OUTPUTS:
                os.dup2(output, place)
            os.dup2(connection, _CONNECTION)
            os.closerange(_CONNECTION + 1, _HIGHEST)
            self._lock_in(limits)
            self._loop.serve(_OUTPUTS[0], limits.output_cap, limits.cpu_seconds)
        finally:
            os._exit(_SETUP_FAILED)

    def _lock_in(self, limits: "_ChildLimits") -> None:
        """Drop all that a submission does not need. The order matters: rights last."""
        syscalls.prctl(syscalls.PR_SET_PDEATHSIG, _SIGKILL)
        os.setsid()  # or a signal to the process group would reach the zygote
        if self._own_pids is not None:
            syscalls.unshare(syscalls.CLONE_NEWNS)
            flags = syscalls.MS_NOSUID | syscalls.MS_NODEV | syscalls.MS_NOEXEC
            syscalls.mount("tmpfs", "/tmp", "tmpfs", flags, limits.tmpfs)  # noqa: S108  the sandbox's own
            os.chdir("/tmp")  # noqa: S108  the sandbox's own
        for number, limit in limits.rlimits:
            resource.setrlimit(number, limit)
        if self._own_pids is not None:  # elsewhere the user's other processes would count too
            resource.setrlimit(resource.RLIMIT_NPROC, limits.processes)
        syscalls.default_signal(_SIGINT)
        if self._backend == "none":
            return
        syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
        syscalls.drop_capabilities()
        syscalls.prctl(syscalls.PR_SET_DUMPABLE, 0)
        for place in self._places_of_pid:
            self._filter.set_constant(place, os.getpid())
        self._filter.load()
        if not syscalls.is_refused_a_socket():
            raise RuntimeError("not isolated: sockets can be made")


class _ChildLimits:
    """Limits in the form that the kernel takes."""

    def __init__(self, limits: dict[str, Any]) -> None:
        # Soft and hard alike, but for CPU time: its soft limit sends a signal that has a handler.
        self.rlimits = [(number, (limits[name],) * 2) for name, number in _RLIMITS.items()]
        self.cpu_seconds: int = limits["cpu_seconds"]
        seconds = (self.cpu_seconds, self.cpu_seconds + _SECONDS_TO_REPORT)
        self.rlimits.append((resource.RLIMIT_CPU, seconds))
        self.rlimits += [(number, (0, 0)) for number in _NONE_OF]
        self.processes = (limits["processes"],) * 2
        self.tmpfs = f"size={limits['tmpfs_bytes']},nr_inodes={limits['tmpfs_files']},mode=700"
        self.output_cap = limits["output"]
