"""The zygote: an isolated process with NumPy imported that never runs a submission itself.

For each submission it forks a child and isolates it: with its own pid and mount namespaces and a
small tmpfs where the backend has namespaces, without capabilities, with resource limits and the
seccomp filter. The zygote holds no secret. The trusted side sends requests over a socket, one in
each message:

    a JSON object of limits, with two descriptors (connection, output): fork a child
        ->  {"pid": n}
    the pid of a child, in decimal: end it with everything it started
        ->  {"status": exit code or negative signal number, "cpu": seconds, "rss": KiB}

It is started by `BOOTSTRAP` in `grader.sandbox.backends`.
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

from . import operations, request_loop, seccomp, syscalls, warm_up

# Modules that are imported in advance if there will be many submissions.
_PRELOADED_MODULES = (
    "ast", "collections", "dataclasses", "functools", "inspect", "itertools", "json", "math",
    "random", "re", "string", "textwrap", "time", "traceback", "typing",
    "numpy", "numpy.fft", "numpy.linalg", "numpy.random",
)  # fmt: skip

# The descriptors of a child, and after them the zygote's own connection to the trusted side.
_STDIN = 0  # /dev/null
_OUTPUTS = (1, 2)
_CONNECTION = 3
_CONTROL = 4
_MAX_DESCRIPTOR = 4096  # other descriptors below this are closed
_SETUP_FAILED = 97  # exit status of a child that could not be isolated
_MAX_REQUEST_BYTES = 1 << 12  # bytes of one request
_SEED = 0
_SECONDS_TO_REPORT = 1  # seconds after the CPU limit for the report of `cpu_limit`

_RLIMITS = {
    "address_space": resource.RLIMIT_AS,
    "file_size": resource.RLIMIT_FSIZE,
    "open_files": resource.RLIMIT_NOFILE,
    "stack": resource.RLIMIT_STACK,
}
# Set to 0. Queued signals and locked memory are counted for all processes of a user together.
_ZERO_LIMITS = (
    resource.RLIMIT_CORE,
    resource.RLIMIT_MEMLOCK,
    resource.RLIMIT_MSGQUEUE,
    resource.RLIMIT_SIGPENDING,
)


def main(control: int, configuration: str) -> NoReturn:
    """Prepare, report `ready`, then serve until the trusted side closes the connection.

    Args:
        control: The descriptor of a SEQPACKET socket to the trusted side.
        configuration: JSON with `backend` (`namespaces`, `landlock` or `none`),
            `hidden_after_import` (the folders of this package and of NumPy, from which submissions
            may not import), `packages` (modules that submissions may import besides NumPy),
            `required` (modules that these require), `folders` (the folders of both), `readable`
            (the paths that Landlock leaves readable), `landlock` (its ABI version, null for the
            kernel's) and `is_batch` (whether to prepare for many submissions).
    """
    config = json.loads(configuration)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the trusted side handles Ctrl-C
    channel, connection = _fix_descriptors(control)
    pid_namespace = None
    if config["backend"] == "namespaces":  # keep our pid-namespace descriptor, then unmount /proc
        pid_namespace = os.open("/proc/self/ns/pid", os.O_RDONLY)
        syscalls.unmount("/proc")
    importlib.import_module("numpy")
    _import_packages(config)
    hidden = {*config["hidden_after_import"], *config["folders"]}
    sys.path[:] = [path for path in sys.path if path not in hidden]
    # This belongs to a child (see `_drop_rights`), but is done here once for all children.
    operations.hide_launcher("/" if pid_namespace is None else "/tmp")  # noqa: S108  the sandbox's own
    if config["backend"] == "landlock":
        syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
        syscalls.landlock_restrict(config["readable"], abi=config["landlock"])
    os.chdir("/")  # a submission must not see the folder in which the grader was started
    if config["backend"] != "none":  # verify the isolation before any submission runs
        with contextlib.suppress(OSError):
            os.listdir("/etc")  # noqa: PTH208  no pathlib in here
            raise RuntimeError("not isolated: the file system is open")
    if config["is_batch"]:
        warm_up.warm_up()
    zygote = _Zygote(config["backend"], channel, connection, pid_namespace)
    if config["is_batch"]:
        gc.collect()
    gc.freeze()  # keeps the heap shared with the children
    if config["backend"] != "none":
        syscalls.prctl(syscalls.PR_SET_DUMPABLE, 0)  # makes its entries in /proc unreadable
    channel.send(json.dumps({"ready": True}).encode())
    while True:
        zygote.serve_one()


def _fix_descriptors(control: int) -> tuple[socket.socket, socket.socket]:
    """Move descriptors to fixed numbers; return the control socket and the children's socket."""
    control = os.dup(control)  # repeated until it is above the fixed numbers
    while control <= _CONTROL:
        control = os.dup(control)
    os.dup2(os.open("/dev/null", os.O_RDONLY), _STDIN)
    reserved, _ = (end.detach() for end in socket.socketpair())  # reserves the number for a child
    os.dup2(reserved, _CONNECTION)
    os.dup2(control, _CONTROL)
    os.closerange(_CONTROL + 1, _MAX_DESCRIPTOR)
    # Family and type are passed, since a child may not query them from the kernel.
    return (
        socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, fileno=_CONTROL),
        socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, fileno=_CONNECTION),
    )


