"""Gradescope's autograder: the zip, and its two scripts in a tree like that of Gradescope's image."""

import hashlib
import json
import os
import shutil
import stat
import sys
import sysconfig
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from grader import __version__
from tests.integrations.conftest import USING, InContainer, Run, read_submission
from tests.integrations.hostile import EARNED, HostileCheckout

pytestmark = pytest.mark.slow  # its image installs a wheel

ROOT = Path(__file__).parent.parent.parent
DEFINITION = ROOT / "exercises" / "attention" / "13-attention-weights.yaml"
RIGHT = read_submission("correct")
WHEEL = f"etude-{__version__}-py3-none-any.whl"


@dataclass(frozen=True)
class Image:
    """What Gradescope makes of a zip: the tree below /autograder after setup.sh."""

    root: Path
    venv: Path
    said: str

    @property
    def variables(self) -> dict[str, str]:
        return {"AUTOGRADER_ROOT": str(self.root), "ETUDE_VENV": str(self.venv)}


@dataclass(frozen=True)
class Graded:
    """What came of a submission."""

    status: int
    results: dict[str, Any]
    log: str

    @property
    def is_fault(self) -> bool:
        """Whether Gradescope gets no score to show."""
        return "score" not in self.results and "tests" not in self.results


Grade: TypeAlias = Callable[..., Graded]
Export: TypeAlias = Callable[..., Path]
Build: TypeAlias = Callable[[Path], Image]


@pytest.fixture(scope="module")
def export(
    checkout: Path, etude_venv: Path, run: Run, tmp_path_factory: pytest.TempPathFactory
) -> Export:
    """Run `etude export gradescope` of the copied checkout; returns the zip."""

    def export(*words: str | Path) -> Path:
        output = tmp_path_factory.mktemp("zip") / "autograder.zip"
        command = [etude_venv / "bin" / "etude", "export", "gradescope", *words]
        finished = run(*command, "--output", output, cwd=checkout)
        assert finished.returncode == 0, finished.stderr
        return output

    return export


@pytest.fixture(scope="module")
def one(export: Export) -> Path:
    """A zip for one exercise."""
    return export("attention-weights")


