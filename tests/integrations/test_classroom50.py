"""Classroom 50's runner script, started as its runner does, on a student's checkout."""

import json
import re
import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.integrations.conftest import (
    USING,
    Finished,
    InContainer,
    MakeHostile,
    Run,
    read_submission,
)
from tests.integrations.hostile import EARNED, POSSIBLE

ROOT = Path(__file__).parent.parent.parent
IDENTITY = {
    "CLASSROOM": "spring",
    "ASSIGNMENT": "attention",
    "SUBMISSION_TAG": "submit/2026-11-02T10-00-00Z-a1b2c3d",
    "COMMIT_URL": "https://example.org/commit/a1b2c3d",
    "RELEASE_URL": "https://example.org/releases/tag/submit",
    "REVIEW_URL": "https://example.org/compare/x...y",
    "USERNAME": "ada",
    "OWNER": "ada",
    "ASSIGNMENT_TYPE": "individual",
}


@pytest.fixture(scope="module")
def bundle(
    checkout: Path, etude_venv: Path, run: Run, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The assignment's folder: what docs/how-to/integrations.md says to put there."""
    folder = tmp_path_factory.mktemp("bundle") / "attention"
    archive = folder.parent / "autograder.zip"
    words = ("export", "gradescope", "attention-weights", "token-lookup", "--output", archive)
    assert run(etude_venv / "bin" / "etude", *words, cwd=checkout).returncode == 0
    with zipfile.ZipFile(archive) as opened:
        names = [
            name
            for name in opened.namelist()
            if re.match(r"exercises/|requirements|.*\.whl$", name)
        ]
        opened.extractall(folder, names)
    shutil.copy(ROOT / "integrations" / "classroom50" / "autograder.py", folder)
    return folder


@pytest.fixture
def start(bundle: Path, programs: Path, run: Run, tmp_path: Path, in_container: InContainer) -> Run:
    """Run the script in the student's checkout; `folder` may be another bundle."""

    def start(*, folder: Path = bundle, **variables: str) -> Finished:
        tmp_path.chmod(0o755)
        (tmp_path / "repository").mkdir(exist_ok=True)
        (tmp_path / "runner-temp").mkdir(exist_ok=True)
        given = {**IDENTITY, "RUNNER_TEMP": str(tmp_path / "runner-temp"), **variables}
        words = (programs / "python3", folder / "autograder.py")
        visible = (tmp_path, bundle)
        return run(*in_container(*words, visible=visible), cwd=tmp_path / "repository", **given)

    return start


def hand_in(tmp_path: Path, name: str, source: str) -> Path:
    path = tmp_path / "repository" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source)
    return path


def result(tmp_path: Path) -> dict[str, object]:
    loaded: dict[str, object] = json.loads((tmp_path / "repository" / "result.json").read_text())
    return loaded


@pytest.mark.slow
def test_a_graded_submission_is_status_0_and_a_result(start: Run, tmp_path: Path) -> None:
    """Passed or not: whose it is, whole points, and the release's text. Nothing else is left.

    A result and a text that the student committed go, and what a link led to stays as it was.
    """
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    (tmp_path / "repository" / "release-body.md").mkdir(parents=True)
    (tmp_path / "repository" / "result.json").symlink_to(elsewhere)
    hand_in(tmp_path, "attention_weights.py", read_submission("correct"))
    hand_in(tmp_path, ".github/helper.py", "raise SystemExit\n")
    finished = start()
    assert finished.returncode == 0, finished.stderr
    assert elsewhere.read_text() == "mine"
    assert list((tmp_path / "runner-temp").iterdir()) == []
    new = {path.name for path in (tmp_path / "repository").glob("*") if path.suffix != ".py"}
    assert new == {".github", "result.json", "release-body.md"}
    found = result(tmp_path)
    assert found["schema"] == "classroom50/result/v1"
    assert (found["classroom"], found["assignment"]) == ("spring", "attention")
    assert found["submission"] == IDENTITY["SUBMISSION_TAG"]
    assert (found["score"], found["max-score"]) == (13, 21)
    text = (tmp_path / "repository" / "release-body.md").read_text()
    assert "There is no file token-lookup.py" in text


@pytest.mark.slow
@pytest.mark.release
@pytest.mark.parametrize("is_downloaded", [False, True], ids=["from an index", "downloaded"])
def test_the_packages_of_a_course_are_installed(
    *,
    start: Run,
    etude_venv: Path,
    run: Run,
    with_packages: Path,
    tmp_path: Path,
    is_downloaded: bool,
) -> None:
    """From an index, or from the wheels that lie in the bundle."""
    archive, folder = tmp_path / "autograder.zip", tmp_path / "with-packages"
    words = ("double", "scaled", "--exercises", with_packages, "--output", archive)
    finished = run(etude_venv / "bin" / "etude", "export", "gradescope", *words, cwd=tmp_path)
    assert finished.returncode == 0, finished.stderr
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(folder)
    shutil.copy(ROOT / "integrations" / "classroom50" / "autograder.py", folder)
    wheels = folder / ("wheels" if is_downloaded else "index")
    wheels.mkdir()
    for path in with_packages.parent.glob("*.whl"):
        shutil.copy(path, wheels)
    for name in ("double", "scaled"):
        hand_in(tmp_path, f"{name}.py", USING)
    finished = start(folder=folder, PIP_FIND_LINKS="" if is_downloaded else str(wheels))
    assert finished.returncode == 0, finished.stderr
    assert (result(tmp_path)["score"], result(tmp_path)["max-score"]) == (10, 10)


@pytest.mark.slow
def test_nothing_of_the_repository_runs_but_the_submission(
    start: Run, hostile: MakeHostile, offline: Mapping[str, str], tmp_path: Path
) -> None:
    """No module, program or setting that lies there, even with relative entries in PATH."""
    checkout = hostile("repository")
    finished = start(PATH=f".:bin:{offline['PATH']}")
    assert checkout.ran == [], finished.stderr
    assert finished.returncode == 0, finished.stderr
    found = result(tmp_path)
    assert (found["score"], found["max-score"]) == (EARNED, POSSIBLE + 8)  # of token-lookup nothing


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["definition", "requirements", "identity"])
def test_a_fault_is_another_status_and_no_result(
    start: Run, tmp_path: Path, bundle: Path, damage: str
) -> None:
    """The runner then makes a result of its own, without a score."""
    broken = shutil.copytree(bundle, tmp_path / "broken")
    hand_in(tmp_path, "result.json", '{"score": 99}')
    variables = {}
    if damage == "definition":
        (broken / "exercises" / "02-token-lookup.yaml").write_text("id: [")
    elif damage == "requirements":
        (broken / "requirements.txt").write_text("./no-such-1.0-py3-none-any.whl\n")
    else:
        variables["CLASSROOM"] = ""
    finished = start(folder=broken, **variables)
    assert finished.returncode not in (0, 1)
    assert not (tmp_path / "repository" / "result.json").exists()
    assert not (tmp_path / "repository" / "release-body.md").exists()
