"""The choice of the strongest sandbox that this host offers."""

from collections.abc import Callable, Iterable, Sequence

from grader.errors import SandboxFault
from grader.sandbox.backends import BACKENDS, UNSAFE, Backend, unsupported_reason
from grader.sandbox.process import Sandbox


def open_sandbox(
    backends: Sequence[Backend] = BACKENDS,
    *,
    spare: bool = False,
    many: bool = True,
    meanwhile: Callable[[], object] | None = None,
    packages: Iterable[str] = (),
) -> Sandbox:
    """Start the first backend that works; the caller closes it.

    Args:
        backends: in the order of preference.
        spare: see `Sandbox`.
        many: see `Sandbox`.
        meanwhile: called while the sandbox starts.
        packages: see `Sandbox`.

    Raises:
        SandboxFault: none does; the message names each cause and the fix.
    """
    if reason := unsupported_reason():
        raise SandboxFault(f"no sandbox: {reason}")
    causes = []
    for backend in backends:
        try:
            return _start(backend, meanwhile, spare=spare, many=many, packages=packages)
        except (SandboxFault, OSError) as error:
            causes.append(f"{backend.name}: {error}")
    raise SandboxFault(
        "no sandbox on this host, so nothing was graded. "
        + "; ".join(causes)
        + ". Install bubblewrap, or use a kernel with Landlock (5.13 or newer); 'etude doctor' "
        "tells more. '--unsafe-no-sandbox' grades without one: only for code you wrote yourself."
    )


def open_unsafe(
    *,
    spare: bool = False,
    many: bool = True,
    meanwhile: Callable[[], object] | None = None,
    packages: Iterable[str] = (),
) -> Sandbox:
    """Start a sandbox with resource limits only. Never chosen by default.

    Raises:
        SandboxFault: it does not start; it needs Linux, too.
    """
    if reason := unsupported_reason():
        raise SandboxFault(f"no sandbox: {reason}")
    return _start(UNSAFE, meanwhile, spare=spare, many=many, packages=packages)


def _start(
    backend: Backend,
    meanwhile: Callable[[], object] | None,
    *,
    spare: bool,
    many: bool,
    packages: Iterable[str],
) -> Sandbox:
    sandbox = Sandbox(backend, spare=spare, many=many, packages=packages)
    try:
        if meanwhile is not None:
            meanwhile()
        sandbox.wait_until_ready()
    except BaseException:
        sandbox.close()
        raise
    return sandbox
