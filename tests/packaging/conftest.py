"""Distributions built from the checkout, and the wheel installed away from it."""

import fcntl
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest

ROOT = Path(__file__).parent.parent.parent

Build: TypeAlias = Callable[[str, Path], Path]


@dataclass(frozen=True)
class Installed:
    """A virtual environment with the wheel and without the checkout."""

    folder: Path

    @property
    def packages(self) -> Path:
        (packages,) = self.folder.glob("lib/python*/site-packages")
        return packages

    @property
    def environment(self) -> dict[str, str]:
        """The current environment without settings for this checkout's Etude."""
        ours = ("PYTHON", "ETUDE_", "PYTEST_", "VIRTUAL_ENV")
        return {name: value for name, value in os.environ.items() if not name.startswith(ours)}

    def run(self, *words: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
        """Run one of the environment's commands."""
        program, *arguments = map(str, words)
        return subprocess.run(
            [self.folder / "bin" / program, *arguments],
            cwd=cwd,
            env={**self.environment, "ETUDE_DATA": os.fspath(cwd / "data")},
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Build the `wheel` or `sdist` of a source tree; return the resulting file."""

    def build(target: str, root: Path) -> Path:
        folder = tmp_path_factory.mktemp(target)
        command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)]
        subprocess.run(command, cwd=root, check=True, capture_output=True)
        (made,) = folder.iterdir()
        return made

    return build


@pytest.fixture(scope="session")
def wheel(build: Build, whole_run: Path) -> Path:
    """The wheel of this checkout, built by the first process that needs it."""
    folder = whole_run / "wheel"
    with (whole_run / "wheel.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            made = build("wheel", ROOT)
            made.parent.rename(folder)
    (made,) = folder.iterdir()
    return made


@pytest.fixture(scope="session")
def unpacked(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked source distribution of this checkout."""
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(build("sdist", ROOT)) as archive:
        # The archive is our own. Python 3.11 has `filter` from 3.11.4 on, and 3.14 makes it the
        # default.
        safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        archive.extractall(folder, **safe)  # type: ignore[arg-type]  # noqa: S202  our own archive
    (tree,) = folder.iterdir()
    return tree


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel in a separate environment, with the dependencies of the tests' environment."""
    folder = tmp_path_factory.mktemp("installed") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    pip = [sys.executable, "-m", "pip", "--isolated", "--disable-pip-version-check"]
    words = ["install", "--quiet", "--no-deps", "--no-index", "--no-compile", str(wheel)]
    subprocess.run([*pip, "--python", str(folder / "bin" / "python"), *words], check=True)
    environment = Installed(folder)
    # A folder named in a .pth file is searched last, and its own .pth files, such as an editable
    # install's, are not read.
    dependencies = "\n".join(
        dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib"))
    )
    (environment.packages / "dependencies.pth").write_text(f"{dependencies}\n")
    return environment


@pytest.fixture
def tree(unpacked: Path, tmp_path: Path) -> Path:
    """A copy of the sources that a test may change."""
    return Path(shutil.copytree(unpacked, tmp_path / "tree"))
