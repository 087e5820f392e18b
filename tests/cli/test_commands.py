"""The commands as their users run them: what they print, and with which exit status."""

import contextlib
import json
import os
import platform
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import Etude, Finished

ROOT = Path(__file__).parent.parent.parent
SAMPLES = ROOT / "examples" / "submissions"
RIGHT = SAMPLES / "correct" / "attention-weights.py"
WRONG = SAMPLES / "unscaled" / "attention-weights.py"


@pytest.mark.slow
def test_every_sample_gets_the_verdict_that_its_folder_says(etude: Etude) -> None:
    """The correct ones pass, each wrong one does not and gets a sentence."""
    finished = etude("grade", SAMPLES, "--format", "json")
    verdicts = json.loads(finished.stdout)["verdicts"]
    assert finished.returncode == 1
    assert len(verdicts) == len(list(SAMPLES.glob("*/*.py"))) > 10
    for verdict in verdicts:
        if verdict["student"].startswith("correct"):
            assert verdict["outcome"] == "passed"
            assert verdict["score"] == verdict["max_score"] > 0
        else:
            assert verdict["score"] < verdict["max_score"]
            assert verdict["message"] or any(test["message"] for test in verdict["tests"])


def test_a_file_that_is_no_solution_gets_a_verdict(etude: Etude, tmp_path: Path) -> None:
    """Exit status 1 and one sentence, never a traceback."""
    (tmp_path / "mine.py").write_text("def f(:")
    finished = etude("check", "attention-weights", "mine.py")
    assert (finished.returncode, finished.stderr) == (1, "")
    assert "Python cannot read line 1: `def f(:`" in " ".join(finished.stdout.split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["check", "attention-wieghts", "x.py"], "did you mean 'attention-weights'?"),
        (["check", "no.yaml", "x.py"], "no.yaml"),
        (["chekc"], "Did you mean 'check'?"),
        (["check"], "Missing argument"),
        (["check", "attention-weights", "x.py", "--exercises", "/nonexistent"], "/nonexistent"),
        (["grade", "/nonexistent"], "does not exist"),
    ],
)
def test_wrong_usage_is_exit_status_two(etude: Etude, words: list[str], message: str) -> None:
    """With a message on stderr that says what to do, and no traceback."""
    finished = etude(*words)
    assert finished.returncode == 2
    assert message in finished.stderr
    assert "Traceback" not in finished.stderr


def test_an_invalid_definition_is_exit_status_two_with_its_place(
    etude: Etude, tmp_path: Path
) -> None:
    """file:line:column and the closest key."""
    (tmp_path / "bad.yaml").write_text("id: bad\ntitel: Bad\n")
    finished = etude("check", "bad.yaml", "x.py")
    assert finished.returncode == 2
    assert "bad.yaml:2:1: " in finished.stderr
    assert "did you mean 'title'?" in finished.stderr


@pytest.mark.slow
def test_another_collection_is_named_by_option_or_environment(etude: Etude, tmp_path: Path) -> None:
    """`--exercises DIR` and ETUDE_EXERCISES both work, also for a path with a space."""
    folder = small_collection(tmp_path / "my exercises")
    assert etude("check", "attention-weights", RIGHT, "--exercises", folder).returncode == 0
    empty = tmp_path / "empty"
    empty.mkdir()
    finished = etude("check", "attention-weights", RIGHT, env={"ETUDE_EXERCISES": str(empty)})
    assert finished.returncode == 2


def small_collection(folder: Path) -> Path:
    """Write a collection of two exercises, with no track."""
    (folder / "attention").mkdir(parents=True)
    for name in ("01-token-lookup.yaml", "13-attention-weights.yaml"):
        shutil.copy(ROOT / "exercises" / "attention" / name, folder / "attention")
    return folder


def test_grade_lists_each_submission_and_exits_with_the_worst(etude: Etude, tmp_path: Path) -> None:
    """One line each, in order; 1 because one did not pass, 2 because one names no exercise."""
    for student, source in (("ada", RIGHT), ("bob smith", WRONG)):
        (tmp_path / student).mkdir()
        shutil.copy(source, tmp_path / student / "attention-weights.py")
    finished = etude("grade", ".")
    assert finished.returncode == 1
    lines = [line for line in finished.stdout.splitlines() if line[:1] in "\u2713\u2717"]
    assert [line.split()[1] for line in lines] == ["ada", "bob"]
    assert finished.stdout.splitlines()[-1] == "2 submissions: 1 passed, 1 failed"

    (tmp_path / "ada" / "attention-wieghts.py").write_text("")
    finished = etude("grade", ".")
    assert finished.returncode == 2
    assert "! ada        attention-wieghts  not graded" in finished.stdout
    assert "did you mean 'attention-weights'?" in finished.stdout