@pytest.fixture(scope="module")
def build(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Do what Gradescope does with a zip when it builds its image."""

    def build(archive: Path) -> Image:
        root = tmp_path_factory.mktemp("image") / "autograder"
        image = Image(root, root.parent / "opt" / "etude", "")
        unpack(archive, root / "source")
        (root / "submission").mkdir()
        shutil.copy(root / "source" / "run_autograder", root / "run_autograder")
        finished = run("bash", root / "source" / "setup.sh", cwd=root, **image.variables)
        assert finished.returncode == 0, finished.stdout + finished.stderr
        return Image(image.root, image.venv, finished.stdout + finished.stderr)

    return build


@pytest.fixture(scope="module")
def image(one: Path, build: Build) -> Image:
    """The image of one exercise."""
    return build(one)


@pytest.fixture
def grade(image: Image, run: Run, in_container: InContainer, offline: Mapping[str, str]) -> Grade:
    """Run `run_autograder` for what a student uploaded, as a container's root where we are root.

    With a hostile checkout, that is what was uploaded, and the working directory.
    """

    def grade(
        files: Mapping[str, str | Path],
        on: Image = image,
        checkout: HostileCheckout | None = None,
        **container: object,
    ) -> Graded:
        if checkout is None:
            shutil.rmtree(on.root / "submission")
        shutil.rmtree(on.root / "results", ignore_errors=True)
        for name, source in files.items():
            path = on.root / "submission" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(source, Path):
                path.symlink_to(source)
            else:
                path.write_text(source)
        (on.root / "submission").mkdir(exist_ok=True)
        visible = (on.root, on.venv, image.venv)
        prefix = checkout.exposing(offline["PATH"]) if checkout else []
        command = in_container(*prefix, on.root / "run_autograder", visible=visible, **container)
        finished = run(*command, cwd=checkout.folder if checkout else on.root, **on.variables)
        results = json.loads((on.root / "results" / "results.json").read_text())
        return Graded(finished.returncode, results, finished.stdout + finished.stderr)

    return grade


def unpack(archive: Path, folder: Path) -> None:
    """Unzip with the modes that the entries have."""
    with zipfile.ZipFile(archive) as opened:
        for entry in opened.infolist():
            path = Path(opened.extract(entry, folder))
            path.chmod(stat.S_IMODE(entry.external_attr >> 16))


def test_the_zip_has_what_gradescope_calls_at_its_root(one: Path) -> None:
    """Both scripts, executable; whole exercises; Etude as a wheel, pinned by its hash."""
    with zipfile.ZipFile(one) as archive:
        names = set(archive.namelist())
        modes = {
            entry.filename: stat.S_IMODE(entry.external_attr >> 16) for entry in archive.infolist()
        }
        assert names == {
            "setup.sh", "run_autograder", "fault.json", "requirements.txt", WHEEL,
            "exercises/01-attention-weights.yaml", "exercises/course.yaml",
        }  # fmt: skip
        assert modes["run_autograder"] == modes["setup.sh"] == 0o755
        assert archive.read("exercises/01-attention-weights.yaml") == DEFINITION.read_bytes()
        digest = hashlib.sha256(archive.read(WHEEL)).hexdigest()
        requirements = archive.read("requirements.txt").decode()
        fault = json.loads(archive.read("fault.json"))
    assert f"./{WHEEL} --hash=sha256:{digest}\n" in requirements
    assert requirements.startswith((ROOT / "requirements" / "runtime.txt").read_text())
    assert "score" not in fault
    assert "This could not be graded" in fault["output"]


def test_the_zip_says_when_hidden_tests_are_shown(export: Export) -> None:
    """For the grader's command line in it."""
    with zipfile.ZipFile(export("attention-weights", "--hidden-tests", "hidden")) as archive:
        assert b"\nhidden_tests=hidden #" in archive.read("run_autograder")


def test_the_same_export_gives_the_same_bytes(one: Path, export: Export) -> None:
    """Times and the order of files do not matter, so that one can tell what was uploaded."""
    assert export("attention-weights").read_bytes() == one.read_bytes()


def test_what_cannot_be_exported_is_said(
    checkout: Path, etude_venv: Path, run: Run, tmp_path: Path
) -> None:
    """Unknown exercises, student editions, twins and wrong requirements; nothing is written."""
    etude = etude_venv / "bin" / "etude"
    handout = tmp_path / "handout"
    assert run(etude, "export", "student", handout, cwd=checkout).returncode == 0
    twins = [tmp_path / "twin.yaml", tmp_path / "other.yaml"]
    for twin in twins:
        twin.write_text(DEFINITION.read_text())
    for words, message in (
        (("atention-weights",), "did you mean 'attention-weights'?"),
        (("attention-weights", "--exercises", handout), "is a student edition"),
        (twins, "there are two exercises 'attention-weights'"),
        (("attention-weights", twins[0]), "are of different courses"),
        (("attention-weights", "--etude", "no/such.whl"), "no/such.whl cannot be read"),
        (("attention-weights", "--etude", "-r x"), "'-r x' is not a requirement for pip"),
        (("attention-weights", "--etude", "a\n-r x"), "is not a requirement for pip"),
    ):
        finished = run(etude, "export", "gradescope", *words, cwd=tmp_path)
        assert (finished.returncode, finished.stdout) == (2, "")
        assert message in finished.stderr
    assert not (tmp_path / "autograder.zip").exists()


def test_an_installed_etude_asks_what_to_install(image: Image, run: Run, tmp_path: Path) -> None:
    """There is no checkout to build from; with a file or a requirement there need not be."""
    etude = image.venv / "bin" / "etude"
    finished = run(etude, "export", "gradescope", DEFINITION, cwd=tmp_path)
    assert finished.returncode == 2
    assert "name what the autograder shall install with --etude" in finished.stderr
    for given, line in (
        ("etude @ git+https://example.org/etude@v1", "etude @ git+https://example.org/etude@v1"),
        (str(image.root / "source" / WHEEL), f"./{WHEEL}"),
    ):
        finished = run(etude, "export", "gradescope", DEFINITION, "--etude", given, cwd=tmp_path)
        assert finished.returncode == 0, finished.stderr
        assert finished.stdout.startswith("autograder.zip: 1 exercise, 13 points, ")
        with zipfile.ZipFile(tmp_path / "autograder.zip") as archive:
            assert archive.read("requirements.txt").decode() == f"{line}\n"
            assert (WHEEL in archive.namelist()) == given.endswith(".whl")


def test_setup_installs_the_wheel_and_closes_the_source(image: Image) -> None:
    """It installs from the zip into a new environment; only root reads hidden tests."""
    (package,) = image.venv.glob("lib/python*/site-packages/grader")
    assert package.is_dir()
    for path in ((image.root / "source"), *(image.root / "source").rglob("*")):
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path
    assert "Submissions are graded in: " in image.said


@pytest.mark.release
def test_setup_installs_python_where_it_is_too_old(
    one: Path, run: Run, tmp_path: Path, offline: Mapping[str, str]
) -> None:
    """The newest Python from apt, in a stand-in that has only 3.11."""
    unpack(one, tmp_path / "source")
    (tmp_path / "source" / "requirements.txt").write_text(f"./{WHEEL}\n")
    programs = tmp_path / "bin"
    programs.mkdir()
    for number in (11, 12, 13, 14):
        stub(programs / f"python3.{number}", "exit 1")
    stub(programs / "python3", "exit 1")
    stub(
        programs / "apt-get",
        f"""echo "$*" >> "{tmp_path}/apt.log"
case "$*" in *update) exit 0;; *python3.11*) ln -sf "{sys.executable}" "{programs}/python3.11";; *) exit 100;; esac""",
    )
    path = f"{programs}{os.pathsep}{offline['PATH']}"
    venv = tmp_path / "venv"
    variables = {
        "AUTOGRADER_ROOT": str(tmp_path),
        "ETUDE_VENV": str(venv),
        "PIP_NO_DEPS": "1",  # there is no index here
        "PYTHONPATH": sysconfig.get_paths()["purelib"],
    }
    finished = run("bash", tmp_path / "source" / "setup.sh", cwd=tmp_path, PATH=path, **variables)
    assert finished.returncode == 0, finished.stderr
    asked = (tmp_path / "apt.log").read_text().splitlines()
    assert [line.split()[-1] for line in asked] == [
        "update", "python3.14-venv", "python3.13-venv", "python3.12-venv", "python3.11-venv",
    ]  # fmt: skip
    assert (venv / "bin" / "etude").exists()


def stub(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_a_right_submission_gets_all_points(grade: Grade) -> None:
    """Graded by Landlock as the root of a container that has no privileges."""
    graded = grade({"attention-weights.py": RIGHT})
    assert (graded.status, graded.results["score"]) == (0, 13), graded.log
    assert sum(test["max_score"] for test in graded.results["tests"]) == 13
    (about,) = graded.results["extra_data"]["etude"]
    assert (about["sandbox"], about["outcome"]) == ("landlock", "passed")


def test_a_wrong_submission_gets_what_it_earned(grade: Grade) -> None:
    """Status 0, since it was graded, and a sentence for each test that did not pass."""
    graded = grade({"attention_weights.py": read_submission("unscaled")})
    assert graded.status == 0, graded.log
    assert 0 < graded.results["score"] < 13
    assert "Not passed yet" in graded.results["output"]


def test_a_missing_file_scores_nothing(grade: Grade) -> None:
    """It is a result, with what to do."""
    graded = grade({"attention-weights.txt": RIGHT})
    assert (graded.status, graded.results["score"]) == (0, 0), graded.log
    assert "There is no file attention-weights.py." in graded.results["output"]
    assert sum(test["max_score"] for test in graded.results["tests"]) == 13


def test_a_link_out_of_the_submission_is_not_followed(image: Image, grade: Grade) -> None:
    """A link may point at a hidden test, whose lines an error message would show."""
    secret = image.root / "source" / "exercises" / "01-attention-weights.yaml"
    graded = grade({"attention-weights.py": secret})
    assert (graded.status, graded.results["score"]) == (0, 0), graded.log
    assert "This is a symbolic link" in graded.results["output"]


def test_nothing_of_the_upload_runs_but_the_submission(image: Image, grade: Grade) -> None:
    """No module, program or setting that lies there, even as the working directory."""
    shutil.rmtree(image.root / "submission")
    checkout = HostileCheckout.make(image.root / "submission")
    graded = grade({}, checkout=checkout)
    assert checkout.ran == [], graded.log
    assert (graded.status, graded.results["score"]) == (0, EARNED), graded.log


@pytest.mark.release
def test_the_packages_of_a_course_are_in_the_image(
    *, export: Export, build: Build, grade: Grade, with_packages: Path
) -> None:
    """By the hashes of its requirements, and the log of the build names them."""
    image = build(export("double", "scaled", "--exercises", with_packages))
    assert "packages of exercises/course.yaml: etude_demo 1.0" in image.said
    graded = grade({"double.py": USING, "scaled.py": USING}, on=image)
    assert (graded.status, graded.results["score"]) == (0, 10), graded.log


@pytest.mark.release
def test_what_needs_no_missing_package_is_graded(
    export: Export, image: Image, grade: Grade, with_packages: Path
) -> None:
    """Where a package is missing, an exercise and a submission without it have their score."""
    other = Image(image.root.parent / "other", image.venv, "")
    unpack(export("double", "--exercises", with_packages), other.root / "source")
    (other.root / "submission").mkdir()
    shutil.copy(other.root / "source" / "run_autograder", other.root)
    plain = "def double(x):\n    return 2 * x\n"
    for source, status, said in ((plain, 0, ""), (USING, 2, "course.yaml:2:12: packages: ")):
        graded = grade({"double.py": source}, on=other)
        assert (graded.status, graded.is_fault) == (status, status != 0), graded.log
        assert said in graded.log


def test_a_submission_cannot_read_the_hidden_tests(image: Image, grade: Grade) -> None:
    """It knows where they are, and is told of no file it tries; nor can it write a result."""
    source = image.root / "source"
    tried = [source / "exercises" / "01-attention-weights.yaml", source / WHEEL, source]
    tried += [
        Path("/etc/hostname"),
        Path("/proc/1/cmdline"),
        image.root / "results" / "results.json",
    ]
    spy = f"""\
import os
said = []
for path in {[str(path) for path in tried]!r}:
    for attempt in (lambda: open(path).read(), lambda: os.listdir(path), lambda: open(path, "w")):
        try:
            said.append(repr(attempt())[:200])
        except OSError as error:
            pass
raise RuntimeError(f"got {{said}}")
"""
    graded = grade({"attention-weights.py": spy})
    assert (graded.status, graded.results["score"]) == (0, 0), graded.log
    assert "got []" in json.dumps(graded.results)


def test_without_a_sandbox_there_is_no_score(grade: Grade) -> None:
    """On a kernel without Landlock nothing is run, and Gradescope has no score to show."""
    graded = grade({"attention-weights.py": RIGHT}, without_landlock=True)
    assert (graded.status, graded.is_fault) == (3, True)
    assert "This could not be graded" in graded.results["output"]
    assert "no sandbox on this host" in graded.log


@pytest.mark.parametrize(
    ("damage", "status"),
    [("killed", 137), ("gone", 127), ("broken definition", 2), ("no definition", 2)],
)
def test_results_are_written_when_the_grader_breaks(
    one: Path, image: Image, grade: Grade, tmp_path: Path, *, damage: str, status: int
) -> None:
    """There is always a results.json, without a score, and a status."""
    broken = Image(tmp_path / "autograder", tmp_path / "venv", "")
    unpack(one, broken.root / "source")
    shutil.copy(broken.root / "source" / "run_autograder", broken.root)
    (broken.root / "submission").mkdir()
    (broken.venv / "bin").mkdir(parents=True)
    python = broken.venv / "bin" / "python"
    (definition,) = (broken.root / "source" / "exercises").glob("01-*.yaml")
    if damage == "killed":
        stub(python, "kill -9 $$")
    elif damage != "gone":
        stub(python, f"""exec '{image.venv / "bin" / "python"}' "$@\"""")
    if damage == "broken definition":
        definition.write_text("id: [")
    elif damage == "no definition":
        definition.unlink()
    graded = grade({"attention-weights.py": RIGHT}, on=broken)
    assert (graded.status, graded.is_fault) == (status, True), graded.log
    assert "This could not be graded" in graded.results["output"]
    assert "there is no score" in graded.log
