"""Broken exercises, one for each thing that `etude verify` catches, and its exact words for each.

`pytest tests/authoring/verify --update-goldens` writes the words down again.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from grader.authoring.verify.check_names import CHECKS
from tests.authoring.golden_cases import VERIFY
from tests.conftest import Etude, Goldens

FOLDER = VERIFY.folder
CASES = VERIFY.names()


def words_of(proof: dict[str, Any]) -> str:
    """Write a proof as its golden file has it."""
    lines = [proof["status"]]
    for kind, findings in (("", proof["findings"]), ("note: ", proof["notes"])):
        for each in findings:
            lines.append(f"{each['line']}: {kind}{each['check']}: {each['message']}")
            lines += [f"    {line}" for line in each["diff"].splitlines()]
    return "\n".join(lines) + "\n"


@pytest.mark.slow
def test_each_broken_exercise_gets_the_words_in_its_golden_file(
    etude: Etude, goldens: Goldens, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Status, line, check and message, with the diff of a mutant."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "cases"
    folder.mkdir()
    for name in CASES:
        VERIFY.write(name, folder)
    finished = etude("verify", folder, "--format", "json", "--jobs", "2")
    assert finished.returncode == 2, finished.stderr  # one of them cannot be graded at all
    proofs = {Path(proof["file"]).stem: proof for proof in json.loads(finished.stdout)["exercises"]}
    assert sorted(proofs) == CASES
    for name in CASES:
        goldens.check(FOLDER / f"{name}.txt", words_of(proofs[name]))


def test_every_golden_file_is_of_a_broken_exercise(goldens: Goldens) -> None:
    """No words are left of an exercise that is gone."""
    goldens.check_all([*FOLDER.glob("*.txt")], [FOLDER / f"{name}.txt" for name in CASES])


def test_every_check_is_failed_by_some_broken_exercise() -> None:
    """No check is there that has never caught anything."""
    texts = "".join(path.read_text() for path in FOLDER.glob("*.txt"))
    assert set(re.findall(r"^\d+: (?!note: )(\S+): ", texts, re.MULTILINE)) >= CHECKS.keys()


def test_what_is_broken_is_not_proven() -> None:
    """Only the sound one among them is."""
    first_lines = {path.stem: path.read_text().split()[0] for path in FOLDER.glob("*.txt")}
    assert [name for name, line in first_lines.items() if line == "proven"] == ["proven"]