@pytest.mark.slow
def test_the_learner_s_folder_is_not_on_the_grader_s_path(
    etude_process: Etude, tmp_path: Path
) -> None:
    """Modules that lie beside the submission are not imported by the grader."""
    for name in ("numpy", "pytest", "random", "click", "yaml", "conftest"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(77)")
    assert etude_process("check", "attention-weights", RIGHT).returncode == 0


@pytest.mark.slow
def test_doctor_names_the_sandboxes_of_this_host(etude: Etude) -> None:
    """Both are listed, and which one grades; and the versions that grade."""
    finished = etude("doctor")
    assert finished.returncode == 0
    assert f"Python {platform.python_version()}, NumPy {np.__version__}, " in finished.stdout
    assert "namespaces: " in finished.stdout
    assert "landlock: " in finished.stdout
    assert "Submissions are graded in: " in finished.stdout


@pytest.mark.slow
def test_doctor_tries_a_database(etude: Etude, tmp_path: Path) -> None:
    """It tries it without writing anything; a locked or missing database is not usable."""
    path = tmp_path / "etude.db"
    words = ("doctor", "--database", f"sqlite:///{path}")
    missing = etude(*words)
    assert missing.returncode == 3
    assert "unreachable: UsageError" in missing.stdout
    assert not path.exists()
    etude("staff", "add", "ada", "--database", f"sqlite:///{path}")
    content = path.read_bytes()
    assert etude(*words).returncode == 0
    assert path.read_bytes() == content
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        locked = etude(*words)
    assert locked.returncode == 3
    assert "unreachable: OperationalError (SQLITE_BUSY)" in locked.stdout


def test_without_a_sandbox_nothing_is_graded(etude_without_sandbox: Etude) -> None:
    """Exit status 3 with cause and fix; with `--format json` an object without a score."""
    words = ("check", "attention-weights", RIGHT, "--format", "json")
    finished = etude_without_sandbox(*words)
    assert finished.returncode == 3
    assert "grader fault: no sandbox on this host" in finished.stderr
    assert "Install bubblewrap" in finished.stderr
    fault = json.loads(finished.stdout)
    assert (fault["outcome"], "score" in fault) == ("grader fault", False)


@pytest.mark.slow
def test_grading_without_a_sandbox_is_explicit_and_stamped(
    etude_without_sandbox: Etude, tmp_path: Path
) -> None:
    """`--unsafe-no-sandbox` works where no sandbox does, and the reports say so."""
    words = ("check", "attention-weights", RIGHT, "--unsafe-no-sandbox", "--format", "json=v.json")
    finished = etude_without_sandbox(*words)
    assert finished.returncode == 0
    assert "WITHOUT a sandbox" in finished.stdout
    assert json.loads((tmp_path / "v.json").read_text())["sandbox"] == "none"


@pytest.mark.slow
def test_pytest_grades_a_file_test_by_test(tmp_path: Path) -> None:
    """For those who live in pytest: an item a test case, the sentence as the failure."""
    exercises = small_collection(tmp_path / "exercises")

    def run(file: Path) -> Finished:
        plain = ["-c", os.devnull, "-p", "no:cacheprovider", "-p", "no:schemathesis"]
        words = [str(exercises), f"--submission={file}", *plain]
        command = [sys.executable, "-P", "-m", "pytest", *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    for file in (RIGHT, shutil.copy(RIGHT, tmp_path / "Attention Weights (1).py")):
        finished = run(Path(file))
        assert finished.returncode == 0, finished.stdout
        assert "9 passed" in finished.stdout
    finished = run(WRONG)
    assert finished.returncode == 1
    assert "expected 0.4555, got 0.5065" in finished.stdout
    assert "any-shape" in finished.stdout
    assert "Traceback" not in finished.stdout


@pytest.mark.slow
def test_pytest_says_why_it_found_no_exercise(tmp_path: Path) -> None:
    """A file that is named after none: exit status 4 and what to do."""
    (tmp_path / "hw1.py").write_text("x = 1")
    exercises = small_collection(tmp_path / "exercises")
    words = [str(exercises), "--submission=hw1.py", "-c", os.devnull]
    plain = ["-p", "no:cacheprovider", "-p", "no:schemathesis"]
    command = [sys.executable, "-P", "-m", "pytest", *words, *plain]
    finished = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert finished.returncode == 4
    assert "no exercise here is named after 'hw1.py'" in finished.stderr
