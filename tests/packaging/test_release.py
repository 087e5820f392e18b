"""`make release`: what is built, and what is refused."""

import runpy
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader import __version__

ROOT = Path(__file__).parents[2]
RELEASE: dict[str, Any] = runpy.run_path(str(ROOT / "scripts" / "release.py"))
Change = Callable[[dict[str, bytes]], None]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The files that name a version."""
    for name in ("integrations", "docs"):
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.copy(ROOT / "README.md", tmp_path)
    (tmp_path / "grader").mkdir()
    shutil.copy(ROOT / "grader" / "__init__.py", tmp_path / "grader")
    return tmp_path


def named(folder: Path, text: str) -> set[str]:
    """Return the files below a folder that have a text."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {
        path.relative_to(folder).as_posix() for path in paths if text.encode() in path.read_bytes()
    }


def test_the_version_is_written_in_one_place(tree: Path) -> None:
    """Samples, documents and the lines to install follow `grader/__init__.py`."""
    places = named(tree, f"v{__version__}") | named(tree, f"etude-{__version__}-py3")
    assert {"README.md", "integrations/github/grade.yml", "docs/tutorials/learner.md"} <= places
    file = tree / "grader" / "__init__.py"
    file.write_text(file.read_text().replace(__version__, "9.8.7"))
    assert RELEASE["write_version"](tree) == "9.8.7"
    assert named(tree, "v9.8.7") | named(tree, "etude-9.8.7-py3") == places
    assert named(tree, f"v{__version__}") | named(tree, f"etude-{__version__}-py3") == set()


def _without_schema(files: dict[str, bytes]) -> None:
    del files["grader/definitions/exercise.schema.json"]


def _with_certified_course(files: dict[str, bytes]) -> None:
    files["grader/_content/courses/marks/course.yaml"] = b"title: Marks\n"


def _of_another_version(files: dict[str, bytes]) -> None:
    (name,) = (each for each in files if each.endswith("METADATA"))
    files[name] = files[name].replace(b"\nVersion: ", b"\nVersion: 7")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_without_schema, r"exercise\.schema\.json is missing"),
        (_with_certified_course, r"courses/marks/course\.yaml is certified"),
        (_of_another_version, "Version is '7"),
    ],
    ids=["missing", "certified", "version"],
)
def test_a_wheel_that_is_not_fit_is_refused(
    wheel: Path, tmp_path: Path, change: Change, message: str
) -> None:
    """A file that is missing, a certified course, or another version; as built it passes."""
    RELEASE["check_wheel"](wheel, __version__)
    with zipfile.ZipFile(wheel) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    change(files)
    changed = tmp_path / wheel.name
    with zipfile.ZipFile(changed, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    with pytest.raises(RELEASE["ReleaseError"], match=message):
        RELEASE["check_wheel"](changed, __version__)
