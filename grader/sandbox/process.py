"""The strongest sandbox of this host: a running zygote that forks a child for each submission."""

import contextlib
import functools
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import IO, Self

from grader.definitions.course_packages import find_package_folders
from grader.errors import SandboxFault
from grader.sandbox.backends import (
    BACKENDS,
    UNSAFE,
    Backend,
    compile_ahead,
    this_host,
    unsupported_reason,
)
from grader.sandbox.child import ChildProcess, Control
from grader.sandbox.limits import DEFAULT_LIMITS, START_SECONDS, Limits
from grader.sandbox.printable import printable


class Sandbox:
    """A running zygote. `child()` forks a new, isolated process for one submission.

    Args:
        keep_spare_child: Whether to fork the next child with the usual limits in advance, while
            the one before is running. This makes a batch faster.
        is_batch: Whether to prepare for many submissions, which takes longer than running one.
        packages: The modules that submissions may import besides NumPy.
    """

    def __init__(
        self,
        backend: Backend,
        *,
        keep_spare_child: bool = False,
        is_batch: bool = True,
        packages: Iterable[str] = (),
    ) -> None:
        self.backend = backend
        self.backend_name = backend.name
        self.packages = frozenset(packages)
        self.keeps_spare_child = keep_spare_child
        self._spare: ChildProcess | None = None
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control = Control(ours, backend.name, self._exit_reason)
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  closed in close()
        try:
            compile_ahead()
            host = replace(this_host(), course_packages=find_package_folders(self.packages))
            launch = backend.launch(host, theirs.fileno(), is_batch)
            self._process = subprocess.Popen(  # noqa: S603  our own command
                launch.command,
                env=launch.environment,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                start_new_session=True,
            )
        except BaseException:
            self._control.close()
            self._errors.close()
            raise
        finally:
            theirs.close()
        self._ready = False

    def wait_until_ready(self) -> None:
        """Wait until the zygote accepts requests.

        Raises:
            SandboxFault: The zygote did not start. The message has the last line of its errors.
        """
        if self._ready:
            return
        if "ready" not in self._control.receive(START_SECONDS):
            raise SandboxFault(f"the {self.backend_name} sandbox did not start")
        self._ready = True

    def child(self, limits: Limits = DEFAULT_LIMITS) -> ChildProcess:
        """Fork an isolated child.

        Raises:
            SandboxFault: The zygote is gone or too slow.
        """
        self.wait_until_ready()
        if not self.keeps_spare_child or limits != DEFAULT_LIMITS:  # most searches use other limits
            return ChildProcess(self._control, limits)
        child = self._spare or ChildProcess(self._control, limits)
        self._spare = ChildProcess(self._control, limits)
        return child

    def close(self) -> None:
        """End the zygote and everything it started."""
        spare, self._spare = self._spare, None
        if spare is not None:
            with contextlib.suppress(SandboxFault):
                spare.close()
        self._control.close()
        # A confined process may not send signals. Then closing the connection is enough.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            self._process.kill()
        self._process.wait()
        self._errors.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """The pid of the started process. The zygote itself may be a descendant of it."""
        return self._process.pid

    def _exit_reason(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        self._errors.seek(0)
        lines = self._errors.read(4000).decode(errors="replace").strip().splitlines()
        return printable(lines[-1]) if lines else f"exit status {self._process.poll()}"


def open_sandbox(
    backends: Sequence[Backend] = BACKENDS,
    *,
    keep_spare_child: bool = False,
    is_batch: bool = True,
    meanwhile: Callable[[], object] | None = None,
    packages: Iterable[str] = (),
) -> Sandbox:
    """Start the first backend that works; the caller closes the sandbox.

    Args:
        backends: The backends in order of preference.
        meanwhile: Called while the sandbox starts.

    Raises:
        SandboxFault: No backend works. The message names each cause and the fix.
    """
    if reason := unsupported_reason():
        raise SandboxFault(f"no sandbox: {reason}")
    causes = []
    for backend in backends:
        try:
            sandbox = Sandbox(
                backend, keep_spare_child=keep_spare_child, is_batch=is_batch, packages=packages
            )
            try:
                if meanwhile is not None:
                    meanwhile()
                sandbox.wait_until_ready()
            except BaseException:
                sandbox.close()
                raise
        except (SandboxFault, OSError) as error:
            causes.append(f"{backend.name}: {error}")
        else:
            return sandbox
    raise SandboxFault(
        "no sandbox on this host, so nothing was graded. "
        + "; ".join(causes)
        + ". Install bubblewrap, or use a kernel with Landlock (5.13 or newer); 'etude doctor' "
        "tells more. '--unsafe-no-sandbox' grades without one: only for code you wrote yourself."
    )


open_unsafe = functools.partial(open_sandbox, (UNSAFE,))
"""Start a sandbox with resource limits only, which is never the default. It also needs Linux."""
