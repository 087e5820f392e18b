"""The backends, which isolate a submission, strongest first: commands that start a zygote.

- `namespaces`: bubblewrap gives user, pid, mount, network, IPC and UTS namespaces; a submission
  sees Python, NumPy and an empty scratch folder, and is alone.
- `landlock`: no namespace at all, for hosts that forbid them; the kernel's Landlock closes the file
  system, seccomp closes processes and network.
- `none`: resource limits only. Only on request.

To find out whether one works, `examination` starts it and lets a child try to escape.
"""

import json
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from grader.errors import SandboxFault
from grader.sandbox.host import INSIDE, Host
from grader.sandbox.limits import ONE_BLAS_THREAD

NOBODY = 65534

BOOTSTRAP = (
    "import gc, sys; gc.disable(); sys.path[:0] = sys.argv[1:3]; from inside import zygote; "
    "zygote.main(int(sys.argv[3]), sys.argv[4])"
)
# Not -I: it would ignore PYTHONHASHSEED, and the environment here is ours alone.
_PYTHON_FLAGS = ("-s", "-P", "-S", "-B")
_PRIVILEGES_FLAGS = ("-I", "-S", "-B")
_DROP_PRIVILEGES = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "import drop_privileges; drop_privileges.main(sys.argv[2:])"
)

# Hashing has no random seed: the order of a set must not decide a verdict.
_ENVIRONMENT = {
    **ONE_BLAS_THREAD,
    "PYTHONHASHSEED": "0",
    "LANG": "C.UTF-8",
}


@dataclass(frozen=True, slots=True)
class Launch:
    """A command that becomes a zygote, and its environment."""

    command: tuple[str, ...]
    environment: dict[str, str]


@dataclass(frozen=True, slots=True)
class Backend:
    """One way to isolate."""

    name: str
    gives: str
    fix: str  # what makes it work where it does not
    launch: Callable[[Host, int, bool], Launch]  # (host, control descriptor, for many?)


def _zygote(
    host: Host, backend: str, control: int, import_only: tuple[Path, Path], *, many: bool
) -> list[str]:
    ours, packages = map(str, import_only)
    named = host.named
    configuration = {
        "backend": backend,
        "import_only": [ours, packages],
        "readable": [str(path) for path in host.readable] if backend == "landlock" else [],
        "landlock": None,
        "many": many,
        # Where packages were installed that did not come with NumPy.
        "folders": []
        if backend == "namespaces"
        else sorted({str(path.parent) for path in named.paths}),
        "packages": named.modules,
        "required": named.required,
    }
    python = [str(host.interpreter), *_PYTHON_FLAGS, "-c", BOOTSTRAP]
    return [*python, ours, packages, str(control), json.dumps(configuration)]


def _as_nobody(host: Host, command: list[str]) -> list[str]:
    """Return a command that first gives up root, if this process has it."""
    if os.geteuid() != 0:
        return command
    first = [str(host.interpreter), *_PRIVILEGES_FLAGS, "-c", _DROP_PRIVILEGES, str(INSIDE.parent)]
    paths = [str(path) for path in host.needed]
    return [*first, str(NOBODY), str(len(paths)), *paths, *command]


def _namespaces(host: Host, control: int, many: bool) -> Launch:
    # A relative entry of PATH may lead to a program among the submissions.
    absolute = filter(os.path.isabs, os.environ.get("PATH", os.defpath).split(os.pathsep))
    bwrap = shutil.which("bwrap", path=os.pathsep.join(absolute))
    if bwrap is None:
        raise SandboxFault("bubblewrap is not installed (for example: apt-get install bubblewrap)")
    root = Path("/sandbox")
    words = [
        "--unshare-all",
        "--unshare-user",
        "--new-session",
        "--hostname",
        "sandbox",
        "--clearenv",
    ]
    # Kept inside the new user namespace only: to give each child namespaces of its own.
    words += ["--cap-add", "CAP_SYS_ADMIN", "--proc", "/proc", "--tmpfs", "/tmp"]  # noqa: S108  inside
    for device in ("/dev/null", "/dev/urandom"):
        words += ["--dev-bind", device, device]
    for path in (*host.standard_library, *host.libraries, host.interpreter):
        words += ["--ro-bind", str(path), str(path)]
    for path in host.masked:
        words += ["--tmpfs", str(path), "--remount-ro", str(path)]
    for target, link in host.links:
        words += ["--symlink", target, str(link)]
    for path in (*host.numpy, *host.named.paths):
        words += ["--ro-bind", str(path), str(root / "packages" / path.name)]
    words += ["--ro-bind", str(INSIDE), str(root / "ours" / INSIDE.name)]
    for name, value in _ENVIRONMENT.items():
        words += ["--setenv", name, value]
    words += ["--chdir", "/", "--remount-ro", "/tmp", "--remount-ro", "/"]  # noqa: S108  inside
    folders = root / "ours", root / "packages"
    zygote = _zygote(host, "namespaces", control, folders, many=many)
    return Launch((*_as_nobody(host, [bwrap, *words, *zygote]),), {})


def _unconfined_start(backend: str) -> Callable[[Host, int, bool], Launch]:
    def launch(host: Host, control: int, many: bool) -> Launch:
        folders = INSIDE.parent, host.packages
        zygote = _zygote(host, backend, control, folders, many=many)
        return Launch((*_as_nobody(host, zygote),), _ENVIRONMENT)

    return launch


NAMESPACES = Backend(
    "namespaces",
    "own processes, files, network and users (bubblewrap), seccomp, limits",
    "install bubblewrap and allow user namespaces to ordinary users (Debian: sysctl "
    "kernel.unprivileged_userns_clone=1; Ubuntu 24.04: an AppArmor profile for bwrap; in a "
    "container: its security options)",
    _namespaces,
)
LANDLOCK = Backend(
    "landlock",
    "files closed by Landlock, processes and network by seccomp, limits; other paths can be "
    "seen to exist; nothing can be written",
    "Linux 5.13 or newer, with landlock among its security modules (lsm=)",
    _unconfined_start("landlock"),
)
UNSAFE = Backend(
    "none",
    "resource limits only: a submission can read and change your files",
    "",
    _unconfined_start("none"),
)

BACKENDS = (NAMESPACES, LANDLOCK)


def unsupported_reason() -> str | None:
    """Return why no sandbox can exist on this system at all, or None."""
    if sys.platform != "linux":
        return f"the sandbox needs Linux, this is {sys.platform}"
    return None
