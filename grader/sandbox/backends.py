"""The backends, which isolate a submission, strongest first: commands that start a zygote.

- `namespaces`: bubblewrap gives user, pid, mount, network, IPC and UTS namespaces. A submission
  sees only Python, NumPy and an empty scratch folder, and no other process.
- `landlock`: for hosts that forbid namespaces. The kernel's Landlock closes the file system, and
  seccomp closes processes and network.
- `none`: resource limits only, and only on request.

`Host` has the paths of this host that they need: interpreter, NumPy, shared libraries.

`examination` tests a backend: it starts the backend and lets a child try to escape.
"""

import functools
import importlib.machinery
import importlib.util
import json
import os
import shutil
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from grader.definitions.course_packages import NO_PACKAGES, PackageFolders
from grader.errors import SandboxFault
from grader.sandbox.limits import ONE_BLAS_THREAD

IN_CHILD = Path(__file__).parent / "in_child"

_NOT_FOR_SUBMISSIONS = ("site-packages", "dist-packages")
_DEVICES = (Path("/dev/null"), Path("/dev/urandom"))


@dataclass(frozen=True, slots=True)
class Host:
    """The resolved paths of this host that a submission may see, all of them read-only."""

    interpreter: Path
    standard_library: tuple[Path, ...]  # folders, in which installed packages are masked
    packages: Path  # the folder that NumPy was installed into, which is never visible itself
    numpy: tuple[Path, ...]
    libraries: tuple[Path, ...]  # folders and files of shared libraries
    links: tuple[tuple[str, Path], ...]  # pairs of target and link, such as usr/lib and /lib
    course_packages: PackageFolders = NO_PACKAGES  # packages that the course names

    @property
    def masked_folders(self) -> tuple[Path, ...]:
        """The folders of installed packages inside the standard library."""
        candidates = (
            root / name for root in self.standard_library for name in _NOT_FOR_SUBMISSIONS
        )
        return tuple(path for path in candidates if path.is_dir())

    @property
    def needed_paths(self) -> tuple[Path, ...]:
        """The paths that the process in the sandbox must be able to read."""
        paths = (self.interpreter, *self.standard_library, *self.libraries, *self.numpy, IN_CHILD)
        return (*paths, *self.course_packages.paths)

    @property
    def readable(self) -> tuple[Path, ...]:
        """The paths that Landlock leaves readable.

        Landlock cannot exclude a subfolder, so the entries of the standard library are listed.
        """
        entries = (
            entry
            for root in self.standard_library
            for entry in root.iterdir()
            if entry.name not in _NOT_FOR_SUBMISSIONS
        )
        return (*entries, *self.libraries, *self.numpy, *self.course_packages.paths, *_DEVICES)


@functools.cache
def this_host() -> Host:
    """Return the paths of this host."""
    importlib.import_module("numpy")  # maps its shared libraries, for `_libraries` to find
    numpy = _numpy_folder()
    packages = numpy.parent
    bundled = packages / "numpy.libs"
    libraries, links = _libraries()
    return Host(
        interpreter=Path(os.path.realpath(sys._base_executable)),  # type: ignore[attr-defined]  # noqa: SLF001  below a virtual environment
        standard_library=_standard_library(),
        packages=packages,
        numpy=(numpy, bundled) if bundled.is_dir() else (numpy,),
        libraries=libraries,
        links=links,
    )


def compile_ahead() -> None:
    """Write the bytecode of the modules that run in a child, which cannot write it itself."""
    if sys.dont_write_bytecode or not os.access(IN_CHILD, os.W_OK):
        return  # the bytecode of an installed package was written by the installer
    for path in (*IN_CHILD.glob("*.py"), IN_CHILD.parent / "drop_privileges.py"):
        cached = Path(importlib.util.cache_from_source(os.fspath(path)))
        if not cached.exists() or cached.stat().st_mtime_ns < path.stat().st_mtime_ns:
            importlib.machinery.SourceFileLoader(path.stem, os.fspath(path)).get_code(path.stem)


