"""Builder of a wheel and an sdist, with checks; `make release` runs it.

The version is defined only in `grader/__init__.py`; samples and documents that name it are updated
first. --without-install skips the last check, which needs a network: it installs the wheel into a
new environment and grades there.
"""  # noqa: INP001  a script, in no package
# ruff: noqa: T201, S603  it prints, and starts our own commands

import argparse
import email.parser
import email.policy
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
DIST: Final = ROOT / "dist"

_VERSION: Final = re.compile(r'^__version__ = "([^"]+)"$', re.MULTILINE)
_NAMED: Final = re.compile(r"ETUDE_REF: v(\S+)")  # in the sample for GitLab
_IN_WHEEL: Final = (
    "grader/api.py",
    "grader/definitions/exercise.schema.json",
    "reference/softmax.py",
    "sitegen/_data/templates/",
    "grader/_content/exercises/attention/track.yaml",
)
_IN_SDIST: Final = ("LICENSE", "Makefile", "requirements/runtime.txt", "docs/index.md", "tests/")
_PRACTICE: Final = re.compile(rb"^grading: practice$", re.MULTILINE)


class ReleaseError(Exception):
    """The release must not be published; the message says why."""


def write_version(root: Path) -> str:
    """Write the version of `grader` into samples and documents that name one, and return it."""
    (version,) = _VERSION.findall((root / "grader" / "__init__.py").read_text("utf-8"))
    (before,) = _NAMED.findall((root / "integrations/gitlab/.gitlab-ci.yml").read_text("utf-8"))
    folders = (root / "integrations", root / "docs")
    paths = [root / "README.md", *(path for each in folders for path in each.rglob("*"))]
    for path in paths:
        if path.suffix in {".md", ".yml", ".yaml", ".json"} and path.is_file():
            text = path.read_text("utf-8")
            pattern = (
                rf"(?<=[@/ '\"`]v){re.escape(before)}\b|(?<=etude-){re.escape(before)}(?=-py3)"
            )
            written = re.sub(pattern, version, text)
            if written != text:
                path.write_text(written, "utf-8")
                print(f"{path.relative_to(root)} names {version}")
    return str(version)


def build(root: Path, dist: Path) -> tuple[Path, Path]:
    """Build the sdist and the wheel into an empty folder."""
    shutil.rmtree(dist, ignore_errors=True)
    words = ("-m", "hatchling", "build", "-t", "sdist", "-t", "wheel", "-d", str(dist))
    subprocess.run([sys.executable, *words], cwd=root, check=True)
    (wheel,), (sdist,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    return wheel, sdist


def check_wheel(wheel: Path, version: str) -> None:
    """Check a wheel's metadata and contents.

    Raises:
        ReleaseError: A file is missing or must not be published, or a version is wrong.
    """
    with zipfile.ZipFile(wheel) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    (name,) = (each for each in files if each.endswith(".dist-info/METADATA"))
    parser = email.parser.BytesParser(policy=email.policy.default)
    metadata = parser.parsebytes(files[name])
    expected = {"Name": "etude", "Version": version, "License-Expression": "Apache-2.0"}
    for key, value in expected.items():
        if metadata[key] != value:
            raise ReleaseError(f"{wheel.name}: {key} is {metadata[key]!r}, expected {value!r}")
    if metadata["Description-Content-Type"] != "text/markdown" or not metadata.get_payload():
        raise ReleaseError(f"{wheel.name}: there is no description in Markdown")
    _require(wheel, list(files), _IN_WHEEL)
    for name, data in files.items():
        is_course = name.startswith("grader/_content/") and name.endswith("/course.yaml")
        if is_course and not _PRACTICE.search(data):
            message = "is certified, and a wheel would show its hidden tests and solutions"
            raise ReleaseError(f"{wheel.name}: {name} {message}")


def check_sdist(sdist: Path, version: str) -> None:
    """Check the contents of a source distribution.

    Raises:
        ReleaseError: A file is missing.
    """
    with tarfile.open(sdist) as archive:
        names = archive.getnames()
    top = f"etude-{version}/"
    _require(sdist, [name.removeprefix(top) for name in names if name.startswith(top)], _IN_SDIST)


def _require(archive: Path, names: list[str], wanted: tuple[str, ...]) -> None:
    for each in wanted:
        if not any(
            name == each or (each.endswith("/") and name.startswith(each)) for name in names
        ):
            raise ReleaseError(f"{archive.name}: {each} is missing")


def check_installed(wheel: Path, version: str) -> None:
    """Install a wheel into a new environment, and grade there.

    Raises:
        ReleaseError: The installed command has an unexpected output.
    """
    with tempfile.TemporaryDirectory(prefix="etude-release-") as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        tools = Path(folder, "bin")
        pip = [tools / "python", "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
        subprocess.run([*pip, wheel], check=True)
        answer = ROOT / "examples" / "submissions" / "correct" / "attention-weights.py"
        for words, status, said in (
            (("--version",), 0, f"version {version}"),
            (("check", "attention-weights", str(answer), "--plain"), 0, "Passed: 13/13 points"),
        ):
            done = subprocess.run(
                [tools / "etude", *words],
                cwd=folder,
                env={"PATH": "/usr/bin:/bin", "ETUDE_DATA": folder},
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode != status or said not in done.stdout:
                what = f"etude {' '.join(words)}"
                raise ReleaseError(f"{what}: status {done.returncode}\n{done.stdout}{done.stderr}")


def main() -> int:
    """Make and check a release; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--without-install", action="store_true")
    options = parser.parse_args()
    try:
        version = write_version(ROOT)
        wheel, sdist = build(ROOT, DIST)
        check_wheel(wheel, version)
        check_sdist(sdist, version)
        if not options.without_install:
            check_installed(wheel, version)
    except ReleaseError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{wheel}\n{sdist}\nTo publish them as they are: git tag v{version}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
