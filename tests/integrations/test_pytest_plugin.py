"""`pytest EXERCISES --submission=FILE`, where a student's files lie."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.integrations.conftest import MakeHostile

ROOT = Path(__file__).parent.parent.parent
PYTEST = Path(sys.executable).with_name("pytest")


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    """A folder of exercises that lies nowhere near the submission."""
    folder = tmp_path / "collection" / "attention"
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "exercises" / "attention" / "13-attention-weights.yaml", folder)
    return folder


def run(
    *words: str | Path, cwd: Path, environment: Mapping[str, str] = os.environ
) -> subprocess.CompletedProcess[str]:
    slow = ("schemathesis", "hypothesispytest", "cacheprovider")  # to start, and not looked at
    command = [*map(str, words), *(f"-pno:{name}" for name in slow)]
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=300
    )


@pytest.mark.slow
def test_nothing_beside_the_submission_runs(collection: Path, hostile: MakeHostile) -> None:
    """No conftest.py, no settings, no module, even in the working directory."""
    checkout = hostile("checkout")
    finished = run(PYTEST, collection, "--submission=attention-weights.py", cwd=checkout.folder)
    assert checkout.ran == [], finished.stdout + finished.stderr
    assert finished.returncode == 1, finished.stdout + finished.stderr
    assert "6 failed, 3 passed" in finished.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("start", "words", "variables", "message"),
    [
        ([PYTEST], ["--submission", "{file}"], {}, "write --submission={file}"),
        ([sys.executable, "-m", "pytest"], ["--submission={file}"], {}, "is on Python's path"),
        ([PYTEST], ["--submission={file}"], {"PYTHONPATH": "{folder}"}, "is on Python's path"),
        ([PYTEST], ["-o", "pythonpath=.", "--submission={file}"], {}, "is on Python's path"),
    ],
    ids=["blank", "module", "path", "setting"],
)
def test_ways_that_run_what_lies_there_are_refused(
    collection: Path,
    tmp_path: Path,
    *,
    start: list[str | Path],
    words: list[str],
    variables: dict[str, str],
    message: str,
) -> None:
    """Exit status 4 and a way that works, also where nothing lies there yet."""
    folder = tmp_path / "work"
    folder.mkdir()
    file = shutil.copy(ROOT / "examples/submissions/correct/attention-weights.py", folder)

    def filled(text: str) -> str:
        return text.format(file=file, folder=folder)

    environment = {**os.environ, **{name: filled(text) for name, text in variables.items()}}
    finished = run(*start, collection, *map(filled, words), cwd=folder, environment=environment)
    assert finished.returncode == 4, finished.stdout
    assert filled(message) in finished.stderr
    assert "passed" not in finished.stdout


@pytest.mark.slow
def test_what_cannot_be_graded_is_said_without_a_traceback(
    collection: Path, tmp_path: Path
) -> None:
    """A host without a sandbox fails each test with one sentence."""
    plugins = tmp_path / "plugins"
    plugins.mkdir()
    (plugins / "no_sandbox.py").write_text(
        "from grader.errors import SandboxFault\nfrom grader.sandbox import process\n\n\n"
        "def none(**_):\n    raise SandboxFault('not here')\n\n\nprocess.open_sandbox = none\n"
    )
    submission = tmp_path / "attention_weights.py"
    submission.write_text("x = 1\n")
    words = (PYTEST, "-pno_sandbox", collection, f"--submission={submission}")
    environment = {**os.environ, "PYTHONPATH": str(plugins)}
    finished = run(*words, cwd=collection, environment=environment)
    assert "could not be graded: not here" in finished.stdout
    assert "9 failed" in finished.stdout
    assert "Traceback" not in finished.stdout