def _numpy_folder() -> Path:
    spec = importlib.util.find_spec("numpy")
    if spec is None or spec.origin is None:
        raise SandboxFault("NumPy is not installed")
    return Path(os.path.realpath(spec.origin)).parent


def _standard_library() -> tuple[Path, ...]:
    base = {"base": sys.base_prefix, "platbase": sys.base_exec_prefix}
    folders = (sysconfig.get_path(name, vars=base) for name in ("stdlib", "platstdlib"))
    return tuple(dict.fromkeys(Path(os.path.realpath(path)) for path in folders))


def _libraries() -> tuple[tuple[Path, ...], tuple[tuple[str, Path], ...]]:
    """Return the libraries and links that the dynamic loader uses for this process."""
    mounted_folders = (*_standard_library(), _numpy_folder().parent)
    mapped = set()  # shared libraries that are mapped into this process
    with Path("/proc/self/maps").open(encoding="utf-8", errors="surrogateescape") as lines:
        for line in lines:
            path = line.rstrip("\n").split(maxsplit=5)[5:]
            if path and ".so" in path[0] and path[0].startswith("/"):
                mapped.add(Path(path[0]))
    folders: dict[Path, None] = {}
    for library in sorted(mapped):
        if any(library.is_relative_to(root) for root in mounted_folders):
            continue
        # A system folder of libraries may be visible as a whole, any other folder may not.
        system = library.parent.is_relative_to("/usr/lib") or library.parent == Path("/usr/lib64")
        if system:
            folders[library.parent] = None
            continue
        # The loader opens a library by a link such as libffi.so.8, not by libffi.so.8.1.2.
        for name in library.parent.iterdir():
            if name.name.startswith(library.name.partition(".so")[0]) and name.resolve() == library:
                folders[name] = None
    links = tuple(
        (str(path.readlink()), path) for path in (Path("/lib"), Path("/lib64")) if path.is_symlink()
    )
    plain = [
        path for path in (Path("/lib"), Path("/lib64")) if path.is_dir() and not path.is_symlink()
    ]
    loaders = [Path("/usr/lib64")] if Path("/usr/lib64").is_dir() else []
    return (*dict.fromkeys([*folders, *plain, *loaders]),), links


NOBODY = 65534  # the user id of `nobody` on Linux, which owns no files

BOOTSTRAP = (
    "import gc, sys; gc.disable(); sys.path[:0] = sys.argv[1:3]; from in_child import zygote; "
    "zygote.main(int(sys.argv[3]), sys.argv[4])"
)
# Without -I, which would ignore PYTHONHASHSEED. The environment contains only our own variables.
_PYTHON_FLAGS = ("-s", "-P", "-S", "-B")
_PRIVILEGES_FLAGS = ("-I", "-S", "-B")
_DROP_PRIVILEGES = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "import drop_privileges; drop_privileges.main(sys.argv[2:])"
)

# A fixed hash seed, so that the order of a set does not change a verdict.
_ENVIRONMENT = {
    **ONE_BLAS_THREAD,
    "PYTHONHASHSEED": "0",
    "LANG": "C.UTF-8",
    "HOME": "/",
    "PATH": os.defpath,
}


@dataclass(frozen=True, slots=True)
class Launch:
    """A command that starts a zygote, and its environment."""

    command: tuple[str, ...]
    environment: dict[str, str]


@dataclass(frozen=True, slots=True)
class Backend:
    """A way to isolate submissions."""

    name: str
    gives: str
    fix: str  # advice for hosts on which it does not work
    launch: Callable[[Host, int, bool], Launch]  # takes host, control descriptor, is_batch


