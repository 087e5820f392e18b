"""Paths of this host that the sandbox needs: interpreter, NumPy, shared libraries."""

import functools
import importlib.machinery
import importlib.util
import os
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from grader.definitions.packages import NO_PACKAGES, PackageFolders
from grader.errors import SandboxFault

INSIDE = Path(__file__).parent / "inside"

_NOT_FOR_SUBMISSIONS = ("site-packages", "dist-packages")
_DEVICES = (Path("/dev/null"), Path("/dev/urandom"))


@dataclass(frozen=True, slots=True)
class Host:
    """Real, absolute paths. A submission sees these, read-only, and nothing else."""

    interpreter: Path
    standard_library: tuple[Path, ...]  # folders; what is installed in them is masked
    packages: Path  # the folder that NumPy was installed into; itself never shown
    numpy: tuple[Path, ...]
    libraries: tuple[Path, ...]  # folders and files of shared libraries
    links: tuple[tuple[str, Path], ...]  # (target, link): /lib -> usr/lib and the like
    named: PackageFolders = NO_PACKAGES  # packages that a course names

    @property
    def masked(self) -> tuple[Path, ...]:
        """Folders inside the standard library that hold installed packages."""
        every = (root / name for root in self.standard_library for name in _NOT_FOR_SUBMISSIONS)
        return tuple(path for path in every if path.is_dir())

    @property
    def needed(self) -> tuple[Path, ...]:
        """All that the process in the sandbox must be able to read."""
        own = (self.interpreter, *self.standard_library, *self.libraries, *self.numpy, INSIDE)
        return (*own, *self.named.paths)

    @property
    def readable(self) -> tuple[Path, ...]:
        """The paths that Landlock leaves visible. It cannot mask: hence each entry by itself."""
        entries = (
            entry
            for root in self.standard_library
            for entry in root.iterdir()
            if entry.name not in _NOT_FOR_SUBMISSIONS
        )
        return (*entries, *self.libraries, *self.numpy, *self.named.paths, *_DEVICES)


@functools.cache
def this_host() -> Host:
    """Return the paths of this host."""
    importlib.import_module("numpy")  # whose shared libraries are found when they are mapped
    numpy = _numpy_folder()
    packages = numpy.parent
    bundled = packages / "numpy.libs"
    libraries, links = _libraries()
    return Host(
        interpreter=Path(os.path.realpath(sys._base_executable)),  # type: ignore[attr-defined]  # noqa: SLF001
        standard_library=_standard_library(),
        packages=packages,
        numpy=(numpy, bundled) if bundled.is_dir() else (numpy,),
        libraries=libraries,
        links=links,
    )


def compile_ahead() -> None:
    """Write the bytecode of the guest's modules, which the sandbox has no right to write."""
    if sys.dont_write_bytecode or not os.access(INSIDE, os.W_OK):
        return  # installed packages have theirs from the installation
    for path in (*INSIDE.glob("*.py"), INSIDE.parent / "drop_privileges.py"):
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
    found = (sysconfig.get_path(name, vars=base) for name in ("stdlib", "platstdlib"))
    return tuple(dict.fromkeys(Path(os.path.realpath(path)) for path in found))


def _libraries() -> tuple[tuple[Path, ...], tuple[tuple[str, Path], ...]]:
    """Return libraries and links for the dynamic loader, as it found them for this process."""
    own = (*_standard_library(), _numpy_folder().parent)
    folders: dict[Path, None] = {}
    for library in _mapped_libraries():
        if any(library.is_relative_to(root) for root in own):
            continue
        # A system folder of libraries may be seen whole; of any other folder just the library.
        system = library.parent.is_relative_to("/usr/lib") or library.parent == Path("/usr/lib64")
        if system:
            folders[library.parent] = None
            continue
        for (
            name
        ) in library.parent.iterdir():  # the loader asks for libffi.so.8, not libffi.so.8.1.2
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


def _mapped_libraries() -> list[Path]:
    """Return the shared libraries that this process has mapped."""
    paths = set()
    with Path("/proc/self/maps").open(encoding="utf-8", errors="surrogateescape") as lines:
        for line in lines:
            path = line.rstrip("\n").split(maxsplit=5)[5:]
            if path and ".so" in path[0] and path[0].startswith("/"):
                paths.add(Path(path[0]))
    return sorted(paths)