def _import_packages(config: dict[str, Any]) -> None:
    """Import a course's packages and `_PRELOADED_MODULES` before `sys.path` is reduced."""
    if config["packages"]:
        importlib.import_module(".drawn_figure", __package__)
        sys.path += config["folders"]
        os.environ["MPLBACKEND"] = "agg"  # keeps matplotlib from looking for a display
        with _scratch(config["backend"]) as folder:
            os.environ["MPLCONFIGDIR"] = folder  # matplotlib needs a writable folder at import
            for name in config["packages"]:
                importlib.import_module(name)
            for name in config["required"]:  # some requirements are only for other systems
                with contextlib.suppress(Exception):
                    importlib.import_module(name)
    if config["is_batch"]:
        for name in _PRELOADED_MODULES:
            importlib.import_module(name)
        # A fixed seed, so that a submission that draws without a seed gets the same verdict.
        for name in ("random", "numpy.random"):
            sys.modules[name].seed(_SEED)


@contextlib.contextmanager
def _scratch(backend: str) -> Iterator[str]:
    """Provide a temporary writable folder."""
    if backend == "namespaces":
        flags = syscalls.MS_NOSUID | syscalls.MS_NODEV | syscalls.MS_NOEXEC
        syscalls.mount("tmpfs", "/tmp", "tmpfs", flags, "size=4m,mode=700")  # noqa: S108  the sandbox's own
        try:
            yield "/tmp"  # noqa: S108  the sandbox's own
        finally:
            syscalls.unmount("/tmp")  # noqa: S108  the sandbox's own
    else:
        with tempfile.TemporaryDirectory() as folder:
            yield folder


class _Zygote:
    """The process that forks children and ends them."""

    def __init__(
        self,
        backend: str,
        channel: socket.socket,
        connection: socket.socket,
        pid_namespace: int | None,
    ) -> None:
        self._backend = backend
        self._channel = channel
        self._pid_namespace = pid_namespace
        self._loop = request_loop.RequestLoop(connection)

    def serve_one(self) -> None:
        """Wait for a request and answer it."""
        try:
            message, descriptors, _, _ = socket.recv_fds(self._channel, _MAX_REQUEST_BYTES, 2)
        except ConnectionResetError:  # closed with unread answers
            message = b""
        if not message:
            os._exit(0)
        if descriptors:
            limits = _ChildLimits(json.loads(message))
            connection, output = descriptors
            if self._pid_namespace is not None:
                # Makes the child the first process of a pid namespace.
                syscalls.setns(self._pid_namespace, syscalls.CLONE_NEWPID)
                syscalls.unshare(syscalls.CLONE_NEWPID)
            pid = syscalls.fork()
            if pid == 0:
                self._run_child(limits, connection, output)
            os.close(connection)
            os.close(output)
            self._channel.send(b'{"pid": %d}' % pid)
        else:
            pid = int(message)
            # Safe even if it has ended, since its pid is not reused before `wait4`.
            os.kill(pid, signal.SIGKILL)
            _, status, usage = os.wait4(pid, 0)
            exit_code, cpu = os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime
            answer = b'{"status": %d, "cpu": %.6f, "rss": %d}' % (exit_code, cpu, usage.ru_maxrss)
            self._channel.send(answer)

    def _run_child(self, limits: "_ChildLimits", connection: int, output: int) -> NoReturn:
        """Run a child to its end."""
        try:
            # Children do not share open files, since changed flags would outlive a child.
            os.dup2(os.open("/dev/null", os.O_RDONLY), _STDIN)
            for descriptor in _OUTPUTS:
                os.dup2(output, descriptor)
            os.dup2(connection, _CONNECTION)
            os.closerange(_CONNECTION + 1, _MAX_DESCRIPTOR)
            self._drop_rights(limits)
            self._loop.serve(_OUTPUTS[0], limits.output_cap, limits.cpu_seconds)
        finally:
            os._exit(_SETUP_FAILED)

    def _drop_rights(self, limits: "_ChildLimits") -> None:
        """Give up everything that a submission does not need. Rights must be dropped last."""
        syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
        os.setsid()  # so that a signal to the process group does not reach the zygote
        if self._pid_namespace is not None:
            syscalls.unshare(syscalls.CLONE_NEWNS)
            flags = syscalls.MS_NOSUID | syscalls.MS_NODEV | syscalls.MS_NOEXEC
            syscalls.mount("tmpfs", "/tmp", "tmpfs", flags, limits.tmpfs)  # noqa: S108  the sandbox's own
            os.chdir("/tmp")  # noqa: S108  the sandbox's own
        for number, limit in limits.rlimits:
            resource.setrlimit(number, limit)
        if self._pid_namespace is not None:  # otherwise the user's other processes would count too
            resource.setrlimit(resource.RLIMIT_NPROC, limits.processes)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        if self._backend == "none":
            return
        syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
        syscalls.drop_capabilities()
        syscalls.prctl(syscalls.PR_SET_DUMPABLE, 0)
        has_scratch = self._pid_namespace is not None
        program = seccomp.program(syscalls.MACHINE, os.getpid(), scratch=has_scratch)
        syscalls.load_filter(program)
        if not syscalls.is_refused_a_socket():
            raise RuntimeError("not isolated: sockets can be made")


class _ChildLimits:
    """The limits of a child in the form that the kernel needs."""

    def __init__(self, limits: dict[str, Any]) -> None:
        # Soft and hard limits are equal, except for CPU time, whose soft limit sends a signal.
        self.rlimits = [(number, (limits[name],) * 2) for name, number in _RLIMITS.items()]
        self.cpu_seconds: int = limits["cpu_seconds"]
        seconds = (self.cpu_seconds, self.cpu_seconds + _SECONDS_TO_REPORT)
        self.rlimits.append((resource.RLIMIT_CPU, seconds))
        self.rlimits += [(number, (0, 0)) for number in _ZERO_LIMITS]
        self.processes = (limits["processes"],) * 2
        self.tmpfs = f"size={limits['tmpfs_bytes']},nr_inodes={limits['tmpfs_files']},mode=700"
        self.output_cap = limits["output"]
