"""Packages that the tests need in addition to Chromium, installed once per lock file."""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn

import pytest
import yaml

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parent.parent
KEPT: Final = ROOT / "build" / "browser-tools"

WHEEL: Final = "numpy-2.2.5-cp313-cp313-pyodide_2025_0_wasm32.whl"
WHEEL_SHA256: Final = "125230b4c3ecd08803e5c43f1162e017c0718d9f253146225a705a952b9c16c2"

CHROMIUM_ARGUMENTS: Final = (
    "--no-sandbox",  # root cannot use Chromium's sandbox
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # only this machine can be reached
)

ATTENTION: Final = ROOT / "exercises" / "attention"

_CORE: Final = ("pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip")
_CHROMIUM: Final = ("chromium", "chromium-browser", "google-chrome")
_INSTALL_SECONDS: Final = 300


class MissingError(Exception):
    """This machine lacks a tool that the tests need; the message names it."""


@dataclass(frozen=True)
class Tools:
    """The installed packages of `package.json`, and Python for the pages."""

    folder: Path

    @property
    def pyodide(self) -> Path:
        """A folder for `etude site build --pyodide-dir`, with Pyodide and only NumPy."""
        return self.folder / "pyodide"

    @property
    def packages(self) -> Path:
        """The folder of the installed packages."""
        return self.folder / "node_modules"


def find_chromium() -> str:
    """Return the path of the system's browser."""
    found = filter(None, map(shutil.which, _CHROMIUM))
    try:
        return next(found)
    except StopIteration:
        raise MissingError(f"there is no {' or '.join(_CHROMIUM)} on the path") from None


def install_tools() -> Tools:
    """Return the tools, and install them unless an earlier run did; runs may be simultaneous."""
    sources = [HERE / name for name in ("package.json", "package-lock.json", ".npmrc")]
    digest = hashlib.sha256(b"\0".join(path.read_bytes() for path in sources)).hexdigest()
    folder = KEPT / digest[:16]
    KEPT.mkdir(parents=True, exist_ok=True)
    with locked(KEPT / "lock"):
        if not folder.exists():
            _install(sources, folder)
    return Tools(folder)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a file lock, which excludes other processes."""
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _install(sources: list[Path], folder: Path) -> None:
    """Install into a folder, which appears complete or not at all."""
    with tempfile.TemporaryDirectory(dir=KEPT) as name:
        new = Path(name) / "new"
        new.mkdir()
        for source in sources:
            shutil.copy(source, new)
        _npm_ci(new)
        _lay_out_python(new / "node_modules", new / "pyodide")
        new.rename(folder)


def _npm_ci(folder: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise MissingError("there is no npm on the path")
    try:
        finished = subprocess.run(
            [npm, "ci", "--ignore-scripts", "--loglevel=error"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=_INSTALL_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise MissingError(f"npm ci took longer than {_INSTALL_SECONDS} s") from None
    if finished.returncode:
        raise MissingError(f"npm ci failed: {finished.stderr.strip()[-500:]}")


def _lay_out_python(packages: Path, into: Path) -> None:
    """Copy Pyodide's core and NumPy's wheel, with a lock file that lists only these."""
    core = packages / "pyodide"
    wheel = packages / "@bentopdf" / "pymupdf-wasm" / "assets" / WHEEL
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    if digest != WHEEL_SHA256:
        raise AssertionError(f"{WHEEL} is not the one that these tests trust: {digest}")
    into.mkdir()
    for name in _CORE:
        shutil.copy(core / name, into)
    shutil.copy(wheel, into)
    lock = json.loads((core / "pyodide-lock.json").read_text("utf-8"))
    numpy = lock["packages"]["numpy"] | {"file_name": WHEEL, "sha256": WHEEL_SHA256}
    lock["packages"] = {"numpy": numpy}
    (into / "pyodide-lock.json").write_text(json.dumps(lock), encoding="utf-8")


def add_package(pyodide: Path, name: str, files: Mapping[str, str]) -> None:
    """Add a pure Python package to a Pyodide distribution.

    Args:
        pyodide: The distribution's folder.
        name: The name of the package, also for imports.
        files: File contents by path, such as `name/__init__.py`.
    """
    wheel = pyodide / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
        archive.writestr(f"{name}-1.0.dist-info/METADATA", f"Name: {name}\n")
        archive.writestr(f"{name}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\n")
    lock = json.loads((pyodide / "pyodide-lock.json").read_text("utf-8"))
    lock["packages"][name] = lock["packages"]["numpy"] | {
        "name": name,
        "version": "1.0",
        "file_name": wheel.name,
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "depends": [],
        "imports": [name],
    }
    (pyodide / "pyodide-lock.json").write_text(json.dumps(lock), encoding="utf-8")


def build_site(output: Path, tools: Tools, base: str, *more: str | Path) -> Path:
    """Build a site with Python by the real command; return its folder.

    Args:
        output: The folder.
        tools: The tools with Python.
        base: The path of the site on the host.
        more: Further arguments of the command, such as another collection.
    """
    words = ["--output", output, "--base-url", base, "--pyodide-dir", tools.pyodide, *more]
    command = [sys.executable, "-m", "grader.cli", "site", "build", *map(str, words)]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    return output


def write_lessons(folder: Path, track: Path = ATTENTION, kept: slice = slice(3)) -> Path:
    """Write a course of some of a track's lessons, with their exercises; return its folder."""
    definition = yaml.safe_load((track / "track.yaml").read_text("utf-8"))
    for key in ("xp", "requires"):
        definition.pop(key, None)
    lessons = definition["lessons"] = definition["lessons"][kept]
    exercises = definition["exercises"] = [name for each in lessons for name in each["exercises"]]
    target = folder / track.name
    (target / "lessons").mkdir(parents=True)
    (target / "track.yaml").write_text(yaml.safe_dump(definition, sort_keys=False), "utf-8")
    for path in track.parent.iterdir():  # files that all tracks share
        if path.is_file():
            shutil.copy(path, folder)
        elif not (path / "track.yaml").exists():
            shutil.copytree(path, folder / path.name)
    names = [f"[0-9]*-{each}.yaml" for each in exercises]
    names += [f"lessons/[0-9]*-{each['id']}.md" for each in lessons]
    for path in (path for name in names for path in track.glob(name)):
        shutil.copy(path, target / path.relative_to(track))
    return folder


def give_up(error: MissingError) -> NoReturn:
    """Fail if every test must run, as in the project's own checks; skip otherwise."""
    if os.environ.get("ETUDE_REQUIRE_BROWSER") == "1":
        pytest.fail(f"ETUDE_REQUIRE_BROWSER is set, but {error}", pytrace=False)
    # Without Node or Chromium, all other tests can run; the summary names what is missing.
    pytest.skip(str(error))
