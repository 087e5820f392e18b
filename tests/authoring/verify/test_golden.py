"""Broken exercises, one for each thing that `etude verify` catches, and its exact words for each.

`pytest tests/authoring/verify --update-goldens` writes the words down anew.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from grader.authoring.verify.checks import CHECKS

if TYPE_CHECKING:
    from tests.conftest import Goldens

FOLDER = Path(__file__).parents[2] / "golden" / "verify"
BROKEN = sorted(FOLDER.glob("*.yaml"))


@pytest.fixture(scope="session")
def proofs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Verify the whole folder in one run."""
    cache = str(tmp_path_factory.mktemp("cache"))
    words = ["verify", str(FOLDER), "--format", "json", "--jobs", "2"]
    done = subprocess.run(
        [sys.executable, "-m", "grader.cli", *words],
        env={**os.environ, "XDG_CACHE_HOME": cache},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 2, done.stderr  # one of them cannot be graded at all
    found = json.loads(done.stdout)["exercises"]
    return {Path(each["file"]).stem: each for each in found}


def words_of(proof: dict[str, Any]) -> str:
    """Write a proof as its golden file has it."""
    lines = [proof["status"]]
    for kind, findings in (("", proof["findings"]), ("note: ", proof["notes"])):
        for each in findings:
            lines.append(f"{each['line']}: {kind}{each['check']}: {each['message']}")
            lines += [f"    {line}" for line in each["diff"].splitlines()]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("broken", BROKEN, ids=lambda path: path.stem)
def test_each_broken_exercise_gets_the_words_in_its_golden_file(
    broken: Path, proofs: dict[str, dict[str, Any]], goldens: "Goldens"
) -> None:
    """Status, line, check and message, with the diff of a mutant."""
    goldens.check(broken.with_suffix(".txt"), words_of(proofs[broken.stem]))


def test_every_golden_file_is_of_a_broken_exercise(goldens: "Goldens") -> None:
    """No words are left of an exercise that is gone."""
    goldens.check_all([*FOLDER.glob("*.txt")], [path.with_suffix(".txt") for path in BROKEN])


def test_every_check_is_failed_by_some_broken_exercise(proofs: dict[str, dict[str, Any]]) -> None:
    """No check is there that has never caught anything."""
    failed = {
        name
        for proof in proofs.values()
        for name, result in proof["checks"].items()
        if result == "failed"
    }
    assert failed == CHECKS.keys()


def test_what_is_broken_is_not_proven(proofs: dict[str, dict[str, Any]]) -> None:
    """Only the sound one among them is."""
    assert [name for name, proof in proofs.items() if proof["status"] == "proven"] == ["proven"]
