"""Chooses the strongest sandbox that this host can give."""

from collections.abc import Sequence

from grader.errors import SandboxFault
from grader.sandbox.backends import BACKENDS, UNSAFE, Backend, unsupported_reason
from grader.sandbox.process import Sandbox


def open_sandbox(backends: Sequence[Backend] = BACKENDS, *, spare: bool = False) -> Sandbox:
    """Start the first backend that works; the caller closes it.

    Raises:
        SandboxFault: none does; the message names each cause and the fix.
    """
    if reason := unsupported_reason():
        raise SandboxFault(f"no sandbox: {reason}")
    causes = []
    for backend in backends:
        try:
            return _start(backend, spare=spare)
        except (SandboxFault, OSError) as error:
            causes.append(f"{backend.name}: {error}")
    raise SandboxFault(
        "no sandbox on this host, so nothing was graded. "
        + "; ".join(causes)
        + ". Install bubblewrap, or use a kernel with Landlock (5.13 or newer); 'etude doctor' "
        "tells more. '--unsafe-no-sandbox' grades without one: only for code you wrote yourself."
    )


def begin_sandbox(backends: Sequence[Backend] = BACKENDS, *, once: bool = True) -> Sandbox | None:
    """Set the first backend that is installed going, without waiting.

    Args:
        backends: in the order of preference.
        once: whether it is for one submission.

    Returns:
        None if there is none.
    """
    if unsupported_reason():
        return None
    for backend in backends:
        try:
            return Sandbox(backend, once=once)
        except (SandboxFault, OSError):
            continue
    return None


def open_unsafe(*, spare: bool = False) -> Sandbox:
    """Start a child process with resource limits only. Never chosen by itself."""
    return _start(UNSAFE, spare=spare)


def _start(backend: Backend, *, spare: bool) -> Sandbox:
    sandbox = Sandbox(backend, spare=spare)
    try:
        sandbox.wait_until_ready()
    except BaseException:
        sandbox.close()
        raise
    return sandbox
