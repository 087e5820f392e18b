"""`etude worker` where it cannot start."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

_EXERCISES = Path(__file__).parents[3] / "exercises"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "a worker needs --database, --database-file or ETUDE_DATABASE"),
        (["--database", "sqlite:///x.db"], "workers need PostgreSQL"),
        (["--database-file", "/nonexistent"], "cannot read /nonexistent"),
    ],
)
def test_a_worker_needs_postgresql(words: list[str], sentence: str, tmp_path: Path) -> None:
    """Exit status 2 and a sentence, without a database and with one that is a file."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ETUDE_")}
    command = [sys.executable, "-m", "grader.cli", "worker", "--workers", "1"]
    ended = subprocess.run(
        [*command, "--exercises", str(_EXERCISES), *words],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2
    assert sentence in ended.stderr
    assert "Traceback" not in ended.stderr
