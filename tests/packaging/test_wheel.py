"""The wheel: complete, the same from checkout and sdist, and working anywhere."""

import functools
import html
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from grader.definitions.collection import load_exercise_file
from grader.definitions.course_file import load_course
from grader.definitions.json_schemas import SCHEMAS, schema_path
from tests.packaging.conftest import Build, Installed

ROOT = Path(__file__).parent.parent.parent
CONTENT = "grader/_content/"
COURSES = sorted([ROOT / "exercises" / "course.yaml", *ROOT.glob("courses/*/course.yaml")])
TRACKS = sorted(path for course in COURSES for path in course.parent.rglob("track.yaml"))
EXERCISES = sorted(
    {path for course in COURSES for path in course.parent.glob("*/*.yaml")} - {*TRACKS}
)
SAMPLES = ROOT / "examples" / "submissions"


@functools.cache
def members(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def below_root(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_the_wheel_carries_the_courses_whole(wheel: Path) -> None:
    """Each file as it is: hidden tests, solutions and data too. All of them are for practice."""
    folders = (ROOT / "exercises", ROOT / "courses")
    files = {path for folder in folders for path in folder.rglob("*") if path.is_file()}
    expected = {below_root(path): path.read_bytes() for path in files if path.suffix != ".pyc"}
    assert {*map(below_root, (*COURSES, *TRACKS, *EXERCISES))} <= expected.keys()
    assert {
        name.removeprefix(CONTENT): data
        for name, data in members(wheel).items()
        if name.startswith(CONTENT)
    } == expected
    assert {load_course(path).grading for path in COURSES} == {"practice"}


def test_the_wheel_carries_the_schemas(wheel: Path) -> None:
    """An author's editor finds them beside the types, without a checkout."""
    for kind in SCHEMAS:
        name = schema_path(kind).relative_to(ROOT).as_posix()
        assert members(wheel)[name] == schema_path(kind).read_bytes()


@pytest.mark.slow
def test_the_wheel_from_the_sdist_is_the_same(wheel: Path, unpacked: Path, build: Build) -> None:
    """The same files with the same contents; even the archive has the same bytes."""
    from_sdist = build("wheel", unpacked)
    assert list(members(from_sdist)) == list(members(wheel))
    assert members(from_sdist) == members(wheel)
    assert (from_sdist.name, from_sdist.read_bytes()) == (wheel.name, wheel.read_bytes())


@pytest.mark.slow
def test_the_sdist_keeps_the_full_definitions(unpacked: Path) -> None:
    """It is the source: what the wheel is made from is in it unchanged."""
    for path in [*TRACKS, *EXERCISES, ROOT / "pyproject.toml"]:
        assert (unpacked / path.relative_to(ROOT)).read_bytes() == path.read_bytes()


def test_an_editable_install_reads_the_checkout_s_exercises(tmp_path: Path) -> None:
    """A changed exercise of the checkout takes effect at once."""
    build = "import sys; from hatchling.build import build_editable; build_editable(sys.argv[1])"
    command = [sys.executable, "-c", build, str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (editable,) = tmp_path.iterdir()
    with zipfile.ZipFile(editable) as archive:
        archive.extractall(tmp_path / "packages")
    program = (
        f"import site; site.addsitedir({str(tmp_path / 'packages')!r});"
        "from grader.definitions.files import default_folder; print(default_folder())"
    )
    command = [sys.executable, "-S", "-c", program]
    finished = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert finished.stdout.strip() == str(ROOT / "exercises")


def test_the_wheel_has_the_packages_and_no_tests(wheel: Path) -> None:
    """Three packages with what they need, and our metadata; no `site`, which is Python's name."""
    names = members(wheel)
    assert {name.split("/")[0] for name in names} == {
        "etude_server", "grader", "reference", "sitegen", f"{wheel.name.partition('-py3')[0]}.dist-info",
    }  # fmt: skip
    assert {"sitegen/_data/templates/base.html", "sitegen/_data/assets/site.css"} <= names.keys()
    assert "grader/sandbox/in_child/zygote.py" in names
    assert {
        "etude_server/staff/templates/base.html", "etude_server/staff/staff.css",
        "etude_server/store/migrations/versions/0001_tables.py",
    } <= names.keys()  # fmt: skip


def test_python_s_own_site_is_not_shadowed() -> None:
    """`import site` gives the standard library's in a checkout."""
    program = (
        "import os, site; print(os.path.dirname(site.__file__) == os.path.dirname(os.__file__))"
    )
    command = [sys.executable, "-c", program]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert finished.stdout == "True\n"


@pytest.mark.slow
def test_the_installed_code_is_the_wheel_s(installed: Installed, tmp_path: Path) -> None:
    """Nothing of the checkout is imported, so these tests try what a user would get."""
    program = (
        "import grader, reference, sitegen, json;"
        "from grader.definitions.files import default_folder;"
        "files = [module.__file__ for module in (grader, reference, sitegen)];"
        "print(json.dumps([*files, str(default_folder())]))"
    )
    finished = installed.run("python", "-c", program, cwd=tmp_path)
    assert finished.stderr == ""
    for path in json.loads(finished.stdout):
        assert Path(path).is_relative_to(installed.packages)


@pytest.mark.parametrize(
    ("sample", "status", "last"),
    [
        ("correct", 0, "Passed: 13/13 points, +15 XP."),
        pytest.param("unscaled", 1, "Not passed yet: ", marks=pytest.mark.slow),
    ],
)
def test_check_works_from_anywhere(
    installed: Installed, tmp_path: Path, sample: str, status: int, last: str
) -> None:
    """A right file passes, a wrong one does not, in the sandbox and with all tests."""
    path = SAMPLES / sample / "attention-weights.py"
    finished = installed.run("etude", "check", "attention-weights", path, cwd=tmp_path)
    assert (finished.returncode, finished.stderr) == (status, "")
    assert last in finished.stdout


def test_an_author_s_code_imports_late_and_reads_nothing(
    installed: Installed, tmp_path: Path
) -> None:
    """It can import installed packages, but reads no file beside the definition."""
    (tmp_path / "neighbour").write_text("secret")
    (tmp_path / "late.yaml").write_text(
        "id: late\ntitle: Late\ndifficulty: beginner\nxp: 1\ninstructions: i\n"
        "defines: {double: {}}\nstarter: ''\nsolution: ''\nexplanation: e\ntests:\n"
        "  - id: only\n    call: double(x)\n    expect: 2\n    given: |\n"
        "      import numpy.polynomial.hermite, reference.gpt, sqlite3, xmlrpc.client\n"
        f"      try:\n          x = bool(open({str(tmp_path / 'neighbour')!r}).read()) + 1\n"
        "      except PermissionError:\n          x = 1\n"
    )
    (tmp_path / "double.py").write_text("def double(x):\n    return 2 * x\n")
    finished = installed.run("etude", "check", "late.yaml", "double.py", cwd=tmp_path)
    assert finished.returncode == 0, finished.stdout + finished.stderr


@pytest.mark.slow
def test_grade_works_from_anywhere(installed: Installed, tmp_path: Path) -> None:
    """A folder is graded; 1 is the status because some samples are wrong."""
    finished = installed.run("etude", "grade", SAMPLES, "--format", "json", cwd=tmp_path)
    assert finished.returncode == 1
    assert "etude:" not in finished.stderr  # progress may be there, where it takes a while
    verdicts = json.loads(finished.stdout)["verdicts"]
    right = {verdict["student"] for verdict in verdicts if verdict["outcome"] == "passed"}
    assert {"correct", "correct-einsum"} <= right


@pytest.mark.slow
@pytest.mark.release
def test_the_site_is_built_from_the_wheel(installed: Installed, tmp_path: Path) -> None:
    """Templates, assets and exercises are all found; there is a page for each exercise."""
    finished = installed.run("etude", "site", "build", "--output", "out", cwd=tmp_path)
    assert (finished.returncode, finished.stderr) == (0, "")
    for path in EXERCISES:
        if not path.is_relative_to(ROOT / "exercises"):
            continue
        exercise = load_exercise_file(path)
        page = tmp_path / "out" / path.parent.name / exercise.id / "index.html"
        assert exercise.title in html.unescape(page.read_text("utf-8"))