def _zygote_command(
    host: Host,
    backend: str,
    control: int,
    hidden_after_import: tuple[Path, Path],
    *,
    is_batch: bool,
) -> list[str]:
    ours, packages = map(str, hidden_after_import)
    packages_of_course = host.course_packages
    configuration = {
        "backend": backend,
        "hidden_after_import": [ours, packages],
        "readable": [str(path) for path in host.readable] if backend == "landlock" else [],
        "landlock": None,  # the version of the kernel; tests set an older one
        "is_batch": is_batch,
        # Folders of packages that are not installed beside NumPy.
        "folders": []
        if backend == "namespaces"
        else sorted({str(path.parent) for path in packages_of_course.paths}),
        "packages": packages_of_course.modules,
        "required": packages_of_course.required,
    }
    python = [str(host.interpreter), *_PYTHON_FLAGS, "-c", BOOTSTRAP]
    return [*python, ours, packages, str(control), json.dumps(configuration)]


def _run_as_nobody(host: Host, command: list[str]) -> list[str]:
    """Return a command that first drops root's privileges, if this process runs as root."""
    if os.geteuid() != 0:
        return command
    first = [
        str(host.interpreter),
        *_PRIVILEGES_FLAGS,
        "-c",
        _DROP_PRIVILEGES,
        str(IN_CHILD.parent),
    ]
    paths = [str(path) for path in host.needed_paths]
    return [*first, str(NOBODY), str(len(paths)), *paths, *command]


def _launch_in_namespaces(host: Host, control: int, is_batch: bool) -> Launch:
    # Relative entries of PATH are ignored: they could lead to a program among the submissions.
    absolute = filter(os.path.isabs, os.environ.get("PATH", os.defpath).split(os.pathsep))
    bwrap = shutil.which("bwrap", path=os.pathsep.join(absolute))
    if bwrap is None:
        raise SandboxFault("bubblewrap is not installed (for example: apt-get install bubblewrap)")
    root = Path("/sandbox")
    options = [
        "--unshare-all",
        "--unshare-user",
        "--new-session",
        "--hostname",
        "sandbox",
        "--clearenv",
    ]
    # This capability holds only inside the new user namespace. The zygote needs it to give each
    # child its own namespaces.
    options += ["--cap-add", "CAP_SYS_ADMIN", "--proc", "/proc", "--tmpfs", "/tmp"]  # noqa: S108  inside
    for device in ("/dev/null", "/dev/urandom"):
        options += ["--dev-bind", device, device]
    for path in (*host.standard_library, *host.libraries, host.interpreter):
        options += ["--ro-bind", str(path), str(path)]
    for path in host.masked_folders:
        options += ["--tmpfs", str(path), "--remount-ro", str(path)]
    for target, link in host.links:
        options += ["--symlink", target, str(link)]
    for path in (*host.numpy, *host.course_packages.paths):
        options += ["--ro-bind", str(path), str(root / "packages" / path.name)]
    options += ["--ro-bind", str(IN_CHILD), str(root / "ours" / IN_CHILD.name)]
    for name, value in _ENVIRONMENT.items():
        options += ["--setenv", name, value]
    options += ["--chdir", "/", "--remount-ro", "/tmp", "--remount-ro", "/"]  # noqa: S108  inside
    folders = root / "ours", root / "packages"
    zygote = _zygote_command(host, "namespaces", control, folders, is_batch=is_batch)
    return Launch((*_run_as_nobody(host, [bwrap, *options, *zygote]),), {})


def _unconfined_start(backend: str) -> Callable[[Host, int, bool], Launch]:
    def launch(host: Host, control: int, is_batch: bool) -> Launch:
        folders = IN_CHILD.parent, host.packages
        zygote = _zygote_command(host, backend, control, folders, is_batch=is_batch)
        return Launch((*_run_as_nobody(host, zygote),), _ENVIRONMENT)

    return launch


NAMESPACES = Backend(
    "namespaces",
    "own processes, files, network and users (bubblewrap), seccomp, limits",
    "install bubblewrap and allow user namespaces to ordinary users (Debian: sysctl "
    "kernel.unprivileged_userns_clone=1; Ubuntu 24.04: an AppArmor profile for bwrap; in a "
    "container: its security options)",
    _launch_in_namespaces,
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
    """Return the reason why this system cannot have a sandbox, or None."""
    if sys.platform != "linux":
        return f"the sandbox needs Linux, this is {sys.platform}"
    return None
